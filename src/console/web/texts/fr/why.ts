import { countIn } from "../plural.ts";

const count = countIn("fr");

/** A sentence of words and of what it names, in the order of the language. */
type Said<T> = readonly (T | string)[];

interface About<T> {
  readonly who: T;
  /** "gestion des alarmes". */
  readonly right: T;
  readonly role: T;
}

/** What a loss or a relation is between. */
interface Between<T> {
  readonly parent: T;
  readonly child: T;
}

export const WHY = {
  title: "Pourquoi\u202F?",
  intro:
    "Demandez pourquoi une personne a un droit sur un rôle, ou pourquoi elle ne l’a pas. L’adresse de cette page contient la question\u202F: vous pouvez la partager.",
  person: "Personne",
  personHint:
    "Saisissez une partie de l’adresse e-mail, puis choisissez, ou saisissez-la entière. Sans adresse, la question porte sur vous.",
  role: "Rôle",
  right: "Droit",
  chooseRight: "Choisissez un droit",
  asOf: "Quand",
  asOfHint: "Sans date, la question porte sur le moment présent.",
  you: "Vous",
  key: (id: number): string => `La clé ${id}`,
  aboutKey: (id: number): string => `La question porte sur la clé ${id}.`,
  notKey: "Demander pour une personne",
  incomplete: "Choisissez un rôle et un droit\u202F: la réponse s’affiche ici.",
  past: "La réponse porte sur le passé. Les noms, et ce que vous pouvez voir, sont ceux d’aujourd’hui.",

  forYou: {
    has: <T>({ right, role }: About<T>): Said<T> => ["Vous avez la ", right, " sur ", role, "."],
    hasNot: <T>({ right, role }: About<T>): Said<T> => ["Vous n’avez pas la ", right, " sur ", role, "."],
    had: <T>({ right, role }: About<T>): Said<T> => ["Vous aviez la ", right, " sur ", role, "."],
    hadNot: <T>({ right, role }: About<T>): Said<T> => ["Vous n’aviez pas la ", right, " sur ", role, "."],
  },
  forThem: {
    has: <T>({ who, right, role }: About<T>): Said<T> => [who, " a la ", right, " sur ", role, "."],
    hasNot: <T>({ who, right, role }: About<T>): Said<T> => [who, " n’a pas la ", right, " sur ", role, "."],
    had: <T>({ who, right, role }: About<T>): Said<T> => [who, " avait la ", right, " sur ", role, "."],
    hadNot: <T>(
      { who, right, role }: About<T>,
    ): Said<T> => [who, " n’avait pas la ", right, " sur ", role, "."],
  },
  seeing: {
    forYou: {
      has: <T>({ role }: About<T>): Said<T> => ["Vous voyez ", role, "."],
      hasNot: <T>({ role }: About<T>): Said<T> => ["Vous ne voyez pas ", role, "."],
      had: <T>({ role }: About<T>): Said<T> => ["Vous voyiez ", role, "."],
      hadNot: <T>({ role }: About<T>): Said<T> => ["Vous ne voyiez pas ", role, "."],
    },
    forThem: {
      has: <T>({ who, role }: About<T>): Said<T> => [who, " voit ", role, "."],
      hasNot: <T>({ who, role }: About<T>): Said<T> => [who, " ne voit pas ", role, "."],
      had: <T>({ who, role }: About<T>): Said<T> => [who, " voyait ", role, "."],
      hadNot: <T>({ who, role }: About<T>): Said<T> => [who, " ne voyait pas ", role, "."],
    },
  },
  ways: (n: number): string =>
    n === 1 ? "Le droit y arrive par un chemin." : `Le droit y arrive par ${count(n, { other: "chemins" })}.`,
  manyWays: (n: number): string => `Le droit y arrive par ${n} chemins, et peut-être par d’autres encore.`,
  alsoLost: (n: number): string =>
    n === 1
      ? "Sur un autre chemin, il se perd."
      : `Sur ${count(n, { other: "autres chemins" })}, il se perd.`,
  lostInPlaces: (n: number): string =>
    `Sur le meilleur chemin, le droit se perd à ${count(n, { one: "endroit", other: "endroits" })}\u202F:`,
  lostAt: <T>(
    { parent, child }: Between<T>,
  ): Said<T> => ["Le droit se perd là où ", parent, " gère ", child, "."],
  lostHidden: "Le droit se perd sur une relation que vous n’avez pas le droit de voir.",
  lostAtMember: <T>(role: T): Said<T> => ["Dans ", role, ", l’appartenance ne comprend pas ce droit."],
  lostAtHiddenMember: "L’appartenance dont part ce chemin ne comprend pas ce droit.",
  lostAtRole: <T>(role: T): Said<T> => ["Sur ", role, ", ses propres membres n’ont pas ce droit."],
  moreBlocked: (n: number): string =>
    n === 1
      ? "Un autre chemin y mène, et le droit s’y perd aussi."
      : `${n} autres chemins y mènent, et le droit se perd sur chacun d’eux.`,
  invite: "Inviter cette personne",
  noWay: {
    you:
      "Vous n’êtes membre ni de ce rôle, ni d’un rôle au-dessus. Les personnes qui gèrent ses membres peuvent vous inviter.",
    they:
      "Cette personne n’est membre ni de ce rôle, ni d’un rôle au-dessus, ou vous ne pouvez pas demander pour elle. Qui gère les membres du rôle le peut, et peut inviter des personnes.",
  },
  dormant: <T>(role: T, needs: string): Said<T> => [
    "Votre appartenance à ",
    role,
    ` est en sommeil dans cette session\u202F: avec ${needs}, vous l’auriez.`,
  ],
  dormantHidden: (needs: string): string =>
    `Une de vos appartenances est en sommeil dans cette session\u202F: avec ${needs}, vous l’auriez.`,
  onlyWith: (needs: string): string => `Seulement dans une session où cette personne a utilisé ${needs}.`,
  dormantMark: "en sommeil",
  unknownRole: (id: number): string => `le rôle ${id}`,
  unseenRole:
    "Ce rôle n’existe pas, ou vous n’avez pas le droit de le voir. Les personnes qui gèrent ses membres peuvent vous inviter.",
  truncated:
    "Trop de relations mènent à ce rôle pour les montrer toutes\u202F: il peut y avoir d’autres chemins.",
  hiddenRole: "un rôle que vous ne pouvez pas voir",

  fix: {
    title: "Ce qui donnerait ce droit",
    all: "Il faut tout cela\u202F:",
    relation: <T>(
      { parent, child }: Between<T>,
      right: T,
    ): Said<T> => ["Ajouter la ", right, " à ce que ", parent, " peut faire sur ", child, "."],
    role: <T>(role: T, right: T): Said<T> => [
      "Ajouter la ",
      right,
      " à ce que ses propres membres peuvent faire sur ",
      role,
      ".",
    ],
    member: <T>(role: T, right: T): Said<T> => ["Ajouter la ", right, " à l’appartenance dans ", role, "."],
    hidden:
      "Modifier quelque chose que vous ne pouvez pas voir. Les personnes qui gèrent les rôles au-dessus le peuvent.",
    look: "Voir ce que cela changerait",
    mayNot: "Vous n’avez pas le droit de modifier cela. Les personnes qui gèrent les deux rôles le peuvent.",
    mayNotMember:
      "Vous n’avez pas le droit de modifier cela. Les personnes qui gèrent les membres du rôle le peuvent.",
  },

  picture: "Les chemins qui vont des appartenances au rôle",
  notDrawn: (n: number): string =>
    count(n, { one: "autre chemin n’est pas dessiné", other: "autres chemins ne sont pas dessinés" }),
  hiddenBox: "Non visible pour vous",
  link: (parent: string, child: string): string => `${parent} gère ${child}`,
  linkOfMember: (who: string, role: string): string => `${who}\u202F: membre de ${role}`,
  lostHere: (right: string): string => `la ${right} se perd ici`,

  problems: {
    future: "Cette date n’est pas encore passée. Choisissez-en une dans le passé.",
    BEFORE_HISTORY: "Cette date est antérieure à l’historique conservé.",
    tooLarge: "Trop de relations menaient à ce rôle pour les suivre dans le passé.",
  },
};
