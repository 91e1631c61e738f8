import type { Texts } from "../en.ts";
import { parts } from "../parts.ts";
import { plural } from "./words.ts";

export const WHY: Texts["why"] = {
  title: "Warum?",
  intro:
    "Fragen Sie, warum eine Person ein Recht für eine Rolle hat oder nicht hat. Die Adresse dieser Seite enthält die Frage: Sie können sie teilen.",
  personHint:
    "Geben Sie einen Teil der E-Mail-Adresse ein, und wählen Sie, oder geben Sie die ganze ein. Ohne Adresse geht es um Sie.",
  right: "Recht",
  chooseRight: "Recht wählen",
  asOf: "Wann",
  asOfHint: "Ohne Zeitangabe geht es um den jetzigen Stand.",
  key: (id) => `Schlüssel ${id}`,
  aboutKey: (id) => `Es geht um Schlüssel ${id}.`,
  notKey: "Nach einer Person fragen",
  incomplete: "Wählen Sie eine Rolle und ein Recht, dann steht die Antwort hier.",
  past:
    "Die Antwort gilt für die Vergangenheit. Die Namen, und was Sie sehen dürfen, entsprechen dem heutigen Stand.",

  forYou: {
    has: ({ right, role }) => parts`Sie haben ${right} für ${role}.`,
    hasNot: ({ right, role }) => parts`Sie haben keine ${right} für ${role}.`,
    had: ({ right, role }) => parts`Sie hatten ${right} für ${role}.`,
    hadNot: ({ right, role }) => parts`Sie hatten keine ${right} für ${role}.`,
  },
  forThem: {
    has: ({ who, right, role }) => parts`${who} hat ${right} für ${role}.`,
    hasNot: ({ who, right, role }) => parts`${who} hat keine ${right} für ${role}.`,
    had: ({ who, right, role }) => parts`${who} hatte ${right} für ${role}.`,
    hadNot: ({ who, right, role }) => parts`${who} hatte keine ${right} für ${role}.`,
  },
  seeing: {
    forYou: {
      has: ({ role }) => parts`Sie sehen ${role}.`,
      hasNot: ({ role }) => parts`Sie sehen ${role} nicht.`,
      had: ({ role }) => parts`Sie sahen ${role}.`,
      hadNot: ({ role }) => parts`Sie sahen ${role} nicht.`,
    },
    forThem: {
      has: ({ who, role }) => parts`${who} sieht ${role}.`,
      hasNot: ({ who, role }) => parts`${who} sieht ${role} nicht.`,
      had: ({ who, role }) => parts`${who} sah ${role}.`,
      hadNot: ({ who, role }) => parts`${who} sah ${role} nicht.`,
    },
  },
  ways: plural("[Ein Weg führt|# Wege führen] dorthin."),
  manyWays: (n) => `${n} Wege führen dorthin, vielleicht auch mehr.`,
  alsoLost: plural("Auf [einem anderen Weg|# anderen Wegen] geht das Recht verloren."),
  lostInPlaces: plural("Auf dem besten Weg geht das Recht an # Stellen verloren:"),
  lostAt: ({ parent, child }) => parts`Das Recht geht zwischen ${parent} und ${child} verloren.`,
  lostHidden: "Das Recht geht in einer Beziehung verloren, die Sie nicht sehen dürfen.",
  lostAtMember: (role) => parts`Die Mitgliedschaft in ${role} umfasst das Recht nicht.`,
  lostAtHiddenMember: "Die Mitgliedschaft, mit der der Weg beginnt, umfasst das Recht nicht.",
  lostAtRole: (role) => parts`Mitglieder von ${role} haben das Recht für die Rolle selbst nicht.`,
  moreBlocked: plural(
    "[Ein weiterer Weg führt dorthin, und auch auf ihm|# weitere Wege führen dorthin, und auf jedem] geht das Recht verloren.",
  ),
  invite: "Diese Person einladen",
  relate: "Eine Rolle darüber hinzufügen",
  noWay: {
    you:
      "Sie sind weder Mitglied dieser Rolle noch einer Rolle darüber. Wer ihre Mitglieder verwaltet, kann Sie einladen.",
    they: "Diese Person ist weder Mitglied dieser Rolle noch einer Rolle darüber.",
    mayNotAsk:
      "Sie dürfen hier nicht nach anderen fragen. Wer die Mitglieder der Rolle verwaltet, darf das und kann Personen einladen.",
  },
  dormant: (role, needs) =>
    parts`Ihre Mitgliedschaft in ${role} ruht in dieser Sitzung. Sie braucht ${needs}, dann hätten Sie dieses Recht.`,
  dormantHidden: (needs) =>
    `Eine Ihrer Mitgliedschaften ruht in dieser Sitzung. Sie braucht ${needs}, dann hätten Sie dieses Recht.`,
  onlyWith: (needs) => `Nur in einer Sitzung, in der die Person ${needs} verwendet hat.`,
  dormantMark: "ruht",
  unknownRole: (id) => `Rolle ${id}`,
  unseenRole:
    "Diese Rolle gibt es nicht, oder Sie dürfen sie nicht sehen. Wer ihre Mitglieder verwaltet, kann Sie einladen.",
  truncated:
    "Zu dieser Rolle führen zu viele Beziehungen, um alle zu zeigen: Vielleicht gibt es weitere Wege.",
  hiddenRole: "Rolle (nicht sichtbar)",

  fix: {
    title: "Was das Recht geben würde",
    all: "All das ist nötig:",
    relation: ({ parent, child }, right) => parts`${parent} zusätzlich ${right} für ${child} geben.`,
    role: (role, right) => parts`Mitgliedern von ${role} zusätzlich ${right} für die Rolle selbst geben.`,
    member: (role, right) => parts`Der Mitgliedschaft in ${role} zusätzlich ${right} geben.`,
    hidden: "Etwas ändern, das Sie nicht sehen dürfen. Wer die Rollen darüber verwaltet, kann es.",
    look: "Ansehen, was das bewirken würde",
    mayNot: "Sie dürfen das nicht ändern. Wer beide Rollen verwaltet, kann es.",
    mayNotMember: "Sie dürfen das nicht ändern. Wer die Mitglieder der Rolle verwaltet, kann es.",
  },

  picture: "Die Wege von den Mitgliedschaften zur Rolle",
  notDrawn: plural("# [weiterer Weg ist|weitere Wege sind] nicht gezeichnet"),
  hiddenBox: "Für Sie nicht sichtbar",
  link: (parent, child) => `${parent} verwaltet ${child}`,
  linkOfMember: (who, role) => `${who}: Mitglied von ${role}`,
  lostHere: (right) => `${right} geht hier verloren`,

  problems: {
    future: "Diese Zeit liegt in der Zukunft. Wählen Sie eine vergangene.",
    BEFORE_HISTORY: "So weit zurück reicht der gespeicherte Verlauf nicht.",
    tooLarge: "Zu dieser Rolle führten zu viele Beziehungen, um sie in die Vergangenheit zu verfolgen.",
  },
};
