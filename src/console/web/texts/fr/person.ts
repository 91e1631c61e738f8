import type { Texts } from "../en.ts";

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
