import assert from "node:assert/strict";
import { createApp } from "../../src/app.ts";
import { createChains } from "../../src/graph/rules/chains.ts";
import { RIGHT_NAMES, toRights } from "../../src/graph/rights.ts";
import { createSqliteStore } from "../../src/telemetry/sqlite/sqlite_store.ts";
import { secureAccount } from "./account_round_trips.ts";
import { openInvitation } from "./request_catalogue.ts";
import { openCounted } from "./round_trips.ts";
import { withSudo } from "../helpers/sudo.ts";
import { openTestApp, START_MS, type TestApp } from "../helpers/test_app.ts";

/** The number of requests that an operation sends to a real server. */
export interface RoundTripCount {
  readonly operation: string;
  readonly count: number;
  readonly atMost: number;
}

export interface Call {
  readonly method: string;
  readonly path: string;
  readonly token?: string;
  readonly body?: unknown;
}

/** Makes the calls of a caller with this token. */
export function callsWith(token: string): (method: string, path: string, body?: unknown) => Call {
  return (method, path, body) => ({ method, path, token, body });
}

const ALL_RIGHTS = toRights(63);
const PASSWORD = "eleven purple staplers";
/** Runs every kind of operation on a real server, and counts the requests of each. */
export async function countRoundTrips(): Promise<RoundTripCount[]> {
  await using target = await openTestApp("remote");
  await using counted = await openCounted(target.url);
  const { clock } = target.deps;
  const telemetryStore = createSqliteStore({ database: counted.database, clock });
  // The chain of a caller is read once in five minutes, beside their request: not counted.
  const chains = createChains(target.deps);
  const app = createApp({ ...target.deps, database: counted.database, telemetryStore, chains });
  const counts: RoundTripCount[] = [];

  async function count(
    operation: string,
    atMost: number,
    { method, path, token, body }: Call,
  ): Promise<string> {
    const headers = new Headers();
    if (token !== undefined) headers.set("Authorization", `Bearer ${token}`);
    if (body !== undefined) headers.set("Content-Type", "application/json");
    const plain = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) };
    const init = await withSudo(target.deps, path, plain);
    counted.takeCount();
    const response = await app.request(path, init, { remoteAddr: { hostname: "192.0.2.1" } });
    const text = await response.text();
    assert.ok(response.ok, `${operation} answered ${response.status}: ${text}`);
    counts.push({ operation, count: counted.takeCount(), atMost });
    return text;
  }

  await runOperations(target, count);
  return counts;
}

/** Runs all kinds of operations in sequence on a new database, each through `count`. */
export async function runOperations(target: TestApp, count: Count): Promise<void> {
  const { userId, roleId } = await target.bootstrapRoot("admin@example.com", "root");
  await target.setPassword(userId, PASSWORD);
  const tokens = await signIn(count);
  await changeGraph(count, tokens.access, roleId);
  await readGraph(count, tokens.access, roleId);
  await changeDevices(count, tokens.access, roleId);
  await setPasswordByInvitation(count, target);
  await endSessions(count, target, { userId, ...tokens });
  await secureAccount(count, target);
}

export type Count = (operation: string, atMost: number, call: Call) => Promise<string>;

async function signIn(count: Count): Promise<{ access: string; refresh: string }> {
  const body = { username: "admin@example.com", password: PASSWORD };
  const first = await count("login", 3, { method: "POST", path: "/auth/login", body });
  const refresh = await count("refresh", 1, callsWith(first)("GET", "/auth/refreshtoken"));
  const access = await count("access token", 1, callsWith(refresh)("GET", "/auth/accesstoken"));
  await count("validate a refresh token", 1, callsWith(refresh)("GET", "/auth/refreshtoken/validate"));
  await count("validate an access token", 1, callsWith(access)("GET", "/auth/accesstoken/validate"));
  return { access, refresh };
}

async function changeGraph(count: Count, token: string, rootId: number): Promise<void> {
  const call = callsWith(token);
  const makeRole = async (operation: string, parentRoleId: number): Promise<Ids> => {
    const body = { manages: ALL_RIGHTS, role: { name: operation, selfRights: ALL_RIGHTS } };
    const path = `/v1/role?parentRoleId=${parentRoleId}`;
    return readIds(await count(operation, 2, call("POST", path, body)));
  };
  const parent = await makeRole("create a role", rootId);
  const child = await makeRole("create a role below it", parent.roleId);
  await makeRole("create a role that a cascade will delete", child.roleId);
  const put = (path: string, mask: number) => call("PUT", path, toRights(mask));
  const pair = `/v1/role/${rootId}/manages?childRoleId=${child.roleId}`;
  const { managesId } = readIds(await count("PUT a relation", 2, put(pair, 63)));
  await count("PUT an equal relation", 2, put(pair, 63));
  const opened = { password: "open sesame, open" };
  await count("set a role's password", 2, call("PUT", `/v1/role/${child.roleId}/password`, opened));
  await count(
    "get what a root uses of its quotas, and of its points",
    2,
    call("GET", `/v1/role/${rootId}/usage`),
  );
  await count("get what is known of a role's password", 1, call("GET", `/v1/role/${child.roleId}/password`));
  await count("a relation's dry run", 3, put(`${pair}&dryRun=true`, 1));
  const policy = `/v1/role/${child.roleId}/authentication-policy`;
  await count("get what a role demands", 1, call("GET", policy));
  await count("set what a role demands", 1, call("PUT", policy, { secondFactor: "none" }));
  const byPassword = `${pair}&childRolePassword=${opened.password}`;
  await count("a relation's dry run by password", 4, put(`${byPassword}&dryRun=true`, 1));
  await count("PUT a relation by password", 3, put(byPassword, 63));
  const byId = `/v1/role/${rootId}/manages/${managesId}`;
  await count("update a relation", 2, put(byId, 1));
  await count("a relation's dry run by its id", 3, put(`${byId}?dryRun=true`, 3));
  const role = { name: "renamed", selfRights: ALL_RIGHTS };
  await count("update a role", 2, call("PUT", `/v1/role/${child.roleId}`, role));
  await count("delete a relation", 2, call("DELETE", byId));
  const member = `/v1/role/${child.roleId}/member`;
  const invited = `${member}?userEmail=invited@example.com`;
  await count("a member's dry run", 5, call("PUT", `${invited}&dryRun=true`, {}));
  const added = await count("add a member", 2, call("PUT", invited, {}));
  await count("remove a member", 2, call("DELETE", `${member}/${JSON.parse(added).member.id}`));
  const keys = `/v1/role/${child.roleId}/key`;
  const made = await count("create a key", 1, call("POST", keys, { name: "Key" }));
  await count("list one's own keys", 1, call("GET", "/user/key"));
  await count("query keys", 1, call("POST", `${keys}/query`, {}));
  const { key, secret } = JSON.parse(made);
  await count("query roles with a key", 1, callsWith(secret)("POST", "/v1/role/query", {}));
  await count("adopt a key", 1, call("POST", `${keys}/${key.id}/adopt`));
  await count("delete a key", 1, call("DELETE", `${keys}/${key.id}`));
  const deletion = `/v1/role/${rootId}/manages/${parent.managesId}`;
  await count("a deletion's dry run", 5, call("DELETE", `${deletion}?dryRun=true`));
  const gone = await count("delete a relation, with its cascade", 2, call("DELETE", deletion));
  assert.equal(JSON.parse(gone).deletedNodeIds.length, 3);
}

async function changeDevices(count: Count, token: string, rootId: number): Promise<void> {
  const call = callsWith(token);
  const body = { properties: { nodeId: "meter" } };
  const made = await count("create a device", 1, call("POST", `/v1/device?roleId=${rootId}`, body));
  const { device, monitors } = JSON.parse(made);
  await count("update a device", 1, call("PUT", `/v1/device/${device.id}`, body));
  await count("query devices", 1, call("POST", "/v1/device/query"));
  // One for the hash, one for the devices.
  const skipping = { skipHash: `${"A".repeat(43)}=` };
  await count("query devices unless they have a hash", 2, call("POST", "/v1/device/query", skipping));
  await count("query companies", 1, call("GET", "/v1/company"));
  await count("query monitors relations", 1, call("POST", "/v1/role/*/monitors/query"));
  const monitored = `/v1/role/${rootId}/monitors`;
  await count("let a role monitor a device", 1, call("PUT", `${monitored}?deviceId=${device.id}`));
  const point = { measurement: "energy", time: 1, tags: { nodeId: "meter" }, fields: { power: 1 } };
  const write = call("POST", "/v1/telemetry?db=plant");
  // Finding out which series are missing, and registering them, takes 3 more.
  await count("write telemetry", 6, { ...write, body: [point] });
  // Once its series are known, one admits the write, and one writes.
  await count("write telemetry", 2, { ...write, body: [point, { ...point, time: 2 }] });
  const query = {
    select: ["power"],
    from: { measurement: "energy", database: "plant" },
    where: { tags: { nodeId: "meter" } },
  };
  const queries = Array<unknown>(1000).fill(query);
  // Before a body of more than 4 KiB is read, one asks for its caller, and before it is parsed, one for their bucket.
  // Then one charges the queries, one finds the rights, one the series, one reads the data, and one charges the points
  // and checks the rights again.
  await count("collect telemetry", 7, call("POST", "/v1/telemetry/query", queries));
  const gone = await count("detach a device", 1, call("DELETE", `${monitored}/${monitors.id}`));
  assert.deepEqual(JSON.parse(gone), { deletedNodeIds: [device.id], deletedRelationIds: [monitors.id] });
}

async function readGraph(count: Count, token: string, rootId: number): Promise<void> {
  const call = callsWith(token);
  const query = (operation: string, path: string, filter?: object): Promise<string> =>
    count(operation, 1, call("POST", path, { ...(filter && { filter }), limit: 1000 }));
  await query("query roles", "/v1/role/query");
  await query("query roles by the beginning of their names", "/v1/role/query", { namePrefix: "é" });
  const around = { id: Array.from({ length: 150 }, (_, i) => rootId + i) };
  await count("summarize roles", 1, call("POST", "/v1/role/summary", around));
  const near = `/v1/role/${rootId}/neighbourhood/query`;
  await count("query what is around a role", 1, call("POST", near, {}));
  const asOf = new Date(START_MS).toISOString();
  await count("query what was around a role", 2, call("POST", near, { asOf }));
  const userEmail = "a@example.com";
  await count("query what is around a role, for a person", 1, call("POST", near, { userEmail }));
  await query("query one role", "/v1/role/query", { id: [rootId] });
  await query("query relations", "/v1/role/*/manages/query");
  await query("query who manages a role", "/v1/role/*/managed-by/query");
  await query("query members", "/v1/role/*/member/query");
  await query("query changes", "/v1/change/query");
  await query("query changes of a role", "/v1/change/query", { roleId: rootId });
  const access = `/v1/role/${rootId}/access/query`;
  await query("query who has access to a role", access);
  await query("query who of two has access to a role", access, { userEmail: ["a", "b"] });
  const during = { from: new Date(START_MS - 1).toISOString(), to: new Date(START_MS).toISOString() };
  await count("query who had access to a role", 1, call("POST", access, { during, limit: 1000 }));
  const reach = (body: object) => call("POST", "/v1/access/query", { ...body, limit: 1000 });
  await count("query what a person has access to", 1, reach({ userEmail }));
  await count("query what a key has access to", 1, reach({ keyId: 1, roleId: [rootId] }));
  const right = (i: number) => RIGHT_NAMES[i % RIGHT_NAMES.length];
  const checks = Array.from({ length: 1000 }, (_, i) => ({ roleId: rootId + i, right: right(i) }));
  const resource = { type: "role", id: String(rootId) };
  const asked = { subject: { type: "user", id: userEmail }, action: { name: "member" }, resource };
  const ask = (path: string, body: object = {}) => call("POST", `/access/v1/${path}`, { ...asked, ...body });
  await count("evaluate", 1, ask("evaluation"));
  // One charges, before the work.
  await count("evaluate 1000 times", 2, ask("evaluations", { evaluations: checks.map(() => ({})) }));
  for (const kind of ["subject", "resource", "action"]) {
    await count(`search for a ${kind}`, 1, ask(`search/${kind}`));
  }
  await count("check 1000 rights", 2, call("POST", "/v1/rights/check", { checks }));
  await count("check 1000 rights of the past", 2, call("POST", "/v1/rights/check", { checks, asOf }));
  const explain = (body: object = {}) =>
    call("POST", "/v1/rights/explain", { roleId: rootId, right: "viewManagement", ...body });
  await count("explain a right", 2, explain());
  await count("explain a right of the past", 2, explain({ asOf }));
  await count("explain a right on an unknown role", 1, explain({ roleId: 123_456 }));
}

async function setPasswordByInvitation(count: Count, target: TestApp): Promise<void> {
  const token = await openInvitation(target, "invited@example.com");
  const body = { token, newPassword: "four grey flying carpets" };
  await count("set a password by a link", 2, { method: "PUT", path: "/user/password/link", body });
}

async function endSessions(
  count: Count,
  target: TestApp,
  { userId, access, refresh }: { userId: number; access: string; refresh: string },
): Promise<void> {
  const other = await target.openSession(userId);
  const call = callsWith(access);
  await count("list sessions", 1, call("GET", "/user/session"));
  await count("end a session", 1, call("DELETE", `/user/session/${other.sessionId}`));
  await count("end all other sessions", 1, call("DELETE", "/user/session"));
  await count("logout", 1, callsWith(refresh)("POST", "/auth/logout"));
}

interface Ids {
  readonly roleId: number;
  readonly managesId: number;
}

function readIds(json: string): Ids {
  const { role, manages } = JSON.parse(json);
  return { roleId: Number(role?.id), managesId: Number(manages?.id) };
}
