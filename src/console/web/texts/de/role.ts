import type { Isolated } from "../isolated.ts";
import type { Texts } from "../en.ts";
import { capped } from "../plural.ts";
import { moreRoles, plural, roles } from "./words.ts";

const below = capped(plural("# [Rolle|Rollen] darunter", "nichts darunter"));
const lines = plural("# [Zeile|Zeilen]");

export const ROLE: Texts["role"] = {
  tabs: {
    label: "Bereiche der Rolle",
    about: "Rolle",
    relations: "Beziehungen",
    keys: "Schlüssel",
  },
  subtitle: (id, children) => `Rolle ${id} · ${below(children)}`,
  unseen: (id) => `Rolle ${id}, die Sie nicht sehen dürfen`,
  change: "Ändern",
  menu: (name: Isolated): string => `Aktionen für ${name}`,
  about: {
    passwordHint:
      "Andere, die es kennen, können diese Rolle unter eine ihrer eigenen stellen: So lässt ein Kunde einen neuen Installateur herein.",
    passwordSet: "Passwort festlegen oder entfernen",
    externalId: "ID in einem anderen System",
    rights: "Rechte für diese Rolle",
    self: "Mitglieder",
    selfHint: "Mitglieder der Rollen darüber haben, was die Beziehungen weitergeben.",
    around: "Umgebung",
    noParents: "Keine, die Sie sehen dürfen",
    roles: capped(roles),
    below: "Insgesamt darunter",
    edit: "Name und Rechte ändern",
    delete: "Diese Rolle löschen",
  },
  relations: {
    aboveNone: "Keine Rolle, die Sie sehen dürfen, verwaltet diese.",
    belowNone: "Darunter gibt es keine Rolle.",
    deeper: "weiter unten",
    changeOf: (parent, child) => `Ändern, was ${parent} für ${child} darf`,
    addParent: "Hinzufügen",
    move: "Verschieben",
    takeOver: "Mit Passwort übernehmen",
    addChild: "Vorhandene hinzufügen",
    create: "Neue Rolle",
  },
  people: {
    lists: { label: "Welche Personen", members: "Mitglieder", access: "Zugriff" },
    membersHint: "Mitglieder dieser Rolle selbst, nicht der Rollen darüber.",
    accessHint:
      "Mitglieder dieser Rolle und aller Rollen darüber, Personen und Programme, mit dem, was sie hier dürfen.",
    invite: "Person einladen",
    inviteMany: "Mehrere Personen einladen",
    findMember: "Unter den Mitgliedern suchen",
    find: "Nach einem Teil der Adresse suchen",
    period: "In einem Zeitraum",
    periodHint:
      "Alle, die irgendwann an diesen Tagen Zugriff hatten, mit allen Rechten, die sie in dieser Zeit hatten.",
    lastMonth: "Letzter Monat",
    periodFirst: "Wählen Sie auch den ersten Tag.",
    periodFault: "Der letzte Tag darf nicht vor dem ersten liegen, und der erste nicht in der Zukunft.",
    noMembers: "Diese Rolle hat keine Mitglieder. Zugriff kommt von den Rollen darüber.",
    notMember: "Kein Mitglied hat das in seiner Adresse.",
    noAccess: "Niemand hat Zugriff.",
    notFound: "Dazu passt niemand.",
    until: "Bis",
    changeOf: (email) => `Mitgliedschaft von ${email} ändern`,
    leave: "Diese Rolle verlassen",
    notYours: "Sie sind nicht Mitglied dieser Rolle selbst.",
    dormant: "Ihre Mitgliedschaft in dieser Rolle selbst ruht.",
    lastMet: "Zuletzt erfüllt, was die Rolle verlangt:",
    neverMet: "Hat noch nicht erfüllt, was die Rolle verlangt, soweit bekannt",
    needs:
      "Um zu sehen, wer zu einer Rolle gehört, brauchen Sie Benutzerverwaltung für diese Rolle oder, von einer Rolle darüber aus, Rollenverwaltung.",
    needsAccess:
      "Um zu sehen, wer Zugriff auf eine Rolle hat, brauchen Sie Benutzerverwaltung für diese Rolle oder, von einer Rolle darüber aus, Rollenverwaltung.",
    anyRight: "Beliebig",
    hasLeft: "Kein Zugriff mehr",
    direct: "Mitglied",
    through: "Über",
    hidden: plural("# [Rolle, die Sie nicht sehen dürfen|Rollen, die Sie nicht sehen dürfen]"),
    others: moreRoles,
    deleted: "Gelöschtes Konto",
    key: (name) => ["Schlüssel: ", name],
    whyOf: (name) => `Warum? Der Zugriff von ${name}`,
    draw: "Im Bild",
    drawOf: (name) => `Im Bild: die Rechte von ${name}`,
  },
  file: {
    save: "Als CSV speichern",
    saving: plural("Wird gelesen … bisher # [Zeile|Zeilen]", "Wird gelesen …"),
    saved: (name, n) => `Gespeichert als ${name}, mit ${lines(n)}.`,
    savedPart: (name, n) => `Gespeichert als ${name}, mit den ersten ${lines(n)}. Es gibt weitere.`,
  },
  keys: {
    hint:
      "Mit einem Schlüssel handelt ein Programm wie ein Mitglied dieser Rolle, ohne das Passwort einer Person.",
    needs:
      "Um die Schlüssel einer Rolle zu sehen, brauchen Sie Benutzerverwaltung für diese Rolle oder, von einer Rolle darüber aus, Rollenverwaltung.",
    none: "Diese Rolle hat keine Schlüssel.",
    create: "Neuer Schlüssel",
    nameHint: "Was ihn nutzt. Der Name steht im Protokoll und in Zugriffslisten.",
    nameFault: "Der Schlüssel braucht einen Namen mit höchstens 256 Zeichen.",
    rights: "Was er höchstens darf",
    rightsHint:
      "Für diese Rolle hat er außerdem höchstens die Rechte ihrer Mitglieder, und darunter höchstens, was die Beziehungen weitergeben. Auch ohne Rechte sieht er die Rollen und liest, was ihre Geräte messen.",
    days: {
      7: "in einer Woche",
      30: "in 30 Tagen",
      90: "spätestens in 90 Tagen",
      365: "in einem Jahr",
    },
    asks: "Darf fragen, wer Zugriff hat und was geändert wurde, für einen Dienst, der für andere entscheidet",
    provisions:
      "Mit Benutzerverwaltung: darf Personen hinzufügen, soweit es die Person könnte, die ihn erstellt hat",
    submit: "Schlüssel erstellen",
    refused:
      "Ein Schlüssel kann nicht mehr Rechte haben und nicht länger gelten als Ihre eigene Mitgliedschaft.",
    doubtful:
      "Die Verbindung wurde unterbrochen, und der Schlüssel wurde vielleicht trotzdem erstellt. Sehen Sie in der Liste der Schlüssel nach, bevor Sie es noch einmal versuchen.",
    full: "Die Rolle hat schon 100 Schlüssel. Löschen Sie einen, der nicht mehr gebraucht wird.",
    secretTitle: "Das Geheimnis des neuen Schlüssels",
    secretText:
      "Geben Sie es jetzt dem Programm. Es wird nur dieses eine Mal angezeigt: Wenn es verloren geht, löschen Sie den Schlüssel und erstellen Sie einen neuen.",
    ineffective: (rights) =>
      `Vorerst ohne Wirkung: ${rights}. Weder die Rolle selbst noch eine Beziehung darunter hat sie.`,
    tryTitle: "Ausprobieren",
    tryText: "Mit diesem Befehl in einem Terminal zeigt der Schlüssel die ersten Rollen, die er sieht.",
    copyCommand: "Befehl kopieren",
    adopt: "Übernehmen",
    adoptOf: (name) => `Schlüssel ${name} übernehmen`,
    adoptTitle: "Diesen Schlüssel übernehmen?",
    adoptText:
      "Danach gelten Sie als die Person, die ihn erstellt hat. Er bekommt ein neues Geheimnis, das einmal angezeigt wird; das alte endet sofort, das Programm braucht also das neue.",
    adoptSubmit: "Schlüssel übernehmen",
    adoptRefused:
      "Sie brauchen selbst die Rechte des Schlüssels und eine Mitgliedschaft, die nicht vor ihm endet.",
    makerLeft:
      "Wer ihn erstellt hat, hat keinen Zugriff mehr auf diese Rolle; der Schlüssel gibt deshalb nichts an andere weiter. Übernehmen oder löschen Sie ihn.",
    noMaker:
      "Sie sehen nicht, wer ihn erstellt hat: jemand über eine höhere Rolle, die Sie nicht sehen, die Administration oder ein gelöschtes Konto. Übernehmen Sie ihn, wenn Sie für ihn einstehen.",
    secretDone: "Ich habe es gesichert",
    used: "Zuletzt genutzt",
    unused: "Nie genutzt",
    madeBy: "Erstellt von",
    mayAsk: "Darf fragen, wer Zugriff hat",
    mayProvision: "Darf Personen hinzufügen",
    delete: "Löschen",
    deleteOf: (name) => `Schlüssel ${name} löschen`,
    deleteTitle: "Diesen Schlüssel löschen?",
    deleteText:
      "Das Programm, das ihn nutzt, verliert seinen Zugriff sofort. Das lässt sich nicht rückgängig machen.",
    deleteSubmit: "Schlüssel löschen",
    deleted: "Der Schlüssel ist gelöscht.",
  },
  changes: {
    needs:
      "Um alle Änderungen einer Rolle zu sehen, brauchen Sie Benutzerverwaltung für diese Rolle oder, von einer Rolle darüber aus, Rollenverwaltung.",
  },
};
