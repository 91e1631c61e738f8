import type { CHANGE_ROLES as En } from "../en/change_roles.ts";
import { parts } from "../parts.ts";
import { capitalized } from "../plural.ts";
import { countAll, devices, list, plural, relations, roles } from "./words.ts";

/** What is deleted together with a role: " en 3 rollen en 1 apparaat eronder"; nothing without any. */
const withBelow = countAll(" en # eronder", roles, devices);

export const CHANGE_ROLES: typeof En = {
  relation: {
    title: (parent, child) => parts`${parent} beheert ${child}`,
    now: "Geeft nu door",
    rights: "Wijzigen in",
    unchanged: "Kies wat de relatie moet doorgeven.",
    delete: "Liever deze relatie verwijderen",
    keep: "Liever de rechten ervan wijzigen",
    deleteTitle: (parent, child) => parts`De relatie van ${parent} naar ${child} verwijderen`,
    deleteText: (parent, child) =>
      parts`De leden van ${parent} en van de rollen erboven zien ${child} en wat eronder zit niet meer, tenzij er een andere weg naartoe leidt.`,
    deleteSubmit: "Relatie verwijderen",
    take: (rights) => `${capitalized(list(rights))} wegnemen`,
    give: (rights) => `${capitalized(list(rights))} geven`,
    change: "Relatie wijzigen",
    nothing: "Er verandert voor niemand iets: niemand erboven heeft deze rechten om door te geven.",
    forbidden: "Zo mag je deze relatie niet wijzigen.",
    changed: "De relatie is gewijzigd.",
    deleted: "De relatie is verwijderd.",
  },

  deletion: {
    title: (role, roleCount, deviceCount) => parts`${role}${withBelow(roleCount, deviceCount)} verwijderen`,
    done: (role, roleCount, deviceCount) => `Verwijderd: ${role}${withBelow(roleCount, deviceCount)}.`,
    type: (role) => parts`Typ ${role} om dit alles te verwijderen.`,
    confirm: "Naam van de rol",
    why: plural("Dit wordt gevraagd omdat er # dingen tegelijk worden verwijderd."),
    different: "Dat is niet de naam van de rol.",
    noParents: "Geen rol die je mag zien, beheert deze rol, dus kun je die niet verwijderen.",
    parents: (role, n) =>
      parts`Er leiden ${
        relations(n)
      } naar ${role}. De rol wordt met de laatste daarvan verwijderd. Welke moet eerst worden verwijderd?`,
  },

  join: {
    parentTitle: (role) => parts`Rol toevoegen die boven ${role} komt`,
    childTitle: (role) => parts`Bestaande rol toevoegen onder ${role}`,
    rights: "De relatie geeft door",
    choose: "Kies een rol.",
    same: "Een rol kan zichzelf niet beheren.",
    sees: (parent, child) =>
      parts`Ook zonder enig recht zien de leden van ${parent} en van de rollen erboven dan ${child}, alles daaronder en wat de apparaten ervan meten.`,
    exists: "Die relatie is er al. Dit wijzigt wat die doorgeeft.",
    submit: "Relatie toevoegen",
    forbidden:
      "Je mag deze rollen niet verbinden: daarvoor is rolbeheer nodig op de bovenste, en op de onderste vanuit een rol erboven, via hetzelfde lidmaatschap.",
    done: "De relatie is toegevoegd.",
  },

  password: {
    title: (role) => parts`Het wachtwoord van ${role}`,
    text:
      "Geef het, samen met het nummer van de rol, aan wie de rol onder een eigen rol moet plaatsen. Die persoon kan zichzelf hoogstens de rechten hieronder geven.",
    none: "De rol heeft geen wachtwoord.",
    isSet: "De rol heeft er een, ingesteld op",
    void:
      "Het werkt niet meer, omdat de persoon die het heeft ingesteld, dat nu niet meer zou mogen. Stel een nieuw in.",
    field: "Nieuw wachtwoord",
    hint: (n) => `Minstens ${n} tekens`,
    padded: "Een wachtwoord kan niet met een spatie beginnen of eindigen.",
    rights: "Het geeft hoogstens",
    set: "Het wachtwoord instellen",
    replace: "Het wachtwoord vervangen",
    remove: "Het wachtwoord verwijderen",
    removeText: "Relaties die ermee gemaakt zijn, blijven.",
    done: "Het wachtwoord van de rol is ingesteld.",
    removed: "Het wachtwoord van de rol is verwijderd.",
    forbidden:
      "Dat mag je niet instellen: daarvoor is rolbeheer op de rol nodig, en het wachtwoord geeft hoogstens wat jij mag geven.",
  },

  takeOver: {
    title: (role) => parts`Een rol overnemen onder ${role}`,
    text: "Wie de rol beheert, geeft je het nummer en het wachtwoord ervan.",
    number: "Nummer van de rol",
    numberHint: "Dat staat op de pagina van de rol: ‘Rol 12’.",
    numberFault: "Dit is niet het nummer van een andere rol.",
    atMost:
      "Hoogstens wat het wachtwoord geeft. Ook zonder enig recht zien je leden de rol, wat eronder zit en wat de apparaten ervan meten.",
    submit: "De rol overnemen",
    forbidden:
      "Dat zijn niet het nummer en het wachtwoord van een rol, of het wachtwoord geeft niet al deze rechten.",
    done: "De rol staat nu onder de jouwe.",
  },

  move: {
    title: (role) => parts`${role} verplaatsen`,
    from: "Weg bij",
    to: "Naar",
    rights: "De nieuwe relatie geeft door",
    noParents: "Geen rol die je mag zien, beheert deze rol. Je kunt die dus nergens weghalen.",
    same: "Daar zit de rol al.",
    submit: "Verplaatsen",
    done: "De rol is verplaatst.",
  },

  create: {
    title: (role) => parts`Nieuwe rol onder ${role}`,
    nameFault: "Een naam heeft hoogstens 256 tekens, op één regel.",
    relation: "Rechten van de rol erboven",
    selfRights: "Rechten van de eigen leden",
    text: (parent) =>
      parts`Niemand verliest iets. De leden van ${parent} en, zover hun rechten reiken, van de rollen erboven krijgen de rechten hierboven op de nieuwe rol. Die heeft zelf nog geen leden.`,
    submit: "Rol maken",
    forbidden: "Je mag hier geen rol maken: daarvoor is rolbeheer nodig op de rol erboven.",
    done: (name) => `${name} is gemaakt.`,
    doneDemanding: (name) => `${name} is gemaakt. De rol eist van de leden hetzelfde als de rol erboven.`,
  },

  edit: {
    title: (role) => parts`${role} wijzigen`,
    externalIdFault: "Een ID heeft hoogstens 128 tekens, op één regel.",
    selfRights: "Rechten van de eigen leden",
    unchanged: "Kies een andere naam, een andere ID of andere rechten.",
    submit: "Wijzigingen opslaan",
    forbidden: "Je mag deze rol niet wijzigen: daarvoor is rolbeheer nodig vanuit een rol erboven.",
    done: "De rol is gewijzigd.",
  },
};
