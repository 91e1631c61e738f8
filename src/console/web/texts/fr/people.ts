import type { PEOPLE as EN } from "../en/people.ts";
import { plural } from "./words.ts";

/** People of several roles: invitations that wait, memberships that end, accounts. */
export const PEOPLE: typeof EN = {
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
