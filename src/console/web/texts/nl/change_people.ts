import type { CHANGE_PEOPLE as En } from "../en/change_people.ts";
import { parts } from "../parts.ts";
import { withFirst } from "../plural.ts";
import { countAll, memberships, plural, roles } from "./words.ts";

export const CHANGE_PEOPLE: typeof En = {
  member: {
    inviteTitle: (role) => parts`Een persoon uitnodigen voor ${role}`,
    title: (person, role) => parts`${person} in ${role}`,
    leaveTitle: (role) => parts`${role} verlaten`,
    removeTitle: (person, role) => parts`${person} verwijderen uit ${role}`,
    mailLanguage: "Taal van de e-mail",
    emailHint: "Het hele adres. Wie nieuw is, krijgt een link.",
    missing: "Vul het adres van de persoon in.",
    untilHint: (zone) => `In je tijdzone, ${zone}. Leeg: eindigt niet vanzelf.`,
    choices: {
      tomorrow: "Tot en met morgen",
      friday: "Tot en met vrijdag",
      week: "Een week",
      month: "Een maand",
      forGood: "Blijvend",
    },
    past: "Dat ligt in het verleden.",
    incomplete: "Vul zowel een datum als een tijd in.",
    tooLate: (time) =>
      `Je eigen lidmaatschap eindigt op ${time}, en wat jij geeft, eindigt niet later dan dat.`,
    extent: "Rechten",
    all: "Alles wat de rol heeft",
    some: "Alleen een deel ervan",
    exists: "Deze persoon is al lid. Het lidmaatschap krijgt de einddatum en de rechten van hier.",
    unchanged: "Kies een ander einde of andere rechten.",
    remove: "Liever deze persoon verwijderen",
    leave: "Liever deze rol verlaten",
    keep: "Liever het lidmaatschap wijzigen",
    invite: "Uitnodigen",
    change: "Lidmaatschap wijzigen",
    removeSubmit: "Verwijderen uit de rol",
    leaveSubmit: "Rol verlaten",
    sees: (person, role) => parts`Ook zonder enig recht ziet ${person} dan ${role} en alles daaronder.`,
    seesUntil: (person, role, time) =>
      parts`Ook zonder enig recht ziet ${person} dan ${role} en alles daaronder, tot ${time}.`,
    ends: (time) => parts`Het lidmaatschap eindigt vanzelf op ${time}.`,
    endless: "Het lidmaatschap eindigt niet meer vanzelf.",
    nothing: "Niemand krijgt of verliest nu een recht.",
    forbidden:
      "Dat mag je niet doen: daarvoor is gebruikersbeheer op de rol nodig, en je kunt niet meer rechten geven dan je zelf hebt, en niet voor langer.",
    invited: "Uitgenodigd. Er is een e-mail onderweg.",
    changed: "Het lidmaatschap is gewijzigd.",
    left: "Je bent geen lid meer.",
    removed: "De persoon is geen lid meer.",
  },

  many: {
    title: (role) => parts`Meerdere personen uitnodigen voor ${role}`,
    addresses: "E-mailadressen",
    hint:
      "Hele adressen, één per regel, of met komma’s ertussen. Een tabel met kopregel kan de kolommen email, until en rights hebben.",
    file: "CSV-bestand kiezen",
    tooLarge: "Het bestand is te groot: hoogstens 100 kB.",
    tooMany: (found, most) => `Dit zijn ${found} adressen. Je kunt er hoogstens ${most} tegelijk uitnodigen.`,
    missing: "Vul de adressen van de personen in.",
    correct: "Verbeter de regels hierboven.",
    allMembers: "Ze zijn allemaal al lid, en blijven dat zoals het is.",
    faults: plural("# [regel is|regels zijn] niet te lezen:"),
    fault: {
      address: (line, text) => `Regel ${line}: ‘${text}’ is geen e-mailadres.`,
      twice: (line, text) => `Regel ${line}: ‘${text}’ stond er al, met een ander einde of andere rechten.`,
      until: (line, text) =>
        `Regel ${line}: ‘${text}’ is geen einde. Schrijf 2027-01-31 of 2027-01-31T12:00Z.`,
      past: (line, text) => `Regel ${line}: ‘${text}’ ligt in het verleden.`,
      rights: (line, text) =>
        `Regel ${line}: ‘${text}’ is geen lijst van rechten. Schrijf all, none of viewManagement|alarmManagement.`,
    },
    members: withFirst(plural("# [is|zijn] al lid, en [blijft|blijven] dat zoals het is:")),
    shownFor: (person) => parts`Wat dit doet, zie je voor de eerste: ${person}.`,
    submit: plural("# [persoon|personen] uitnodigen", "Uitnodigen"),
    working: (taken, n) => `${taken} van ${n} …`,
    stop: "Stoppen",
    done: plural("# [persoon is|personen zijn] uitgenodigd."),
  },

  end: {
    offer: "Liever alle toegang bij en onder deze rol beëindigen",
    title: (person, role) => parts`De toegang van ${person} bij en onder ${role} beëindigen`,
    granted: "Ook beëindigen wat deze persoon daar aan anderen heeft gegeven, en wat zij hebben gegeven",
    ends: countAll(
      "Dit beëindigt #.",
      memberships,
      plural("# [sleutel|sleutels]"),
      plural("# [wachtwoord van een rol|wachtwoorden van rollen]"),
    ),
    none: "Er is daar niets dat je mag beëindigen.",
    inTrash: "In een verwijderde rol: komt bij herstellen niet terug",
    left: (n, more) =>
      `De persoon houdt daar toegang tot ${roles(n, more)}, bijvoorbeeld door een lidmaatschap erboven.`,
    leftNone:
      "Daar blijft geen toegang over tot rollen waarvan je de leden beheert. Wordt een verwijdering later ongedaan gemaakt, dan komt deze persoon niet terug.",
    relations: "Relaties die de persoon heeft gemaakt, blijven. Bekijk ze een voor een:",
    moreRelations: "Er kunnen er meer zijn.",
    submit: "Toegang beëindigen",
    keep: "Liever deze persoon alleen uit de rol verwijderen",
    tooMuch:
      "Dat zou te veel tegelijk zijn. Beëindig eerst de toegang bij rollen verder naar beneden, of laat weg wat de persoon heeft gegeven.",
    done: "De toegang is beëindigd.",
  },
};
