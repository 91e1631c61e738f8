import type { Texts } from "../en.ts";
export const ACCOUNT_SECURITY: Texts["accountSecurity"] = {
  tabs: { security: "Connexion" },
  sudo: {
    title: "Confirmez que c’est bien vous",
    byFactor: "Cette modification demande à nouveau votre seconde étape.",
    byPassword: "Cette modification demande à nouveau votre mot de passe.",
    byClick: "Dans la démo, un clic suffit.",
    wrong: "Le mot de passe est incorrect.",
    submit: "Confirmer",
  },
  overview: {
    safe:
      "Vous vous connectez avec votre mot de passe et une seconde étape. Connaître votre mot de passe ne suffit pas pour entrer.",
    unsafe:
      "Vous vous connectez avec votre seul mot de passe. Avec une seconde étape, le connaître ne suffit plus pour entrer.",
    on: "Activé",
    off: "Désactivé",
    since: "Depuis le",
    unconfirmed: "Pas encore de confirmation\u202F: ouvrez le lien dans l’e-mail que nous vous avons envoyé.",
    setUp: "Configurer",
    change: "Changer",
    replace: "Remplacer",
    turnOff: "Désactiver",
    passwordText: "Le changer vous déconnecte partout ailleurs.",
    passkeys: "Clés d’accès",
    passkeysText:
      "Votre empreinte, votre visage ou le code PIN de votre appareil suffit pour vous connecter, sans mot de passe. Aucune fausse page ne peut voler une clé d’accès.",
    add: "En ajouter une autre",
    totp: "Application d’authentification",
    totpText: "Une application sur votre téléphone affiche un code qui change toutes les 30 secondes.",
    emailOtp: "Codes par e-mail",
    emailOtpText:
      "À chaque connexion, nous pouvons vous envoyer un code par e-mail. Une application est plus sûre.",
    emailOtpTo: "Les codes sont envoyés à",
    recoveryCodes: "Codes de récupération",
    recoveryCodesLater:
      "Pour le jour où vous perdrez votre téléphone. Vous les recevrez en configurant une seconde étape.",
    madeOn: "Créés le",
    left: (n) => n <= 1 ? `${n} restant sur 10` : `${n} restants sur 10`,
    newCodes: "En créer de nouveaux",
    lastResort: "Si vous perdez tout",
    lastResortText:
      "Sans votre seconde étape ni vos codes de récupération, seule l’administration de ce service peut vous rouvrir l’accès. Elle s’assurera d’abord que la demande vient bien de vous.",
  },
  password: {
    title: "Changer votre mot de passe",
    text:
      "Quelques mots que personne ne devinerait font un bon mot de passe, facile à retenir. Ensuite, toutes vos autres sessions seront fermées.",
    old: "Ancien mot de passe",
    submit: "Changer le mot de passe",
    done: "Votre mot de passe a été changé. Vos autres sessions ont été fermées.",
    rules: {
      label: "Ce qu’il lui faut",
      length: (length) => `De 8 à 256 caractères. Pour l’instant\u202F: ${length}.`,
      old: "Pas l’ancien une nouvelle fois",
      names: "Ni votre adresse, ni le nom de ce service",
      common:
        "Pas un mot de passe que beaucoup de gens utilisent. Nous le vérifions au moment du changement.",
      kept: " (fait)",
      notKept: " (pas encore)",
    },
    refusals: {
      RULE_BROKEN: "Le nouveau mot de passe ne remplit pas encore toutes les conditions.",
      PASSWORD_INCORRECT: "L’ancien mot de passe est incorrect.",
      PASSWORD_TOO_SHORT: "Le nouveau mot de passe est trop court.",
      PASSWORD_TOO_LONG: "Le nouveau mot de passe est trop long.",
      PASSWORD_TOO_COMMON: "Ce mot de passe est très répandu, donc facile à deviner. Choisissez-en un autre.",
      PASSWORD_EQUALS_NAME:
        "Le nouveau mot de passe est votre adresse ou le nom de ce service. Choisissez-en un autre.",
      PASSWORD_BREACHED:
        "Ce mot de passe figure dans une fuite de données d’un autre service. Choisissez-en un autre.",
    },
  },
  passkey: {
    title: "Ajouter une clé d’accès",
    text:
      "Votre appareil ou votre gestionnaire de mots de passe crée la clé d’accès et la conserve. Une fois confirmée, elle vous connecte sans mot de passe.",
    nameHint: "Il vous permet de reconnaître la clé d’accès dans votre liste.",
    noName: "Un nom compte de 1 à 64 caractères.",
    submit: "Créer la clé d’accès",
    working: "En attente de votre appareil…",
    tooMany: "Vous avez déjà 20 clés d’accès. Retirez-en une dont vous n’avez pas besoin.",
    done: "La clé d’accès est prête. Vous pourrez l’utiliser dès votre prochaine connexion.",
    unconfirmed:
      "La clé d’accès est créée. Il manque une étape avant qu’elle vous connecte sans mot de passe\u202F: ouvrez le lien dans l’e-mail que nous venons de vous envoyer et confirmez-y la clé d’accès. Jusque-là, elle est une seconde étape après votre mot de passe.",
    unused: "Créée le {made}, pas encore utilisée.",
    used: "Créée le {made}, utilisée pour la dernière fois le {used}.",
    synced: "Elle se trouve aussi sur vos autres appareils.",
    single: "Elle ne se trouve que sur un appareil.",
    rename: "Renommer",
    renameTitle: "Renommer la clé d’accès",
    renamed: "La clé d’accès a son nouveau nom.",
    removeTitle: "Retirer cette clé d’accès\u202F?",
    removeText:
      "Elle ne vous connectera plus. Si votre appareil continue de la proposer, supprimez-la aussi sur celui-ci.",
    removed: "La clé d’accès est retirée.",
  },
  totp: {
    title: "Configurer une application d’authentification",
    replaceTitle: "Remplacer l’application d’authentification",
    text:
      "Il vous faut une application qui affiche des codes\u202F: beaucoup de gestionnaires de mots de passe le font, et il en existe de gratuites pour tous les téléphones. Vous scannerez une image, puis saisirez le code affiché.",
    replaceText:
      "Vous scannerez une image avec la nouvelle application, puis saisirez le code affiché. D’ici là, l’application actuelle continue de fonctionner.",
    begin: "Afficher l’image",
    over: "L’image était valable 10 minutes. Recommencez avec une nouvelle.",
    scan: "Scannez cette image avec votre application.",
    picture: "QR code pour votre application d’authentification",
    cannotScan: "Vous ne pouvez pas la scanner\u202F?",
    open: "Ouvrir dans une application sur cet appareil",
    type: "Ou saisissez cette clé dans l’application\u202F:",
    confirm: "Saisissez le code que l’application affiche en ce moment.",
    code: "Code",
    submit: "Activer",
    done: "L’application d’authentification est activée. Elle vous servira dès votre prochaine connexion.",
  },
  emailOtp: {
    title: "Configurer les codes par e-mail",
    changeTitle: "Changer l’adresse pour les codes",
    text:
      "À la connexion, nous vous envoyons par e-mail un code à saisir. Choisissez une boîte que personne d’autre ne lit, de préférence protégée elle aussi par une seconde étape.",
    address: "Adresse pour les codes",
    addressHint: "Elle peut être différente de celle de votre compte.",
    send: "Envoyer un code",
    over: "Cela a pris plus de 10 minutes. Recommencez.",
    done: "Les codes par e-mail sont activés. Vous pourrez les utiliser dès votre prochaine connexion.",
  },
  recovery: {
    title: "Conservez vos codes de récupération",
    text:
      "Si vous perdez votre seconde étape, l’un de ces codes vous permet d’entrer. Chacun ne fonctionne qu’une fois. Ils ne seront plus affichés\u202F: imprimez-les ou gardez-les dans votre gestionnaire de mots de passe, pas seulement sur votre téléphone.",
    purpose: (service, email) => `Codes de récupération de ${email} pour ${service}`,
    once: "Chaque code ne fonctionne qu’une fois, à la place du code de la seconde étape.",
    file: "codes-de-recuperation.txt",
    print: "Imprimer",
    download: "Enregistrer dans un fichier",
    done: "Je les ai conservés",
    kept: "Vos codes de récupération sont prêts pour le jour où vous en aurez besoin.",
    resetTitle: "Créer de nouveaux codes de récupération\u202F?",
    resetText:
      "Les codes que vous avez ne fonctionneront plus, et toutes vos autres sessions seront fermées.",
    reset: "Créer de nouveaux codes",
  },
  turnOff: {
    last:
      "C’est votre seule seconde étape. Sans elle, il suffira de connaître votre mot de passe pour entrer, et vos codes de récupération seront supprimés.",
    others: "Cela vous déconnecte partout sauf ici.",
    totp: {
      title: "Désactiver l’application d’authentification\u202F?",
      text:
        "Les codes qu’elle affiche ne seront plus demandés. Vous pourrez supprimer l’entrée de l’application.",
      done: "L’application d’authentification est désactivée.",
    },
    emailOtp: {
      title: "Désactiver les codes par e-mail\u202F?",
      text: "Plus aucun code ne sera envoyé par e-mail à la connexion.",
      done: "Les codes par e-mail sont désactivés.",
    },
  },
};
