import type { Texts } from "../en.ts";
import { parts } from "../parts.ts";
import { plural } from "./words.ts";

export const WHY: Texts["why"] = {
  title: "Pourquoi\u202F?",
  intro:
    "Demandez pourquoi une personne a un droit sur un rôle, ou pourquoi elle ne l’a pas. L’adresse de cette page contient la question\u202F: vous pouvez la partager.",
  personHint:
    "Saisissez une partie de l’adresse e-mail, puis choisissez, ou saisissez-la entière. Sans adresse, la question porte sur vous.",
  right: "Droit",
  chooseRight: "Choisissez un droit",
  asOf: "Quand",
  asOfHint: "Sans date, la question porte sur le moment présent.",
  key: (id) => `La clé ${id}`,
  aboutKey: (id) => `La question porte sur la clé ${id}.`,
  notKey: "Demander pour une personne",
  incomplete: "Choisissez un rôle et un droit\u202F: la réponse s’affiche ici.",
  past: "La réponse porte sur le passé. Les noms, et ce que vous pouvez voir, sont ceux d’aujourd’hui.",

  forYou: {
    has: ({ right, role }) => parts`Vous avez la ${right} sur ${role}.`,
    hasNot: ({ right, role }) => parts`Vous n’avez pas la ${right} sur ${role}.`,
    had: ({ right, role }) => parts`Vous aviez la ${right} sur ${role}.`,
    hadNot: ({ right, role }) => parts`Vous n’aviez pas la ${right} sur ${role}.`,
  },
  forThem: {
    has: ({ who, right, role }) => parts`${who} a la ${right} sur ${role}.`,
    hasNot: ({ who, right, role }) => parts`${who} n’a pas la ${right} sur ${role}.`,
    had: ({ who, right, role }) => parts`${who} avait la ${right} sur ${role}.`,
    hadNot: ({ who, right, role }) => parts`${who} n’avait pas la ${right} sur ${role}.`,
  },
  seeing: {
    forYou: {
      has: ({ role }) => parts`Vous voyez ${role}.`,
      hasNot: ({ role }) => parts`Vous ne voyez pas ${role}.`,
      had: ({ role }) => parts`Vous voyiez ${role}.`,
      hadNot: ({ role }) => parts`Vous ne voyiez pas ${role}.`,
    },
    forThem: {
      has: ({ who, role }) => parts`${who} voit ${role}.`,
      hasNot: ({ who, role }) => parts`${who} ne voit pas ${role}.`,
      had: ({ who, role }) => parts`${who} voyait ${role}.`,
      hadNot: ({ who, role }) => parts`${who} ne voyait pas ${role}.`,
    },
  },
  ways: plural("Le droit y arrive par [un chemin|# chemins]."),
  manyWays: (n) => `Le droit y arrive par ${n} chemins, et peut-être par d’autres encore.`,
  alsoLost: plural("Sur [un autre chemin|# autres chemins], il se perd."),
  lostInPlaces: plural("Sur le meilleur chemin, le droit se perd à # [endroit|endroits]\u202F:"),
  lostAt: ({ parent, child }) => parts`Le droit se perd là où ${parent} gère ${child}.`,
  lostHidden: "Le droit se perd sur une relation que vous n’avez pas le droit de voir.",
  lostAtMember: (role) => parts`Dans ${role}, l’appartenance ne comprend pas ce droit.`,
  lostAtHiddenMember: "L’appartenance dont part ce chemin ne comprend pas ce droit.",
  lostAtRole: (role) => parts`Sur ${role}, ses propres membres n’ont pas ce droit.`,
  moreBlocked: plural(
    "[Un autre chemin y mène, et le droit s’y perd aussi|# autres chemins y mènent, et le droit se perd sur chacun d’eux].",
  ),
  invite: "Inviter cette personne",
  relate: "Ajouter un rôle au-dessus",
  noWay: {
    you:
      "Vous n’êtes membre ni de ce rôle, ni d’un rôle au-dessus. Les personnes qui gèrent ses membres peuvent vous inviter.",
    they: "Cette personne n’est membre ni de ce rôle, ni d’un rôle au-dessus.",
    mayNotAsk:
      "Vous ne pouvez pas demander ici pour d’autres personnes. Qui gère les membres du rôle le peut, et peut inviter des personnes.",
  },
  dormant: (role, needs) =>
    parts`Votre appartenance à ${role} est en sommeil dans cette session\u202F: avec ${needs}, vous l’auriez.`,
  dormantHidden: (needs) =>
    `Une de vos appartenances est en sommeil dans cette session\u202F: avec ${needs}, vous l’auriez.`,
  onlyWith: (needs) => `Seulement dans une session où cette personne a utilisé ${needs}.`,
  dormantMark: "en sommeil",
  unknownRole: (id) => `le rôle ${id}`,
  unseenRole:
    "Ce rôle n’existe pas, ou vous n’avez pas le droit de le voir. Les personnes qui gèrent ses membres peuvent vous inviter.",
  truncated:
    "Trop de relations mènent à ce rôle pour les montrer toutes\u202F: il peut y avoir d’autres chemins.",
  hiddenRole: "un rôle que vous ne pouvez pas voir",

  fix: {
    title: "Ce qui donnerait ce droit",
    all: "Il faut tout cela\u202F:",
    relation: (
      { parent, child },
      right,
    ) => parts`Ajouter la ${right} à ce que ${parent} peut faire sur ${child}.`,
    role: (role, right) => parts`Ajouter la ${right} à ce que ses propres membres peuvent faire sur ${role}.`,
    member: (role, right) => parts`Ajouter la ${right} à l’appartenance dans ${role}.`,
    hidden:
      "Modifier quelque chose que vous ne pouvez pas voir. Les personnes qui gèrent les rôles au-dessus le peuvent.",
    look: "Voir ce que cela changerait",
    mayNot: "Vous n’avez pas le droit de modifier cela. Les personnes qui gèrent les deux rôles le peuvent.",
    mayNotMember:
      "Vous n’avez pas le droit de modifier cela. Les personnes qui gèrent les membres du rôle le peuvent.",
  },

  picture: "Les chemins qui vont des appartenances au rôle",
  notDrawn: plural("# [autre chemin n’est pas dessiné|autres chemins ne sont pas dessinés]"),
  hiddenBox: "Non visible pour vous",
  link: (parent, child) => `${parent} gère ${child}`,
  linkOfMember: (who, role) => `${who}\u202F: membre de ${role}`,
  lostHere: (right) => `la ${right} se perd ici`,

  problems: {
    future: "Cette date n’est pas encore passée. Choisissez-en une dans le passé.",
    BEFORE_HISTORY: "Cette date est antérieure à l’historique conservé.",
    tooLarge: "Trop de relations menaient à ce rôle pour les suivre dans le passé.",
  },
};
