import type { Texts } from "../en.ts";
import { moreRoles, plural, pluralOver } from "./words.ts";

export const DEVICES: Texts["devices"] = {
  filters: "Quels appareils",
  idLabel: "Node ID, nom ou numéro",
  idHint: "Une partie de l’ID ou du nom, ou le numéro entier",
  roleLabel: "Surveillé par le rôle",
  search: "Rechercher",
  clear: "Tout afficher",
  none: "Aucun appareil n’est surveillé par vos rôles, ni par les rôles en dessous.",
  noneOfRole: "Ce rôle ne surveille aucun appareil.",
  noneBelow: "Ni ce rôle ni un rôle en dessous ne surveille d’appareil.",
  noneFound: "Aucun appareil que vous puissiez voir n’y correspond.",
  noneYet: "Aucun parmi les premiers.",
  noneHere: pluralOver("Aucun ici, # [appareil|appareils] en dessous."),
  showBelow: "Les afficher",
  extent: "De quels rôles",
  ofRole: "De ce rôle",
  withBelow: "Et en dessous",
  type: "Type",
  allTypes: "Tous les types",
  property: "Propriété",
  propertyValue: "Son texte",
  propertyFault: 'Sans " ni \\.',
  monitoredBy: "Surveillé par",
  alsoMonitoredBy: "Surveillé aussi par",
  moreRoles: (n) => `et ${moreRoles(n)}`,
  device: (id) => `Appareil ${id}`,
  ended: {
    title: "Anciens appareils",
    yours: "À lire par vous",
    text:
      "Aucun de vos rôles ne surveille plus cet appareil. Vous pouvez encore lire ce qui a été mesuré pendant ce temps, mais vous ne voyez plus ce qu’il est maintenant.",
  },
  unknownTitle: "Cet appareil n’existe pas",
  unknownText:
    "Il a peut-être été supprimé, ou vous n’êtes membre d’aucun rôle qui le surveille, ni d’un rôle au-dessus.",
  all: "Tous les appareils",
  changed: (time) => `Modifié le ${time}`,
  details: "À propos de cet appareil",
  mayChange: "Vous pouvez modifier cet appareil et écrire ses mesures.",
  mayRead:
    "Vous pouvez consulter cet appareil et ses mesures. Pour le modifier, il faut la gestion des appareils sur un rôle qui le surveille, ou la gestion des rôles sur celui-ci depuis un rôle au-dessus.",
  yourRights: "Vos droits sur les rôles qui le surveillent",
  properties: "Propriétés",
  yes: "oui",
  no: "non",
  nothing: "vide",
  entries: plural("# [entrée|entrées]"),
  characters: plural("# [caractère|caractères]"),

  measurements: "Mesures",
  noSeries:
    "Cet appareil n’indique pas ce qu’il mesure. Sa propriété nodeInfluxSeries est là pour décrire les séries, chacune avec database, measurement et fields.",
  unreadable: plural(
    "[Une entrée|# entrées] de nodeInfluxSeries ne [peut pas être affichée\u202F: il lui|peuvent pas être affichées\u202F: à chacune, il] faut database, measurement et une liste de fields.",
  ),
  seriesPages: "Autres mesures",
  previousSeries: "Mesures précédentes",
  nextSeries: "Mesures suivantes",
  pageOf: (page, pages) => `Page ${page} sur ${pages}`,
  explain: (time) =>
    `Durée représentée par chaque point\u202F: ${time}. La ligne est la moyenne, et la bande autour d’une ligne seule va de la valeur la plus basse à la plus haute. Faites glisser le pointeur sur une courbe pour voir de plus près\u202F; double-cliquez pour revenir.`,
  edges: (times) =>
    `Un trait pointillé marque le début ou la fin d’une période que vous pouvez lire\u202F: ${
      times.join("\u202F; ")
    }.`,
  onlyHours: "De cette période, seules les valeurs par heure sont conservées.",
  clipped:
    "Vous ne pouvez lire qu’une partie de cette période\u202F: le reste du temps, d’autres rôles surveillaient l’appareil.",
  arrangement: { label: "Disposition", together: "Superposées", each: "Séparées" },
  lines: "Lignes",
  moreLines: plural("# [autre ligne n’est pas tracée|autres lignes ne sont pas tracées]."),
  noLines: "Aucune ligne n’est choisie.",
  files: {
    label: "Enregistrer ce graphique",
    csv: "Enregistrer en CSV",
    png: "Enregistrer en PNG",
    saved: (file) => `Enregistré sous ${file}.`,
  },
  time: "Période",
  presets: { label: "Durée", day: "Jour", week: "Semaine", month: "Mois", year: "Année" },
  days: {
    choose: "Choisir des jours",
    first: "Premier jour",
    last: "Dernier jour",
    show: "Afficher ces jours",
    faults: {
      missing: "Il faut les deux jours.",
      order: "Le dernier jour précède le premier.",
      tooLong: "Cela fait plus de dix ans.",
    },
  },
  earlier: "Avant",
  later: "Après",
  closer: "Zoomer",
  wider: "Dézoomer",
  summary: (lowest, mean, highest) => `Min. ${lowest} · Moy. ${mean} · Max. ${highest}`,
  latest: (value, time) => `Dern. ${value} (${time})`,
  plot: (field, time, summary) =>
    `${field}, ${time}\u202F: ${summary}. Le tableau en dessous contient les valeurs.`,
  asTable: "Afficher en tableau",
  table: (field, time) => `Valeurs de ${field}, ${time}`,
  from: "À partir de",
  lowest: "Minimum",
  mean: "Moyenne",
  highest: "Maximum",
  values: "Valeurs",
  never: "Rien n’a encore été mesuré, ou rien n’est plus conservé.",
  latestValue: (time) => `Dernière valeur, du ${time}\u202F:`,
  showLatest: "Afficher cette période",
  lacks: {
    empty: "Rien n’a été mesuré pendant cette période.",
    forbidden:
      "Vous ne pouvez pas lire ces mesures\u202F: il faut être membre d’un rôle qui surveille l’appareil, ou d’un rôle au-dessus.",
    notNumbers: "Ces valeurs ne sont pas des nombres\u202F; on ne peut donc pas les tracer.",
    refused:
      "Cette série est illisible\u202F: le service ne comprend pas la description qu’en donne l’appareil.",
  },
  tooMuch: "Cette période contient trop de valeurs. Choisissez-en une plus courte.",
  tooOften: (time) =>
    `Vous avez lu autant de mesures qu’il est permis pour l’instant. La lecture reprendra dans ${time}.`,
  away: "Les mesures ne peuvent pas être lues pour le moment.",
};
