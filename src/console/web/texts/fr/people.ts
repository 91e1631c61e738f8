import type { PEOPLE as EN } from "../en/people.ts";

/** Invitations that wait, memberships that end, and members who have not met a demand. */
export const PEOPLE: typeof EN = {
  title: "Personnes",
  label: "Ce qui demande attention",
  lists: { all: "Toutes", waiting: "En attente", ending: "Échéances" },
  hints: {
    waiting:
      "Personnes invitées qui ne se sont pas connectées depuis. Le lien de l’e-mail est valable 7 jours\u202F; vous pouvez en envoyer un nouveau.",
    ending:
      "Ces appartenances prennent fin d’elles-mêmes dans les 7 jours. Leurs titulaires reçoivent un e-mail une semaine avant, sauf si elles duraient moins de deux semaines.",
    unmet: "On ne sait pas si ces membres satisfont à ce que le rôle exige.",
  },
  none: {
    all: "Vous ne gérez aucune personne.",
    waiting: "Aucune invitation n’est en attente.",
    ending: "Aucune appartenance ne prend fin dans les 7 jours.",
    unmet: "Tous les membres y satisfont.",
  },
  since: "Invitation du",
  again: "Renvoyer",
  sending: "Envoi…",
  sent: (isolated) => `L’invitation de ${isolated} est de nouveau en route.`,
  opened: (isolated) => `${isolated} s’est connecté entre-temps et n’a pas besoin d’invitation.`,
  notAgain: (time) =>
    `Un compte reçoit une invitation de nouveau au plus une fois par jour, et vous en envoyez 50 par jour au plus. La prochaine est possible dans ${time}.`,
  takeBack: "Retirer",
  later: { week: "Une semaine de plus", month: "Un mois de plus", forGood: "Sans date de fin" },
  allRoles: "Dans tous les rôles dont vous gérez les personnes",
  unmet: "Qui n’y satisfait pas encore",
};
