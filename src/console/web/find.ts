import { api, dataOf } from "./api.ts";
import { isolate, texts } from "./language.ts";
import type { components } from "./openapi_types.ts";
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
