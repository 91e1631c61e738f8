import type { Decision, Kind, Subject } from "../../views/changes/kinds.ts";
import type { Texts } from "../en.ts";
import type { ChangeSentence } from "../en/changes.ts";
import { countAllIn, countIn } from "../plural.ts";

const count = countIn("de");
const countAll = countAllIn("de");

const DONE: Readonly<Record<Subject, ChangeSentence>> = {
  "role.create": ({ who, role, parent }) => [who, " hat ", role, " unter ", parent, " angelegt"],
  "role.update": ({ who, role }) => [who, " hat ", role, " geändert"],
  "role.rename": ({ who, role, oldName }) => [who, " hat ", oldName, " umbenannt in ", role],
  "role.delete": ({ who, role, parent }) => [who, " hat ", role, " unter ", parent, " gelöscht"],
  "role.password_set": ({ who, role }) => [who, " hat ein Passwort für ", role, " festgelegt"],
  "role.password_removed": ({ who, role }) => [who, " hat das Passwort für ", role, " entfernt"],
  "role.authentication_policy": (
    { who, role },
  ) => [who, " hat geändert, was ", role, " von Mitgliedern verlangt"],
  "role.bootstrap": ({ who, role }) => [role, " wurde eingerichtet, erstes Mitglied: ", who],
  "manages.put": ({ who, role, parent }) => [who, " hat ", role, " unter ", parent, " eingeordnet"],
  "manages.update": (
    { who, role, parent },
  ) => [who, " hat geändert, was ", parent, " für ", role, " darf"],
  "manages.move": ({ who, role, parent }) => [who, " hat ", role, " unter ", parent, " verschoben"],
  "manages.delete": ({ who, role, parent }) => [who, " hat ", role, " von ", parent, " gelöst"],
  "member.add": ({ who, role, member }) => [who, " hat ", member, " zu ", role, " hinzugefügt"],
  "member.update": (
    { who, role, member },
  ) => [who, " hat geändert, was ", member, " als Mitglied von ", role, " darf"],
  "member.time": (
    { who, role, member },
  ) => [who, " hat geändert, wie lange ", member, " Mitglied von ", role, " ist"],
  "member.remove": ({ who, role, member }) => [who, " hat ", member, " aus ", role, " entfernt"],
  "member.leave": ({ role, member }) => [member, " hat ", role, " verlassen"],
  "member.invite": (
    { who, role, member },
  ) => [who, " hat die Einladung von ", member, " zu ", role, " noch einmal geschickt"],
  "member.end": ({ role, member }) => ["Die Mitgliedschaft von ", member, " in ", role, " ist abgelaufen"],
  "key.create": ({ who, role, key }) => [who, " hat ", key, " für ", role, " erstellt"],
  "key.adopt": ({ who, role, key }) => [who, " hat ", key, " für ", role, " übernommen"],
  "key.delete": ({ who, role, key }) => [who, " hat ", key, " für ", role, " gelöscht"],
  "key.end": ({ role, key }) => [key, " für ", role, " ist abgelaufen"],
  "access.end": (
    { who, role, member },
  ) => [who, " hat den Zugriff von ", member, " auf ", role, " und darunter beendet"],
  "device.create": ({ who, role, device }) => [who, " hat ", device, " für ", role, " hinzugefügt"],
  "monitors.add": ({ who, role, device }) => [who, " hat ", device, " für ", role, " sichtbar gemacht"],
  "monitors.end": ({ who, role, device }) => [who, " hat beendet, dass ", role, " ", device, " sieht"],
  "monitors.update": (
    { who, role, device },
  ) => [who, " hat geändert, für welche Zeit ", role, " das Gerät ", device, " sieht"],
  "device.transfer": ({ who, role, device }) => [who, " hat ", device, " an ", role, " übergeben"],
  "monitors.remove": (
    { who, role, device },
  ) => [who, " hat ", device, " für ", role, " unsichtbar gemacht"],
  "manages.restore": ({ who, role, parent }) => [who, " hat ", role, " unter ", parent, " wiederhergestellt"],
  "device.restore": ({ who, role, device }) => [who, " hat ", device, " für ", role, " wiederhergestellt"],
  "device.forget": ({ who }) => [who, " hat Geräte endgültig gelöscht, die sich wiederherstellen ließen"],
  "hierarchy.import": ({ role }) => ["Unter ", role, " wurde eine Hierarchie importiert"],
};

/** What was refused often names "eine Rolle" and "eine Person": they stand where these forms are right. */
const TRIED: Readonly<Record<Kind, ChangeSentence>> = {
  "role.create": ({ who, parent }) => [who, " wollte eine neue Rolle unter ", parent, " einordnen"],
  "role.update": ({ who, role }) => [who, " wollte ", role, " ändern"],
  "role.password_set": ({ who, role }) => [who, " wollte ein Passwort für ", role, " festlegen"],
  "role.password_removed": ({ who, role }) => [who, " wollte das Passwort für ", role, " entfernen"],
  "role.authentication_policy": (
    { who, role },
  ) => [who, " wollte ändern, was ", role, " von Mitgliedern verlangt"],
  "role.bootstrap": ({ role }) => [role, " ließ sich nicht einrichten"],
  "manages.put": ({ who, role, parent }) => [who, " wollte ", role, " unter ", parent, " einordnen"],
  "manages.update": (
    { who, role, parent },
  ) => [who, " wollte ändern, was ", parent, " für ", role, " darf"],
  "manages.move": ({ who, role, parent }) => [who, " wollte ", role, " unter ", parent, " verschieben"],
  "manages.delete": (
    { who, role, parent },
  ) => [who, " wollte die Beziehung löschen, durch die ", parent, " Zugriff auf ", role, " hat"],
  "member.add": ({ who, role, member }) => [who, " wollte ", member, " zu ", role, " hinzufügen"],
  "member.update": (
    { who, role, member },
  ) => [who, " wollte die Mitgliedschaft ändern, durch die ", member, " Zugriff auf ", role, " hat"],
  "member.remove": (
    { who, role, member },
  ) => [who, " wollte die Mitgliedschaft beenden, durch die ", member, " Zugriff auf ", role, " hat"],
  "member.leave": ({ role, member }) => [member, " wollte ", role, " verlassen"],
  "member.invite": (
    { who, role, member },
  ) => [who, " hat versucht, die Einladung von ", member, " zu ", role, " noch einmal zu schicken"],
  "member.end": (
    { role, member },
  ) => ["Die Mitgliedschaft, durch die ", member, " Zugriff auf ", role, " hat, ließ sich nicht beenden"],
  "key.create": ({ who, role }) => [who, " wollte einen Schlüssel für ", role, " erstellen"],
  "key.adopt": ({ who, role, key }) => [who, " wollte ", key, " für ", role, " übernehmen"],
  "key.delete": ({ who, role, key }) => [who, " wollte ", key, " für ", role, " löschen"],
  "key.end": ({ role, key }) => [key, " für ", role, " ließ sich nicht beenden"],
  "access.end": ({ who, role }) => [who, " wollte den Zugriff auf ", role, " und darunter beenden"],
  "device.create": ({ who, role }) => [who, " wollte ein Gerät für ", role, " hinzufügen"],
  "monitors.add": ({ who, role, device }) => [who, " wollte ", device, " für ", role, " sichtbar machen"],
  "monitors.end": ({ who, role, device }) => [who, " wollte beenden, dass ", role, " ", device, " sieht"],
  "monitors.update": (
    { who, role, device },
  ) => [who, " wollte ändern, für welche Zeit ", role, " das Gerät ", device, " sieht"],
  "device.transfer": ({ who, role, device }) => [who, " wollte ", device, " an ", role, " übergeben"],
  "monitors.remove": (
    { who, role, device },
  ) => [who, " wollte ", device, " für ", role, " unsichtbar machen"],
  "manages.restore": (
    { who, role, parent },
  ) => [who, " wollte ", role, " unter ", parent, " wiederherstellen"],
  "device.restore": ({ who, role, device }) => [who, " wollte ", device, " für ", role, " wiederherstellen"],
  "device.forget": ({ who }) => [who, " wollte Geräte endgültig löschen"],
  "hierarchy.import": ({ role }) => ["Eine Hierarchie ließ sich nicht unter ", role, " importieren"],
};

const KINDS: Readonly<Record<Kind, string>> = {
  "role.create": "Rolle angelegt",
  "role.update": "Rolle geändert",
  "role.password_set": "Passwort einer Rolle festgelegt",
  "role.password_removed": "Passwort einer Rolle entfernt",
  "role.authentication_policy": "Anforderung einer Rolle geändert",
  "role.bootstrap": "Erste Rolle eingerichtet",
  "manages.put": "Rolle einer anderen unterstellt",
  "manages.update": "Beziehung geändert",
  "manages.move": "Rolle verschoben",
  "manages.delete": "Rolle gelöst oder gelöscht",
  "member.add": "Mitglied hinzugefügt",
  "member.update": "Mitgliedschaft geändert",
  "member.remove": "Mitglied entfernt",
  "member.leave": "Rolle verlassen",
  "member.invite": "Einladung noch einmal geschickt",
  "member.end": "Mitgliedschaft abgelaufen",
  "key.create": "Schlüssel erstellt",
  "key.adopt": "Schlüssel übernommen",
  "key.delete": "Schlüssel gelöscht",
  "key.end": "Schlüssel abgelaufen",
  "access.end": "Zugriff beendet",
  "device.create": "Gerät hinzugefügt",
  "monitors.add": "Gerät für eine Rolle sichtbar gemacht",
  "monitors.update": "Zeitraum eines Geräts geändert",
  "device.transfer": "Gerät übergeben",
  "monitors.end": "Zeitraum eines Geräts beendet",
  "monitors.remove": "Gerät für eine Rolle unsichtbar gemacht",
  "manages.restore": "Rolle wiederhergestellt",
  "device.restore": "Gerät wiederhergestellt",
  "device.forget": "Geräte endgültig gelöscht",
  "hierarchy.import": "Hierarchie importiert",
};

const DECISIONS: Readonly<Record<Decision, string>> = {
  ok: "Ausgeführt",
  noop: "Es war schon so",
  proof_required: "Abgelehnt: nicht mit einem frischen Nachweis bestätigt",
  denied: "Abgelehnt: kein Recht dazu",
  needs_step_up: "Abgelehnt: Die Sitzung hatte den nötigen zweiten Schritt nicht gezeigt",
  cycle: "Abgelehnt: Rollen würden einander im Kreis verwalten",
  unmanaged: "Abgelehnt: Niemand könnte die Rolle mehr verwalten",
  root_without_member: "Abgelehnt: Die oberste Rolle hätte kein Mitglied",
  root_without_manager: "Abgelehnt: Niemand würde die oberste Rolle verwalten",
  root_without_awake: "Abgelehnt: Niemand mit diesem zweiten Schritt könnte die oberste Rolle verwalten",
  node_id_taken: "Abgelehnt: Ein anderes Gerät hat diese Node-ID schon",
  external_id_taken: "Abgelehnt: Diese externe ID ist schon vergeben",
  too_many_invitations: "Abgelehnt: zu viele Einladungen",
  too_many_additions: "Abgelehnt: zu viele Mitglieder durch Schlüssel hinzugefügt",
  too_many_role_passwords: "Abgelehnt: zu viele Passwortversuche",
  too_many_keys: "Abgelehnt: Die Rolle hat schon so viele Schlüssel, wie sie haben darf",
  too_many_monitors: "Abgelehnt: Das Gerät ist schon für so viele Rollen sichtbar, wie es sein darf",
  period_outside: "Abgelehnt: Der Zeitraum liegt nicht in dem, der ihn gibt",
  period_begins_earlier: "Abgelehnt: Der Zeitraum kann nicht früher beginnen als bisher",
  period_empty: "Abgelehnt: Der Zeitraum endet nicht nach seinem Beginn",
  cannot_end: "Abgelehnt: Andere sehen das Gerät, und diese Person darf das nicht beenden",
  too_large: "Abgelehnt: Es würde zu viel auf einmal ändern",
  too_much_to_end: "Abgelehnt: Es würde zu viel auf einmal enden",
  moved: "Nicht ausgeführt: Gleichzeitig hat sich etwas anderes geändert",
  key_reused: "Abgelehnt: Die Anfrage wurde schon mit anderem Inhalt gesendet",
  changed_since: "Abgelehnt: Dasselbe wurde inzwischen wieder geändert",
  cannot_undo: "Abgelehnt: Es lässt sich nicht rückgängig machen",
};

export const CHANGES: Texts["changes"] = {
  title: "Protokoll",
  intro: "Was an den Rollen geändert wurde, deren Mitglieder Sie verwalten, und was abgelehnt wurde.",
  done: DONE,
  tried: TRIED,
  /** For kinds of later versions. */
  unknownKind: (kind) => `Andere Änderung: ${kind}`,
  kinds: KINDS,
  decisions: DECISIONS,
  unknownDecision: (decision) => `Abgelehnt: ${decision}`,
  administrator: "Eine Administratorin oder ein Administrator des Dienstes",
  importer: "Ein Import",
  person: (id) => `Person ${id}`,
  erasedPerson: (id) => `Person ${id} (Konto gelöscht)`,
  through: (role) => ["Als Mitglied von ", role],
  hiddenMember: "Person (nicht sichtbar)",
  somebody: "eine Person",
  someRole: "eine Rolle",
  hiddenRole: "Rolle (nicht sichtbar)",
  /** Of a role that the change deleted. */
  justDeleted: (role) => ["„", role, "“"],
  deletedRole: (nameOrId) =>
    typeof nameOrId === "number"
      ? [`Rolle ${nameOrId} (inzwischen gelöscht)`]
      : ["„", nameOrId, "“ (inzwischen gelöscht)"],
  key: (nameOrId) =>
    typeof nameOrId === "number" ? [`Schlüssel ${nameOrId}`] : ["Schlüssel „", nameOrId, "“"],
  actingKey: (nameOrId) =>
    typeof nameOrId === "number" ? [`Schlüssel ${nameOrId}`] : ["Schlüssel „", nameOrId, "“"],
  someDevice: (id) => `Gerät ${id}`,
  carries: "Gibt weiter",
  carried: "Gab weiter",
  becomes: "wird zu",
  endless: "Unbefristet",
  endBefore: "Zuvor: ",
  atMost: "Höchstens",
  deletedWith: (roles, devices) =>
    `Mit gelöscht: ${
      countAll([roles, { one: "Rolle", other: "Rollen" }], [devices, { one: "Gerät", other: "Geräte" }])
    }`,
  revision: (n) => `Revision ${n}`,
  empty: "Noch keine Änderungen. Sie sehen die der Rollen, deren Mitglieder Sie verwalten.",
  emptyFiltered: "Keine Änderung passt zu den Filtern.",
  emptySoFar: "Unter den neuesten Änderungen passt keine. Ältere wurden noch nicht durchsucht.",
  further: "Weiter zurück suchen",
  live: "Live",
  paused: "Angehalten",
  pause: "Anhalten",
  resume: "Fortsetzen",
  offline: "Keine Verbindung",
  tooManyWindows: "Nicht live: Sie verfolgen die Änderungen in zu vielen Fenstern",
  trying: "Die Verbindung wird wieder aufgebaut …",
  showNew: (n) => count(n, { one: "neue Änderung", other: "neue Änderungen" }),
  undo: {
    button: "Rückgängig",
    restore: "Wiederherstellen",
    restoreOf: (revision) => `Wiederherstellen, was Revision ${revision} gelöscht hat`,
    tooOld: (days) =>
      `Zu alt zum Wiederherstellen: Das geht ${count(days, { one: "Tag", other: "Tage" })} lang.`,
    of: (revision) => `Rückgängig machen: Revision ${revision}`,
    undoes: (revision) => `Macht Revision ${revision} rückgängig`,
    undone: (revision) => `Rückgängig gemacht in Revision ${revision}`,
    title: "Diese Änderung rückgängig machen?",
    submit: "Rückgängig machen",
    restoreTitle: "Gelöschtes wiederherstellen?",
    working: "Wird rückgängig gemacht …",
    forbidden:
      "Das dürfen Sie nicht rückgängig machen: Dafür braucht es dieselben Rechte, wie um selbst das Gegenteil zu tun.",
    cannot:
      "Das lässt sich nicht rückgängig machen: Nicht jede Art von Änderung lässt das zu, und was gelöscht wurde, ist vielleicht schon endgültig gelöscht. Ändern Sie es von Hand, wenn Sie das dürfen.",
    since: (
      later,
    ) => [
      "Das wurde danach wieder geändert, und nur die letzte Änderung lässt sich rückgängig machen. Sehen Sie sich zuerst ",
      later,
      " an.",
    ],
    later: (revision) => `Revision ${revision}`,
    sinceHidden:
      "Das wurde danach wieder geändert, durch eine Änderung, die Sie nicht sehen dürfen. Ändern Sie es von Hand, wenn Sie das dürfen.",
    tooLarge: (revision) =>
      `Das ist mehr, als der Dienst auf einmal wiederherstellt. Die Administration des Dienstes kann es tun: Nennen Sie ihr die Revision ${revision}.`,
    done: "Die Änderung wurde rückgängig gemacht.",
  },
  filters: {
    title: "Filter",
    role: "Rolle",
    person: "Von",
    personHint: "Geben Sie einen Teil der Adresse ein, und wählen Sie.",
    personFault: "Das ist noch keine ganze Adresse: Geben Sie sie ganz ein, oder wählen Sie eine.",
    kind: "Was",
    anyKind: "Alles",
    decision: "Ergebnis",
    anyDecision: "Alle",
    from: "Ab",
    to: "Bis",
    fromDate: (date) => `ab ${date}`,
    toDate: (date) => `bis ${date}`,
    by: (email) => ["von ", email],
    remove: "Filter entfernen: ",
    clear: "Alle entfernen",
  },
};
