import type { AdministratorActionParams, FactorParams, MessageTexts } from "../message_content.ts";
import { formatEnd } from "../end_format.ts";

const HELLO = "Bonjour,";
const NOT_YOU =
  "Si cela ne vient pas de vous, réinitialisez immédiatement votre mot de passe et prévenez votre administrateur.";
const NOT_YOU_THEN = "Réinitialisez ensuite votre propre mot de passe et prévenez votre administrateur.";
const FINE = "Si cela vient de vous, vous n’avez rien d’autre à faire.";
const ASKED_NOT = "Si vous n’avez rien demandé, vous pouvez ignorer ce message\u00A0: rien n’a été modifié.";
const CODE_RULES =
  "Le code ne fonctionne qu’une seule fois et reste valable 10 minutes. Ne le donnez à personne, même à quelqu’un qui dit travailler pour nous.";

const FACTORS: Readonly<Record<FactorParams["factor"], string>> = {
  passkey: "une clé d’accès",
  totp: "une application d’authentification",
  email_otp: "des codes par e-mail",
};
/** The same after a negation. */
const NO_FACTORS: typeof FACTORS = {
  passkey: "de clé d’accès",
  totp: "d’application d’authentification",
  email_otp: "de codes par e-mail",
};

const ACTIONS: Readonly<Record<AdministratorActionParams["action"], string>> = {
  factor_disabled: "Une seconde étape de votre connexion a été désactivée.",
  unlocked: "Les délais d’attente après des codes ou mots de passe erronés ont été levés.",
  sessions_ended: "Toutes vos sessions ont été fermées\u00A0; reconnectez-vous.",
  sessions_and_keys_ended:
    "Toutes vos sessions ont été fermées et toutes les clés que vous avez créées ont été supprimées\u00A0; reconnectez-vous.",
  invitation_resent: "Votre invitation a été envoyée une nouvelle fois, dans un message séparé.",
};

export const fr: MessageTexts = {
  invitation: ({ link, actorEmail, roleName }, issuerName) => ({
    subject: `Votre invitation à rejoindre ${issuerName}`,
    blocks: [
      HELLO,
      `${actorEmail} a fait de vous un membre du rôle «\u00A0${roleName}\u00A0» dans ${issuerName}.`,
      "Ouvrez ce lien pour choisir votre premier mot de passe\u00A0:",
      { link, label: "Choisir un mot de passe" },
      "Le lien ne fonctionne qu’une seule fois et reste valable 7 jours. Passé ce délai, demandez une réinitialisation du mot de passe avec cette adresse e-mail.",
      "Si vous n’attendiez pas cette invitation, vous pouvez l’ignorer. Tant qu’aucun mot de passe n’a été choisi, personne ne peut se connecter à ce compte.",
    ],
  }),
  member_added: ({ actorEmail, roleName }, issuerName) => ({
    subject: `Vous avez un nouveau rôle dans ${issuerName}`,
    blocks: [
      HELLO,
      `${actorEmail} a fait de vous un membre du rôle «\u00A0${roleName}\u00A0» dans ${issuerName}.`,
      "Connectez-vous comme d’habitude\u00A0: vous n’avez rien d’autre à faire.",
    ],
  }),
  password_reset_link: ({ link }, issuerName) => ({
    subject: `Réinitialisez votre mot de passe ${issuerName}`,
    blocks: [
      HELLO,
      `Quelqu’un, sans doute vous, a demandé à réinitialiser le mot de passe de votre compte ${issuerName}. Ouvrez ce lien pour en choisir un nouveau\u00A0:`,
      { link, label: "Choisir un nouveau mot de passe" },
      "Le lien ne fonctionne qu’une seule fois et reste valable 30 minutes.",
      ASKED_NOT,
    ],
  }),
  password_reset_otp: ({ otp }, issuerName) => ({
    subject: `Votre code pour un nouveau mot de passe ${issuerName}`,
    blocks: [
      HELLO,
      `Saisissez ce code dans ${issuerName} pour choisir un nouveau mot de passe\u00A0:`,
      { code: otp },
      CODE_RULES,
      ASKED_NOT,
    ],
  }),
  email_otp: ({ otp, purpose }, issuerName) => ({
    subject: purpose === "activation"
      ? `Votre code pour activer les codes par e-mail de ${issuerName}`
      : `Votre code de connexion à ${issuerName}`,
    blocks: [
      HELLO,
      purpose === "activation"
        ? `Saisissez ce code dans ${issuerName} pour recevoir à cette adresse les codes de la seconde étape de votre connexion\u00A0:`
        : `Saisissez ce code dans ${issuerName} pour confirmer que c’est bien vous\u00A0:`,
      { code: otp },
      CODE_RULES,
      purpose === "activation"
        ? "Si vous n’avez rien demandé, vous pouvez ignorer ce message\u00A0: aucun code ne sera envoyé à cette adresse."
        : "Si vous n’avez pas demandé ce code, quelqu’un connaît peut-être votre mot de passe\u00A0: changez-le et prévenez votre administrateur.",
    ],
  }),
  email_transfer_otp: ({ otp }, issuerName) => ({
    subject: `Votre code pour confirmer votre nouvelle adresse ${issuerName}`,
    blocks: [
      HELLO,
      `Saisissez ce code dans ${issuerName} pour que cette adresse e-mail devienne celle de votre compte\u00A0:`,
      { code: otp },
      CODE_RULES,
      ASKED_NOT,
    ],
  }),
  email_transferred_old: ({ link }, issuerName) => ({
    subject: `L’adresse de votre compte ${issuerName} a été changée`,
    blocks: [
      HELLO,
      `Votre compte ${issuerName} a désormais une autre adresse e-mail. L’ancienne ne permet plus de se connecter.`,
      FINE,
      "Si cela ne vient pas de vous, ouvrez ce lien pour reprendre votre compte\u00A0:",
      { link, label: "Annuler le changement" },
      "Le lien est valable 72 heures. Il rétablit l’ancienne adresse, ferme toutes les sessions et supprime le mot de passe\u00A0; demandez-en ensuite un nouveau.",
    ],
  }),
  factor_activated: ({ factor }, issuerName) => ({
    subject: `Une seconde étape protège votre compte ${issuerName}`,
    blocks: [
      HELLO,
      `La connexion à ${issuerName} demande désormais une seconde étape\u00A0: ${FACTORS[factor]}.`,
      "Gardez vos codes de récupération en lieu sûr\u00A0: ils vous permettent d’entrer lorsque cette étape ne fonctionne pas.",
      `${FINE} ${NOT_YOU}`,
    ],
  }),
  factor_confirmation: ({ factor, link }, issuerName) => ({
    subject: `Confirmez le nouveau moyen de connexion de votre compte ${issuerName}`,
    blocks: [
      HELLO,
      `Un moyen de connexion a été ajouté à votre compte ${issuerName}\u00A0: ${FACTORS[factor]}.`,
      factor === "passkey"
        ? "Si cela vient de vous, ouvrez ce lien pour le confirmer. Il permet alors de se connecter sans mot de passe, et compte pour les rôles qui l’exigent\u00A0:"
        : "Si cela vient de vous, ouvrez ce lien pour le confirmer. Il compte alors pour les rôles qui l’exigent\u00A0:",
      { link, label: "Confirmer" },
      "Le lien ne fonctionne qu’une seule fois et reste valable 7 jours.",
      "Si cela ne vient pas de vous, n’ouvrez pas le lien\u00A0: réinitialisez dès maintenant votre mot de passe et prévenez votre administrateur.",
    ],
  }),
  factor_deactivated: ({ factor }, issuerName) => ({
    subject: `Une seconde étape de connexion à ${issuerName} est désactivée`,
    blocks: [
      HELLO,
      `La connexion à ${issuerName} n’utilise plus ${
        NO_FACTORS[factor]
      }. Vos autres sessions ont été fermées.`,
      FINE,
      NOT_YOU,
    ],
  }),
  recovery_code_used: ({ left }, issuerName) => ({
    subject: `Un code de récupération de votre compte ${issuerName} a servi`,
    blocks: [
      HELLO,
      `Un code de récupération de votre compte ${issuerName} vient d’être utilisé. Codes restants\u00A0: ${left}.`,
      left > 2 ? FINE : `${FINE} Créez bientôt de nouveaux codes, avant qu’il n’en reste plus.`,
      NOT_YOU,
    ],
  }),
  key_created: ({ keyName, roleName }, issuerName) => ({
    subject: `Votre compte ${issuerName} a créé une clé`,
    blocks: [
      HELLO,
      `La clé «\u00A0${keyName}\u00A0» du rôle «\u00A0${roleName}\u00A0» vient d’être créée dans ${issuerName} avec votre compte. Un programme qui la possède agit pour ce rôle jusqu’à ce que la clé prenne fin, même lorsque vous n’avez pas de session ouverte.`,
      FINE,
      `Si cela ne vient pas de vous, fermez toutes vos autres sessions et supprimez les clés que vous avez créées, dans votre compte ${issuerName}. ${NOT_YOU_THEN}`,
    ],
  }),
  role_password_set: ({ roleName }, issuerName) => ({
    subject: `Votre compte ${issuerName} a défini le mot de passe d’un rôle`,
    blocks: [
      HELLO,
      `Un mot de passe du rôle «\u00A0${roleName}\u00A0» vient d’être défini dans ${issuerName} avec votre compte. Les personnes qui le connaissent peuvent placer ce rôle sous l’un des leurs.`,
      FINE,
      `Si cela ne vient pas de vous, supprimez le mot de passe du rôle. ${NOT_YOU_THEN}`,
    ],
  }),
  membership_ends: ({ roleName, endsAt, others, actorEmail }, issuerName) => ({
    subject: `Votre appartenance à un rôle dans ${issuerName} prend bientôt fin`,
    blocks: [
      HELLO,
      `Votre appartenance au rôle «\u00A0${roleName}\u00A0» dans ${issuerName} prend fin le ${
        formatEnd("fr", endsAt)
      }.`,
      ...(others === 0
        ? []
        : others === 1
        ? ["Une autre de vos appartenances prend fin vers la même date."]
        : [`${others} autres de vos appartenances prennent fin vers la même date.`]),
      actorEmail === null
        ? "Si vous en avez encore besoin, adressez-vous à une personne qui gère les membres de ce rôle\u00A0: elle peut la prolonger."
        : `Si vous en avez encore besoin, adressez-vous à ${actorEmail}, qui vous l’a donnée, ou à une autre personne qui gère les membres de ce rôle\u00A0: elle peut la prolonger.`,
      "Sinon, vous n’avez rien à faire.",
    ],
  }),
  key_ends: ({ roleName, keyName, endsAt, others }, issuerName) => ({
    subject: `Une clé que vous avez créée dans ${issuerName} prend bientôt fin`,
    blocks: [
      HELLO,
      `La clé «\u00A0${keyName}\u00A0» du rôle «\u00A0${roleName}\u00A0» dans ${issuerName}, que vous avez créée, prend fin le ${
        formatEnd("fr", endsAt)
      }. Dès lors, le programme qui l’utilise n’a plus accès.`,
      ...(others === 0
        ? []
        : others === 1
        ? ["Une autre clé que vous avez créée prend fin vers la même date."]
        : [`${others} autres clés que vous avez créées prennent fin vers la même date.`]),
      "Si le programme est encore utile, créez d’ici là une nouvelle clé et donnez-la au programme. Si vous n’en avez plus le droit, adressez-vous à une personne qui gère les membres de ce rôle.",
    ],
  }),
  operator_action: ({ action }, issuerName) => ({
    subject: `L’administration a modifié votre compte ${issuerName}`,
    blocks: [
      HELLO,
      `L’administration de ${issuerName} est intervenue sur votre compte. ${ACTIONS[action]}`,
      "Si vous n’avez rien demandé, prévenez votre administrateur.",
    ],
  }),
  plain: {
    password_set: (issuerName) => ({
      subject: `Le mot de passe de votre compte ${issuerName} a été défini`,
      blocks: [
        HELLO,
        `Le mot de passe de votre compte ${issuerName} vient d’être défini ou modifié.`,
        FINE,
        NOT_YOU,
      ],
    }),
    refresh_token_reused: (issuerName) => ({
      subject: `Nous avons fermé l’une de vos sessions ${issuerName}`,
      blocks: [
        HELLO,
        `Un ancien jeton de connexion de l’une de vos sessions ${issuerName} a été utilisé une seconde fois. Il a peut-être été copié\u00A0; nous avons donc fermé cette session. Vos autres sessions restent ouvertes.`,
        "Si une application ou un appareil vous demande de vous reconnecter, c’est pour cette raison. Cela peut aussi se produire lorsqu’un appareil est restauré à partir d’une sauvegarde.",
        "Si vous ne voyez pas d’explication, changez votre mot de passe et prévenez votre administrateur.",
      ],
    }),
    email_transferred: (issuerName) => ({
      subject: `Ceci est désormais l’adresse de votre compte ${issuerName}`,
      blocks: [
        HELLO,
        `Votre compte ${issuerName} a désormais cette adresse e-mail. Utilisez-la pour vous connecter. Vos autres sessions ont été fermées.`,
        "Pendant 72 heures, le changement peut être annulé par un lien envoyé à l’ancienne adresse.",
      ],
    }),
    transfer_undone: (issuerName) => ({
      subject: `Le changement de votre adresse ${issuerName} a été annulé`,
      blocks: [
        HELLO,
        `Le changement de l’adresse e-mail de votre compte ${issuerName} a été annulé\u00A0: l’ancienne adresse est rétablie. Toutes les sessions ont été fermées et le mot de passe a été supprimé.`,
        "Les secondes étapes et les codes de récupération configurés moins de trois jours avant le changement, ou depuis, ont également été supprimés.",
        "Pour vous connecter, demandez une réinitialisation du mot de passe avec l’ancienne adresse. Vérifiez ensuite vos secondes étapes et vos codes de récupération, et configurez ce qui manque.",
      ],
    }),
    recovery_codes_reset: (issuerName) => ({
      subject: `Vous avez de nouveaux codes de récupération ${issuerName}`,
      blocks: [
        HELLO,
        `Les codes de récupération de votre compte ${issuerName} ont été remplacés. Les précédents ne fonctionnent plus et vos autres sessions ont été fermées.`,
        FINE,
        NOT_YOU,
      ],
    }),
    second_factor_failures: (issuerName) => ({
      subject: `Quelqu’un connaît peut-être votre mot de passe ${issuerName}`,
      blocks: [
        HELLO,
        `Quelqu’un a saisi le bon mot de passe de votre compte ${issuerName}, puis cinq codes erronés. L’accès lui a été refusé.`,
        "Si cela vient de vous, reconnectez-vous.",
        "Si cela ne vient pas de vous, changez immédiatement votre mot de passe et prévenez votre administrateur.",
      ],
    }),
    passkey_copied: (issuerName) => ({
      subject: `Une clé d’accès de votre compte ${issuerName} a été refusée`,
      blocks: [
        HELLO,
        `Une clé d’accès de votre compte ${issuerName} a été refusée, car elle a compté moins d’utilisations qu’auparavant. Il en existe peut-être une copie.`,
        "Retirez cette clé d’accès dans les paramètres de votre compte et ajoutez-en une nouvelle.",
        NOT_YOU,
      ],
    }),
    account_deleted: (issuerName) => ({
      subject: `Votre compte ${issuerName} a été supprimé`,
      blocks: [
        HELLO,
        `Votre compte ${issuerName} et ses appartenances ont été supprimés. Personne ne peut plus s’y connecter.`,
        "Si vous n’avez rien demandé, prévenez votre administrateur.",
      ],
    }),
  },
  footer: (issuerName) => `Ce message a été envoyé automatiquement par ${issuerName}.`,
};
