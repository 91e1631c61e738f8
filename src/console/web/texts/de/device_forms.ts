import type { Texts } from "../en.ts";
import { countIn, type Forms } from "../plural.ts";

const count = countIn("de");
const lists = new Intl.ListFormat("de");
const DEVICES: Forms = { one: "Gerät", other: "Geräte" };

export const DEVICE_FORMS: Texts["deviceForms"] = {
  edit: "Eigenschaften ändern",
  handOver: {
    open: "Übergeben",
    openAll: "Alle übergeben",
    title: (device) => [device, " übergeben"],
    titleMany: (n) => `${count(n, DEVICES)} übergeben`,
    names: (names) => `Zusammen: ${lists.format(names)}.`,
    onlyFirst: (n) =>
      `Die Rolle hat weitere Geräte: Das sind die ersten ${n}. Übergeben Sie die anderen danach.`,
    to: "Wer übernimmt",
    choose: "Wählen Sie die Rolle, die übernimmt.",
    newOwner: "Wer übernimmt, hat noch keine Rolle",
    at: "Ab",
    atHint: (zone) => `In Ihrer Zeitzone, ${zone}. Leer: jetzt.`,
    now: "jetzt",
    keeps: (role, time) => [
      role,
      " liest weiter, was bis ",
      time,
      " gemessen wurde, und nichts Späteres.",
    ],
    reads: (role, time) => [role, " liest, was ab ", time, " gemessen wird."],
    stays: (role) => [role, " hat es schon und macht allein weiter."],
    hidden: (n) =>
      n === 1
        ? "Auch 1 Rolle, die Sie nicht sehen, liest danach nichts mehr."
        : `Auch ${count(n, { other: "Rollen" })}, die Sie nicht sehen, lesen danach nichts mehr.`,
    dropped: (n) =>
      n === 1
        ? "1 künftiger Zeitraum wird gelöscht."
        : `${count(n, { other: "künftige Zeiträume" })} werden gelöscht.`,
    above: "Rollen über einer davon lesen, was diese liest, und Rollen über beiden lesen alles.",
    othersKeep: "Rollen, die Sie nicht sehen, behalten, was sie haben.",
    whoHasAccess: (role) => ["Wer Zugriff auf ", role, " hat"],
    submit: "Übergeben",
    working: "Wird übergeben …",
    workingAt: (n, all) => `Wird übergeben, ${n} von ${all} …`,
    done: (role) => `An ${role} übergeben.`,
    willFail: "Diese bleiben, wo sie sind:",
    failed: "Diese wurden nicht übergeben:",
    forbidden:
      "Sie dürfen es nicht an diese Rolle übergeben. Dafür braucht es Geräteverwaltung für diese Rolle und für eine, die das Gerät hat.",
  },
  attach: {
    open: "Eine andere Rolle lesen lassen",
    title: (device) => ["Eine andere Rolle ", device, " lesen lassen"],
    role: "Rolle",
    choose: "Wählen Sie eine Rolle.",
    from: "Ab",
    until: "Bis",
    emptyFrom: (zone) => `In Ihrer Zeitzone, ${zone}. Leer: so weit zurück wie die Rolle, die es gibt.`,
    emptyUntil: (zone) => `In Ihrer Zeitzone, ${zone}. Leer: so lange wie die Rolle, die es gibt.`,
    reads: (role, period) => [role, " liest, was ", period, " gemessen wird."],
    present: "Solange das gilt, sieht sie das Gerät, und ihre Rechte für Geräte gelten dafür.",
    submit: "Lesen lassen",
    working: "Wird gespeichert …",
    done: (role) => `${role} liest das Gerät.`,
    forbidden:
      "Das dürfen Sie nicht: Eine Ihrer Rollen braucht Geräteverwaltung für diese Rolle und für eine, die das Gerät hat.",
  },
  period: {
    open: "Zeitraum",
    openFor: (role) => `Zeitraum von ${role}`,
    title: (role, device) => ["Wann ", role, " ", device, " liest"],
    emptyFrom: (zone) => `In Ihrer Zeitzone, ${zone}. Er kann nicht früher beginnen.`,
    emptyUntil: (zone) => `In Ihrer Zeitzone, ${zone}. Leer: unbefristet.`,
    unchanged: "Wählen Sie eine andere Zeit.",
    submit: "Zeitraum ändern",
    done: "Der Zeitraum wurde geändert.",
    forbidden: "Das dürfen Sie nicht ändern: Dafür braucht es Geräteverwaltung für die Rolle.",
    from: (from) => ["ab ", from],
    until: (until) => ["bis ", until],
    both: (from, until) => ["von ", from, " bis ", until],
    always: "jederzeit",
  },
  detach: {
    open: "Stattdessen trennen",
    back: "Stattdessen den Zeitraum ändern",
    title: (device, role) => [device, " von ", role, " trennen"],
    loses: (role) => [
      role,
      " sieht das Gerät nicht mehr, auch nicht, was in diesem Zeitraum gemessen wurde. Soll das bleiben, lassen Sie den Zeitraum enden.",
    ],
    deletes:
      "Keine andere Rolle hat es: Das Gerät wird gelöscht, mit allem, was es gemessen hat. Im Protokoll lässt sich das eine Zeit lang rückgängig machen.",
    submit: "Trennen",
    submitDelete: "Gerät löschen",
    working: "Wird getrennt …",
    done: "Das Gerät wurde getrennt.",
    doneDeleted: "Das Gerät wurde gelöscht.",
  },
  properties: {
    title: (device) => ["Eigenschaften von ", device],
    name: "Name",
    kind: "Art",
    kinds: { text: "Text", number: "Zahl", flag: "Ja oder nein", json: "JSON" },
    value: "Wert",
    remove: "Entfernen",
    removeOf: (name) => `${name} entfernen`,
    add: "Weitere Eigenschaft",
    removed: (names) => `Wird beim Speichern entfernt: ${lists.format(names)}.`,
    size: (bytes, most) => `${bytes} von ${most} Bytes.`,
    tooLarge: (bytes, most) =>
      `Die Eigenschaften haben ${bytes} Bytes und dürfen ${most} haben. Kürzen oder entfernen Sie einige.`,
    notNumber: "Das ist keine Zahl.",
    lost: "Diese Zahl hat mehr Ziffern, als erhalten bleiben: Schreiben Sie sie als Text.",
    notJson: "Das ist kein JSON.",
    noName: "Geben Sie der Eigenschaft einen Namen.",
    nameTaken: "Eine Eigenschaft mit diesem Namen gibt es schon.",
    submit: "Eigenschaften speichern",
    working: "Wird gespeichert …",
    done: "Die Eigenschaften wurden geändert.",
    modified:
      "Das Gerät wurde inzwischen von einem anderen Benutzer geändert. Dessen Änderungen sind jetzt zu sehen, und was Sie getippt haben, bleibt. Speichern Sie noch einmal, wenn es so stimmt.",
    forbidden:
      "Sie dürfen dieses Gerät nicht ändern: Dafür braucht es Geräteverwaltung für eine Rolle, die es hat.",
  },
  create: {
    open: "Gerät hinzufügen",
    title: (role) => ["Neues Gerät für ", role],
    nodeId: "Node-ID",
    nodeIdHint: "Der Name, unter dem es Messwerte sendet: bis zu 128 Zeichen, für immer fest.",
    nodeIdFault: "Eine Node-ID hat 1 bis 128 Zeichen in einer Zeile.",
    submit: "Gerät hinzufügen",
    working: "Wird hinzugefügt …",
    done: (name) => `${name} wurde hinzugefügt.`,
    taken: "Ein anderes Gerät hat diese Node-ID oder hatte sie bis vor Kurzem.",
    full: "Unter der obersten Rolle haben keine Geräte mehr Platz.",
    forbidden: "Sie dürfen hier keine Geräte hinzufügen: Dafür braucht es Geräteverwaltung für die Rolle.",
  },
  choices: {
    now: "Jetzt",
    today: "Heute, 0 Uhr",
    tomorrow: "Morgen, 0 Uhr",
    nextMonth: "Nächster Monat",
    none: "Keine",
  },
  refusals: {
    cannotEnd: (n) =>
      n === 1
        ? "Auch eine andere Rolle hat es, und dort dürfen Sie es nicht wegnehmen. Fragen Sie, wer diese Rolle verwaltet."
        : `Auch ${
          count(n, { other: "andere Rollen" })
        } haben es, und dort dürfen Sie es nicht wegnehmen. Fragen Sie, wer diese Rollen verwaltet.`,
    tooMany: "Dieses Gerät haben schon so viele Rollen, wie es haben dürfen.",
    outside: "Sie können das Gerät nur für eine Zeit geben, in der eine Ihrer Rollen es hat.",
    beginsEarlier: "Ein Zeitraum kann nicht früher beginnen als bisher.",
    isEmpty: "Der Zeitraum würde enden, bevor er beginnt.",
  },
};
