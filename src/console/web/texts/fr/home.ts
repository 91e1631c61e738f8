import type { HOME as EN } from "../en/home.ts";
import { countIn, type Forms } from "../plural.ts";

const count = countIn("fr");

function some(n: number, forms: Forms, isMore: boolean): string {
  return `${isMore ? "plus de " : ""}${count(n, forms)}`;
}

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
  noneFound: "Aucun rôle en dessous n’a cela dans son nom.",
  devices: (n, hasMore) =>
    n === 0 ? "aucun appareil" : some(n, { one: "appareil", other: "appareils" }, hasMore),
  attention: {
    title: "À regarder",
    waiting: (n, isMore) =>
      some(n, { one: "invitation en attente", other: "invitations en attente" }, isMore),
    ending: (n, isMore) =>
      `${
        some(n, { one: "appartenance prend fin", other: "appartenances prennent fin" }, isMore)
      } dans les 7 jours`,
    keys: (n, isMore) =>
      `${some(n, { one: "de vos clés expire", other: "de vos clés expirent" }, isMore)} dans les 7 jours`,
    refused: (n, isMore) =>
      `${some(n, { one: "modification refusée", other: "modifications refusées" }, isMore)} aujourd’hui`,
  },
};
