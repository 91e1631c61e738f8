import assert from "node:assert/strict";
import { bootstrap, invite, Person } from "../helpers/person.ts";
import type { TestApp } from "../helpers/test_app.ts";
import { type Rights, rights } from "../every_operation/request_catalogue.ts";
import { execute } from "../helpers/http.ts";

/** One entry of who has access to a role, as a client would type it. */
export interface PersonAccess {
  readonly userId?: number;
  readonly userEmail?: string | null;
  readonly key?: { readonly id: number; readonly name: string | null };
  readonly rights: Rights;
  readonly direct: boolean;
  readonly through: number[];
  readonly hidden: number;
  readonly until?: string;
}

/** One role to which a person or key has access. */
export interface RoleAccess {
  readonly roleId: number;
  readonly name: string;
  readonly rights: Rights;
  readonly direct: boolean;
  readonly until?: string;
}

export interface AccessBody<T> {
  readonly access: T[];
  readonly person?: { readonly userId: number; readonly userEmail: string | null };
  readonly nextCursor?: string | null;
  readonly revision: number;
  readonly revisionEnd?: number;
}

export const ADMIN = "admin@example.com";
export const ADA = "ada@example.com";
export const BOB = "bob@example.com";

/** What the root gives on the plant, and the plant on the boiler. */
export const ABOVE_PLANT = rights("roleManagement", "userManagement", "viewManagement");
export const ABOVE_BOILER = rights("roleManagement", "userManagement", "alarmManagement");
export const SELF = rights("viewManagement", "reportManagement");

export type AccessScene = Awaited<ReturnType<typeof setAccessScene>>;

/** A chain of three roles: the root with the administrator, a plant with Ada, and a boiler with Bob, who has no rights. */
export async function setAccessScene(target: TestApp) {
  const { admin, rootId } = await bootstrap(target);
  const plantId = await admin.create(rootId, "Plant", ABOVE_PLANT, rights());
  const boilerId = await admin.create(plantId, "Boiler", ABOVE_BOILER, SELF);
  const ada = await invite(target, admin, plantId, ADA);
  const bob = await invite(target, admin, boilerId, BOB);
  const ids = { admin: await idOf(admin), ada: await idOf(ada), bob: await idOf(bob) };
  return { target, admin, ada, bob, ids, rootId, plantId, boilerId };
}

/** The id of a person's account. */
export async function idOf(person: Person): Promise<number> {
  return (await person.get<{ id: number }>("/user")).id;
}

/** Who has access to a role, all in one response. */
export function peopleOf(
  asker: Person,
  roleId: number,
  body: object = {},
): Promise<AccessBody<PersonAccess>> {
  return asker.post(`/v1/role/${roleId}/access/query`, body);
}

/** The roles to which a person or key has access, all in one response. */
export function rolesOf(asker: Person, body: object): Promise<AccessBody<RoleAccess>> {
  return asker.post("/v1/access/query", body);
}

/** The entries of all pages of up to `limit`, with the number of pages. */
export async function readPages<T>(
  asker: Person,
  path: string,
  body: object,
  limit: number,
): Promise<{ access: T[]; pages: number }> {
  const access: T[] = [];
  let cursor: string | null | undefined;
  for (let pages = 1;; pages++) {
    const page = await asker.post<AccessBody<T>>(path, { ...body, limit, ...(cursor && { cursor }) });
    access.push(...page.access);
    cursor = page.nextCursor;
    if (cursor === null) return { access, pages };
    assert.ok(pages < 200, "the pages come to no end");
  }
}

const ADD_PEOPLE = [
  `INSERT INTO user_account (email, created_at)
    SELECT 'person' || value || '@example.net', 0 FROM json_each(:numbers) WHERE true`,
  `INSERT INTO member (id, role_id, user_id)
    SELECT (SELECT last_id FROM id_sequence WHERE name = 'relation') + named.value, :roleId, account.id
    FROM json_each(:numbers) named CROSS JOIN user_account account
      ON account.email = 'person' || named.value || '@example.net'`,
  "UPDATE id_sequence SET last_id = last_id + :count WHERE name = 'relation'",
];

/** Makes this many new people members of a role. */
export async function addPeople(target: TestApp, roleId: number, count: number): Promise<void> {
  const numbers = JSON.stringify(Array.from({ length: count }, (_, i) => i + 1));
  await execute(target, ADD_PEOPLE, { numbers, roleId, count });
}

/** Makes a key a member of a role, without an end and with all rights unless told otherwise. */
export async function addKey(
  target: TestApp,
  key: { keyId: number; roleId: number; name: string; mask?: number; endsAt?: number | null },
): Promise<void> {
  await execute(target, [
    `INSERT INTO role_key (id, role_id, name, prefix, secret_mac, created_at)
      VALUES (:keyId, :roleId, :name, 'rgk_test', 'none', 0)`,
    `INSERT INTO member (id, role_id, user_id, rights, ends_at) VALUES (:keyId, :roleId, -:keyId, :mask, :endsAt)`,
  ], { mask: 63, endsAt: null, ...key });
}
