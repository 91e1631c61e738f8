import type { Texts } from "../en.ts";
import type { SecurityResult } from "../../../../identity/security_result.ts";
import { moreRoles, plural } from "./words.ts";

export const ACCOUNT_DATA: Texts["accountData"] = {
  tabs: {
    profile: "Profil",
    sessions: "Sessions",
    log: "Journal de sécurité",
    data: "Vos données",
  },
  changePassword: "changez votre mot de passe",
  address: {
    current: "Vous vous connectez avec {email}, et nos e-mails y sont envoyés.",
    change: "Changer l’adresse",
    title: "Changer votre adresse e-mail",
    intro:
      "Nous envoyons un code à la nouvelle adresse, pour vérifier qu’elle est bien à vous. Elle remplace l’ancienne dès que vous saisissez le code.",
    means: [
      "Vos autres sessions seront alors fermées.",
      "L’ancienne adresse reçoit un lien qui annule le changement. Il est valable 72 heures.",
      "Tant que ce lien est valable, vous ne pouvez ni changer à nouveau d’adresse ni supprimer votre compte.",
    ],
    email: "Nouvelle adresse e-mail",
    send: "Envoyer un code",
    haveCode: "J’ai déjà un code",
    codeTitle: "Saisir le code",
    sent: "Un e-mail avec un code est en route vers {email}.",
    sentBefore: "Un e-mail avec un code a été envoyé à votre nouvelle adresse.",
    codeHint: "Six caractères, valables 10 minutes.",
    another: "Utiliser une autre adresse",
    notArrived:
      "Rien reçu au bout d’une minute\u202F? Regardez dans les courriers indésirables, ou demandez un autre e-mail.",
    sentAgain: "Un autre e-mail est en route. Le code précédent n’est plus valable.",
    moved: {
      title: "Votre adresse a été changée",
      now: "Désormais, vous vous connectez avec {email}.",
      undo:
        "C’était une erreur\u202F? Un e-mail avec un lien qui annule le changement a été envoyé à {email}. Le lien est valable 72 heures.",
      sessions: "Toutes vos autres sessions ont été fermées.",
    },
    faults: {
      wait: (time) => `Un code vient d’être envoyé. Le prochain pourra être envoyé dans ${time}.`,
      code: "Le code est incorrect ou a expiré. Après cinq codes erronés, demandez-en un autre.",
      inUse:
        "Un autre compte a cette adresse, ou peut la retrouver dans les 72 heures. Utilisez une autre adresse.",
      tooSoon:
        "L’adresse a été changée il y a moins de 72 heures. Elle pourra l’être à nouveau quand ce changement ne pourra plus être annulé.",
    },
  },
  language: {
    intro: "Cette page et les e-mails qui vous sont envoyés sont dans cette langue.",
    differ: (page, mails) =>
      `Langue de cette page\u202F: ${page}. Langue des e-mails\u202F: ${mails}. Choisissez-en une pour les deux.`,
    label: "Langue de cette page et des e-mails",
    save: "Utiliser cette langue",
    saved: "Cette page et les e-mails qui vous sont envoyés sont maintenant en français.",
  },
  sessions: {
    title: "Où vous avez une session ouverte",
    intro: "Si vous ne reconnaissez pas une session, fermez-la et {change}.",
    none: "Il n’y a aucune session.",
    current: "cette session",
    client: (browser, system) => `${browser} sur ${system}`,
    unknownClient: "Un programme qui ne dit pas son nom",
    times: "Ouverte le {created} · dernière activité le {used}",
    end: "Fermer",
    ended: "La session a été fermée.",
    others: {
      open: "Fermer toutes les autres",
      title: "Fermer toutes les autres sessions\u202F?",
      text: "Il faudra s’y reconnecter. Ici, votre session reste ouverte.",
      done: "Toutes les autres sessions ont été fermées.",
    },
    all: {
      open: "Se déconnecter partout",
      title: "Se déconnecter partout\u202F?",
      text: "Toutes vos sessions seront fermées, celle-ci comprise. Il faudra ensuite vous reconnecter.",
    },
    withKeys: "Supprimer aussi les clés que j’ai créées",
    withKeysHint:
      "Les programmes qui les utilisent perdent aussitôt leur accès. Les clés des rôles que vous avez quittés restent dans votre liste.",
    doneWithKeys:
      "Toutes les autres sessions ont été fermées, et les clés que vous avez créées ont été supprimées.",
  },
  ownKeys: {
    title: "Clés que vous avez créées",
    intro:
      "Un programme qui a l’une de ces clés agit pour un rôle, même lorsque vous n’avez pas de session ouverte. Si vous ne reconnaissez pas une clé, supprimez-la et {change}.",
    none: "Vous n’avez créé aucune clé.",
    role: "Pour le rôle",
  },
  log: {
    title: "Ce qui s’est passé sur votre compte",
    intro: "Si quelque chose ici ne vient pas de vous, {change} et fermez les autres sessions.",
    none: "Il ne s’est encore rien passé.",
    from: "depuis {address}",
    refused: "refusé",
    attempts: plural("# [tentative|tentatives] en une minute."),
    unknown: "Autre chose a été fait sur le compte.",
    events: {
      "login": "[Connexion|Tentative de connexion]",
      "logout": "[Déconnexion|Tentative de déconnexion]",
      "session.end": "[Fermeture de sessions|Tentative de fermer une session]",
      "session.end_by_manager": "Une personne qui gère tous vos rôles a fermé vos sessions",
      "session.refresh_token_reused":
        "Une session a été [fermée, car son secret a servi deux fois\u202F: une autre personne l’avait peut-être|fermée]",
      "session.operator": "L’administration du service a [agi|tenté d’agir] en votre nom",
      "password_reset_link.request":
        "[Demande d’un lien pour un nouveau mot de passe|Tentative de recevoir un lien par e-mail]",
      "password_reset_otp.request":
        "[Demande d’un code pour un nouveau mot de passe|Tentative de recevoir un code par e-mail]",
      "password_reset_otp.check": "Saisie d’un code reçu par e-mail",
      "password_reset_otp":
        "[Nouveau mot de passe défini|Tentative de définir un nouveau mot de passe] avec un code",
      "password.reset_link":
        "[Nouveau mot de passe défini|Tentative de définir un nouveau mot de passe] avec un lien",
      "password.invitation_link":
        "[Premier mot de passe défini|Tentative de définir le premier mot de passe]",
      "password.change": "[Mot de passe changé|Tentative de changer le mot de passe]",
      "password.prove": "[Confirmation|Tentative de confirmer] par le mot de passe",
      "email.initiate": "[Demande d’un code pour|Tentative de] changer l’adresse",
      "email.transfer": "[Adresse changée|Tentative de changer l’adresse]",
      "email.undo": "[Changement d’adresse annulé|Tentative d’annuler le changement d’adresse]",
      "email_otp.setup": "[Début de la configuration des|Tentative de configurer les] codes par e-mail",
      "email_otp.activate": "[Codes par e-mail activés|Tentative d’activer les codes par e-mail]",
      "email_otp.challenge": "[Demande d’un|Tentative de recevoir un] code par e-mail",
      "email_otp.authenticate": "[Confirmation|Tentative de confirmer] par un code reçu par e-mail",
      "email_otp.deactivate": "[Codes par e-mail désactivés|Tentative de désactiver les codes par e-mail]",
      "totp.setup":
        "[Début de la configuration d’une|Tentative de configurer une] application d’authentification",
      "totp.activate":
        "[Application d’authentification activée|Tentative d’activer l’application d’authentification]",
      "totp.authenticate": "[Confirmation|Tentative de confirmer] par l’application d’authentification",
      "totp.deactivate":
        "[Application d’authentification désactivée|Tentative de désactiver l’application d’authentification]",
      "passkey.activate": "[Ajout d’une|Tentative d’ajouter une] clé d’accès",
      "passkey.authenticate": "[Confirmation|Tentative de confirmer] par une clé d’accès",
      "passkey.login": "[Connexion|Tentative de connexion] par une clé d’accès",
      "passkey.rename": "[Changement du nom d’une|Tentative de renommer une] clé d’accès",
      "passkey.deactivate": "[Retrait d’une|Tentative de retirer une] clé d’accès",
      "factor.confirm": "[Confirmation d’une|Tentative de confirmer une] nouvelle façon de se connecter",
      "recovery_code.authenticate": "[Confirmation|Tentative de confirmer] par un code de récupération",
      "recovery_code.reset":
        "[Nouveaux codes de récupération créés|Tentative de créer de nouveaux codes de récupération]",
      "account.import": "Un import a [créé ou complété|tenté de créer ou de compléter] le compte",
      "account.delete": "[Compte supprimé|Tentative de supprimer le compte]",
      "operator.factor_disabled":
        "L’administration du service a [désactivé|tenté de désactiver] une seconde étape",
      "operator.unlocked":
        "L’administration du service a [levé|tenté de lever] les délais d’attente après des tentatives erronées",
      "operator.sessions_ended": "L’administration du service a [fermé|tenté de fermer] vos sessions",
      "operator.invitation_resent": "L’administration du service a [renvoyé|tenté de renvoyer] l’invitation",
    },
    reasons: {
      started: "Cela n’a pas été mené à bout.",
      abandoned:
        "Le service était trop chargé pour vérifier. Cela n’a pas compté comme une tentative erronée.",
      wrong: "La saisie était incorrecte.",
      unreadable: "Le mot de passe enregistré est illisible\u202F: il faut en définir un nouveau par e-mail.",
      copied:
        "La clé d’accès avait compté moins d’utilisations qu’auparavant\u202F: une autre personne en a peut-être une copie.",
      waiting: "C’était trop tôt\u202F: après des tentatives erronées ou des e-mails, il faut attendre.",
      outdated: "Entre-temps, autre chose l’avait modifié.",
      void: "Entre-temps, autre chose avait modifié le compte.",
      over: "Entre-temps, la session ou la connexion avait pris fin.",
      proof_required: "Une confirmation était d’abord nécessaire.",
      second_factor: "Le mot de passe était correct. Une seconde étape devait suivre.",
      activation: "Pour les activer.",
      uninitialized: "Rien n’avait été configuré.",
      inactive: "Ce n’était pas activé.",
      disabled: "C’était désactivé.",
      needs_codes: "Il fallait d’abord des codes de récupération.",
      no_code: "Aucun code n’était valable à ce moment-là.",
      in_use: "Un compte l’a déjà, ou peut la retrouver.",
      unconfirmed: "La clé d’accès n’était pas encore confirmée.",
      unknown: "Le compte n’avait pas cette clé d’accès.",
      too_soon: "Le dernier changement d’adresse pouvait encore être annulé.",
      too_many: "Il y en avait déjà trop.",
      transferred: "Un changement d’adresse pouvait encore être annulé.",
      root_without_member: "Plus personne n’aurait pu gérer l’un des rôles au sommet.",
      has_password: "Le compte avait déjà un mot de passe.",
      no_role: "Le compte n’était dans aucun rôle.",
      denied: "Cette session n’existait plus.",
      ended: "Changez votre mot de passe si vous n’en connaissez pas la raison.",
    } satisfies Record<Exclude<SecurityResult, "ok">, string>,
  },
  own: {
    title: "Emporter vos données",
    intro:
      "Tout ce qui est enregistré à votre sujet, dans un seul fichier (JSON)\u202F: votre compte, vos rôles, vos sessions et le journal de sécurité. Les mots de passe et autres secrets n’y figurent pas.",
    saved: "Vos données sont enregistrées dans un fichier.",
    running: (time) => `Un autre export de vos données est en cours. Réessayez dans ${time}.`,
  },
  leave: {
    title: "Supprimer votre compte",
    intro:
      "Vous voyez d’abord ce que deviennent les rôles dont vous êtes membre. Rien n’est encore supprimé.",
    open: "Voir ce que cela implique",
    means: [
      "Vous ne pouvez plus vous connecter, et toutes vos sessions sont fermées.",
      "Vous n’êtes plus membre d’aucun rôle.",
      "Votre mot de passe, vos secondes étapes, vos codes et vos liens sont supprimés.",
      "Ce que vous avez fait reste dans les journaux, sans votre nom ni vos adresses réseau.",
      "Les mots de passe que vous avez définis pour des rôles ne fonctionnent plus. Les clés que vous avez créées pour des programmes continuent de fonctionner.",
      "Personne ne peut restaurer le compte, pas même l’administration du service.",
    ],
    roles: "Les rôles dont vous êtes membre",
    looking: "Examen de vos rôles…",
    noRoles: "Vous n’êtes membre d’aucun rôle.",
    allManaged: plural(
      "Vous êtes membre [d’un rôle|de # rôles]. Après votre départ, tous les rôles pourront encore être gérés.",
    ),
    unmanaged:
      "Après votre départ, plus personne ne pourrait gérer ces rôles. Trouvez d’abord une autre personne\u202F:",
    moreUnmanaged: (n) => `Et ${moreRoles(n, true)}.`,
    keeps:
      "Vous êtes la dernière personne à gérer sans date de fin un rôle au sommet\u202F: vous ne pouvez donc pas partir. Faites-y d’abord entrer un autre membre, avec la gestion des rôles et sans date de fin\u202F:",
    partial: "Tous vos rôles n’ont pas pu être examinés. D’autres pourraient n’être plus gérés par personne.",
    oneByOne:
      "Chacune de vos appartenances a été examinée séparément. Un rôle que personne d’autre ne gère, et que vous gérez par plusieurs d’entre elles, n’est pas détecté.",
    typeAddress: "Pour supprimer le compte, saisissez {email}.",
    confirm: "Votre adresse e-mail",
    different: "Ce n’est pas l’adresse de votre compte.",
    submit: "Supprimer mon compte",
    keepsNow:
      "Vous êtes maintenant la dernière personne à gérer sans date de fin l’un de vos rôles. Rechargez cette page pour voir lequel.",
    transferred:
      "L’adresse du compte a été changée il y a moins de 72 heures. Il pourra être supprimé quand ce changement ne pourra plus être annulé.",
  },
  goodbye: {
    title: "Votre compte a été supprimé",
    text: "Un e-mail le confirme. Merci d’avoir été des nôtres.",
    signIn: "Vers la page de connexion",
  },
};
