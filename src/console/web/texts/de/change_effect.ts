import { gainsIn, moreIn, readersIn } from "../change_effect.ts";
import type { Texts } from "../en.ts";
import { parts } from "../parts.ts";
import { capitalized } from "../plural.ts";
import { list, moreRoles, nodes, people, plural, restored, roles } from "./words.ts";

const { ofMany, ofOne } = gainsIn({
  list,
  roles,
  who: { exact: "", atMost: "Bis zu ", about: "Etwa " },
  on: { exact: " für #.", total: " für insgesamt #.", atMost: " für bis zu #.", about: " für #." },
});
const readers = readersIn({ roles, moreRoles, upTo: plural("bis zu # [Person|Personen]") });
const andMore = plural(" und # [weiteres|weitere].", ".");
const HIDDEN_ROLE = "eine Rolle, die Sie nicht sehen dürfen";

export const CHANGE_EFFECT: Texts["change"]["effect"] = {
  title: "Was das bewirkt",
  asking: "Die Wirkung wird ermittelt …",
  lose: ofMany(plural("# [Person verliert|Personen verlieren]")),
  gain: ofMany(plural("# [Person erhält|Personen erhalten]")),
  loseOne: ofOne("verliert", "verliert möglicherweise"),
  gainOne: ofOne("erhält", "erhält möglicherweise"),
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
  keeps: (
    rights,
    role,
  ) => parts`behält ${list(rights)} durch ${role ?? HIDDEN_ROLE}`,
  hasAlready: (rights, role) => parts`hat ${list(rights)} schon durch ${role ?? HIDDEN_ROLE}`,
  unchanged: (n) => `Für ${people(n)} ändert sich nichts:`,
  key: (name) => parts`Schlüssel ${name}`,
  more: moreIn(
    plural("# weitere [Person|Personen]"),
    ", für Sie nicht sichtbar",
    (hidden) => `, davon ${hidden} für Sie nicht sichtbar`,
  ),
  onlyHidden: (n) => `${people(n)}, für Sie nicht sichtbar`,
  keys: "Schlüssel von Programmen zählen wie Personen.",
  readsMore: (names, others, most) => `Lesen künftig mehr von Geräten: ${readers(names, others, most)}.`,
  readsLess: (names, others, most) => `Lesen künftig weniger von Geräten: ${readers(names, others, most)}.`,
  truncated: "Es ist mehr, als hier gezählt werden kann.",
  others: "Es können weniger sein: Wer dasselbe Recht auch über eine andere Rolle hat, behält es.",
  revision: (revision) =>
    `Stand: Revision ${revision}. Ändert sich die Wirkung, bevor Sie bestätigen, geschieht nichts, und Sie erfahren es.`,
  you: (rights, n, isLeast) => `Sie selbst verlieren ${list(rights)} für ${roles(n, isLeast)}.`,
  youUnless: (rights, n, isLeast) =>
    `Sie selbst verlieren ${list(rights)} für ${
      roles(n, isLeast)
    }, es sei denn, eine andere Ihrer Rollen gibt Ihnen dieselben Rechte.`,
  unmanaged: (name) => parts`${name} könnte niemand mehr verwalten.`,
  unmanagedMore: (name, n, isLeast) =>
    parts`${name} und ${moreRoles(n, isLeast)} könnte niemand mehr verwalten.`,
  unmanagedHidden: (n, isLeast) =>
    `${capitalized(roles(n, isLeast))}, die Sie nicht sehen dürfen, könnte niemand mehr verwalten.`,
  deleted: (name) => parts`${name} wird gelöscht, weil nichts anderes dorthin führt.`,
  deletedMore: (name, roleCount, deviceCount) =>
    parts`${name} wird gelöscht, weil nichts anderes dorthin führt. Das gilt auch für ${
      nodes(roleCount, deviceCount)
    } darunter.`,
  deletedMany: (roleCount, deviceCount) => `Das löscht ${nodes(roleCount, deviceCount)}.`,
  deletedNames: (names, more) => parts`Darunter: ${names}${andMore(more)}`,
  restored: restored("Wiederhergestellt: #."),
  leftOut: restored(
    "Ausgelassen, weil es inzwischen beendet ist oder Sie es jetzt nicht anlegen dürften: #.",
  ),
  goOn: plural(
    "# [Beziehung|Beziehungen] zu Geräten, die bestehen blieben, [läuft|laufen] ab jetzt weiter, ohne die Zeit seit der Löschung.",
  ),
  pastOnly: plural(
    "# [Beziehung|Beziehungen] zu Geräten, die bestehen blieben, [kommt|kommen] nur bis zur Löschung zurück, weil sie inzwischen beendet [ist|sind] oder Sie sie jetzt nicht geben dürften.",
  ),
  lastAwake:
    "Soweit bekannt, hat niemand von den anderen, die diese Rolle verwalten, den verlangten zweiten Schritt gezeigt. Vielleicht kann sie dann niemand mehr verwalten: Lassen Sie vorher eine dieser Personen etwas darin ändern.",
  stayingKeys: (names, hasOthers) =>
    parts`Programme behalten ihren Zugriff mit Schlüsseln, die diese Person erstellt hat: ${names}${
      hasOthers ? " und weitere" : ""
    }. Löschen Sie diejenigen, deren Geheimnis sie kennen könnte.`,
  moved:
    "Inzwischen wurde etwas anderes geändert, deshalb ist nichts geschehen. Das würde es jetzt bewirken:",
};
