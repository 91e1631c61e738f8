import type { HOME as EN } from "../en/home.ts";
import { countIn } from "../plural.ts";

const count = countIn("fr");

export const HOME: typeof EN = {
  title: "Accueil",
  roles: (n) => `Vos ${count(n, { one: "rôle", other: "rôles" })}`,
  yours: (end) => `À vous jusqu’à ${end}`,
  until: (end) => `jusqu’à ${end}`,
  below: (n) => `${count(n, { one: "rôle", other: "rôles" })} en dessous`,
  picture: "Voir la hiérarchie autour",
  at: (time) => `À ${time}`,
  lastAt: (time) => `Dernière valeur ${time}`,
  noDataFor: (time) => `Pas de données depuis ${time}`,
  noData: "Pas encore de valeurs",
  viewers: "Qui d’autre voit ceci",
  people: (n, isPart) => count(n, { one: "personne", other: "personnes" }, isPart),
  allViewers: "Tout le monde, avec les droits",
  find: "Rechercher un rôle en dessous",
  needsLook: "Sans données depuis plus d’une heure",
  nothingBelow: "Il n’y a encore rien sous ce rôle.",
  noneFound: "Aucun rôle en dessous ne commence ainsi.",
  devices: (n, hasMore) =>
    n === 0 ? "aucun appareil" : count(n, { one: "appareil", other: "appareils" }, hasMore),
};
