import type { Decision, Kind, Subject } from "../../views/changes/kinds.ts";
import type { Texts } from "../en.ts";
import type { ChangeSentence } from "../en/changes.ts";
import { countAllIn, countIn } from "../plural.ts";

const count = countIn("nl");
const countAll = countAllIn("nl");

const DONE: Readonly<Record<Subject, ChangeSentence>> = {
  "role.create": ({ who, role, parent }) => [who, " heeft ", role, " gemaakt onder ", parent],
  "role.update": ({ who, role }) => [who, " heeft ", role, " gewijzigd"],
  "role.rename": ({ who, role, oldName }) => [who, " heeft ", oldName, " hernoemd naar ", role],
  "role.delete": ({ who, role, parent }) => [who, " heeft ", role, " onder ", parent, " verwijderd"],
  "role.password_set": ({ who, role }) => [who, " heeft een wachtwoord ingesteld op ", role],
  "role.password_removed": ({ who, role }) => [who, " heeft het wachtwoord van ", role, " verwijderd"],
  "role.authentication_policy": (
    { who, role },
  ) => [who, " heeft gewijzigd wat ", role, " van de leden eist"],
  "role.bootstrap": ({ who, role }) => [role, " is aangemaakt met ", who, " als eerste lid"],
  "manages.put": (
    { who, role, parent },
  ) => [who, " heeft ", role, " onder het beheer van ", parent, " gezet"],
  "manages.update": (
    { who, role, parent },
  ) => [who, " heeft gewijzigd wat ", parent, " mag doen met ", role],
  "manages.move": ({ who, role, parent }) => [who, " heeft ", role, " verplaatst naar ", parent],
  "manages.delete": ({ who, role, parent }) => [who, " heeft ", role, " weggehaald bij ", parent],
  "member.add": ({ who, role, member }) => [who, " heeft ", member, " toegevoegd aan ", role],
  "member.update": (
    { who, role, member },
  ) => [who, " heeft gewijzigd wat ", member, " als lid van ", role, " mag doen"],
  "member.time": (
    { who, role, member },
  ) => [who, " heeft gewijzigd hoelang ", member, " lid is van ", role],
  "member.remove": ({ who, role, member }) => [who, " heeft ", member, " verwijderd uit ", role],
  "member.leave": ({ role, member }) => [member, " heeft ", role, " verlaten"],
  "member.invite": (
    { who, role, member },
  ) => [who, " heeft de uitnodiging van ", member, " voor ", role, " opnieuw gestuurd"],
  "member.end": (
    { role, member },
  ) => ["Het lidmaatschap van ", member, " in ", role, " is vanzelf geëindigd"],
  "key.create": ({ who, role, key }) => [who, " heeft ", key, " gemaakt voor ", role],
  "key.adopt": ({ who, role, key }) => [who, " heeft ", key, " van ", role, " overgenomen"],
  "key.delete": ({ who, role, key }) => [who, " heeft ", key, " van ", role, " verwijderd"],
  "key.end": ({ role, key }) => ["Bij ", role, " is ", key, " vanzelf geëindigd"],
  "access.end": (
    { who, role, member },
  ) => [who, " heeft de toegang van ", member, " tot ", role, " en alles eronder beëindigd"],
  "device.create": ({ who, role, device }) => [who, " heeft ", device, " toegevoegd aan ", role],
  "monitors.add": ({ who, role, device }) => [who, " heeft ", device, " zichtbaar gemaakt voor ", role],
  "monitors.end": (
    { who, role, device },
  ) => [who, " heeft de periode beëindigd waarin ", role, " ", device, " ziet"],
  "monitors.update": (
    { who, role, device },
  ) => [who, " heeft de periode gewijzigd waarin ", role, " ", device, " ziet"],
  "device.transfer": ({ who, role, device }) => [who, " heeft ", device, " overgedragen aan ", role],
  "monitors.remove": ({ who, role, device }) => [who, " heeft ", device, " losgekoppeld van ", role],
  "manages.restore": ({ who, role, parent }) => [who, " heeft ", role, " onder ", parent, " hersteld"],
  "device.restore": ({ who, role, device }) => [who, " heeft ", device, " van ", role, " hersteld"],
  "device.forget": ({ who }) => [who, " heeft apparaten die hersteld konden worden voorgoed verwijderd"],
  "hierarchy.import": ({ role }) => ["Er is een hiërarchie geïmporteerd onder ", role],
};

const TRIED: Readonly<Record<Kind, ChangeSentence>> = {
  "role.create": ({ who, parent }) => [who, " probeerde een rol te maken onder ", parent],
  "role.update": ({ who, role }) => [who, " probeerde ", role, " te wijzigen"],
  "role.password_set": ({ who, role }) => [who, " probeerde een wachtwoord in te stellen op ", role],
  "role.password_removed": (
    { who, role },
  ) => [who, " probeerde het wachtwoord van ", role, " te verwijderen"],
  "role.authentication_policy": (
    { who, role },
  ) => [who, " probeerde te wijzigen wat ", role, " van de leden eist"],
  "role.bootstrap": ({ role }) => ["Het aanmaken van ", role, " is niet gelukt"],
  "manages.put": (
    { who, role, parent },
  ) => [who, " probeerde ", role, " onder het beheer van ", parent, " te zetten"],
  "manages.update": (
    { who, role, parent },
  ) => [who, " probeerde te wijzigen wat ", parent, " mag doen met ", role],
  "manages.move": ({ who, role, parent }) => [who, " probeerde ", role, " te verplaatsen naar ", parent],
  "manages.delete": ({ who, role, parent }) => [who, " probeerde ", role, " weg te halen bij ", parent],
  "member.add": ({ who, role, member }) => [who, " probeerde ", member, " lid te maken van ", role],
  "member.update": (
    { who, role, member },
  ) => [who, " probeerde het lidmaatschap van ", member, " in ", role, " te wijzigen"],
  "member.remove": ({ who, role, member }) => [who, " probeerde ", member, " te verwijderen uit ", role],
  "member.leave": ({ role, member }) => [member, " probeerde ", role, " te verlaten"],
  "member.invite": (
    { who, role, member },
  ) => [who, " probeerde de uitnodiging van ", member, " voor ", role, " opnieuw te sturen"],
  "member.end": (
    { role, member },
  ) => ["Het lidmaatschap van ", member, " in ", role, " kon niet worden beëindigd"],
  "key.create": ({ who, role }) => [who, " probeerde een sleutel te maken voor ", role],
  "key.adopt": ({ who, role, key }) => [who, " probeerde ", key, " van ", role, " over te nemen"],
  "key.delete": ({ who, role, key }) => [who, " probeerde ", key, " van ", role, " te verwijderen"],
  "key.end": ({ role, key }) => ["Bij ", role, " kon ", key, " niet worden beëindigd"],
  "access.end": ({ who, role }) => [who, " probeerde toegang tot ", role, " en alles eronder te beëindigen"],
  "device.create": ({ who, role }) => [who, " probeerde een apparaat toe te voegen aan ", role],
  "monitors.add": (
    { who, role, device },
  ) => [who, " probeerde ", device, " zichtbaar te maken voor ", role],
  "monitors.end": (
    { who, role, device },
  ) => [who, " probeerde de periode te beëindigen waarin ", role, " ", device, " ziet"],
  "monitors.update": (
    { who, role, device },
  ) => [who, " probeerde de periode te wijzigen waarin ", role, " ", device, " ziet"],
  "device.transfer": ({ who, role, device }) => [who, " probeerde ", device, " over te dragen aan ", role],
  "monitors.remove": ({ who, role, device }) => [who, " probeerde ", device, " los te koppelen van ", role],
  "manages.restore": (
    { who, role, parent },
  ) => [who, " probeerde ", role, " onder ", parent, " te herstellen"],
  "device.restore": ({ who, role, device }) => [who, " probeerde ", device, " van ", role, " te herstellen"],
  "device.forget": ({ who }) => [who, " probeerde apparaten voorgoed te verwijderen"],
  "hierarchy.import": ({ role }) => ["Het importeren van een hiërarchie onder ", role, " is niet gelukt"],
};

const KINDS: Readonly<Record<Kind, string>> = {
  "role.create": "Rol gemaakt",
  "role.update": "Rol gewijzigd",
  "role.password_set": "Wachtwoord van een rol ingesteld",
  "role.password_removed": "Wachtwoord van een rol verwijderd",
  "role.authentication_policy": "Eis van een rol gewijzigd",
  "role.bootstrap": "Eerste rol aangemaakt",
  "manages.put": "Rol onder beheer van een andere gezet",
  "manages.update": "Relatie gewijzigd",
  "manages.move": "Rol verplaatst",
  "manages.delete": "Rol weggehaald of verwijderd",
  "member.add": "Lid toegevoegd",
  "member.update": "Lidmaatschap gewijzigd",
  "member.remove": "Lid verwijderd",
  "member.leave": "Lid vertrokken",
  "member.invite": "Uitnodiging opnieuw gestuurd",
  "member.end": "Lidmaatschap vanzelf geëindigd",
  "key.create": "Sleutel gemaakt",
  "key.adopt": "Sleutel overgenomen",
  "key.delete": "Sleutel verwijderd",
  "key.end": "Sleutel vanzelf geëindigd",
  "access.end": "Toegang beëindigd",
  "device.create": "Apparaat toegevoegd",
  "monitors.add": "Apparaat zichtbaar gemaakt voor een rol",
  "monitors.update": "Periode van een apparaat gewijzigd",
  "device.transfer": "Apparaat overgedragen",
  "monitors.end": "Periode van een apparaat beëindigd",
  "monitors.remove": "Apparaat losgekoppeld",
  "manages.restore": "Rol hersteld",
  "device.restore": "Apparaat hersteld",
  "device.forget": "Apparaten voorgoed verwijderd",
  "hierarchy.import": "Hiërarchie geïmporteerd",
};

const DECISIONS: Readonly<Record<Decision, string>> = {
  ok: "Gedaan",
  noop: "Het was al zo",
  proof_required: "Geweigerd: niet zojuist bevestigd wie het was",
  denied: "Geweigerd: dat recht ontbrak",
  needs_step_up: "Geweigerd: de sessie had de vereiste tweede stap niet laten zien",
  cycle: "Geweigerd: rollen zouden elkaar in een kring beheren",
  unmanaged: "Geweigerd: niemand zou de rol nog kunnen beheren",
  root_without_member: "Geweigerd: de bovenste rol zou geen lid meer hebben",
  root_without_manager: "Geweigerd: de bovenste rol zou geen beheerder meer hebben",
  root_without_awake: "Geweigerd: niemand met die tweede stap zou de bovenste rol kunnen beheren",
  node_id_taken: "Geweigerd: een ander apparaat heeft deze node-ID al",
  external_id_taken: "Geweigerd: deze externe ID is al vergeven",
  too_many_invitations: "Geweigerd: te veel uitnodigingen",
  too_many_additions: "Geweigerd: te veel leden toegevoegd door sleutels",
  too_many_role_passwords: "Geweigerd: te veel pogingen met een wachtwoord",
  too_many_keys: "Geweigerd: de rol heeft al zoveel sleutels als is toegestaan",
  too_many_monitors: "Geweigerd: het apparaat is al zichtbaar voor zoveel rollen als is toegestaan",
  period_outside: "Geweigerd: de periode ligt niet binnen die van de rol die het apparaat geeft",
  period_begins_earlier: "Geweigerd: de periode kan niet eerder beginnen dan voorheen",
  period_empty: "Geweigerd: de periode eindigt niet na het begin ervan",
  cannot_end: "Geweigerd: anderen zien het apparaat, en deze persoon mag dat niet beëindigen",
  too_large: "Geweigerd: er zou te veel tegelijk veranderen",
  too_much_to_end: "Geweigerd: er zou te veel tegelijk eindigen",
  moved: "Niet gedaan: er veranderde tegelijk iets anders",
  key_reused: "Geweigerd: het verzoek was al eens met een andere inhoud verstuurd",
  changed_since: "Geweigerd: hetzelfde was intussen opnieuw gewijzigd",
  cannot_undo: "Geweigerd: het kan niet ongedaan worden gemaakt",
};

export const CHANGES: Texts["changes"] = {
  title: "Wijzigingen",
  intro: "Wat er is gedaan met de rollen waarvan je de leden beheert, en wat er is geweigerd.",
  done: DONE,
  tried: TRIED,
  unknownKind: (kind) => `Een andere wijziging: ${kind}`,
  kinds: KINDS,
  decisions: DECISIONS,
  unknownDecision: (decision) => `Geweigerd: ${decision}`,
  administrator: "Een beheerder van de dienst",
  importer: "Een import",
  person: (id) => `Persoon ${id}`,
  erasedPerson: (id) => `Persoon ${id} (account verwijderd)`,
  through: (role) => ["Als lid van ", role],
  hiddenMember: "iemand die je niet mag zien",
  somebody: "iemand",
  someRole: "een rol",
  hiddenRole: "een rol die je niet mag zien",
  /** Of a role that the change deleted. */
  justDeleted: (role) => ["‘", role, "’"],
  deletedRole: (nameOrId) =>
    typeof nameOrId === "number"
      ? [`rol ${nameOrId} (inmiddels verwijderd)`]
      : ["‘", nameOrId, "’ (inmiddels verwijderd)"],
  key: (nameOrId) => typeof nameOrId === "number" ? [`sleutel ${nameOrId}`] : ["sleutel ‘", nameOrId, "’"],
  actingKey: (nameOrId) =>
    typeof nameOrId === "number" ? [`Sleutel ${nameOrId}`] : ["De sleutel ‘", nameOrId, "’"],
  someDevice: (id) => `apparaat ${id}`,
  carries: "Geeft door",
  carried: "Gaf door",
  becomes: "wordt",
  endless: "Zonder einddatum",
  endBefore: "Eerder: ",
  atMost: "Hoogstens",
  deletedWith: (roles, devices) =>
    `Mee verwijderd: ${
      countAll([roles, { one: "rol", other: "rollen" }], [devices, { one: "apparaat", other: "apparaten" }])
    }`,
  revision: (n) => `Revisie ${n}`,
  empty: "Nog geen wijzigingen. Je ziet die van rollen waarvan je de leden beheert.",
  emptyFiltered: "Geen wijziging past bij de filters.",
  emptySoFar: "Niets bij de laatste wijzigingen. Oudere zijn nog niet doorzocht.",
  further: "Verder terug zoeken",
  live: "Live",
  paused: "Gepauzeerd",
  pause: "Pauzeren",
  resume: "Hervatten",
  offline: "Geen verbinding",
  tooManyWindows: "Niet live: je volgt de wijzigingen al in te veel vensters",
  trying: "Opnieuw verbinden …",
  showNew: (n) => count(n, { one: "nieuwe wijziging", other: "nieuwe wijzigingen" }),
  undo: {
    button: "Ongedaan maken",
    restore: "Herstellen",
    restoreOf: (revision) => `Herstellen wat in revisie ${revision} is verwijderd`,
    tooOld: (days) => `Te oud om te herstellen: dat kan ${count(days, { one: "dag", other: "dagen" })} lang.`,
    of: (revision) => `Ongedaan maken: revisie ${revision}`,
    undoes: (revision) => `Maakt revisie ${revision} ongedaan`,
    undone: (revision) => `Ongedaan gemaakt in revisie ${revision}`,
    title: "Deze wijziging ongedaan maken?",
    submit: "Ongedaan maken",
    restoreTitle: "Herstellen wat is verwijderd?",
    working: "Bezig met ongedaan maken …",
    forbidden:
      "Dit mag je niet ongedaan maken: daarvoor zijn dezelfde rechten nodig als om de omgekeerde wijziging zelf te doen.",
    cannot:
      "Dit kan niet ongedaan worden gemaakt: dat kan niet bij elke soort wijziging, en wat is verwijderd, kan inmiddels voorgoed verwijderd zijn. Wijzig het met de hand, als je dat mag.",
    since: (
      later,
    ) => [
      "Dit is daarna opnieuw gewijzigd, en alleen de laatste wijziging kan ongedaan worden gemaakt. Bekijk eerst ",
      later,
      ".",
    ],
    later: (revision) => `revisie ${revision}`,
    sinceHidden:
      "Dit is daarna opnieuw gewijzigd, door een wijziging die je niet mag zien. Wijzig het met de hand, als je dat mag.",
    tooLarge: (revision) =>
      `Dit is meer dan de dienst in één keer herstelt. Een beheerder van de dienst kan het doen: geef de revisie door, ${revision}.`,
    done: "De wijziging is ongedaan gemaakt.",
  },
  filters: {
    title: "Filters",
    role: "Rol",
    person: "Gedaan door",
    personHint: "Typ een deel van het adres, en kies.",
    personFault: "Dit is nog geen heel adres: typ het helemaal, of kies er een.",
    kind: "Wat",
    anyKind: "Alles",
    decision: "Uitkomst",
    anyDecision: "Alle",
    from: "Vanaf",
    to: "Tot en met",
    fromDate: (date) => `vanaf ${date}`,
    toDate: (date) => `tot en met ${date}`,
    by: (email) => ["door ", email],
    remove: "Filter verwijderen: ",
    clear: "Alles wissen",
  },
};
