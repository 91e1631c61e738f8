import type { Facts } from "./facts.ts";

/** One request of the load, and what the database holds once it is done. */
export interface Change {
  readonly kind: string;
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The bearer token to send. By default an access token. */
  readonly token?: "refresh" | "none";
  /** The facts if it is done. */
  readonly after: Facts;
  /** Whether repeating it gets the same response and changes nothing. */
  readonly repeatable: boolean;
}

/** The knowledge of a client: its part of the database with the ids in it, and its name. */
export interface Knowledge {
  /** `l` and the client's number. */
  readonly name: string;
  readonly email: string;
  readonly resetAddresses: readonly string[];
  readonly code: string;
  readonly facts: Facts;
  /** Ids by the key of the fact. */
  readonly ids: ReadonlyMap<string, number>;
  /** A number that no earlier change had. */
  readonly serial: number;
}

/** Makes a random change of one kind, or none if the client's facts do not allow it. */
export type Maker = (known: Knowledge) => Change | undefined;

export const JSON_TYPE = { "Content-Type": "application/json" } as const;

/** The facts with the count under a key increased by one. */
export function counted(facts: Map<string, string>, key: string): Facts {
  return facts.set(key, String(Number(facts.get(key) ?? 0) + 1));
}

/** Names of roles, the root first. */
export function rolesOf(facts: Facts): string[] {
  return keysOf(facts, "role ").map((key) => key.slice("role ".length)).sort((a, b) => ageOf(a) - ageOf(b));
}

/** Keys of one kind. */
export function keysOf(facts: Facts, prefix: string): string[] {
  return [...facts.keys()].filter((key) => key.startsWith(prefix));
}

/** The number at the end of a role's name. */
export function ageOf(role: string): number {
  return Number(role.split("-")[1]);
}

/** The id of a thing that the client knows to exist. */
export function idOf(known: Knowledge, key: string): number {
  const id = known.ids.get(key);
  if (id === undefined) throw new Error(`No id of "${key}"`);
  return id;
}

/** One of the values at random. */
export function pick<T>(values: readonly T[]): T | undefined {
  return values[Math.floor(Math.random() * values.length)];
}
