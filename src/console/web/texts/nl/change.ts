import type { Texts } from "../en.ts";
import { withMore } from "../plural.ts";
import { CHANGE_EFFECT } from "./change_effect.ts";
import { CHANGE_PEOPLE } from "./change_people.ts";
import { CHANGE_ROLES } from "./change_roles.ts";
import { list, lists, moreRoles } from "./words.ts";

export const CHANGE: Texts["change"] = {
  gone: "Dit is er niet meer. Misschien heeft iemand anders het gewijzigd.",
  back: "Terug naar de rol",
  unknown: "Het adres zegt niet wat er gewijzigd moet worden.",
  hiddenRole: "(een rol die je niet mag zien)",
  nothing: "Niemand krijgt of verliest een recht.",

  effect: CHANGE_EFFECT,

  giving: {
    presets: { reader: "Alleen weergaven", technician: "Monteur", manager: "Beheerder", everything: "Alles" },
    mask: (rights) => `Je kunt ${list(rights)} niet geven: dat zit niet in je eigen lidmaatschap.`,
    onlyTake:
      "Je kunt hier alleen rechten wegnemen. Om er een toe te voegen heb je rolbeheer op beide rollen nodig, via hetzelfde lidmaatschap.",
    needed: "Een nieuwe rol moet door iemand worden beheerd. Daarom geeft de relatie altijd rolbeheer door.",
  },

  problems: {
    cycle: "Dat zou een kring sluiten: de rol die erboven zou komen, zit al onder de andere.",
    unmanaged:
      "Dan zou geen enkele rol deze nog beheren. Laat rolbeheer op de relatie staan, of voeg er eerst een andere rol boven toe die het heeft.",
    unmanagedRoles: (names, more) =>
      `Geen rol zou ${
        lists.format(withMore(names, more, moreRoles))
      } nog beheren. Zet er eerst een andere rol met rolbeheer boven.`,
    lastMember:
      "Dit is het laatste lid dat deze bovenste rol blijvend kan beheren. Maak eerst iemand anders blijvend lid.",
    externalIdTaken: "Een andere rol onder dezelfde bovenste rol heeft deze ID al. Kies een andere.",
    tooLarge:
      "Dit raakt meer rollen dan de dienst in één keer wijzigt. Wijzig kleinere delen eronder, een voor een.",
    invitations: (time) =>
      `Je kunt tot 50 personen per dag uitnodigen, en bekijken wat een uitnodiging doet, telt ook mee. De volgende kan over ${time}.`,
    moved: "Intussen heeft iemand anders iets gewijzigd, dus hier is niets gebeurd. Bekijk het opnieuw.",
    session: "Je sessie was beëindigd, dus er is niets gebeurd. Probeer het opnieuw.",
    busy:
      "De dienst had het te druk, en het is niet zeker of het is gelukt. Probeer het opnieuw: het gebeurt nooit dubbel.",
  },

  ...CHANGE_ROLES,
  ...CHANGE_PEOPLE,
};
