import { ALL_RIGHTS, RIGHT_NAMES, type RightName, type Rights, toRights } from "../../src/graph/rights.ts";

export interface DemoRelation {
  /** Name of the managing role. */
  readonly parent: string;
  readonly rights: Rights;
}

/** Names are unique in the organization, and a role comes after its parents. */
export interface DemoRole {
  readonly name: string;
  readonly selfRights: Rights;
  /** Its parents. The first one creates it. */
  readonly parents: readonly [DemoRelation, ...DemoRelation[]];
}

export interface DemoPerson {
  readonly name: string;
  readonly email: string;
  readonly language: "en" | "nl" | "fr" | "de";
  /** Names of roles. */
  readonly roles: readonly string[];
  /** The invitation stays unopened, for the user to try. */
  readonly stillInvited?: true;
}

export interface DemoOrganization {
  readonly rootName: string;
  /** All roles but the root. */
  readonly roles: readonly DemoRole[];
  readonly people: readonly DemoPerson[];
  /** A person whose memberships have ended. */
  readonly former: DemoPerson;
}

interface Country {
  readonly name: string;
  readonly distributors: readonly Distributor[];
  readonly families: readonly string[];
  readonly businesses: readonly string[];
  readonly streets: readonly string[];
  readonly towns: readonly string[];
  readonly household: (family: string) => string;
}

interface Distributor {
  readonly name: string;
  readonly installers: readonly [string, string];
}

const ROOT = "Lumenveld Platform";
const ALL = toRights(ALL_RIGHTS);
const SITE_SELF_RIGHTS = only("viewManagement", "alarmManagement");

const COUNTRIES: readonly Country[] = [
  {
    name: "Netherlands",
    distributors: [
      { name: "Noordlicht Energie", installers: ["Zonnestroom Groningen", "Van Dalen Installatie"] },
      { name: "Deltastroom Groothandel", installers: ["Maasdak Solar", "Hofstad Elektra"] },
    ],
    families: ["De Vries", "Bakker", "Jansen", "Visser", "Smit", "Meijer", "Mulder", "De Boer", "Dekker"],
    businesses: ["Bakkerij Het Ovenlicht", "Camping De Duinrand", "Zuivelhoeve Klaver", "Hotel Aan de Vecht"],
    streets: ["Kerkstraat", "Molenweg", "Dorpsstraat", "Julianalaan", "Havenkade", "Eikenlaan"],
    towns: ["Groningen", "Utrecht", "Dordrecht", "Zwolle"],
    household: (family) => `Familie ${family}`,
  },
  {
    name: "Belgium",
    distributors: [
      { name: "Scheldewatt", installers: ["Zonnedak Gent", "Peeters Elektro"] },
      { name: "Ardenne Solaire", installers: ["Toiture Claire", "Meuse Photovoltaïque"] },
    ],
    families: ["Peeters", "Janssens", "Maes", "Claes", "Dubois", "Lambert", "Dupont", "Leclercq", "Wouters"],
    businesses: ["Brasserie du Pont", "Boulangerie Lambert", "Fietsen Verbeke", "Clinique des Tilleuls"],
    streets: ["Stationsstraat", "Rue de la Gare", "Veldstraat", "Rue des Écoles", "Nieuwstraat", "Rue Haute"],
    towns: ["Gent", "Namur", "Leuven", "Liège"],
    household: (family) => `Famille ${family}`,
  },
  {
    name: "Germany",
    distributors: [
      { name: "Rheinsonne Handel", installers: ["Dachwerk Köln", "Solartechnik Brandt"] },
      { name: "Nordwind Energiesysteme", installers: ["Elbstrom Service", "Heidesolar"] },
    ],
    families: ["Müller", "Schneider", "Fischer", "Weber", "Wagner", "Becker", "Hoffmann", "Schäfer", "Koch"],
    businesses: ["Landhof Petersen", "Bäckerei Sommer", "Autohaus Lindner", "Gasthof Zur Linde"],
    streets: ["Hauptstraße", "Bahnhofstraße", "Gartenweg", "Lindenallee", "Schulstraße", "Bergstraße"],
    towns: ["Köln", "Hamburg", "Lüneburg", "Bonn"],
    household: (family) => `Haushalt ${family}`,
  },
];

const PEOPLE: readonly DemoPerson[] = [
  person("Ines Vermeulen", "ines@lumenveld.example", "nl", ["Netherlands", "Belgium"]),
  person("Jonas Brandt", "jonas@lumenveld.example", "de", ["Germany"]),
  person("Femke Hoekstra", "femke@noordlicht.example", "nl", ["Noordlicht Energie"]),
  person("Luc Lambert", "luc@ardenne-solaire.example", "fr", ["Ardenne Solaire"]),
  person("Sanne van Dalen", "sanne@vandalen.example", "nl", ["Van Dalen Installatie"]),
  person("Markus Weber", "markus@dachwerk.example", "de", ["Dachwerk Köln", "Haushalt Weber"]),
  person("Ruben de Vries", "ruben@devries.example", "nl", ["Familie De Vries"]),
  person("Hanna Petersen", "hanna@landhof-petersen.example", "de", ["Landhof Petersen"]),
  { ...person("Claire Dubois", "claire@dubois.example", "fr", ["Famille Dubois"]), stillInvited: true },
  { ...person("Tom Bakker", "tom@maasdak.example", "en", ["Maasdak Solar"]), stillInvited: true },
];

const FORMER = person("Pieter Smit", "pieter@vandalen.example", "nl", ["Van Dalen Installatie"]);

/** A distributor with all rights except alarmManagement, which is left to the country's own staff. */
const DISTRIBUTOR_WITHOUT_ALARMS = "Nordwind Energiesysteme";

/** Customers managed by the country directly, each with an installer that has fewer rights. */
const INDEPENDENT_CUSTOMERS: ReadonlyMap<string, string> = new Map([
  ["Landhof Petersen", "Heidesolar"],
  ["Camping De Duinrand", "Van Dalen Installatie"],
]);
const ATTACHED_RIGHTS = only("roleManagement", "viewManagement", "deviceManagement");

/** Two more installers look after one site of this customer: one maintains the devices, one only reports. */
const SHARED_SITE_OF = "Familie De Vries";
/** The name of that site. */
export const SHARED_SITE = "Kerkstraat 3, Groningen";
const MAINTENANCE = only("roleManagement", "viewManagement", "deviceManagement", "alarmManagement");
const REPORTING = only("viewManagement", "reportManagement");

/**
 * Returns the demo organization, an energy platform: a root, 3 countries, 6 distributors, 12 installers, 39
 * customers, 60 sites, ten people, some with two roles, and one who left. Most relations carry all rights; a few show restrictions.
 * Deterministic.
 */
export function demoOrganization(): DemoOrganization {
  const roles = COUNTRIES.flatMap((country) => [
    role(country.name, [{ parent: ROOT, rights: ALL }]),
    ...distributorRoles(country),
    ...customerRoles(country),
  ]);
  return { rootName: ROOT, roles, people: PEOPLE, former: FORMER };
}

function distributorRoles({ name: country, distributors }: Country): DemoRole[] {
  return distributors.flatMap(({ name, installers }) => {
    const rights = name === DISTRIBUTOR_WITHOUT_ALARMS ? { ...ALL, alarmManagement: false } : ALL;
    return [
      role(name, [{ parent: country, rights }]),
      ...installers.map((installer) => role(installer, [{ parent: name, rights: ALL }])),
    ];
  });
}

/** Assigns customers to the country's installers in turn; every other customer has a second site. */
function customerRoles(country: Country): DemoRole[] {
  const installers = country.distributors.flatMap((distributor) => distributor.installers);
  const names = [...country.families.map(country.household), ...country.businesses];
  const roles: DemoRole[] = [];
  let siteCount = 0;
  for (const [i, name] of names.entries()) {
    roles.push(role(name, customerParents(country.name, name, pick(installers, i))));
    for (let site = 0; site <= (i + 1) % 2; site++) {
      const address = siteAddress(country, siteCount++);
      const shared = name === SHARED_SITE_OF && site === 0;
      const others = shared ? sharedSiteParents(installers) : [];
      roles.push({
        name: address,
        selfRights: SITE_SELF_RIGHTS,
        parents: [{ parent: name, rights: ALL }, ...others],
      });
    }
  }
  return roles;
}

function customerParents(country: string, name: string, installer: string): DemoRole["parents"] {
  const attached = INDEPENDENT_CUSTOMERS.get(name);
  if (attached === undefined) return [{ parent: installer, rights: ALL }];
  return [{ parent: country, rights: ALL }, { parent: attached, rights: ATTACHED_RIGHTS }];
}

function sharedSiteParents(installers: readonly string[]): DemoRelation[] {
  return [{ parent: pick(installers, 1), rights: MAINTENANCE }, {
    parent: pick(installers, 2),
    rights: REPORTING,
  }];
}

function siteAddress({ streets, towns }: Country, i: number): string {
  return `${pick(streets, i)} ${3 + 4 * i}, ${pick(towns, i)}`;
}

function role(name: string, parents: DemoRole["parents"]): DemoRole {
  return { name, selfRights: ALL, parents };
}

function person(
  name: string,
  email: string,
  language: DemoPerson["language"],
  roles: readonly string[],
): DemoPerson {
  return { name, email, language, roles };
}

function only(...names: RightName[]): Rights {
  const rights = RIGHT_NAMES.map((name) => [name, names.includes(name)] as const);
  return Object.fromEntries(rights) as Rights;
}

/** Returns the i-th element, modulo the length. */
function pick(list: readonly string[], i: number): string {
  return list[i % list.length] as string;
}
