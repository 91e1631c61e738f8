import assert from "node:assert/strict";
import { createApp } from "../../src/app.ts";
import { bind } from "../../src/db/statement.ts";
import { openMailParams } from "../../src/mail/outbox.ts";
import { RIGHT_NAMES, toRights } from "../../src/role/rights.ts";
import { createLibsqlStore } from "../../src/telemetry/libsql/libsql_store.ts";
import { secureAccount } from "./account_round_trips.ts";
import { openCounted } from "./round_trips.ts";
import { withSudo } from "../helpers/sudo.ts";
import { openTestApp, START_MS, type TestApp } from "../helpers/test_app.ts";
import { defineStatement } from "../helpers/text_statement.ts";

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

const ALL_RIGHTS = toRights(63);
const PASSWORD = "eleven purple staplers";
const NEW_MAIL = defineStatement(
  `SELECT id, sealed_params AS sealedParams FROM outbox WHERE template = 'invitation' AND recipient = :recipient`,
);

/** Runs every kind of operation on a real server, and counts the requests of each. */
export async function countRoundTrips(): Promise<RoundTripCount[]> {
  await using target = await openTestApp("remote");
  await using counted = await openCounted(target.url);
  const { clock } = target.deps;
  const telemetryStore = createLibsqlStore({ database: counted.database, clock });
  const app = createApp({ ...target.deps, database: counted.database, telemetryStore });
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
  const first = await count("login", 2, { method: "POST", path: "/auth/login", body });
  const refresh = await count("refresh", 1, { method: "GET", path: "/auth/refreshtoken", token: first });
  const access = await count("access token", 1, { method: "GET", path: "/auth/accesstoken", token: refresh });
  await count("validate a refresh token", 1, {
    method: "GET",
    path: "/auth/refreshtoken/validate",
    token: refresh,
  });
  await count("validate an access token", 1, {
    method: "GET",
    path: "/auth/accesstoken/validate",
    token: access,
  });
  return { access, refresh };
}

async function changeGraph(count: Count, token: string, rootId: number): Promise<void> {
  const makeRole = async (operation: string, parentRoleId: number): Promise<Ids> => {
    const body = { manages: ALL_RIGHTS, role: { name: operation, selfRights: ALL_RIGHTS } };
    const path = `/v1/role?parentRoleId=${parentRoleId}`;
    return readIds(await count(operation, 1, { method: "POST", path, token, body }));
  };
  const parent = await makeRole("create a role", rootId);
  const child = await makeRole("create a role below it", parent.roleId);
  await makeRole("create a role that a cascade will delete", child.roleId);
  const put = (path: string, mask: number) => ({ method: "PUT", path, token, body: toRights(mask) });
  const pair = `/v1/role/${rootId}/manages?childRoleId=${child.roleId}`;
  const { managesId } = readIds(await count("PUT a relation", 1, put(pair, 63)));
  await count("PUT an equal relation", 1, put(pair, 63));
  const opened = { password: "open sesame, open" };
  await count("set a role's password", 2, {
    method: "PUT",
    path: `/v1/role/${child.roleId}/password`,
    token,
    body: opened,
  });
  await count("get what a root uses of its quotas", 1, {
    method: "GET",
    path: `/v1/role/${rootId}/usage`,
    token,
  });
  await count("get what is known of a role's password", 1, {
    method: "GET",
    path: `/v1/role/${child.roleId}/password`,
    token,
  });
  await count("a relation's dry run", 2, put(`${pair}&dryRun=true`, 1));
  await count(
    "a relation's dry run by password",
    3,
    put(`${pair}&childRolePassword=${opened.password}&dryRun=true`, 1),
  );
  await count("PUT a relation by password", 2, put(`${pair}&childRolePassword=${opened.password}`, 63));
  await count("update a relation", 1, put(`/v1/role/${rootId}/manages/${managesId}`, 1));
  await count(
    "a relation's dry run by its id",
    2,
    put(`/v1/role/${rootId}/manages/${managesId}?dryRun=true`, 3),
  );
  const role = { name: "renamed", selfRights: ALL_RIGHTS };
  await count("update a role", 1, { method: "PUT", path: `/v1/role/${child.roleId}`, token, body: role });
  await count("delete a relation", 1, {
    method: "DELETE",
    path: `/v1/role/${rootId}/manages/${managesId}`,
    token,
  });
  const member = `/v1/role/${child.roleId}/member`;
  await count("a member's dry run", 3, {
    method: "PUT",
    path: `${member}?userEmail=invited@example.com&dryRun=true`,
    token,
    body: {},
  });
  const added = await count("add a member", 1, {
    method: "PUT",
    path: `${member}?userEmail=invited@example.com`,
    token,
    body: {},
  });
  await count("remove a member", 1, {
    method: "DELETE",
    path: `${member}/${JSON.parse(added).member.id}`,
    token,
  });
  const keys = `/v1/role/${child.roleId}/key`;
  const made = await count("create a key", 1, { method: "POST", path: keys, token, body: { name: "Key" } });
  await count("list one's own keys", 1, { method: "GET", path: "/user/key", token });
  await count("query keys", 1, { method: "POST", path: `${keys}/query`, token, body: {} });
  const { key, secret } = JSON.parse(made);
  // The first request of a key finds its payer, and so does one every five seconds.
  await count("query roles with a key", 2, {
    method: "POST",
    path: "/v1/role/query",
    token: secret,
    body: {},
  });
  await count("delete a key", 1, { method: "DELETE", path: `${keys}/${key.id}`, token });
  const deletion = `/v1/role/${rootId}/manages/${parent.managesId}`;
  await count("a deletion's dry run", 3, { method: "DELETE", path: `${deletion}?dryRun=true`, token });
  const gone = await count("delete a relation, with its cascade", 1, {
    method: "DELETE",
    path: deletion,
    token,
  });
  assert.equal(JSON.parse(gone).deletedNodeIds.length, 3);
}

async function changeDevices(count: Count, token: string, rootId: number): Promise<void> {
  const body = { properties: { nodeId: "meter" } };
  const made = await count("create a device", 1, {
    method: "POST",
    path: `/v1/device?roleId=${rootId}`,
    token,
    body,
  });
  const { device, monitors } = JSON.parse(made);
  await count("update a device", 1, { method: "PUT", path: `/v1/device/${device.id}`, token, body });
  await count("query devices", 1, { method: "POST", path: "/v1/device/query", token });
  // One for the hash, one for the devices.
  await count("query devices unless they have a hash", 2, {
    method: "POST",
    path: "/v1/device/query",
    token,
    body: { skipHash: `${"A".repeat(43)}=` },
  });
  await count("query companies", 1, { method: "GET", path: "/v1/company", token });
  await count("query monitors relations", 1, {
    method: "POST",
    path: "/v1/role/*/monitors/query",
    token,
  });
  await count("let a role monitor a device", 1, {
    method: "PUT",
    path: `/v1/role/${rootId}/monitors?deviceId=${device.id}`,
    token,
  });
  const point = { measurement: "energy", time: 1, tags: { nodeId: "meter" }, fields: { power: 1 } };
  const write = { method: "POST", path: "/v1/telemetry?db=plant", token };
  // Finding out which series are missing, and registering them, takes 3 more.
  await count("write telemetry", 6, { ...write, body: [point] });
  await count("write telemetry", 3, { ...write, body: [point, { ...point, time: 2 }] });
  const query = {
    select: ["power"],
    from: { measurement: "energy", database: "plant" },
    where: { tags: { nodeId: "meter" } },
  };
  const queries = Array<unknown>(1000).fill(query);
  // Before a body of more than 4 KiB is read, one asks for its caller. Then one charges the queries, one finds the
  // rights, one reads the data, and one charges the points and checks the rights again.
  await count("collect telemetry", 5, { method: "POST", path: "/v1/telemetry/query", token, body: queries });
  const gone = await count("detach a device", 1, {
    method: "DELETE",
    path: `/v1/role/${rootId}/monitors/${monitors.id}`,
    token,
  });
  assert.deepEqual(JSON.parse(gone), { deletedNodeIds: [device.id], deletedRelationIds: [monitors.id] });
}

async function readGraph(count: Count, token: string, rootId: number): Promise<void> {
  const query = (operation: string, path: string, filter?: object): Promise<string> =>
    count(operation, 1, { method: "POST", path, token, body: { ...(filter && { filter }), limit: 1000 } });
  await query("query roles", "/v1/role/query");
  await query("query roles by the beginning of their names", "/v1/role/query", { namePrefix: "é" });
  const around = { id: Array.from({ length: 150 }, (_, i) => rootId + i) };
  await count("summarize roles", 1, { method: "POST", path: "/v1/role/summary", token, body: around });
  const near = { method: "POST", path: `/v1/role/${rootId}/neighbourhood/query`, token };
  await count("query what is around a role", 1, { ...near, body: {} });
  await count("query what is around a role, for a person", 1, {
    ...near,
    body: { userEmail: "a@example.com" },
  });
  await query("query one role", "/v1/role/query", { id: [rootId] });
  await query("query relations", "/v1/role/*/manages/query");
  await query("query who manages a role", "/v1/role/*/managed-by/query");
  await query("query members", "/v1/role/*/member/query");
  await query("query changes", "/v1/change/query");
  await query("query changes of a role", "/v1/change/query", { roleId: rootId });
  await query("query who has access to a role", `/v1/role/${rootId}/access/query`);
  await query("query who of two has access to a role", `/v1/role/${rootId}/access/query`, {
    userEmail: ["a", "b"],
  });
  const reach = { method: "POST", path: "/v1/access/query", token };
  await count("query what a person has access to", 1, {
    ...reach,
    body: { userEmail: "a@example.com", limit: 1000 },
  });
  await count("query what a key has access to", 1, {
    ...reach,
    body: { keyId: 1, roleId: [rootId], limit: 1000 },
  });
  const checks = Array.from({ length: 1000 }, (_, i) => ({
    roleId: rootId + i,
    right: RIGHT_NAMES[i % RIGHT_NAMES.length],
  }));
  const resource = { type: "role", id: String(rootId) };
  const asked = { subject: { type: "user", id: "a@example.com" }, action: { name: "member" }, resource };
  const ask = (path: string, body: object = {}) => ({
    method: "POST",
    path: `/access/v1/${path}`,
    token,
    body: { ...asked, ...body },
  });
  await count("evaluate", 1, ask("evaluation"));
  // One charges, before the work.
  await count("evaluate 1000 times", 2, ask("evaluations", { evaluations: checks.map(() => ({})) }));
  for (const kind of ["subject", "resource", "action"]) {
    await count(`search for a ${kind}`, 1, ask(`search/${kind}`));
  }
  await count("check 1000 rights", 2, { method: "POST", path: "/v1/rights/check", token, body: { checks } });
  const asOf = new Date(START_MS).toISOString();
  const past = { checks, asOf };
  await count("check 1000 rights of the past", 2, {
    method: "POST",
    path: "/v1/rights/check",
    token,
    body: past,
  });
  const explain = { method: "POST", path: "/v1/rights/explain", token };
  const body = { roleId: rootId, right: "viewManagement" };
  await count("explain a right", 2, { ...explain, body });
  await count("explain a right of the past", 2, { ...explain, body: { ...body, asOf } });
  await count("explain a right on an unknown role", 1, { ...explain, body: { ...body, roleId: 123_456 } });
}

async function setPasswordByInvitation(count: Count, { database, deps }: TestApp): Promise<void> {
  const [mail] = await database.read<{ id: string; sealedParams: string }>(
    bind(NEW_MAIL, { recipient: "invited@example.com" }),
  );
  assert.ok(mail !== undefined, "no invitation was written");
  const { link = "" } = await openMailParams(deps.secrets, mail.id, mail.sealedParams);
  const body = { token: link.split("#token=")[1], newPassword: "four grey flying carpets" };
  await count("set a password by a link", 2, { method: "PUT", path: "/user/password/link", body });
}

async function endSessions(
  count: Count,
  target: TestApp,
  { userId, access, refresh }: { userId: number; access: string; refresh: string },
): Promise<void> {
  const other = await target.openSession(userId);
  await count("list sessions", 1, { method: "GET", path: "/user/session", token: access });
  await count("end a session", 1, {
    method: "DELETE",
    path: `/user/session/${other.sessionId}`,
    token: access,
  });
  await count("end all other sessions", 1, { method: "DELETE", path: "/user/session", token: access });
  await count("logout", 1, { method: "POST", path: "/auth/logout", token: refresh });
}

interface Ids {
  readonly roleId: number;
  readonly managesId: number;
}

function readIds(json: string): Ids {
  const { role, manages } = JSON.parse(json);
  return { roleId: Number(role?.id), managesId: Number(manages?.id) };
}
