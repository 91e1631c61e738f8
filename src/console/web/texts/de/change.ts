import { gainsIn, moreIn, readersIn } from "../change_effect.ts";
import type { Texts } from "../en.ts";
import { parts } from "../parts.ts";
import { capitalized, withMore } from "../plural.ts";
import { CHANGE_PEOPLE } from "./change_people.ts";
import { CHANGE_ROLES } from "./change_roles.ts";
import { list, lists, moreRoles, nodes, people, plural, restored, roles } from "./words.ts";

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

export const CHANGE: Texts["change"] = {
  gone: "Das gibt es nicht mehr. Vielleicht hat eine andere Person es geändert.",
  back: "Zurück zur Rolle",
  unknown: "Die Adresse sagt nicht, was geändert werden soll.",
  hiddenRole: "Rolle (nicht sichtbar)",
  nothing: "Niemand erhält oder verliert ein Recht.",

  effect: CHANGE_EFFECT,

  giving: {
    presets: { reader: "Nur Ansichten", technician: "Technik", manager: "Verwaltung", everything: "Alles" },
    mask: (rights) =>
      `Sie können ${list(rights)} nicht vergeben: Ihre eigene Mitgliedschaft umfasst ${
        rights.length === 1 ? "dieses Recht" : "diese Rechte"
      } nicht.`,
    onlyTake:
      "Sie können hier nur Rechte wegnehmen: Um eines hinzuzufügen, brauchen Sie Rollenverwaltung für beide Rollen, durch dieselbe Mitgliedschaft.",
    needed:
      "Eine neue Rolle muss verwaltet werden können. Deshalb gibt die Beziehung immer Rollenverwaltung weiter.",
  },

  problems: {
    cycle:
      "Damit würde sich ein Kreis schließen: Die Rolle, die oben stehen soll, steht schon unter der anderen.",
    unmanaged:
      "Dann würde keine Rolle diese mehr verwalten. Lassen Sie der Beziehung die Rollenverwaltung, oder fügen Sie zuerst eine andere Rolle darüber mit diesem Recht hinzu.",
    unmanagedRoles: (names, more) =>
      `Keine Rolle würde mehr verwalten: ${
        lists.format(withMore(names, more, moreRoles))
      }. Fügen Sie zuerst eine andere Rolle darüber mit Rollenverwaltung hinzu.`,
    lastMember:
      "Das ist das letzte Mitglied, das diese oberste Rolle unbefristet verwalten kann. Laden Sie zuerst eine andere Person unbefristet ein.",
    externalIdTaken:
      "Eine andere Rolle unter derselben obersten Rolle hat diese ID schon. Wählen Sie eine andere.",
    tooLarge:
      "Das betrifft mehr Rollen, als der Dienst auf einmal ändert. Ändern Sie nacheinander kleinere Teile darunter.",
    invitations: (time) =>
      `Sie können bis zu 50 Personen am Tag einladen, und auch das Ansehen der Wirkung einer Einladung zählt. Die nächste ist in ${time} möglich.`,
    moved:
      "Inzwischen hat eine andere Person etwas geändert, deshalb ist hier nichts geschehen. Sehen Sie es noch einmal an.",
    session: "Ihre Sitzung war beendet, deshalb ist nichts geschehen. Versuchen Sie es noch einmal.",
    busy:
      "Der Dienst war überlastet und hat die Änderung nicht bestätigt. Versuchen Sie es noch einmal: Sie wird nie doppelt ausgeführt.",
  },

  ...CHANGE_ROLES,
  ...CHANGE_PEOPLE,
};
