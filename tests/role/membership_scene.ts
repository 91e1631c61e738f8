import assert from "node:assert/strict";
import { FEW_MEMBERSHIPS } from "../../src/graph/rules/guard_queries.ts";
import { type Answer, execute, queryNumber, testApp } from "../helpers/http.ts";
import { type Manages, type Member, Person } from "../helpers/person.ts";
import type { TestApp } from "../helpers/test_app.ts";
import { ADMIN, ALL, type Rights, rights } from "../every_operation/request_catalogue.ts";
import { RIGHT_NAMES } from "../model/oracle_rights.ts";
import {
  addDevice,
  collect,
  powerOf,
  writeLines,
  writeMinutes,
} from "../every_operation/telemetry_requests.ts";

export const NONE: Rights = rights();
export const SUBJECT = "subject@example.com";
export const STEP_UP = "SECOND_FACTOR_REQUIRED";

/** What a request for a membership says besides the address. */
export interface Limits {
  readonly until?: string | null;
  readonly rights?: Rights | null;
}

/** A membership as responses show it. */
export interface LimitedMember extends Member {
  readonly until?: string;
  readonly rights?: Rights;
}

/**
 * A chain of a root, a top role, a site and a low role, all with all rights on themselves and on each other. The site
 * monitors a device.
 */
export interface MembershipScene {
  readonly target: TestApp;
  readonly admin: Person;
  readonly adminId: number;
  readonly rootId: number;
  readonly rootMemberId: number;
  readonly topId: number;
  readonly siteId: number;
  readonly lowId: number;
  /** Requests a membership as `by`; the response may be a refusal. */
  askToJoin(by: Person, roleId: number, email: string, limits?: Limits): Promise<Answer>;
  /** A membership that the administrator gives or changes. */
  join(roleId: number, email: string, limits?: Limits): Promise<LimitedMember>;
  /** The user with this address, with a token of this moment. */
  person(email: string): Promise<Person>;
  /** The time in this many milliseconds, as requests have it. */
  inMs(ms: number): string;
  /** A number that was not used yet. */
  next(): number;
  /** Gives a member so many memberships elsewhere that rules are asked in another way. */
  plantMemberships(email: string, endsAt: number | null): Promise<void>;
}

export function limitedMembership(
  name: string,
  body: (scene: MembershipScene) => Promise<void>,
  register: typeof testApp = testApp,
): void {
  register(name, async (target) => await body(await setMembershipScene(target)));
}

async function setMembershipScene(target: TestApp): Promise<MembershipScene> {
  const { userId: adminId, roleId: rootId, memberId } = await target.bootstrapRoot(ADMIN, "Root");
  const admin = new Person(target, await target.accessToken(adminId));
  const topId = await admin.create(rootId, "Top");
  const siteId = await admin.create(topId, "Site");
  const lowId = await admin.create(siteId, "Low");
  await addDevice(admin, siteId, "meter");
  await writeMinutes(admin, "meter", 1);
  let count = 0;
  const askToJoin: MembershipScene["askToJoin"] = (by, roleId, email, limits = {}) =>
    by.ask("PUT", `/v1/role/${roleId}/member?userEmail=${email}`, limits);
  const person = async (email: string): Promise<Person> => {
    const id = await queryNumber(target, `SELECT id FROM user_account WHERE email = '${email}'`);
    return new Person(target, await target.accessToken(id));
  };
  return {
    target,
    admin,
    adminId,
    rootId,
    rootMemberId: memberId,
    topId,
    siteId,
    lowId,
    askToJoin,
    join: async (roleId, email, limits) => {
      const answer = await askToJoin(await person(ADMIN), roleId, email, limits);
      assert.equal(answer.status, 200, answer.text);
      return (answer.body as { member: LimitedMember }).member;
    },
    person,
    inMs: (ms) => new Date(target.clock.now() + ms).toISOString(),
    next: () => ++count,
    plantMemberships: (email, endsAt) =>
      execute(
        target,
        `WITH RECURSIVE place(id) AS (SELECT 1000000 UNION ALL SELECT id + 1 FROM place LIMIT :count)
          INSERT INTO member (id, role_id, user_id, ends_at)
          SELECT place.id, place.id, user_account.id, :endsAt FROM place CROSS JOIN user_account
          WHERE email = :email`,
        { email, endsAt, count: FEW_MEMBERSHIPS },
      ),
  };
}

/** Lets all sessions of a user meet a level, as proof of a factor would. */
export async function meet({ target }: MembershipScene, email: string, level: number): Promise<void> {
  await execute(
    target,
    `UPDATE session SET meets = :level WHERE user_id = (SELECT id FROM user_account WHERE email = :email)`,
    { level, email },
  );
}

/** Sets a demand as the administrator, whose sessions meet each. */
export async function demand(
  scene: MembershipScene,
  roleId: number,
  secondFactor: string,
  more = {},
): Promise<void> {
  await meet(scene, ADMIN, 2);
  await scene.admin.put(`/v1/role/${roleId}/authentication-policy`, { secondFactor, ...more });
}

/** The rights that each allow something, and those that do if they come through relations. Without any, membership does. */
interface Rule {
  readonly by: readonly string[];
  readonly byRelations: readonly string[];
}

/** Something that a rule allows, about the site. */
export interface Use extends Rule {
  readonly what: string;
  /** Tries it, and returns whether it was allowed. */
  readonly attempt: (person: Person) => Promise<boolean>;
}

/** Whether a request was refused, whether or not a step-up would help. */
export function isRefused({ status, body }: Answer): boolean {
  return status === 403 || (body as { message?: string } | undefined)?.message === STEP_UP;
}

function either(...names: string[]): Rule {
  return { by: names, byRelations: [] };
}

const BY_MEMBERSHIP = either();
const BY_ROLE_MANAGEMENT = either("roleManagement");
const BY_INDIRECT_ROLE_MANAGEMENT: Rule = { by: [], byRelations: ["roleManagement"] };
const BY_USER_MANAGEMENT: Rule = { by: ["userManagement"], byRelations: ["roleManagement"] };
const BY_DEVICE_MANAGEMENT: Rule = { by: ["deviceManagement"], byRelations: ["roleManagement"] };

/** One use of each rule. Each attempt is about something new, so that they can be repeated in any order. */
export async function usesOf({ person, siteId, lowId, next }: MembershipScene): Promise<Use[]> {
  const admin = await person(ADMIN);
  const site = `/v1/role/${siteId}`;
  const createDevice = async (roleId: number) => {
    const properties = { nodeId: `meter ${next()}` };
    type Made = { device: { id: number }; monitors: { id: number } };
    const { device, monitors } = await admin.post<Made>(`/v1/device?roleId=${roleId}`, { properties });
    return { deviceId: device.id, properties, monitorsId: monitors.id };
  };
  const createChild = () => admin.create(lowId, `Child ${next()}`);
  /** The path of a new relation from the site, with all rights. */
  const relate = async (): Promise<string> => {
    const { manages } = await admin.put<{ manages: Manages }>(
      `${site}/manages?childRoleId=${await createChild()}`,
      ALL,
    );
    return `${site}/manages/${manages.id}`;
  };
  const isDone = async (asked: Promise<Answer>): Promise<boolean> => {
    const answer = await asked;
    assert.ok(answer.status < 300 || isRefused(answer), answer.text);
    return answer.status < 300;
  };
  const lists = async (person: Person, path: string, key: string, filter?: object): Promise<boolean> => {
    const body = filter === undefined ? {} : { filter };
    return ((await person.post<Record<string, unknown[]>>(path, body))[key] ?? []).length > 0;
  };
  const uses: readonly (readonly [what: string, rule: Rule, attempt: Use["attempt"]])[] = [
    ["create a role", BY_ROLE_MANAGEMENT, (person) => {
      const body = { manages: rights("roleManagement"), role: { name: `Role ${next()}`, selfRights: ALL } };
      return isDone(person.ask("POST", `/v1/role?parentRoleId=${siteId}`, body));
    }],
    [
      "rename the role",
      BY_INDIRECT_ROLE_MANAGEMENT,
      (person) => isDone(person.ask("PUT", site, { name: `Site ${next()}`, selfRights: ALL })),
    ],
    ["set its password", BY_ROLE_MANAGEMENT, (person) => {
      const body = { password: `open sesame ${next()}`, rights: NONE };
      return isDone(person.ask("PUT", `${site}/password`, body));
    }],
    ["learn of its password", BY_ROLE_MANAGEMENT, (person) => isDone(person.ask("GET", `${site}/password`))],
    [
      "join a role to it",
      BY_ROLE_MANAGEMENT,
      async (person) => isDone(person.ask("PUT", `${site}/manages?childRoleId=${await createChild()}`, NONE)),
    ],
    [
      "take rights from a relation",
      BY_ROLE_MANAGEMENT,
      async (person) => isDone(person.ask("PUT", await relate(), NONE)),
    ],
    ["delete a relation", BY_ROLE_MANAGEMENT, async (person) => isDone(person.ask("DELETE", await relate()))],
    [
      "see what manages it",
      BY_ROLE_MANAGEMENT,
      (person) => lists(person, `${site}/managed-by/query`, "manages"),
    ],
    ["list its members", BY_USER_MANAGEMENT, async (person) => {
      const userEmail = `listed${next()}@example.com`;
      await admin.put(`${site}/member?userEmail=${userEmail}`);
      return await lists(person, `${site}/member/query`, "member", { userEmail: [userEmail] });
    }],
    [
      "add a member",
      BY_USER_MANAGEMENT,
      (person) => isDone(person.ask("PUT", `${site}/member?userEmail=new${next()}@example.com`, {})),
    ],
    ["remove a member", BY_USER_MANAGEMENT, async (person) => {
      const path = `${site}/member`;
      const { member } = await admin.put<{ member: Member }>(`${path}?userEmail=old${next()}@example.com`);
      return await isDone(person.ask("DELETE", `${path}/${member.id}`));
    }],
    [
      "create a device",
      BY_DEVICE_MANAGEMENT,
      (person) =>
        isDone(
          person.ask("POST", `/v1/device?roleId=${siteId}`, { properties: { nodeId: `new ${next()}` } }),
        ),
    ],
    ["attach a device", either("deviceManagement"), async (person) => {
      const { deviceId } = await createDevice(lowId);
      return await isDone(person.ask("PUT", `${site}/monitors?deviceId=${deviceId}`, {}));
    }],
    [
      "detach a device",
      BY_DEVICE_MANAGEMENT,
      async (person) =>
        isDone(person.ask("DELETE", `${site}/monitors/${(await createDevice(siteId)).monitorsId}`)),
    ],
    ["update a device", BY_DEVICE_MANAGEMENT, async (person) => {
      const { deviceId, properties } = await createDevice(siteId);
      return await isDone(person.ask("PUT", `/v1/device/${deviceId}`, { properties }));
    }],
    [
      "write telemetry",
      BY_DEVICE_MANAGEMENT,
      (person) => isDone(writeLines(person, `energy,nodeId=meter power=${next()} 1767225600000`)),
    ],
    // A caller who can write to no device, not even one of the low role, is refused before their lines are read.
    ["learn that lines are malformed", either("deviceManagement", "roleManagement"), async (person) => {
      await createDevice(lowId);
      const answer = await writeLines(person, "malformed");
      assert.ok(answer.status === 400 || isRefused(answer), answer.text);
      return answer.status === 400;
    }],
    [
      "read telemetry",
      BY_MEMBERSHIP,
      async (person) => (await collect(person, [powerOf("meter")]))[0]?.series !== undefined,
    ],
    ["see the role", BY_MEMBERSHIP, (person) => lists(person, "/v1/role/query", "role", { id: [siteId] })],
    ["see its relations", BY_MEMBERSHIP, (person) => lists(person, `${site}/manages/query`, "manages")],
    [
      "see its devices",
      BY_MEMBERSHIP,
      (person) => lists(person, "/v1/device/query", "device", { nodeId: ["meter"] }),
    ],
    ["see what it monitors", BY_MEMBERSHIP, (person) => lists(person, `${site}/monitors/query`, "monitors")],
  ];
  return uses.map(([what, rule, attempt]) => ({ what, ...rule, attempt }));
}

/** Asserts by every operation that checks rights whether the subject has access. */
export async function assertPresent(
  scene: MembershipScene,
  person: Person,
  roleId: number,
  isPresent: boolean,
): Promise<void> {
  const { siteId } = scene;
  for (const { what, by, byRelations, attempt } of await usesOf(scene)) {
    if (roleId === siteId && by.length === 0 && byRelations.length > 0) continue;
    assert.equal(await attempt(person), isPresent, what);
  }
  const every = RIGHT_NAMES.map(() => isPresent);
  assert.deepEqual(await person.holds(siteId, ...RIGHT_NAMES), every);
  for (const name of RIGHT_NAMES) assert.deepEqual(await person.holds(siteId, name), [isPresent], name);
  const many = Array.from({ length: 100 }, () => ({ roleId: siteId, right: "userManagement" }));
  const { allowed } = await person.post<{ allowed: boolean[] }>("/v1/rights/check", { checks: many });
  assert.deepEqual(new Set(allowed), new Set([isPresent]));
  const lists: readonly [string, string, object][] = [
    ["/v1/role/query", "role", {}],
    ["/v1/role/query", "role", { filter: { name: ["Low"] } }],
    ["/v1/role/query", "role", { filter: { ancestorRoleId: [roleId] } }],
    ["/v1/role/*/manages/query", "manages", {}],
    ["/v1/role/*/managed-by/query", "manages", {}],
    ["/v1/role/*/member/query", "member", {}],
    ["/v1/role/*/member/query", "member", { filter: { userEmail: [SUBJECT] } }],
    [`/v1/role/${roleId}/member/query`, "member", {}],
    ["/v1/role/*/monitors/query", "monitors", {}],
    ["/v1/device/query", "device", {}],
    ["/v1/device/query", "device", { filter: { roleId: [siteId] } }],
    ["/v1/change/query", "change", { filter: { roleId: siteId } }],
    ["/v1/access/query", "access", { userEmail: SUBJECT }],
    ["/v1/access/query", "access", { userEmail: SUBJECT, roleId: [siteId] }],
    [`/v1/role/${siteId}/access/query`, "access", {}],
    [`/v1/role/${siteId}/neighbourhood/query`, "role", {}],
  ];
  for (const [path, key, body] of lists) {
    const rows = (await person.post<Record<string, unknown[]>>(path, body))[key] ?? [];
    assert.equal(rows.length > 0, isPresent, `${path} ${JSON.stringify(body)}`);
  }
  const { change } = await person.post<{ change: { roleId?: number }[] }>("/v1/change/query", {});
  assert.equal(change.some((row) => row.roleId === siteId), isPresent, "the role in the log of all roles");
  const { manages } = await person.post<{ manages: Manages[] }>("/v1/role/*/managed-by/query", {});
  assert.equal(
    manages.some(({ childRoleId }) => childRoleId === siteId),
    isPresent,
    "its relation from above",
  );
}
