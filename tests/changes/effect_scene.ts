import assert from "node:assert/strict";
import type { Answer, Sent } from "../helpers/http.ts";
import type { Person } from "../helpers/person.ts";

/** A person or key in an effect. */
export interface AffectedPerson {
  readonly userEmail?: string;
  readonly key?: { id: number | null; name: string };
  readonly on: {
    roleIds: number[];
    gained: string[];
    lost: string[];
    kept: string[];
    through: number[];
    hidden: boolean;
  }[];
  readonly others: number;
}

/** The effect of a change in the response of its preview. */
export interface Effect {
  readonly tag: string;
  readonly revision: number;
  readonly rights: Record<string, { gained: number; lost: number }>;
  readonly people: { gained: number; lost: number };
  readonly named: AffectedPerson[];
  readonly keeps: AffectedPerson[];
  readonly unmanaged: number[];
  readonly hiddenUnmanaged: number;
  readonly deletes: { roles: number; devices: number };
  readonly changes: { actingRoleId: number; roleId: number; gained: string[]; lost: string[] }[];
  readonly hidden: number;
  readonly truncated: boolean;
}

export const NOTHING = { gained: 0, lost: 0 };

/** The effect of a change, as its preview shows it. */
export async function preview(by: Person, method: string, path: string, body?: unknown): Promise<Effect> {
  return effectIn(await by.ask(method, `${path}${path.includes("?") ? "&" : "?"}dryRun=true`, body));
}

export function effectIn(answer: Answer): Effect {
  assert.equal(answer.status, 200, answer.text);
  return (answer.body as { effect: Effect }).effect;
}

/** Makes a change on condition of its previewed effect. */
export function ifEffect(tag: string): Sent {
  return { headers: { "If-Effect": tag } };
}
