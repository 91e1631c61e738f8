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

/** Something that a rule allows, about the site. */
export interface Use {
  readonly what: string;
  /** The rights that each allow it. Without any, membership does. */
  readonly by: readonly string[];
  /** Those that must come through relations. */
  readonly byRelations: readonly string[];
  /** Tries it, and returns whether it was allowed. */
  readonly attempt: (person: Person) => Promise<boolean>;
}

/** Whether a request was refused, whether or not a step-up would help. */
export function isRefused({ status, body }: Answer): boolean {
  return status === 403 || (body as { message?: string } | undefined)?.message === "SECOND_FACTOR_REQUIRED";
}

/** One use of each rule. Each attempt is about something new, so that they can be repeated in any order. */
export async function usesOf({ person, siteId, lowId, next }: MembershipScene): Promise<Use[]> {
  const admin = await person(ADMIN);
  const device = async (roleId: number) => {
    const nodeId = `meter ${next()}`;
    const created = await admin.post<{ device: { id: number }; monitors: { id: number } }>(
      `/v1/device?roleId=${roleId}`,
      { properties: { nodeId } },
    );
    return { deviceId: created.device.id, nodeId, monitorsId: created.monitors.id };
  };
  const relation = async (manages: Rights): Promise<number> => {
    const childId = await admin.create(lowId, `Child ${next()}`);
    const put = `/v1/role/${siteId}/manages?childRoleId=${childId}`;
    return (await admin.put<{ manages: Manages }>(put, manages)).manages.id;
  };
  const isDone = (answer: Answer): boolean => {
    assert.ok(answer.status < 300 || isRefused(answer), answer.text);
    return answer.status < 300;
  };
  const lists = async (person: Person, path: string, key: string, filter?: object): Promise<boolean> => {
    const body = filter === undefined ? {} : { filter };
    return ((await person.post<Record<string, unknown[]>>(path, body))[key] ?? []).length > 0;
  };
  const either = (...names: string[]): Pick<Use, "by" | "byRelations"> => ({ by: names, byRelations: [] });
  const byMembership = either();
  const byRoleManagement = either("roleManagement");
  const byIndirectRoleManagement = { by: [], byRelations: ["roleManagement"] };
  const byUserManagement = { by: ["userManagement"], byRelations: ["roleManagement"] };
  const byDeviceManagement = { by: ["deviceManagement"], byRelations: ["roleManagement"] };
  return [
    {
      what: "create a role",
      ...byRoleManagement,
      attempt: async (person) => {
        const body = { manages: rights("roleManagement"), role: { name: `Role ${next()}`, selfRights: ALL } };
        return isDone(await person.ask("POST", `/v1/role?parentRoleId=${siteId}`, body));
      },
    },
    {
      what: "rename the role",
      ...byIndirectRoleManagement,
      attempt: async (person) =>
        isDone(await person.ask("PUT", `/v1/role/${siteId}`, { name: `Site ${next()}`, selfRights: ALL })),
    },
    {
      what: "set its password",
      ...byRoleManagement,
      attempt: async (person) => {
        const body = { password: `open sesame ${next()}`, rights: NONE };
        return isDone(await person.ask("PUT", `/v1/role/${siteId}/password`, body));
      },
    },
    {
      what: "learn of its password",
      ...byRoleManagement,
      attempt: async (person) => isDone(await person.ask("GET", `/v1/role/${siteId}/password`)),
    },
    {
      what: "join a role to it",
      ...byRoleManagement,
      attempt: async (person) => {
        const childId = await admin.create(lowId, `Child ${next()}`);
        return isDone(await person.ask("PUT", `/v1/role/${siteId}/manages?childRoleId=${childId}`, NONE));
      },
    },
    {
      what: "take rights from a relation",
      ...byRoleManagement,
      attempt: async (person) => {
        const path = `/v1/role/${siteId}/manages/${await relation(ALL)}`;
        return isDone(await person.ask("PUT", path, NONE));
      },
    },
    {
      what: "delete a relation",
      ...byRoleManagement,
      attempt: async (person) =>
        isDone(await person.ask("DELETE", `/v1/role/${siteId}/manages/${await relation(ALL)}`)),
    },
    {
      what: "see what manages it",
      ...byRoleManagement,
      attempt: (person) => lists(person, `/v1/role/${siteId}/managed-by/query`, "manages"),
    },
    {
      what: "list its members",
      ...byUserManagement,
      attempt: async (person) => {
        const userEmail = `listed${next()}@example.com`;
        await admin.put(`/v1/role/${siteId}/member?userEmail=${userEmail}`);
        return await lists(person, `/v1/role/${siteId}/member/query`, "member", { userEmail: [userEmail] });
      },
    },
    {
      what: "add a member",
      ...byUserManagement,
      attempt: async (person) =>
        isDone(await person.ask("PUT", `/v1/role/${siteId}/member?userEmail=new${next()}@example.com`, {})),
    },
    {
      what: "remove a member",
      ...byUserManagement,
      attempt: async (person) => {
        const path = `/v1/role/${siteId}/member`;
        const { member } = await admin.put<{ member: Member }>(`${path}?userEmail=old${next()}@example.com`);
        return isDone(await person.ask("DELETE", `${path}/${member.id}`));
      },
    },
    {
      what: "create a device",
      ...byDeviceManagement,
      attempt: async (person) =>
        isDone(
          await person.ask("POST", `/v1/device?roleId=${siteId}`, {
            properties: { nodeId: `new ${next()}` },
          }),
        ),
    },
    {
      what: "attach a device",
      ...either("deviceManagement"),
      attempt: async (person) => {
        const { deviceId } = await device(lowId);
        return isDone(await person.ask("PUT", `/v1/role/${siteId}/monitors?deviceId=${deviceId}`, {}));
      },
    },
    {
      what: "detach a device",
      ...byDeviceManagement,
      attempt: async (person) =>
        isDone(
          await person.ask("DELETE", `/v1/role/${siteId}/monitors/${(await device(siteId)).monitorsId}`),
        ),
    },
    {
      what: "update a device",
      ...byDeviceManagement,
      attempt: async (person) => {
        const { deviceId, nodeId } = await device(siteId);
        return isDone(await person.ask("PUT", `/v1/device/${deviceId}`, { properties: { nodeId } }));
      },
    },
    {
      what: "write telemetry",
      ...byDeviceManagement,
      attempt: async (person) =>
        isDone(await writeLines(person, `energy,nodeId=meter power=${next()} 1767225600000`)),
    },
    {
      // A caller who can write to no device, not even one of the low role, is refused before their lines are read.
      what: "learn that lines are malformed",
      ...either("deviceManagement", "roleManagement"),
      attempt: async (person) => {
        await device(lowId);
        const answer = await writeLines(person, "malformed");
        assert.ok(answer.status === 400 || isRefused(answer), answer.text);
        return answer.status === 400;
      },
    },
    {
      what: "read telemetry",
      ...byMembership,
      attempt: async (person) => (await collect(person, [powerOf("meter")]))[0]?.series !== undefined,
    },
    {
      what: "see the role",
      ...byMembership,
      attempt: (person) => lists(person, "/v1/role/query", "role", { id: [siteId] }),
    },
    {
      what: "see its relations",
      ...byMembership,
      attempt: (person) => lists(person, `/v1/role/${siteId}/manages/query`, "manages"),
    },
    {
      what: "see its devices",
      ...byMembership,
      attempt: (person) => lists(person, "/v1/device/query", "device", { nodeId: ["meter"] }),
    },
    {
      what: "see what it monitors",
      ...byMembership,
      attempt: (person) => lists(person, `/v1/role/${siteId}/monitors/query`, "monitors"),
    },
  ];
}

/** Asserts by every operation that checks rights whether the person has access. */
export async function assertPresent(
  scene: MembershipScene,
  person: Person,
  roleId: number,
  isPresent: boolean,
  subject: string,
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
    ["/v1/role/*/member/query", "member", { filter: { userEmail: [subject] } }],
    [`/v1/role/${roleId}/member/query`, "member", {}],
    ["/v1/role/*/monitors/query", "monitors", {}],
    ["/v1/device/query", "device", {}],
    ["/v1/device/query", "device", { filter: { roleId: [siteId] } }],
    ["/v1/change/query", "change", { filter: { roleId: siteId } }],
    ["/v1/access/query", "access", { userEmail: subject }],
    ["/v1/access/query", "access", { userEmail: subject, roleId: [siteId] }],
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
