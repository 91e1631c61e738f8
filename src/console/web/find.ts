import { foldText } from "../../core/text.ts";
import { api, dataOf } from "./api.ts";
import { isolate, texts } from "./language.ts";
import type { components } from "./openapi_types.ts";
import { type EndedDevice, isCalled, loadEnded, MOST_SEARCHED } from "./ended_devices.ts";
import type { Period } from "./periods.ts";
import type { NamedRole } from "./schemas.ts";
import type { Page } from "./use_pages.ts";

type Schemas = components["schemas"];
/** A device that a search found. */
export type FoundDevice = Schemas["FoundDevice"] & {
  /** Of a former one, when the viewer may read it. */
  readonly periods?: readonly Period[];
};
/** What a search found. */
export interface Found extends Omit<Schemas["Found"], "device"> {
  readonly device: FoundDevice[];
}
/** A role that a search found. */
export type FoundRole = Schemas["FoundRole"];

/** What can be found by its name, in the order in which it is listed. */
export const KINDS = ["role", "person", "device"] as const;
export type Kind = (typeof KINDS)[number];

/** Maximum length of what is searched for. */
export const LONGEST = 256;

interface Asked {
  /** Not empty. */
  readonly text: string;
  /** All by default; one with a cursor. */
  readonly kind?: Kind[];
  /** Hits of each kind. */
  readonly limit: number;
  readonly cursor?: string;
}

/** Finds roles, people and devices by a part of their names, or by an id. */
export async function find(body: Asked, signal: AbortSignal): Promise<Found> {
  return await dataOf(api.POST("/v1/search", { body, signal }));
}

/** Hits of each kind that are put in order, and roles that begin with the text. */
const RANKED = 30;
const BEGUN = 5;

/**
 * Finds like `find`, and `former` devices; first what is called exactly like the text, then what begins with it. The
 * service lists by id, so roles that begin with it are asked for apart; where there are many hits, their parents are
 * not known.
 */
export async function findBest(
  text: string,
  kind: Kind[],
  signal: AbortSignal,
  former?: Promise<Page<EndedDevice>>,
): Promise<Found> {
  const body = { filter: { namePrefix: text }, limit: BEGUN };
  const [found, { role }, ended] = await Promise.all([
    find({ text, kind, limit: RANKED }, signal),
    dataOf(api.POST("/v1/role/query", { body, signal })),
    former?.then((known) => findFormer(text, known, signal)) ?? [],
  ]);
  const isNew = (each: { readonly id: number }): boolean => found.role.every(({ id }) => id !== each.id);
  const begun = role.filter(isNew).map(({ id, name }) => ({ id, name, parents: [] }));
  const rank = rankBy(text);
  return {
    ...found,
    role: [...begun, ...found.role].sort((a, b) => rank(String(a.id), a.name) - rank(String(b.id), b.name)),
    person: found.person.toSorted((a, b) => rank(a.userEmail) - rank(b.userEmail)),
    device: [...ended, ...found.device].toSorted((a, b) => rank(a.nodeId, a.name) - rank(b.nodeId, b.name)),
  };
}

/** Loads the first former devices of the viewer, in which a search finds some. */
export async function loadFormer(): Promise<Page<EndedDevice>> {
  return await loadEnded({ limit: MOST_SEARCHED }, {}, new AbortController().signal);
}

/** Finds former devices: by a part of their nodeIds among the first ones, any other one by its whole nodeId. */
async function findFormer(
  text: string,
  former: Page<EndedDevice>,
  signal: AbortSignal,
): Promise<FoundDevice[]> {
  const hits = former.items.filter((each) => isCalled(each, text));
  const { items } = hits.length > 0 || typeof former.next !== "string"
    ? { items: hits }
    : await loadEnded({ nodeId: [text] }, {}, signal);
  return items.map(({ id, properties, periods }) => ({ id, nodeId: properties.nodeId, roles: [], periods }));
}

function rankBy(text: string): (...names: (string | undefined)[]) => number {
  const typed = foldText(text);
  return (...names) => {
    const folded = names.map((name) => name === undefined ? undefined : foldText(name));
    return folded.includes(typed) ? 0 : folded.some((name) => name?.startsWith(typed)) ? 1 : 2;
  };
}

/** Says why others may be missing; undefined if what was found has any part of the text. */
export function describeMatch(text: string, { matched }: Found): string | undefined {
  if (matched === "anywhere") return undefined;
  const { beginning, short } = texts.value.find;
  return [...text].length < 3 ? short : beginning;
}

/** Says below which roles a role is; undefined if below none that the viewer sees. */
export function describeParents({ parents }: FoundRole): string | undefined {
  return parents.length === 0 ? undefined : texts.value.find.below(parents.map(({ name }) => isolate(name)));
}

/** Returns the names of roles in one text. */
export function listNames(roles: readonly NamedRole[]): string {
  return roles.map(({ name }) => isolate(name)).join(", ");
}
