import type { Rights } from "../every_operation/request_catalogue.ts";
import { Person } from "../helpers/person.ts";
import type { TestApp } from "../helpers/test_app.ts";

/** A key in responses, as a client would type it. */
export interface Key {
  readonly id: number;
  readonly roleId: number;
  readonly name: string;
  readonly prefix: string;
  readonly rights: Rights;
  readonly asks: boolean;
  readonly provisions: boolean;
  readonly expiresAt: string;
  readonly createdAt: string;
  readonly createdBy: string | null;
  readonly lastUsedAt: string | null;
}

export interface CreatedKey {
  readonly key: Key;
  readonly secret: string;
}

export interface KeyWishes {
  readonly name?: string;
  readonly rights?: Rights;
  readonly expiresAt?: string;
  readonly asks?: boolean;
  readonly provisions?: boolean;
}

export function createKey(maker: Person, roleId: number, wishes: KeyWishes = {}): Promise<CreatedKey> {
  return maker.post<CreatedKey>(`/v1/role/${roleId}/key`, { name: "Gateway", ...wishes });
}

/** A new key of the role, and the program that uses it. */
export async function makeProgram(
  target: Pick<TestApp, "request">,
  maker: Person,
  roleId: number,
  wishes: KeyWishes = {},
): Promise<{ key: Key; secret: string; program: Person }> {
  const { key, secret } = await createKey(maker, roleId, wishes);
  return { key, secret, program: new Person(target, secret) };
}

export async function listKeys(manager: Person, roleId: number): Promise<Key[]> {
  return (await manager.post<{ key: Key[] }>(`/v1/role/${roleId}/key/query`)).key;
}

/** The time this many days after another, in ISO 8601. */
export function daysAfter(ms: number, days: number): string {
  return new Date(ms + days * 86_400_000).toISOString();
}
