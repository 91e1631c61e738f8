import type { RightName } from "../../../../graph/rights.ts";
import type { CHANGE_ROLES as En } from "../en/change_roles.ts";
import { parts } from "../parts.ts";
import { countAll, devices, list, plural, relations, roles } from "./words.ts";

/** What fits on a button. */
function shortList(rights: readonly RightName[]): string {
  return rights.length === 1 ? list(rights) : `${rights.length} Rechte`;
}

/** What is deleted together with a role: " und 3 Rollen und 1 Gerät darunter"; nothing without any. */
const withBelow = countAll(" und # darunter", roles, devices);

export const CHANGE_ROLES: typeof En = {
  relation: {
    title: (parent, child) => parts`${parent} verwaltet ${child}`,
    now: "Gibt jetzt weiter",
    rights: "Gibt künftig weiter",
    unchanged: "Wählen Sie, was die Beziehung weitergeben soll.",
    delete: "Stattdessen diese Beziehung löschen",
    keep: "Stattdessen ihre Rechte ändern",
    deleteTitle: (parent, child) => parts`Beziehung von ${parent} zu ${child} löschen`,
    deleteText: (parent, child) =>
      parts`Die Mitglieder von ${parent} und von Rollen darüber sehen ${child} und alles darunter nicht mehr, es sei denn, ein anderer Weg führt dorthin.`,
    deleteSubmit: "Beziehung löschen",
    take: (rights) => `${shortList(rights)} wegnehmen`,
    give: (rights) => `${shortList(rights)} geben`,
    change: "Beziehung ändern",
    nothing: "Für niemanden ändert sich etwas: Niemand darüber hat diese Rechte, um sie weiterzugeben.",
    forbidden: "So dürfen Sie diese Beziehung nicht ändern.",
    changed: "Die Beziehung wurde geändert.",
    deleted: "Die Beziehung wurde gelöscht.",
  },

  deletion: {
    title: (role, roleCount, deviceCount) => parts`${role}${withBelow(roleCount, deviceCount)} löschen`,
    done: (role, roleCount, deviceCount) => `Gelöscht: ${role}${withBelow(roleCount, deviceCount)}.`,
    type: (role) => parts`Um all das zu löschen, geben Sie ${role} ein.`,
    confirm: "Name der Rolle",
    why: plural("Das wird gefragt, weil # Dinge auf einmal gelöscht werden."),
    different: "Das ist nicht der Name der Rolle.",
    noParents: "Keine Rolle, die Sie sehen dürfen, verwaltet diese. Deshalb können Sie sie nicht löschen.",
    parents: (role, n) =>
      parts`${
        relations(n)
      } führen zu ${role}. Mit der letzten davon wird sie gelöscht. Welche soll zuerst gelöscht werden?`,
  },

  join: {
    parentTitle: (role) => parts`Weitere Rolle über ${role}`,
    childTitle: (role) => parts`Weitere Rolle unter ${role}`,
    rights: "Die Beziehung gibt weiter",
    choose: "Wählen Sie eine Rolle.",
    same: "Eine Rolle kann sich nicht selbst verwalten.",
    sees: (parent, child) =>
      parts`Auch ohne Rechte sehen die Mitglieder von ${parent} und von Rollen darüber dann ${child} und alles darunter, und was die Geräte dort messen.`,
    exists: "Diese Beziehung gibt es schon. Hiermit ändern Sie, was sie weitergibt.",
    submit: "Beziehung hinzufügen",
    forbidden:
      "Diese Rollen dürfen Sie nicht verbinden: Dafür braucht es Rollenverwaltung für die obere Rolle und, von einer Rolle darüber aus, für die untere, durch dieselbe Mitgliedschaft.",
    done: "Die Beziehung wurde hinzugefügt.",
  },

  password: {
    title: (role) => parts`Das Passwort von ${role}`,
    text:
      "Geben Sie es mit der Nummer der Rolle an die weiter, die die Rolle unter eine ihrer eigenen stellen sollen. Diese können sich höchstens die Rechte unten geben.",
    none: "Die Rolle hat kein Passwort.",
    isSet: "Sie hat eines, festgelegt am",
    void:
      "Es gilt nicht mehr, weil die Person, die es festgelegt hat, das jetzt nicht mehr dürfte. Legen Sie ein neues fest.",
    field: "Neues Passwort",
    hint: (n) => `Mindestens ${n} Zeichen`,
    padded: "Ein Passwort kann nicht mit einem Leerzeichen beginnen oder enden.",
    rights: "Es gibt höchstens",
    set: "Passwort festlegen",
    replace: "Passwort ersetzen",
    remove: "Passwort entfernen",
    removeText: "Beziehungen, die damit angelegt wurden, bleiben.",
    done: "Das Passwort der Rolle wurde festgelegt.",
    removed: "Das Passwort der Rolle wurde entfernt.",
    forbidden:
      "Das dürfen Sie nicht festlegen: Dafür braucht es Rollenverwaltung für die Rolle, und das Passwort gibt höchstens, was Sie geben dürfen.",
  },

  takeOver: {
    title: (role) => parts`Eine Rolle unter ${role} übernehmen`,
    text: "Wer die Rolle verwaltet, gibt Ihnen ihre Nummer und ihr Passwort.",
    number: "Nummer der Rolle",
    numberHint: "Sie steht auf ihrer Seite: „Rolle 12“",
    numberFault: "Das ist nicht die Nummer einer anderen Rolle.",
    atMost:
      "Höchstens, was ihr Passwort gibt. Auch ohne ein Recht sehen Ihre Mitglieder die Rolle, was darunter ist, und was ihre Geräte messen.",
    submit: "Rolle übernehmen",
    forbidden:
      "Das sind nicht Nummer und Passwort einer Rolle, oder ihr Passwort gibt nicht alle diese Rechte.",
    done: "Die Rolle steht jetzt unter Ihrer Rolle.",
  },

  move: {
    title: (role) => parts`${role} verschieben`,
    from: "Von",
    to: "Nach",
    rights: "Die neue Beziehung gibt weiter",
    noParents:
      "Keine Rolle, die Sie sehen dürfen, verwaltet diese. Deshalb lässt sie sich nicht verschieben.",
    same: "Dort ist sie schon.",
    submit: "Verschieben",
    done: "Die Rolle wurde verschoben.",
  },

  create: {
    title: (role) => parts`Neue Rolle unter ${role}`,
    nameFault: "Ein Name hat bis zu 256 Zeichen, in einer Zeile.",
    relation: "Rechte der Rolle darüber für die neue Rolle",
    selfRights: "Rechte der eigenen Mitglieder für die neue Rolle",
    text: (parent) =>
      parts`Niemand verliert etwas. Die Mitglieder von ${parent} und, soweit ihre Rechte reichen, die Mitglieder der Rollen darüber erhalten die obigen Rechte für die neue Rolle. Eigene Mitglieder hat sie noch nicht.`,
    submit: "Rolle anlegen",
    forbidden:
      "Hier dürfen Sie keine Rolle anlegen: Dafür braucht es Rollenverwaltung für die Rolle darüber.",
    done: (name) => `${name} wurde angelegt.`,
    doneDemanding: (name) =>
      `${name} wurde angelegt. Die Rolle verlangt von ihren Mitgliedern dasselbe wie die Rolle darüber.`,
  },

  edit: {
    title: (role) => parts`${role} ändern`,
    externalIdFault: "Eine ID hat bis zu 128 Zeichen, in einer Zeile.",
    selfRights: "Rechte der eigenen Mitglieder für diese Rolle",
    unchanged: "Wählen Sie einen anderen Namen, eine andere ID oder andere Rechte.",
    submit: "Änderungen speichern",
    forbidden:
      "Diese Rolle dürfen Sie nicht ändern: Dafür braucht es Rollenverwaltung von einer Rolle darüber aus.",
    done: "Die Rolle wurde geändert.",
  },
};
