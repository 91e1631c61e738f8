import type { RightName } from "../../../../role/rights.ts";

/** What more than one view says. */
export const COMMON = {
  skip: "Aller au contenu",
  loading: "Chargement…",
  close: "Fermer",
  cancel: "Annuler",
  list: { more: "Afficher la suite", again: "Réessayer" },
  copy: {
    button: "Copier",
    copied: "Copié",
    selected: "Sélectionné. Copiez-le avec le clavier ou le menu.",
  },
  passwordField: {
    show: "Afficher",
    showLabel: "Afficher la saisie",
    hide: "Masquer",
    hideLabel: "Masquer la saisie",
  },
  finder: "Rechercher partout",
  views: {
    label: "Vues",
    home: "Accueil",
    role: "Hiérarchie",
    why: "Pourquoi",
    changes: "Journal",
    devices: "Appareils",
    account: "Mon compte",
    people: "Invitations et échéances",
  },
  account: { menu: "Votre compte", signOut: "Se déconnecter", language: "Langue" },
  theme: { label: "Apparence", system: "Comme l’appareil", light: "Clair", dark: "Sombre" },
  unknownPage: {
    title: "Cette page n’existe pas",
    text: "L’adresse est peut-être mal saisie, ou mène à quelque chose que vous n’avez pas le droit de voir.",
    back: "Vers la hiérarchie",
  },
  failure: {
    title: "Impossible d’afficher cette page",
    text: "La connexion est peut-être perdue, ou le service vient d’être mis à jour. Rechargez la page.",
    reload: "Recharger",
  },
  rights: {
    names: {
      roleManagement: "gestion des rôles",
      userManagement: "gestion des utilisateurs",
      viewManagement: "gestion des vues",
      deviceManagement: "gestion des appareils",
      reportManagement: "gestion des rapports",
      alarmManagement: "gestion des alarmes",
    } satisfies Record<RightName, string>,
    /** One letter for each right, from the words of the language, no two the same. */
    letters: {
      roleManagement: "R",
      userManagement: "U",
      viewManagement: "V",
      deviceManagement: "A",
      reportManagement: "P",
      alarmManagement: "L",
    },
    legend: "rôles\u00A0· utilisateurs\u00A0· vues\u00A0· appareils\u00A0· rapports\u00A0· alarmes",
    held: "accordé",
    notHeld: "non accordé",
    lost: "perdu sur cette relation",
    none: "aucun droit",
    wouldGain: (rights: string): string => `obtiendrait\u202F: ${rights}`,
    wouldLose: (rights: string): string => `perdrait\u202F: ${rights}`,
  },
  problems: {
    NETWORK: "Le service est injoignable. Vérifiez votre connexion.",
    UNAVAILABLE: "Le service est surchargé ou en maintenance.",
    PASSWORD_INCORRECT: "L’adresse ou le mot de passe est incorrect.",
    wait: (time: string): string => `Trop de tentatives. Prochaine tentative dans ${time}.`,
    again: "Vous pouvez réessayer maintenant.",
    retried: "Nouvelle tentative automatique dans un instant.",
    OTP_INVALID_EXPIRED: "Le code est incorrect ou a expiré.",
    NOT_CONFIRMED: "Rien n’a été modifié, car vous n’avez pas confirmé que c’est bien vous.",
    SECOND_FACTOR_REQUIRED: "Il faut une seconde étape que cette session n’a pas montrée.",
    PASSKEY_NOT_GIVEN:
      "Aucune clé d’accès n’a été fournie\u202F: l’opération a été annulée ou a pris trop de temps. Vous pouvez réessayer.",
    PASSKEY_ALREADY_ACTIVE: "Cet appareil a déjà une clé d’accès de votre compte.",
    PASSKEYS_UNSUPPORTED: "Les clés d’accès ne fonctionnent pas dans ce navigateur, ou pas à cette adresse.",
    PASSKEY_INVALID:
      "La clé d’accès n’a pas été acceptée. Elle a peut-être été retirée du compte, ou cela a pris trop de temps.",
    PASSKEY_UNCONFIRMED:
      "Cette clé d’accès n’est pas encore confirmée. Ouvrez le lien reçu par e-mail, ou connectez-vous avec votre mot de passe.",
    PASSKEY_UNKNOWN: "Cette clé d’accès a été retirée de son compte. Connectez-vous d’une autre façon.",
    PASSKEY_UNINITIALIZED: "Votre compte n’a plus de clé d’accès.",
    FORBIDDEN: "Vous n’avez pas le droit de faire cela.",
    MALFORMED: "Le formulaire contient une erreur.",
    UNKNOWN: "Cela n’a pas fonctionné.",
  },
};
