import { foldText } from "../../core/text.ts";
import { api, dataOf } from "./api.ts";
import { isolate, texts } from "./language.ts";
import type { components } from "./openapi_types.ts";
import { queryDevices } from "./ask_lists.ts";
import type { NamedRole } from "./schemas.ts";

type Schemas = components["schemas"];
/** What a search found. */
export type Found = Schemas["Found"];
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
 * Finds like `find`, and a former device; first what is called exactly like the text, then what begins with it. The
 * service lists by id, so roles that begin with it are asked for apart; where there are many hits, their parents are
 * not known.
 */
export async function findBest(text: string, kind: Kind[], signal: AbortSignal): Promise<Found> {
  const body = { filter: { namePrefix: text }, limit: BEGUN };
  const [found, { role }, former] = await Promise.all([
    find({ text, kind, limit: RANKED }, signal),
    dataOf(api.POST("/v1/role/query", { body, signal })),
    kind.includes("device") ? findFormer(text, signal) : [],
  ]);
  const isNew = (each: { readonly id: number }): boolean => found.role.every(({ id }) => id !== each.id);
  const begun = role.filter(isNew).map(({ id, name }) => ({ id, name, parents: [] }));
  const rank = rankBy(text);
  return {
    ...found,
    role: [...begun, ...found.role].sort((a, b) => rank(String(a.id), a.name) - rank(String(b.id), b.name)),
    person: found.person.toSorted((a, b) => rank(a.userEmail) - rank(b.userEmail)),
    device: [...former, ...found.device].toSorted((a, b) => rank(a.nodeId, a.name) - rank(b.nodeId, b.name)),
  };
}

/** Finds the device of a former time of the viewer by its whole nodeId. */
async function findFormer(text: string, signal: AbortSignal): Promise<Found["device"]> {
  const body = { filter: { ended: true, nodeId: [text] }, limit: 1 };
  const { device } = await queryDevices(body, signal);
  return device.map(({ id, properties }) => ({
    id,
    nodeId: properties?.nodeId ?? text,
    roles: [],
  }));
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
