import type { Isolated } from "../isolated.ts";
import type { RightName } from "../../../../role/rights.ts";
import type { Texts } from "../en.ts";
import type { components } from "../../openapi_types.ts";
import { capitalized, countAllIn, countIn, type Forms } from "../plural.ts";

const count = countIn("de");
const countAll = countAllIn("de");
const lists = new Intl.ListFormat("de");

/** What each right manages, as "-verwaltung" follows it. */
const KINDS: Readonly<Record<RightName, string>> = {
  roleManagement: "Rollen",
  userManagement: "Benutzer",
  viewManagement: "Ansichten",
  deviceManagement: "Geräte",
  reportManagement: "Berichts",
  alarmManagement: "Alarm",
};

/** "Rollen-, Benutzer- und Ansichtenverwaltung". */
function list(rights: readonly RightName[]): string {
  if (rights.length === Object.keys(KINDS).length) return "alle sechs Rechte";
  const last = rights.length - 1;
  return lists.format(rights.map((name, i) => i === last ? `${KINDS[name]}verwaltung` : `${KINDS[name]}-`));
}

/** What fits on a button. */
function shortList(rights: readonly RightName[]): string {
  return rights.length === 1 ? list(rights) : count(rights.length, { other: "Rechte" });
}

function people(n: number): string {
  return count(n, { one: "Person", other: "Personen" });
}

const ROLES: Forms = { one: "Rolle", other: "Rollen" };
const DEVICES: Forms = { one: "Gerät", other: "Geräte" };
const MEMBERSHIPS: Forms = { one: "Mitgliedschaft", other: "Mitgliedschaften" };

function roles(n: number, isLeast = false): string {
  return count(n, ROLES, isLeast);
}

function deletedNodes(roleCount: number, deviceCount: number): string {
  return countAll([roleCount, ROLES], [deviceCount, DEVICES]);
}

/** What is deleted together with a role: " und 3 Rollen und 1 Gerät darunter"; nothing without any. */
function withBelow(roleCount: number, deviceCount: number): string {
  return roleCount + deviceCount === 0 ? "" : ` und ${deletedNodes(roleCount, deviceCount)} darunter`;
}

function listRestored(
  { roles, devices, relations, monitors, members }: components["schemas"]["Restored"],
): string {
  return countAll(
    [roles, ROLES],
    [devices, DEVICES],
    [relations + monitors, { one: "Beziehung", other: "Beziehungen" }],
    [members, MEMBERSHIPS],
  );
}

/** A sentence with parts that are not plain text: names, or what is emphasized. */
type Parts<T> = readonly (string | T)[];

interface Amount {
  readonly people: number;
  readonly rights: readonly RightName[];
  /** Undefined if it is not known. */
  readonly roles: number | undefined;
  /** How the numbers are to be read. */
  readonly bound: "exact" | "atMost" | "about";
}

interface Verb {
  readonly one: string;
  readonly other: string;
}

const LOSE: Verb = { one: "verliert", other: "verlieren" };
const GAIN: Verb = { one: "erhält", other: "erhalten" };

/** "7 Personen verlieren Geräteverwaltung für 4 Rollen." */
function sentence<T>(strong: (text: string) => T, { one, other }: Verb, amount: Amount): Parts<T> {
  const who = { exact: "", atMost: "Bis zu ", about: "Etwa " }[amount.bound] + people(amount.people);
  return [strong(`${who} ${amount.people === 1 ? one : other}`), ` ${list(amount.rights)}${on(amount)}`];
}

/** The same of one person. */
function sentenceOf<T>(name: T, { one }: Verb, amount: Amount): Parts<T> {
  const maybe = amount.bound === "exact" ? "" : "möglicherweise ";
  return [name, ` ${one} ${maybe}${list(amount.rights)}${on(amount)}`];
}

function on({ roles: n, bound }: Amount): string {
  return n === undefined ? "." : ` für ${bound === "atMost" ? "bis zu " : ""}${roles(n, bound === "about")}.`;
}

export const CHANGE: Texts["change"] = {
  gone: "Das gibt es nicht mehr. Vielleicht hat jemand anderes es geändert.",
  back: "Zurück zur Rolle",
  unknown: "Die Adresse sagt nicht, was geändert werden soll.",
  hiddenRole: "Rolle (nicht sichtbar)",

  effect: {
    title: "Was das bewirkt",
    asking: "Die Wirkung wird ermittelt …",
    lose: (strong, amount) => sentence(strong, LOSE, amount),
    gain: (strong, amount) => sentence(strong, GAIN, amount),
    loseOne: (name, amount) => sentenceOf(name, LOSE, amount),
    gainOne: (name, amount) => sentenceOf(name, GAIN, amount),
    nobodyLoses: "Niemand verliert etwas.",
    nobodyGains: "Niemand erhält etwas.",
    emptyLose: (rights) =>
      `Noch verliert niemand etwas: Die Rollen, die ${list(rights)} verlieren, haben keine Mitglieder.`,
    emptyGain: (rights) =>
      `Noch erhält niemand etwas: Die Rollen, die ${list(rights)} erhalten, haben keine Mitglieder.`,
    nothing: "Für niemanden ändert sich etwas.",
    loses: (rights) => `verliert ${list(rights)}`,
    gains: (rights) => `erhält ${list(rights)}`,
    onRoles: (n, isLeast) => `für ${roles(n, isLeast)}`,
    /** Of somebody who loses other rights, or none: "behält Ansichtenverwaltung durch Installateur X". */
    keeps: (
      rights,
      role,
    ) => [`behält ${list(rights)} durch `, role ?? "eine Rolle, die Sie nicht sehen dürfen"],
    hasAlready: (rights, role) => [
      `hat ${list(rights)} schon durch `,
      role ?? "eine Rolle, die Sie nicht sehen dürfen",
    ],
    unchanged: (n) => `Für ${people(n)} ändert sich nichts:`,
    key: (name) => ["Schlüssel ", name],
    /** Of people that the list above does not show, some of whom the viewer may not see. */
    more: (n, hidden) => {
      const more = count(n, { one: "weitere Person", other: "weitere Personen" });
      if (hidden === 0) return more;
      return n === hidden
        ? `${more}, für Sie nicht sichtbar`
        : `${more}, davon ${hidden} für Sie nicht sichtbar`;
    },
    onlyHidden: (n) => `${people(n)}, für Sie nicht sichtbar`,
    keys: "Schlüssel von Programmen zählen wie Personen.",
    truncated: "Es ist mehr, als hier gezählt werden kann.",
    others: "Es können weniger sein: Wer dasselbe Recht auch über eine andere Rolle hat, behält es.",
    revision: (revision) =>
      `Stand: Revision ${revision}. Ändert sich die Wirkung, bevor Sie bestätigen, geschieht nichts, und Sie erfahren es.`,
    you: (rights, n, isLeast) => `Sie selbst verlieren ${list(rights)} für ${roles(n, isLeast)}.`,
    youUnless: (rights, n, isLeast) =>
      `Sie selbst verlieren ${list(rights)} für ${
        roles(n, isLeast)
      }, es sei denn, eine andere Ihrer Rollen gibt Ihnen dieselben Rechte.`,
    unmanaged: (name) => [name, " könnte niemand mehr verwalten."],
    unmanagedMore: (name, n, isLeast) => [
      name,
      ` und ${
        count(n, { one: "weitere Rolle", other: "weitere Rollen" }, isLeast)
      } könnte niemand mehr verwalten.`,
    ],
    unmanagedHidden: (n, isLeast) =>
      `${
        capitalized(count(n, { one: "Rolle", other: "Rollen" }, isLeast))
      }, die Sie nicht sehen dürfen, könnte niemand mehr verwalten.`,
    deleted: (name) => [name, " wird gelöscht, weil nichts anderes dorthin führt."],
    deletedMore: (name, roleCount, deviceCount) => [
      name,
      " wird gelöscht, weil nichts anderes dorthin führt. Das gilt auch für ",
      deletedNodes(roleCount, deviceCount),
      " darunter.",
    ],
    deletedMany: (roleCount, deviceCount) => `Das löscht ${deletedNodes(roleCount, deviceCount)}.`,
    deletedNames: (names, more) => [
      "Darunter: ",
      names,
      more === 0 ? "." : ` und ${count(more, { one: "weiteres", other: "weitere" })}.`,
    ],
    restored: (counts) => `Wiederhergestellt: ${listRestored(counts)}.`,
    leftOut: (counts) =>
      `Ausgelassen, weil es inzwischen beendet ist oder Sie es jetzt nicht anlegen dürften: ${
        listRestored(counts)
      }.`,
    lastAwake:
      "Von den anderen, die diese Rolle verwalten, ist von niemandem bekannt, dass er den geforderten zweiten Schritt erfüllt. Vielleicht kann sie dann niemand mehr verwalten: Lassen Sie vorher jemanden von ihnen etwas darin ändern.",
    stayingKeys: (names, hasOthers) => [
      "Programme behalten ihren Zugriff mit Schlüsseln, die diese Person erstellt hat: ",
      names,
      `${hasOthers ? " und weitere" : ""}. Löschen Sie diejenigen, deren Geheimnis sie kennen könnte.`,
    ],
    moved: "Inzwischen hat jemand etwas geändert, und es ist nichts geschehen. Das würde es jetzt bewirken:",
  },

  giving: {
    mask: (rights) =>
      `Sie können ${list(rights)} nicht vergeben: Ihre eigene Mitgliedschaft umfasst ${
        rights.length === 1 ? "dieses Recht" : "diese Rechte"
      } nicht.`,
    onlyTake:
      "Sie können hier nur Rechte wegnehmen: Um eines hinzuzufügen, brauchen Sie Rollenverwaltung für beide Rollen, durch dieselbe Mitgliedschaft.",
    needed:
      "Eine neue Rolle muss von jemandem verwaltet werden. Deshalb gibt die Beziehung immer Rollenverwaltung weiter.",
  },

  problems: {
    cycle:
      "Damit würde sich ein Kreis schließen: Die Rolle, die oben stehen soll, steht schon unter der anderen.",
    unmanaged:
      "Dann würde keine Rolle diese mehr verwalten. Lassen Sie der Beziehung die Rollenverwaltung, oder fügen Sie zuerst eine andere Rolle darüber mit diesem Recht hinzu.",
    unmanagedRoles: (names, more) =>
      `Keine Rolle würde mehr verwalten: ${
        lists.format([
          ...names,
          ...(more === 0 ? [] : [count(more, { one: "weitere Rolle", other: "weitere Rollen" })]),
        ])
      }. Fügen Sie zuerst eine andere Rolle darüber mit Rollenverwaltung hinzu.`,
    lastMember:
      "Das ist das letzte Mitglied, das diese oberste Rolle unbefristet verwalten kann. Laden Sie zuerst eine andere Person unbefristet ein.",
    externalIdTaken:
      "Eine andere Rolle unter derselben obersten Rolle hat diese ID schon. Wählen Sie eine andere.",
    tooLarge:
      "Das betrifft mehr Rollen, als der Dienst auf einmal ändert. Ändern Sie nacheinander kleinere Teile darunter.",
    previews: (time) =>
      `Sie haben sehr oft gefragt, was Änderungen bewirken würden. In ${time} geht es von selbst weiter.`,
    invitations: (time) =>
      `Sie können bis zu 50 Personen am Tag einladen, und auch das Ansehen der Wirkung einer Einladung zählt. Die nächste ist in ${time} möglich.`,
    session: "Ihre Sitzung war beendet, deshalb ist nichts geschehen. Versuchen Sie es noch einmal.",
    busy:
      "Der Dienst war überlastet und hat die Änderung nicht bestätigt. Versuchen Sie es noch einmal: Sie wird nie doppelt ausgeführt.",
  },

  relation: {
    title: (parent, child) => [parent, " verwaltet ", child],
    now: "Gibt jetzt weiter",
    rights: "Gibt künftig weiter",
    unchanged: "Wählen Sie, was die Beziehung weitergeben soll.",
    delete: "Stattdessen diese Beziehung löschen",
    keep: "Stattdessen ihre Rechte ändern",
    deleteTitle: (parent, child) => ["Beziehung von ", parent, " zu ", child, " löschen"],
    deleteText: (parent, child) => [
      "Die Mitglieder von ",
      parent,
      " und von Rollen darüber sehen ",
      child,
      " und alles darunter nicht mehr, es sei denn, ein anderer Weg führt dorthin.",
    ],
    deleteNothing: "Niemand erhält oder verliert ein Recht.",
    deleteSubmit: "Beziehung löschen",
    take: (rights) => `${shortList(rights)} wegnehmen`,
    give: (rights) => `${shortList(rights)} geben`,
    change: "Beziehung ändern",
    working: "Wird geändert …",
    nothing: "Für niemanden ändert sich etwas: Niemand darüber hat diese Rechte, um sie weiterzugeben.",
    forbidden: "So dürfen Sie diese Beziehung nicht ändern.",
    changed: "Die Beziehung wurde geändert.",
    deleted: "Die Beziehung wurde gelöscht.",
  },

  deletion: {
    title: (role, roleCount, deviceCount) => [role, withBelow(roleCount, deviceCount), " löschen"],
    done: (role, roleCount, deviceCount) => `Gelöscht: ${role}${withBelow(roleCount, deviceCount)}.`,
    type: (role) => ["Um all das zu löschen, geben Sie ", role, " ein."],
    confirm: "Name der Rolle",
    why: (n) => `Das wird gefragt, weil ${count(n, { other: "Dinge" })} auf einmal gelöscht werden.`,
    different: "Das ist nicht der Name der Rolle.",
    noParents: "Keine Rolle, die Sie sehen dürfen, verwaltet diese. Deshalb können Sie sie nicht löschen.",
    parents: (role, n) => [
      `${count(n, { other: "Beziehungen" })} führen zu `,
      role,
      ". Mit der letzten davon wird sie gelöscht. Welche soll zuerst gelöscht werden?",
    ],
  },

  join: {
    parentTitle: (role) => ["Weitere Rolle über ", role],
    childTitle: (role) => ["Weitere Rolle unter ", role],
    parent: "Verwaltet von",
    child: "Verwaltet",
    rights: "Die Beziehung gibt weiter",
    choose: "Wählen Sie eine Rolle.",
    same: "Eine Rolle kann sich nicht selbst verwalten.",
    sees: (parent, child) => [
      "Auch ohne Rechte sehen die Mitglieder von ",
      parent,
      " und von Rollen darüber dann ",
      child,
      " und alles darunter, und was die Geräte dort messen.",
    ],
    exists: "Diese Beziehung gibt es schon. Hiermit ändern Sie, was sie weitergibt.",
    submit: "Beziehung hinzufügen",
    change: "Beziehung ändern",
    working: "Wird hinzugefügt …",
    nothing: "Niemand erhält oder verliert ein Recht.",
    forbidden:
      "Diese Rollen dürfen Sie nicht verbinden: Dafür braucht es Rollenverwaltung für die obere Rolle und, von einer Rolle darüber aus, für die untere, durch dieselbe Mitgliedschaft.",
    done: "Die Beziehung wurde hinzugefügt.",
  },

  password: {
    title: (role) => ["Das Passwort von ", role],
    text:
      "Geben Sie es mit der Nummer der Rolle an die weiter, die die Rolle unter eine ihrer eigenen stellen sollen. Diese können sich höchstens die Rechte unten geben.",
    none: "Die Rolle hat kein Passwort.",
    isSet: "Sie hat eines, gesetzt am",
    void:
      "Es gilt nicht mehr, weil die Person, die es gesetzt hat, das jetzt nicht mehr dürfte. Setzen Sie ein neues.",
    field: "Neues Passwort",
    hint: (n) => `Mindestens ${n} Zeichen`,
    padded: "Ein Passwort kann nicht mit einem Leerzeichen beginnen oder enden.",
    rights: "Es gibt höchstens",
    set: "Passwort setzen",
    replace: "Passwort ersetzen",
    working: "Wird gespeichert…",
    remove: "Passwort entfernen",
    removeText: "Beziehungen, die damit gemacht wurden, bleiben.",
    done: "Das Passwort der Rolle wurde gesetzt.",
    removed: "Das Passwort der Rolle wurde entfernt.",
    forbidden:
      "Das dürfen Sie nicht setzen: Dafür braucht es Rollenverwaltung für die Rolle, und das Passwort gibt höchstens, was Sie geben dürfen.",
  },

  takeOver: {
    title: (role) => ["Eine Rolle unter ", role, " übernehmen"],
    text: "Wer die Rolle verwaltet, gibt Ihnen ihre Nummer und ihr Passwort.",
    number: "Nummer der Rolle",
    numberHint: "Sie steht auf ihrer Seite: „Rolle 12“",
    numberFault: "Das ist nicht die Nummer einer anderen Rolle.",
    password: "Passwort der Rolle",
    rights: "Die Beziehung trägt",
    atMost:
      "Höchstens, was ihr Passwort gibt. Auch ohne ein Recht sehen Ihre Mitglieder die Rolle, was darunter ist, und was ihre Geräte messen.",
    submit: "Die Rolle übernehmen",
    working: "Wird übernommen…",
    forbidden:
      "Das sind nicht Nummer und Passwort einer Rolle, oder ihr Passwort gibt nicht alle diese Rechte.",
    done: "Die Rolle ist jetzt unter Ihrer.",
  },

  move: {
    title: (role) => [role, " verschieben"],
    from: "Von",
    to: "Nach",
    rights: "Die neue Beziehung gibt weiter",
    noParents:
      "Keine Rolle, die Sie sehen dürfen, verwaltet diese. Es gibt also nichts, wovon sie weg könnte.",
    same: "Dort ist sie schon.",
    submit: "Verschieben",
    working: "Wird verschoben …",
    nothing: "Niemand erhält oder verliert ein Recht.",
    done: "Die Rolle wurde verschoben.",
  },

  create: {
    title: (role) => ["Neue Rolle unter ", role],
    name: "Name",
    nameFault: "Ein Name hat bis zu 256 Zeichen, in einer Zeile.",
    relation: "Rechte der Rolle darüber für die neue Rolle",
    selfRights: "Rechte der eigenen Mitglieder für die neue Rolle",
    text: (parent) => [
      "Niemand verliert etwas. Die Mitglieder von ",
      parent,
      " und, soweit ihre Rechte reichen, die Mitglieder der Rollen darüber erhalten die obigen Rechte für die neue Rolle. Eigene Mitglieder hat sie noch nicht.",
    ],
    submit: "Rolle anlegen",
    working: "Wird angelegt …",
    forbidden:
      "Hier dürfen Sie keine Rolle anlegen: Dafür braucht es Rollenverwaltung für die Rolle darüber.",
    done: (name) => `${name} wurde angelegt.`,
    doneDemanding: (name) =>
      `${name} wurde angelegt. Die Rolle verlangt von ihren Mitgliedern dasselbe wie die Rolle darüber.`,
  },

  edit: {
    title: (role) => [role, " ändern"],
    name: "Name",
    externalIdFault: "Eine ID hat bis zu 128 Zeichen, in einer Zeile.",
    selfRights: "Rechte der eigenen Mitglieder für diese Rolle",
    unchanged: "Wählen Sie einen anderen Namen, eine andere ID oder andere Rechte.",
    submit: "Änderungen speichern",
    working: "Wird gespeichert …",
    nothing: "Niemand erhält oder verliert ein Recht.",
    forbidden:
      "Diese Rolle dürfen Sie nicht ändern: Dafür braucht es Rollenverwaltung von einer Rolle darüber aus.",
    done: "Die Rolle wurde geändert.",
  },

  member: {
    inviteTitle: (role) => ["Person in ", role, " einladen"],
    title: (person, role) => [person, " in ", role],
    leaveTitle: (role) => [role, " verlassen"],
    removeTitle: (person, role) => [person, " aus ", role, " entfernen"],
    email: "E-Mail-Adresse",
    emailHint: "Wer neu ist, erhält eine E-Mail mit einem Link.",
    emailFault: "Das ist keine E-Mail-Adresse.",
    missing: "Geben Sie die Adresse der Person ein.",
    until: "Endet",
    untilHint: (zone) => `In Ihrer Zeitzone, ${zone}. Leer: endet nicht von selbst.`,
    choices: {
      tomorrow: "Bis morgen",
      friday: "Bis Freitag",
      week: "Eine Woche",
      month: "Einen Monat",
      forGood: "Unbefristet",
    },
    past: "Das liegt in der Vergangenheit.",
    incomplete: "Geben Sie ein Datum und eine Uhrzeit ein.",
    tooLate: (time) =>
      `Ihre eigene Mitgliedschaft endet am ${time}, und was Sie vergeben, endet spätestens dann.`,
    extent: "Rechte",
    all: "Alle, die die Rolle hat",
    some: "Nur einige davon",
    rights: "Höchstens",
    exists: "Diese Person ist schon Mitglied. Hiermit ändern Sie die Mitgliedschaft.",
    unchanged: "Wählen Sie ein anderes Ende oder andere Rechte.",
    remove: "Stattdessen diese Person entfernen",
    leave: "Stattdessen diese Rolle verlassen",
    keep: "Stattdessen die Mitgliedschaft ändern",
    invite: "Einladen",
    change: "Mitgliedschaft ändern",
    removeSubmit: "Aus der Rolle entfernen",
    leaveSubmit: "Rolle verlassen",
    working: "Wird gespeichert …",
    sees: (person, role) => ["Auch ohne Rechte sieht ", person, " dann ", role, " und alles darunter."],
    seesUntil: (person, role, time) => [
      "Auch ohne Rechte sieht ",
      person,
      " dann ",
      role,
      " und alles darunter, bis zum ",
      time,
      ".",
    ],
    ends: (time) => ["Die Mitgliedschaft endet von selbst am ", time, "."],
    endless: "Die Mitgliedschaft endet nicht mehr von selbst.",
    nothing: "Niemand erhält oder verliert jetzt ein Recht.",
    forbidden:
      "Das dürfen Sie nicht: Dafür braucht es Benutzerverwaltung für die Rolle, und niemand vergibt mehr Rechte als die eigenen oder für längere Zeit.",
    invited: "Eingeladen. Eine E-Mail ist unterwegs.",
    changed: "Die Mitgliedschaft wurde geändert.",
    left: "Sie sind nicht mehr Mitglied.",
    removed: "Die Person ist nicht mehr Mitglied.",
  },

  many: {
    title: <T>(role: T): Parts<T> => ["Mehrere Personen einladen in ", role],
    addresses: "E-Mail-Adressen",
    hint:
      "Eine je Zeile oder mit Kommas dazwischen. Eine Tabelle mit Kopfzeile kann die Spalten email, until und rights haben.",
    file: "CSV-Datei auswählen",
    tooLarge: "Die Datei ist zu groß: höchstens 100 kB.",
    tooMany: (found: number, most: number): string =>
      `Das sind ${found} Adressen. Höchstens ${most} werden auf einmal eingeladen.`,
    missing: "Geben Sie die Adressen der Personen an.",
    allMembers: "Alle sind schon Mitglied und bleiben es unverändert.",
    faults: (n: number): string => `${count(n, { one: "Zeile ist", other: "Zeilen sind" })} nicht lesbar:`,
    fault: {
      address: (line: number, text: Isolated): string => `Zeile ${line}: „${text}“ ist keine E-Mail-Adresse.`,
      twice: (line: number, text: Isolated): string => `Zeile ${line}: „${text}“ stand schon da.`,
      until: (line: number, text: Isolated): string =>
        `Zeile ${line}: „${text}“ ist kein Ende. Schreiben Sie 2027-01-31 oder 2027-01-31T12:00Z.`,
      rights: (line: number, text: Isolated): string =>
        `Zeile ${line}: „${text}“ ist keine Liste von Rechten. Schreiben Sie all, none oder viewManagement|alarmManagement.`,
    },
    members: (first: readonly Isolated[], n: number): string =>
      `${
        count(n, {
          one: "Person ist schon Mitglied und bleibt es unverändert",
          other: "Personen sind schon Mitglied und bleiben es unverändert",
        })
      }: ${first.join(", ")}${n > first.length ? ", …" : "."}`,
    shownFor: <T>(person: T): Parts<T> => ["Die Wirkung ist für die erste Person gezeigt, ", person, "."],
    submit: (n: number): string =>
      n === 0 ? "Einladen" : `${count(n, { one: "Person", other: "Personen" })} einladen`,
    working: (taken: number, n: number): string => `${taken} von ${n}…`,
    stop: "Anhalten",
    done: (n: number): string => `${count(n, { one: "Person wurde", other: "Personen wurden" })} eingeladen.`,
  },

  end: {
    offer: "Stattdessen allen Zugriff auf diese Rolle und darunter beenden",
    title: (person, role) => ["Zugriff von ", person, " auf ", role, " und darunter beenden"],
    granted: "Auch beenden, was diese Person dort anderen gegeben hat, und was diese gegeben haben",
    ends: (members, keys, passwords) =>
      `Das beendet: ${
        countAll(
          [members, MEMBERSHIPS],
          [keys, { one: "Schlüssel", other: "Schlüssel" }],
          [passwords, { one: "Passwort einer Rolle", other: "Passwörter von Rollen" }],
        )
      }.`,
    none: "Dort gibt es nichts, was Sie beenden dürfen.",
    password: "Passwort der Rolle",
    left: (n, more) =>
      `Die Person behält dort Zugriff auf ${
        count(n, ROLES, more)
      }, zum Beispiel durch eine Mitgliedschaft darüber.`,
    leftNone:
      "Dort bleibt kein Zugriff auf Rollen, deren Personen Sie verwalten. Wird später eine Löschung rückgängig gemacht, kommt diese Person nicht zurück.",
    relations: "Beziehungen, die die Person angelegt hat, bleiben. Sehen Sie sich jede davon an:",
    moreRelations: "Es kann weitere geben.",
    submit: "Zugriff beenden",
    working: "Wird beendet …",
    keep: "Stattdessen diese Person nur aus der Rolle entfernen",
    tooMuch:
      "Das wäre zu viel auf einmal. Beenden Sie zuerst den Zugriff auf Rollen weiter unten, oder zuerst ohne das, was die Person gegeben hat.",
    done: "Der Zugriff wurde beendet.",
  },
};
