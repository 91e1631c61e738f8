import type { Texts } from "../en.ts";
import { people, plural, pluralOver, roles } from "./words.ts";

/** People of several roles: invitations that wait, memberships that end, accounts. */
export const PEOPLE: Texts["people"] = {
  lists: { all: "Toutes", waiting: "En attente", ending: "Échéances", left: "Départs" },
  hints: {
    waiting:
      "Personnes invitées qui ne se sont pas connectées depuis. Le lien de l’e-mail est valable 7 jours\u202F; vous pouvez en envoyer un nouveau.",
    ending:
      "Ces appartenances prennent fin d’elles-mêmes dans les 7 jours. Les membres reçoivent un e-mail une semaine avant, sauf si l’appartenance a été donnée pour moins de deux semaines.",
    left: "Personnes dont la dernière appartenance à vos rôles a pris fin ces 90 derniers jours.",
    unmet: "On ne sait pas si ces membres satisfont à ce que le rôle exige.",
  },
  none: {
    all: "Vous ne gérez aucune personne.",
    waiting: "Aucune invitation n’est en attente.",
    ending: "Aucune appartenance ne prend fin dans les 7 jours.",
    left: "Personne n’est parti ces 90 derniers jours.",
    unmet: "Tous les membres y satisfont.",
  },
  since: "Invitation du",
  again: "Renvoyer",
  sent: (isolated) => `L’invitation de ${isolated} est de nouveau en route.`,
  opened: (isolated) => `La personne ${isolated} s’est connectée entre-temps et n’a pas besoin d’invitation.`,
  notAgain: (time) =>
    `Un compte reçoit une invitation par jour au plus, et vous pouvez en envoyer 50 par jour au plus. La prochaine sera possible dans ${time}.`,
  takeBack: "Retirer",
  later: { week: "Une semaine de plus", month: "Un mois de plus", forGood: "Sans date de fin" },
  allRoles: "Dans tous les rôles dont vous gérez les personnes",
  unmet: "Qui n’y satisfait pas encore",
  leftSince: "Sans accès depuis le",
  lastSignIn: "Dernière connexion\u202F:",
  noSignIn: "Aucune connexion connue",
  factors: {
    passkey: "clé d’accès",
    totp: "application d’authentification",
    emailOtp: "codes par e-mail",
  },
  withFactors: (factors) => `Seconde étape\u202F: ${factors}`,
  noFactor: "Pas de seconde étape",
  endSessions: {
    open: "Fermer les sessions…",
    title: "Fermer toutes les sessions\u202F?",
    text:
      "La personne est déconnectée partout. Elle peut se reconnecter\u202F: mot de passe, secondes étapes et clés restent.",
    submit: "Fermer toutes les sessions",
    done: plural("# [session fermée|sessions fermées]."),
  },
  ownName: {
    hint: "Les personnes qui gèrent tous vos rôles le voient à côté de votre adresse.",
    save: "Enregistrer le nom",
    saved: "Le nom est enregistré.",
    fault: "Un nom a au moins une lettre, pas de @ et 100 caractères au plus.",
  },
};

export const PERSON: Texts["person"] = {
  id: (id) => `Personne ${id}`,
  you: "C’est vous.",
  left: (time) =>
    `${
      time === null ? "Pas" : `Depuis le ${time}, pas`
    } d’accès aux rôles que vous gérez. Ce que cette personne a donné est peut-être toujours valable\u202F: voir ci-dessous.`,
  reach: "Ce que vous atteignez",
  unknownTitle: "Il n’y a ici personne que vous puissiez voir",
  unknownText:
    "Vous voyez les personnes qui ont accès à des rôles dont vous gérez les membres. Cette personne n’en a aucun, ou n’existe pas. Qui gère les membres d’autres rôles la voit peut-être.",
  log: "Ce que cette personne a fait",
  concerns: "Ce qui concerne cette personne",
  draw: "Droits dans le schéma",
  endBelow: (role) => `Mettre fin à tous ses accès sous ${role}…`,
  memberOf: "Membre de",
  memberNone: "D’aucun rôle dont vous gérez les membres.",
  reaches: (roles) => `atteint ${roles} en dessous`,
  until: (end) => `fin\u202F: ${end}`,
  change: "Modifier",
  changeOf: (role) => `Modifier l’appartenance à ${role}`,
  removeOf: (role) => `Retirer l’appartenance à ${role}`,
  access: "Ce que cette personne atteint",
  accessHint: "Parmi les rôles dont vous gérez les membres.",
  accessNone: "Aucun rôle dont vous gérez les membres.",
  find: "Rechercher par une partie du nom",
  findNone: "Cette personne n’atteint aucun rôle de ce nom.",
  keys: "Clés créées",
  keysNone: "Aucune que vous puissiez voir.",
  made: (date) => `créée le ${date}`,
  ends: (date) => `prend fin le ${date}`,
  gave: "Donné, et toujours valable",
  gaveNone: "Rien que vous puissiez voir.",
  membership: (person) => ["Appartenance de ", person],
  set: (date) => `défini le ${date}`,
  relation: (parent, child) => [parent, " gère ", child],
  latest: "Ses dernières modifications",
  all: "Toutes ses modifications",
  under: "À partir de quel rôle, et en dessous",
};

export const HOME: Texts["home"] = {
  roles: (n) => `Vos ${roles(n)}`,
  yours: (end) => `À vous, fin\u202F: ${end}`,
  below: (n) => `${roles(n)} en dessous`,
  picture: "Voir la hiérarchie autour",
  at: (time) => `À ${time}`,
  lastAt: (time) => `Dernière valeur ${time}`,
  noDataFor: (time) => `Pas de données depuis ${time}`,
  noData: "Pas encore de valeurs",
  viewers: "Qui d’autre voit ceci",
  people: people,
  allViewers: "Tout le monde, avec les droits",
  find: "Rechercher un rôle en dessous",
  needsLook: "Sans données depuis plus d’une heure",
  nothingBelow: "Il n’y a encore rien sous ce rôle.",
  noneFound: "Aucun rôle en dessous n’a cela dans son nom.",
  devices: pluralOver("# [appareil|appareils]", "aucun appareil"),
  attention: {
    title: "À regarder",
    waiting: pluralOver("# [invitation|invitations] en attente"),
    ending: pluralOver("# [appartenance prend|appartenances prennent] fin dans les 7 jours"),
    keys: pluralOver("# de vos clés [expire|expirent] dans les 7 jours"),
    refused: pluralOver("# [modification refusée|modifications refusées] aujourd’hui"),
  },
};
