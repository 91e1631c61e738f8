import type { Texts } from "../en.ts";
import { withMore } from "../plural.ts";
import { CHANGE_EFFECT } from "./change_effect.ts";
import { CHANGE_PEOPLE } from "./change_people.ts";
import { CHANGE_ROLES } from "./change_roles.ts";
import { list, lists, moreRoles } from "./words.ts";

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
