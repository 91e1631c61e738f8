import type { Texts } from "../en.ts";
import { countIn, type Forms } from "../plural.ts";

const count = countIn("nl");
const lists = new Intl.ListFormat("nl");
const DEVICES: Forms = { one: "apparaat", other: "apparaten" };

export const DEVICE_FORMS: Texts["deviceForms"] = {
  edit: "Eigenschappen wijzigen",
  handOver: {
    open: "Overdragen",
    openAll: "Alle overdragen",
    title: (device) => [device, " overdragen"],
    titleMany: (n) => `${count(n, DEVICES)} overdragen`,
    names: (names) => `Samen: ${lists.format(names)}.`,
    onlyFirst: (n) => `De rol heeft meer apparaten: dit zijn de eerste ${n}. Draag de andere daarna over.`,
    to: "Wie overneemt",
    choose: "Kies de rol die overneemt.",
    newOwner: "De nieuwe eigenaar heeft nog geen rol",
    at: "Vanaf",
    atHint: (zone) => `In je tijdzone, ${zone}. Leeg: nu.`,
    now: "nu",
    keeps: (role, time) => [role, " blijft lezen wat tot ", time, " is gemeten, en niets daarna."],
    reads: (role, time) => [role, " leest wat vanaf ", time, " wordt gemeten."],
    stays: (role) => [role, " heeft het al, en gaat als enige verder."],
    hidden: (n) =>
      n === 1
        ? "1 rol die je niet ziet, leest daarna ook niets meer."
        : `${count(n, { other: "rollen" })} die je niet ziet, lezen daarna ook niets meer.`,
    dropped: (n) =>
      n === 1
        ? "1 toekomstige periode wordt verwijderd."
        : `${count(n, { other: "toekomstige perioden" })} worden verwijderd.`,
    above: "Rollen boven één ervan lezen wat die leest, en rollen boven beide lezen alles.",
    othersKeep: "Rollen die je niet ziet, houden wat ze hebben.",
    whoHasAccess: (role) => ["Wie toegang heeft tot ", role],
    submit: "Overdragen",
    working: "Bezig met overdragen …",
    workingAt: (n, all) => `Bezig met overdragen: ${n} van ${all} …`,
    done: (role) => `Overgedragen aan ${role}.`,
    willFail: "Deze blijven waar ze zijn:",
    failed: "Deze zijn niet overgedragen:",
    forbidden:
      "Je mag het niet aan deze rol overdragen. Daarvoor is apparaatbeheer nodig op die rol, en op een rol die het apparaat heeft.",
  },
  attach: {
    open: "Een andere rol laten lezen",
    title: (device) => ["Een andere rol ", device, " laten lezen"],
    role: "Rol",
    choose: "Kies een rol.",
    from: "Vanaf",
    until: "Tot",
    emptyFrom: (zone) => `In je tijdzone, ${zone}. Leeg: zo ver terug als de rol die het geeft.`,
    emptyUntil: (zone) => `In je tijdzone, ${zone}. Leeg: zo lang als de rol die het geeft.`,
    reads: (role, period) => [role, " leest wat ", period, " wordt gemeten."],
    present:
      "Zolang dat duurt, ziet de rol het apparaat, en gelden de rechten van de rol op apparaten ook hiervoor.",
    submit: "Laten lezen",
    working: "Bezig met opslaan …",
    done: (role) => `${role} leest het apparaat.`,
    forbidden:
      "Dat mag je niet: een van je rollen moet apparaatbeheer hebben op deze rol en op een die het apparaat heeft.",
  },
  period: {
    open: "Periode",
    openFor: (role) => `Periode van ${role}`,
    title: (role, device) => ["Wanneer ", role, " ", device, " leest"],
    emptyFrom: (zone) => `In je tijdzone, ${zone}. Het begin kan niet worden vervroegd.`,
    emptyUntil: (zone) => `In je tijdzone, ${zone}. Leeg: zonder einddatum.`,
    unchanged: "Kies een andere tijd.",
    submit: "Periode wijzigen",
    done: "De periode is gewijzigd.",
    forbidden: "Je mag dat niet wijzigen: daarvoor is apparaatbeheer op de rol nodig.",
    from: (from) => ["vanaf ", from],
    until: (until) => ["tot ", until],
    both: (from, until) => ["van ", from, " tot ", until],
    always: "op elk moment",
  },
  detach: {
    open: "Liever loskoppelen",
    back: "Liever de periode wijzigen",
    title: (device, role) => [device, " loskoppelen van ", role],
    loses: (role) => [
      role,
      " ziet het apparaat niet meer, en ook niet wat in deze periode is gemeten. Om dat te houden, laat je de periode eindigen.",
    ],
    deletes:
      "Geen andere rol heeft het: het apparaat wordt verwijderd, met alles wat het heeft gemeten. In het logboek kan dat een tijd lang ongedaan worden gemaakt.",
    submit: "Loskoppelen",
    submitDelete: "Apparaat verwijderen",
    working: "Bezig met loskoppelen …",
    done: "Het apparaat is losgekoppeld.",
    doneDeleted: "Het apparaat is verwijderd.",
  },
  properties: {
    title: (device) => ["Eigenschappen van ", device],
    name: "Naam",
    kind: "Soort",
    kinds: { text: "Tekst", number: "Getal", flag: "Ja of nee", json: "JSON" },
    value: "Waarde",
    remove: "Verwijderen",
    removeOf: (name) => `${name} verwijderen`,
    add: "Nog een eigenschap",
    removed: (names) => `Wordt bij het opslaan verwijderd: ${lists.format(names)}.`,
    size: (bytes, most) => `${bytes} van ${most} bytes.`,
    tooLarge: (bytes, most) =>
      `De eigenschappen zijn samen ${bytes} bytes, en dat mogen er ${most} zijn. Verkort of verwijder er enkele.`,
    notNumber: "Dit is geen getal.",
    lost: "Dit getal heeft meer cijfers dan er bewaard blijven: schrijf het als tekst.",
    notJson: "Dit is geen JSON.",
    noName: "Geef de eigenschap een naam.",
    nameTaken: "Er is al een eigenschap met deze naam.",
    submit: "Eigenschappen opslaan",
    working: "Bezig met opslaan …",
    done: "De eigenschappen zijn gewijzigd.",
    modified:
      "Een andere gebruiker heeft het apparaat intussen gewijzigd. Die wijzigingen staan er nu, en wat je hebt getypt blijft. Sla opnieuw op als het zo klopt.",
    forbidden:
      "Je mag dit apparaat niet wijzigen: daarvoor is apparaatbeheer nodig op een rol die het heeft.",
  },
  create: {
    open: "Apparaat toevoegen",
    title: (role) => ["Een nieuw apparaat van ", role],
    nodeId: "Node-ID",
    nodeIdHint: "De naam waaronder het metingen stuurt: hoogstens 128 tekens, voorgoed vast.",
    nodeIdFault: "Een node-ID heeft 1 tot 128 tekens, op één regel.",
    submit: "Apparaat toevoegen",
    working: "Bezig met toevoegen …",
    done: (name) => `${name} is toegevoegd.`,
    taken: "Een ander apparaat heeft deze node-ID, of had die tot kort geleden.",
    full: "Onder de bovenste rol passen geen apparaten meer.",
    forbidden: "Je mag hier geen apparaten toevoegen: daarvoor is apparaatbeheer op de rol nodig.",
  },
  choices: {
    now: "Nu",
    today: "Begin van vandaag",
    tomorrow: "Begin van morgen",
    nextMonth: "Volgende maand",
    none: "Geen",
  },
  refusals: {
    cannotEnd: (n) =>
      n === 1
        ? "Een andere rol heeft het ook, en daar mag je het niet weghalen. Vraag het wie die rol beheert."
        : `${
          count(n, { other: "andere rollen" })
        } hebben het ook, en daar mag je het niet weghalen. Vraag het wie die rollen beheert.`,
    tooMany: "Dit apparaat hoort al bij zoveel rollen als mag.",
    outside: "Je kunt het apparaat alleen geven voor een tijd waarin een van je rollen het heeft.",
    beginsEarlier: "Een periode kan niet eerder beginnen dan voorheen.",
    isEmpty: "De periode zou eindigen voordat die begint.",
  },
};
