/** What a caller may not see makes no difference to any response, but for counts, revisions and tags. */
import assert from "node:assert/strict";
import { execute, query } from "../helpers/http.ts";
import { seesAsManager } from "../model/oracle_access.ts";
import { rightNames, UNKNOWN_ID, wireRights } from "../model/oracle_answers.ts";
import { call, tokenOf } from "../model/oracle_http.ts";
import {
  ALL_RIGHTS,
  closureOf,
  isAbove,
  isMember,
  ROLE_MANAGEMENT,
  type World,
} from "../model/oracle_rights.ts";
import { forgetCounts, type GraphRun } from "../model/oracle_run.ts";
import { askersOf, forRandomScenarios } from "./random_runs.ts";

interface Request {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

const UNKNOWN_EMAIL = "nobody@example.com";
const RIGHTS = rightNames(ALL_RIGHTS);
const MEMBER = { name: "member" };
/** How many of the first revisions are undone. */
const UNDONE = 40;

/** The fields of responses that others' roles may change. */
const REVISIONS = ["revision", "revisionEnd", "nextRevision"];
const COUNTS = new Set([...REVISIONS, "tag", "hidden", "hiddenUnmanaged", "people"]);

function withoutCounts(text: string): string {
  return JSON.stringify(JSON.parse(text, (key, value) => {
    // How many pairs gain or lose each right; a list of the rights that one pair gains is none of these.
    if (typeof value === "object" && value !== null && typeof value.gained === "number") return undefined;
    return COUNTS.has(key) && value !== true ? undefined : value;
  }));
}

function post(path: string, body?: unknown): Request {
  return { method: "POST", path, body };
}

function put(path: string, body: unknown): Request {
  return { method: "PUT", path, body };
}

async function ask(run: GraphRun, callerId: number, request: Request): Promise<string> {
  const sent = { token: tokenOf(run, callerId), body: request.body };
  const { status, body } = await call(run.target, request.method, request.path, sent);
  return `${status} ${withoutCounts(JSON.stringify(body))}`;
}

/** The preview of ending a person's access, and all that they gave, at and below a role. */
function endOf(person: object, under: number): Request {
  return post("/v1/access/end?dryRun=true", { ...person, under, granted: true });
}

/** The preview of adding a member. */
function additionOf(roleId: number, email: string): Request {
  return put(`/v1/role/${roleId}/member?userEmail=${encodeURIComponent(email)}&dryRun=true`, {});
}

/** Requests about a role, by any caller. */
function requestsAbout(roleId: number, run: GraphRun): Request[] {
  const { world } = run;
  const asOf = rightNow(run);
  const right = RIGHTS[roleId % RIGHTS.length];
  const people = [...world.users.values()];
  const checks = RIGHTS.map((right) => ({ roleId, right }));
  const resource = { type: "role", id: String(roleId) };
  return [
    post("/v1/rights/check", { checks }),
    post("/v1/rights/check", { checks, asOf }),
    post(`/v1/role/${roleId}/key/query`, {}),
    post("/v1/rights/explain", { roleId, right }),
    post("/v1/rights/explain", { roleId, right, asOf }),
    ...people.map((userEmail) => post("/v1/rights/explain", { roleId, right, userEmail })),
    post("/v1/search", { text: String(roleId) }),
    post(`/v1/role/${roleId}/neighbourhood/query`, {}),
    ...people.map((userEmail) => post(`/v1/role/${roleId}/neighbourhood/query`, { userEmail })),
    post(`/v1/role/${roleId}/access/query`, {}),
    post(`/v1/role/${roleId}/access/query`, { asOf }),
    post(`/v1/role/${roleId}/access/query`, { filter: { userEmail: people, right: [RIGHTS[0]] } }),
    ...people.map((userEmail) => post("/v1/access/query", { userEmail, roleId: [roleId] })),
    post("/v1/change/query", { filter: { roleId } }),
    ...people.flatMap((userEmail) => [
      post("/v1/grant/query", { filter: { grantedBy: { userEmail }, roleId } }),
      endOf({ userEmail }, roleId),
    ]),
    ...[...world.users.keys()].flatMap((userId) => [
      post("/v1/grant/query", { filter: { grantedBy: { userId }, roleId } }),
      endOf({ userId }, roleId),
    ]),
    ...people.flatMap((id) => [
      post("/access/v1/evaluation", {
        subject: { type: "user", id },
        action: { name: right },
        resource,
        context: { explain: true },
      }),
      post("/access/v1/search/action", { subject: { type: "user", id }, resource }),
    ]),
    post("/access/v1/search/subject", { subject: { type: "user" }, action: MEMBER, resource }),
    put(`/v1/role/${roleId}?dryRun=true`, { name: "previewed", selfRights: wireRights(roleId % ALL_RIGHTS) }),
    ...[...world.roles.keys()].flatMap((otherId) => [
      put(`/v1/role/${roleId}/manages?childRoleId=${otherId}&dryRun=true`, wireRights(ALL_RIGHTS)),
      put(`/v1/role/${otherId}/manages?childRoleId=${roleId}&dryRun=true`, wireRights(ROLE_MANAGEMENT)),
    ]),
    ...people.map((email) => additionOf(roleId, email)),
    post(`/v1/role/${roleId}/monitors/query`, {}),
    post(`/v1/device?roleId=${roleId}&dryRun=true`, { properties: { nodeId: "previewed" } }),
    ...[...world.devices.keys()].flatMap((deviceId) => [
      post(`/v1/device/${deviceId}/transfer?toRoleId=${roleId}&dryRun=true`),
      put(`/v1/role/${roleId}/monitors?deviceId=${deviceId}&dryRun=true`, { until: asOf }),
    ]),
  ];
}

/** Requests about every role, and about none in particular. */
function allRequests(run: GraphRun): Request[] {
  const { world } = run;
  const asOf = rightNow(run);
  return [
    ...[...world.roles.keys()].flatMap((roleId) => requestsAbout(roleId, run)),
    post("/v1/change/query", {}),
    ...[...world.users.values(), UNKNOWN_EMAIL].flatMap((userEmail) => [
      post("/v1/access/query", { userEmail }),
      post("/v1/access/query", { userEmail, asOf }),
      post("/v1/grant/query", { filter: { grantedBy: { userEmail } } }),
      post("/access/v1/search/resource", {
        subject: { type: "user", id: userEmail },
        action: MEMBER,
        resource: { type: "role" },
      }),
    ]),
    ...[...world.keys.keys()].flatMap((keyId) => [
      post("/v1/access/query", { keyId }),
      post("/v1/grant/query", { filter: { grantedBy: { keyId } } }),
    ]),
    ...[...world.users.keys()].map((userId) =>
      post("/v1/grant/query", { filter: { grantedBy: { userId } } })
    ),
    ...[...world.relations.values()].flatMap(({ id, parentId, rights }) => {
      const path = `/v1/role/${parentId}/manages/${id}?dryRun=true`;
      return [
        { method: "DELETE", path },
        { method: "DELETE", path: `${path}&cascade=refuse` },
        put(path, wireRights(rights & ROLE_MANAGEMENT)),
      ];
    }),
    ...[...world.monitors.values()].flatMap(({ id, roleId }) => {
      const path = `/v1/role/${roleId}/monitors/${id}?dryRun=true`;
      return [{ method: "DELETE", path }, { method: "DELETE", path: `${path}&cascade=refuse` }];
    }),
    ...Array.from({ length: UNDONE }, (_, i) => post(`/v1/change/${i + 1}/undo?dryRun=true`)),
    ...[...world.members.values()].map(({ id, roleId, userId }) => ({
      method: "DELETE",
      path: `/v1/role/${roleId}/${userId > 0 ? "member" : "key"}/${id}?dryRun=true`,
    })),
  ];
}

/** Narrows and widens the memberships of these roles, but for the caller's. */
const CHANGE_MEMBERS = `UPDATE member SET rights = 1 | (63 & ~rights), ends_at = NULL
   WHERE role_id IN (SELECT value FROM json_each(:apart)) AND user_id > 0 AND user_id <> :callerId`;
const RENAME = "UPDATE role SET name = 'renamed ' || id WHERE id IN (SELECT value FROM json_each(:unseen))";
const CHANGE = [
  `UPDATE role SET self_rights = 63 & ~self_rights WHERE id IN (SELECT value FROM json_each(:apart))`,
  CHANGE_MEMBERS,
  `UPDATE manages SET rights = 1 | (63 & ~rights)
   WHERE parent_id IN (SELECT value FROM json_each(:apart)) AND child_id IN (SELECT value FROM json_each(:apart))`,
  "DELETE FROM role_closure",
  `INSERT INTO role_closure (ancestor_id, descendant_id, rights)
   SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(:closure) WHERE true`,
  // Another past of the relations with devices. That they exist decides whether a device is deleted.
  `UPDATE monitors SET valid_from = ifnull(valid_from, 0) + 1, valid_until = valid_until - 1
   WHERE role_id IN (SELECT value FROM json_each(:apart)) AND valid_until < :now`,
];

const CHANGE_UNREAD = CHANGE_MEMBERS.replace(", ends_at = NULL", "");

/** How often more than a name could be changed. */
let changed = 0;

/** With fewer sequences, that may not occur by chance. */
const SEQUENCES_THAT_CHANGE = 5;

/** Changes all that is hidden from the caller. The roles of `apart` are above none that the caller sees. */
async function changeUnseen(run: GraphRun, callerId: number): Promise<boolean> {
  const { world } = run;
  const unseen = [...world.roles.keys()].filter((id) => !isMember(world, callerId, id));
  const apart = unseen.filter((id) =>
    [...world.roles.keys()].every((other) => !isAbove(world, id, other) || unseen.includes(other))
  );
  if (unseen.length === 0) return false;
  if (apart.length > 0) changed++;
  const relations = new Map([...world.relations].map(([id, relation]) => {
    const isApart = apart.includes(relation.parentId) && apart.includes(relation.childId);
    return [id, isApart ? { ...relation, rights: 1 | (ALL_RIGHTS & ~relation.rights) } : relation];
  }));
  const closure = [...closureOf({ ...world, relations })].flatMap(([ancestorId, reached]) =>
    [...reached].map(([descendantId, rights]) => [ancestorId, descendantId, rights])
  );
  await execute(run.target, [RENAME, ...CHANGE], {
    callerId,
    unseen: JSON.stringify(unseen),
    apart: JSON.stringify(apart),
    closure: JSON.stringify(closure),
    now: world.now,
  });
  return true;
}

/** Now, as a moment of the past. The time of the latest revision could differ: memberships may have ended since. */
function rightNow({ target }: GraphRun): string {
  return new Date(target.clock.now()).toISOString();
}

/** At most this many of the requests, evenly spread. */
function someOf(requests: readonly Request[]): Request[] {
  const step = Math.ceil(requests.length / MAX_REQUESTS);
  return requests.filter((_, i) => i % step === requests.length % step);
}

const MAX_REQUESTS = 150;

/** Sends every request, and describes the responses by it. */
async function askAll(
  run: GraphRun,
  callerId: number,
  requests: readonly Request[],
): Promise<Map<string, string>> {
  const answers = new Map<string, string>();
  for (const [i, request] of requests.entries()) {
    if (i % 20 === 0) await forgetCounts(run);
    answers.set(JSON.stringify(request), await ask(run, callerId, request));
  }
  return answers;
}

forRandomScenarios("hidden parts of the graph change no response", () => ({
  atEnd: async (run) => {
    const { world } = run;
    const callers = askersOf(run);
    const callerId = callers[(world.relations.size + world.members.size) % callers.length] ?? 0;
    const chosen = someOf(allRequests(run));
    const before = await askAll(run, callerId, chosen);
    if (!await changeUnseen(run, callerId)) return;
    const after = await askAll(run, callerId, chosen);
    for (const [request, answer] of before) {
      assert.equal(after.get(request), answer, `${request} for user ${callerId}`);
    }
  },
}), {
  atEnd: (sequences) =>
    assert.ok(changed > 0 || sequences < SEQUENCES_THAT_CHANGE, "nothing was ever changed"),
});

/** Roles whose members no list of access shows to the caller: they read none of these and of all roles below. */
function unreadRoles(world: World, callerId: number): number[] {
  const ids = [...world.roles.keys()];
  return ids.filter((id) =>
    ids.every((other) => other !== id && !isAbove(world, id, other) || !seesAsManager(world, callerId, other))
  );
}

/** How often a person of whom something is told had a membership that is not. */
let unread = 0;

forRandomScenarios("memberships that no list of access shows change no preview, but for counts", () => ({
  atEnd: async (run) => {
    const { world } = run;
    const requests = allRequests(run).filter(({ path }) => path.includes("dryRun"));
    // A caller who reads some lists, and not all.
    const callerId = askersOf(run).find((id) => {
      const count = unreadRoles(world, id).length;
      return count > 0 && count < world.roles.size;
    });
    if (callerId !== undefined) {
      const apart = JSON.stringify(unreadRoles(world, callerId));
      const before = await askAll(run, callerId, requests);
      await execute(run.target, CHANGE_UNREAD, { callerId, apart });
      const after = await askAll(run, callerId, requests);
      for (const [request, answer] of before) {
        // Which roles are left without a manager is told of all that the caller sees.
        const shown = (text = "") => text.replace(/"unmanaged":\[[^\]]*\],/, "");
        assert.equal(shown(after.get(request)), shown(answer), `${request} for user ${callerId}`);
        if (answer.includes('"named":[{')) unread++;
      }
    }
  },
}), {
  atEnd: (sequences) => assert.ok(unread > 0 || sequences < SEQUENCES_THAT_CHANGE, "nothing was ever told"),
});

forRandomScenarios(
  "a hidden role looks like an unknown one",
  () => ({
    atEnd: async (run) => {
      const { world } = run;
      for (const callerId of askersOf(run)) {
        const unseen = [...world.roles.keys()].filter((id) => !isMember(world, callerId, id));
        const roleId = unseen[world.relations.size % Math.max(1, unseen.length)];
        if (roleId === undefined) continue;
        const known = await askAll(run, callerId, someOf(requestsAbout(roleId, run)));
        for (const [request, answer] of known) {
          const unknown = JSON.parse(replaceId(request, roleId)) as Request;
          await forgetCounts(run);
          assert.equal(await ask(run, callerId, unknown), answer, `${request} for user ${callerId}`);
        }
      }
    },
  }),
);

/** The request with an unknown id in place of this role's. Rights and addresses hold no such words. */
function replaceId(request: string, roleId: number): string {
  return request
    .replaceAll(`/role/${roleId}/`, `/role/${UNKNOWN_ID}/`)
    .replaceAll(`/role/${roleId}?`, `/role/${UNKNOWN_ID}?`)
    .replaceAll(`oleId=${roleId}&`, `oleId=${UNKNOWN_ID}&`)
    .replaceAll(`"roleId":${roleId}`, `"roleId":${UNKNOWN_ID}`)
    .replaceAll(`"under":${roleId}`, `"under":${UNKNOWN_ID}`)
    .replaceAll(`"roleId":[${roleId}]`, `"roleId":[${UNKNOWN_ID}]`)
    .replaceAll(`"id":"${roleId}"`, `"id":"${UNKNOWN_ID}"`);
}

const READ_ACTED = `SELECT given_by AS by, given_via AS via FROM member_history WHERE given_via IS NOT NULL
  UNION SELECT given_by, given_via FROM manages WHERE given_via IS NOT NULL
  UNION SELECT password_set_by, password_set_via FROM role WHERE password_set_via IS NOT NULL`;

/** Requests about a person, in which a hidden address must look like an unknown one. */
function requestsAboutPerson(userEmail: string, roleIds: readonly number[]): Request[] {
  const subject = { type: "user", id: userEmail };
  return [
    post("/v1/access/query", { userEmail }),
    post("/v1/grant/query", { filter: { grantedBy: { userEmail } } }),
    post("/access/v1/search/resource", { subject, action: MEMBER, resource: { type: "role" } }),
    ...roleIds.flatMap((roleId) => {
      const resource = { type: "role", id: String(roleId) };
      return [
        post("/v1/rights/explain", { roleId, right: "viewManagement", userEmail }),
        post("/v1/access/query", { userEmail, roleId: [roleId] }),
        post("/v1/grant/query", { filter: { grantedBy: { userEmail }, roleId } }),
        endOf({ userEmail }, roleId),
        post(`/v1/role/${roleId}/neighbourhood/query`, { userEmail }),
        post(`/v1/role/${roleId}/access/query`, { filter: { userEmail: [userEmail] } }),
        post("/access/v1/evaluation", { subject, action: MEMBER, resource, context: { explain: true } }),
        post("/access/v1/search/action", { subject, resource }),
        additionOf(roleId, userEmail),
      ];
    }),
  ];
}

forRandomScenarios(
  "a person whose roles the caller does not manage looks like an unknown one",
  () => ({
    atEnd: async (run) => {
      const { world } = run;
      const callers = askersOf(run);
      const acted = await query<{ by: number; via: number }>(run.target, READ_ACTED);
      for (const callerId of callers) {
        for (const [userId, email] of world.users) {
          // Who sees a role knows who acted through it. Of a deleted role, that depends on its former parent.
          const isSeenToAct = acted.some(({ by, via }) =>
            by === userId && (isMember(world, callerId, via) || !world.roles.has(via))
          );
          const isKnown = userId === callerId || isSeenToAct ||
            [...world.roles.keys()].some((roleId) =>
              seesAsManager(world, callerId, roleId) && isMember(world, userId, roleId)
            );
          if (isKnown) continue;
          const requests = requestsAboutPerson(email, [...world.roles.keys()]);
          const known = await askAll(run, callerId, someOf(requests));
          for (const [request, answer] of known) {
            const unknown = request.replaceAll(email, UNKNOWN_EMAIL)
              .replaceAll(encodeURIComponent(email), encodeURIComponent(UNKNOWN_EMAIL));
            await forgetCounts(run);
            assert.equal(
              await ask(run, callerId, JSON.parse(unknown) as Request),
              answer.replaceAll(email, UNKNOWN_EMAIL),
              `${request} for user ${callerId}`,
            );
          }
        }
      }
    },
  }),
);
