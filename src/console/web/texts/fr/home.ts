import type { HOME as EN } from "../en/home.ts";
import { people, pluralOver, roles } from "./words.ts";

export const HOME: typeof EN = {
  roles: (n) => `Vos ${roles(n)}`,
  yours: (end) => `À vous, fin\u202F: ${end}`,
  until: (end) => `fin\u202F: ${end}`,
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
