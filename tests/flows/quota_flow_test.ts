/** Limits of storage below one root, in all and for each caller below it. */
import assert from "node:assert/strict";
import { createApp } from "../../src/app.ts";
import { bind } from "../../src/db/statement.ts";
import { createKey } from "../../src/key/key_service.ts";
import type { StoreLimits } from "../../src/changes/store_limits.ts";
import { type Rights, toRights } from "../../src/graph/rights.ts";
import type { DatabaseKind } from "../helpers/databases.ts";
import { type Answer, assertError, DENIED, forEachApp, query, queryNumber } from "../helpers/http.ts";
import { bootstrap, invite, type Manages, Person, type Role } from "../helpers/person.ts";
import { daysAfter } from "../key/key_scene.ts";
import { openTestApp, requestsTo, type TestApp } from "../helpers/test_app.ts";
import { ADMIN, type Created } from "../every_operation/request_catalogue.ts";
import { defineStatement } from "../helpers/text_statement.ts";
import { fifty, statusesOf } from "./concurrency_services.ts";

const TOO_MANY_ROLES =
  "The quota of roles (QUOTA_ROLES) is used up: delete roles that are not needed, or ask the administrator";
const TOO_MANY_DEVICES =
  "The quota of devices (QUOTA_DEVICES) is used up: delete devices that are not needed, or ask the administrator";
const FULL =
  "Changes have stored as much as they may for now (CHANGE_BUCKET): wait, or ask the administrator for more";
const ALL = toRights(63);
const SMALL = { capacity: 100_000, drainSeconds: 100 };
const FILLED = "0123456789".repeat(20);

function openWith(limits: Partial<StoreLimits>): (kind: DatabaseKind) => Promise<TestApp> {
  const bucket = { capacity: 1_000_000_000, drainSeconds: 86_400 };
  return (kind) =>
    openTestApp(kind, {
      storeLimits: { roles: 1000, devices: 1000, bucket, trashDays: 0, provisionPerDay: 1000, ...limits },
    });
}

const askForDevice = (person: Person, roleId: number, nodeId: string) =>
  person.ask("POST", `/v1/device?roleId=${roleId}`, { properties: { nodeId } });

function after(target: TestApp, days: number): string {
  return daysAfter(target.clock.now(), days);
}

/** A root of its own with its first member. */
async function rootOf(target: TestApp, name: string): Promise<{ person: Person; roleId: number }> {
  const { userId, roleId } = await target.bootstrapRoot(`${name}@example.com`, name);
  return { person: new Person(target, await target.accessToken(userId)), roleId };
}

/** Lets a role in below another by its password. */
async function letIn(
  { owner, childId, rights = ALL }: { owner: Person; childId: number; rights?: Rights },
  taker: Person,
  parentId: number,
): Promise<void> {
  const password = "a password of a role";
  await owner.put(`/v1/role/${childId}/password`, { password, rights });
  const headers = { "X-Child-Role-Password": password };
  const path = `/v1/role/${parentId}/manages?childRoleId=${childId}`;
  assert.equal((await taker.ask("PUT", path, rights, { headers })).status, 200);
}

/** Makes roles with long names until the bucket is full. Returns how many. */
async function fill(person: Person, roleId: number): Promise<number> {
  for (let made = 0;; made++) if ((await person.askToCreate(roleId, FILLED)).status !== 200) return made;
}

async function keyOf(target: TestApp, roleId: number): Promise<Person> {
  return new Person(target, (await createKey(target.deps, "administrator", { roleId, name: "key" })).secret);
}

forEachApp("a root has as many roles and devices as its quotas allow", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const { manages, role } = (await admin.askToCreate(rootId, "More")).body as Created;
  for (let i = 0; i < 3; i++) await admin.create(role.id, `Site ${i}`);
  for (let i = 0; i < 2; i++) assert.equal((await askForDevice(admin, role.id, `node ${i}`)).status, 200);
  assertError(await admin.askToCreate(rootId, "More"), 409, TOO_MANY_ROLES);
  assertError(await askForDevice(admin, rootId, "node 3"), 409, TOO_MANY_DEVICES);
  const taken = await queryNumber(target, "SELECT max(last_id) FROM id_sequence WHERE name = 'node'");
  assert.equal(taken, 7, "a refused creation takes no id");
  const usage = await admin.get<Record<string, unknown>>(`/v1/role/${rootId}/usage`);
  assert.equal(usage["of"], "root");
  assert.deepEqual([usage["roles"], usage["devices"]], [{ used: 4, allowed: 4 }, { used: 2, allowed: 2 }]);
  await admin.delete(`/v1/role/${rootId}/manages/${manages.id}`);
  await admin.create(rootId, "Again");
  assert.equal((await askForDevice(admin, rootId, "node 3")).status, 200);
}, openWith({ roles: 4, devices: 2 }));

forEachApp("a person and all whom they brought share an eighth of the root's quotas", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const deptId = await admin.create(rootId, "Department");
  const person = await invite(target, admin, deptId, "below@example.com");
  for (let i = 0; i < 2; i++) {
    assert.equal((await person.askToCreate(deptId, "More")).status, 200);
    assert.equal((await askForDevice(person, deptId, `below ${i}`)).status, 200);
  }
  assertError(await person.askToCreate(deptId, "More"), 409, TOO_MANY_ROLES);
  assertError(await askForDevice(person, deptId, "below 2"), 409, TOO_MANY_DEVICES);
  const brought = await invite(target, person, deptId, "brought@example.com");
  assertError(await brought.askToCreate(deptId, "More"), 409, TOO_MANY_ROLES);
  const beside = await invite(target, admin, deptId, "beside@example.com");
  assert.equal((await beside.askToCreate(deptId, "More")).status, 200, "another branch");
  const { of, roles, devices } = await person.get<Record<string, unknown>>(`/v1/role/${deptId}/usage`);
  const share = { used: 2, allowed: 2 };
  assert.deepEqual([of, roles, devices], ["caller", share, share]);
  assertError(await person.ask("GET", `/v1/role/${rootId}/usage`), 403, DENIED);
  assertError(await admin.ask("GET", `/v1/role/${deptId}/usage`), 403, DENIED);
  // The same role, for a member of the root, and for a key of the root.
  const program = await keyOf(target, rootId);
  for (let i = 0; i < 3; i++) {
    assert.equal((await admin.askToCreate(deptId, "More")).status, 200);
    assert.equal((await program.askToCreate(deptId, "More")).status, 200);
  }
  // Once they are a member of the root, its whole quota is open to them.
  await admin.put(`/v1/role/${rootId}/member?userEmail=below@example.com`);
  assert.equal((await person.askToCreate(deptId, "More")).status, 200);
}, openWith({ roles: 16, devices: 16 }));

forEachApp("a root let in above others without roleManagement neither pays nor blocks", async (target) => {
  const { admin: installer, rootId: installerId } = await bootstrap(target);
  const { person: customer, roleId: customerId } = await rootOf(target, "customer");
  const siteId = await customer.create(customerId, "Site");
  const nestedId = await customer.create(siteId, "Nested");
  const staff = await invite(target, customer, nestedId, "staff@example.com");
  for (const childId of [siteId, customerId]) {
    await letIn({ owner: customer, childId, rights: toRights(8) }, installer, installerId);
  }
  while ((await installer.askToCreate(installerId, "More")).status === 200);
  assertError(await installer.askToCreate(installerId, "More"), 409, TOO_MANY_ROLES);
  assert.equal((await staff.askToCreate(nestedId, "More")).status, 200, "the customer's root pays");
  assertError(await installer.ask("GET", `/v1/role/${customerId}/usage`), 403, DENIED);
  const { roles } = await customer.get<{ roles: unknown }>(`/v1/role/${customerId}/usage`);
  assert.deepEqual(roles, { used: 3, allowed: 16 });
}, openWith({ roles: 16 }));

forEachApp("bootstrapping a root and the administrator's key task charge no root", async (target) => {
  const { rootId } = await bootstrap(target);
  await keyOf(target, rootId);
  assert.equal(await queryNumber(target, "SELECT count(*) FROM root_usage"), 0);
});

forEachApp("of fifty creations over two apps as many succeed as the quota has left", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const request = requestsTo(createApp({ ...target.deps }));
  const elsewhere = new Person({ request }, admin.accessToken);
  const answers = await fifty((i) => (i % 2 === 0 ? admin : elsewhere).askToCreate(rootId, `Role ${i}`));
  assert.deepEqual(statusesOf(answers), { 200: 17, 409: 33 });
  assert.equal(await queryNumber(target, "SELECT count(*) FROM role"), 18);
}, openWith({ roles: 17 }));

const FILL_BUCKET = defineStatement(`
  INSERT INTO root_usage (root_id, branch, free_at) VALUES (:rootId, '', :freeAt)
  ON CONFLICT (root_id, branch) DO UPDATE SET free_at = excluded.free_at`);

forEachApp("a relation is charged to the root through which its actor may make it", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const { person: customer, roleId: customerId } = await rootOf(target, "customer");
  await customer.put(`/v1/role/${customerId}/member?userEmail=${ADMIN}`);
  const siteId = await customer.create(customerId, "Site");
  const meterId = await customer.create(customerId, "Meter");
  await letIn({ owner: customer, childId: siteId }, admin, rootId);
  // The administrator manages the site through both roots, and the meter through the customer's alone.
  const freeAt = target.clock.now() + 2 * SMALL.drainSeconds * 1000;
  await target.database.write([bind(FILL_BUCKET, { rootId, freeAt })]);
  const pair = `/v1/role/${siteId}/manages?childRoleId=${meterId}`;
  const { manages } = await admin.put<{ manages: Manages }>(pair, toRights(8));
  const byId = `/v1/role/${siteId}/manages/${manages.id}`;
  assert.equal((await admin.ask("PUT", byId, toRights(24))).status, 200);
  await target.database.write([bind(FILL_BUCKET, { rootId: customerId, freeAt })]);
  assertError(await admin.ask("PUT", byId, ALL), 429, FULL);
  assert.equal((await admin.ask("PUT", byId, toRights(8))).status, 200);
}, openWith({ bucket: SMALL }));

forEachApp("a full bucket refuses additions with the time to wait, and permits removals", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const deptId = await admin.create(rootId, "Department");
  const person = await invite(target, admin, deptId, "below@example.com");
  const guest = await invite(target, admin, deptId, "guest@example.com");
  const childId = await admin.create(deptId, "Child");
  const name = (i: number): string => `${FILLED} ${i}`;
  const rename = (by: Person, i: number) =>
    by.ask("PUT", `/v1/role/${childId}`, { name: name(i), selfRights: ALL });
  let made = 0;
  while ((await rename(person, made)).status === 200) made++;
  assert.ok(made >= 2 && made < 12, `${made} renames are an eighth`);
  const refused = await rename(person, made);
  assertError(refused, 429, FULL);
  target.clock.advance(1);
  const waitOf = ({ headers }: Answer): number => Number(headers.get("Retry-After"));
  const sooner = waitOf(refused) - waitOf(await rename(person, made));
  assert.equal(sooner, 1, "also in the minute of the first refusal");
  assert.equal((await rename(admin, 1000)).status, 200, "the root has more");
  // A change that only takes rights or rows away is never refused.
  const pair = `/v1/role/${deptId}/manages?childRoleId=${childId}`;
  const { manages } = await person.put<{ manages: Manages }>(pair, toRights(1));
  assertError(await person.ask("PUT", pair, ALL), 429, FULL);
  const guestId = await person.memberIdOf(deptId, "guest@example.com");
  await person.delete(`/v1/role/${deptId}/member/${guestId}`);
  assert.equal((await guest.ask("GET", `/v1/role/${deptId}/usage`)).status, 403);
  await person.delete(`/v1/role/${deptId}/manages/${manages.id}`);
  const wait = waitOf(await person.askToCreate(deptId, "More"));
  target.clock.advance(wait - 1);
  assertError(await person.askToCreate(deptId, "More"), 429, FULL);
  target.clock.advance(1);
  assert.equal((await person.askToCreate(deptId, "More")).status, 200);
  // A refusal leaves at most a counted row.
  const before = await queryNumber(target, "SELECT count(*) FROM change_log");
  while ((await person.askToCreate(deptId, "More")).status === 200);
  for (let i = 0; i < 20; i++) assertError(await person.askToCreate(deptId, "More"), 429, FULL);
  const accepted = "SELECT count(*) FROM change_log WHERE decision <> 'too_much_stored'";
  const after = await queryNumber(target, accepted);
  const rows = await queryNumber(target, "SELECT count(*) FROM change_log");
  assert.ok(rows - after <= 3 && after - before < 12, `${rows - after} rows of refusals`);
}, openWith({ bucket: SMALL }));

forEachApp("a root that its members have filled stops callers below it, too", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const deptId = await admin.create(rootId, "Department");
  const person = await invite(target, admin, deptId, "below@example.com");
  const made = await fill(admin, deptId);
  assert.ok(made > 30 && made < 90, `${made} roles of ${FILLED.length} characters fill 150 kB`);
  assertError(await person.askToCreate(deptId, "More"), 429, FULL);
  target.clock.advance(SMALL.drainSeconds);
  assert.equal((await person.askToCreate(deptId, "More")).status, 200);
}, openWith({ bucket: SMALL }));

forEachApp("branches that fill what they may leave an eighth to the members of the root", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const deptId = await admin.create(rootId, "Department");
  const branches: [Person, Person][] = [];
  for (let i = 0; i < 9; i++) {
    const person = await invite(target, admin, deptId, `below${i}@example.com`);
    branches.push([person, await invite(target, person, deptId, `brought${i}@example.com`)]);
  }
  const made: number[] = [];
  for (const [person, brought] of branches) {
    made.push(await fill(person, deptId));
    assert.equal(await fill(brought, deptId), 0, "they have no part of their own");
  }
  const [first = 0, ...others] = made;
  assert.ok(first > 3 && others.slice(0, 5).every((n) => Math.abs(n - first) <= 1), `${made}`);
  assert.ok(others.slice(-2).every((n) => n <= 1), `${made}: seven branches have all that branches may`);
  const { changes } = await admin.get<{ changes: { used: number; allowed: number } }>(
    `/v1/role/${rootId}/usage`,
  );
  const share = changes.used / changes.allowed;
  assert.ok(share > 0.87 && share < 0.93, `${share}`);
  // What they take away is never refused, and does not fill what they leave either.
  const [[remover] = []] = branches;
  await remover?.delete(
    `/v1/role/${deptId}/member/${await admin.memberIdOf(deptId, "brought0@example.com")}`,
  );
  const after = await admin.get<{ changes: unknown }>(`/v1/role/${rootId}/usage`);
  assert.deepEqual(after.changes, changes);
  assert.ok(await fill(admin, deptId) >= 1);
}, openWith({ bucket: { ...SMALL, capacity: 400_000 } }));

forEachApp("with a full bucket a membership can be narrowed, and can get an end once", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  await invite(target, admin, rootId, "guest@example.com");
  const path = `/v1/role/${rootId}/member?userEmail=guest@example.com`;
  await fill(admin, rootId);
  assert.equal((await admin.ask("PUT", path, { rights: toRights(1) })).status, 200);
  assertError(await admin.ask("PUT", path, { rights: ALL }), 429, FULL);
  assertError(await admin.ask("PUT", path.replace("guest", "new"), {}), 429, FULL);
  assert.equal((await admin.ask("PUT", path, { until: after(target, 20) })).status, 200);
  for (const days of [10, 30]) {
    assertError(await admin.ask("PUT", path, { until: after(target, days) }), 429, FULL);
  }
}, openWith({ bucket: SMALL }));

forEachApp("with a full bucket a monitors relation can get an end once", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const siteId = await admin.create(rootId, "Site");
  const { device } = (await askForDevice(admin, rootId, "node")).body as { device: { id: number } };
  const put = (period: Readonly<Record<string, string>>) =>
    admin.ask("PUT", `/v1/role/${siteId}/monitors?deviceId=${device.id}`, period);
  assert.equal((await put({})).status, 200);
  await fill(admin, rootId);
  assertError(await put({ from: after(target, 1) }), 429, FULL);
  assert.equal((await put({ until: after(target, 20) })).status, 200);
  assertError(await put({ until: after(target, 10) }), 429, FULL);
}, openWith({ bucket: SMALL }));

forEachApp("all whom another root brought share an eighth of the root that pays", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const { person: other, roleId: otherId } = await rootOf(target, "other");
  const deptId = await admin.create(rootId, "Department");
  const beside = await invite(target, admin, deptId, "beside@example.com");
  const siteId = await other.create(otherId, "Site");
  const ann = await invite(target, other, siteId, "ann@example.com");
  const bob = await invite(target, other, siteId, "bob@example.com");
  await admin.put(`/v1/role/${deptId}/member?userEmail=other@example.com`);
  await letIn({ owner: other, childId: siteId }, other, deptId);
  for (let i = 0; i < 2; i++) assert.equal((await ann.askToCreate(siteId, "More")).status, 200);
  for (const person of [ann, bob]) {
    assertError(await person.askToCreate(siteId, "More"), 409, TOO_MANY_ROLES);
    const { roles } = await person.get<{ roles: unknown }>(`/v1/role/${siteId}/usage`);
    assert.deepEqual(roles, { used: 2, allowed: 2 });
  }
  // A removal is billed to the same branch.
  await bob.delete(`/v1/role/${siteId}/member/${await other.memberIdOf(siteId, "ann@example.com")}`);
  const branches = await query(
    target,
    `SELECT DISTINCT counted_for AS branch FROM change_log WHERE role_id = ${siteId} AND counted_to = ${rootId}
      AND kind = 'member.remove'`,
  );
  assert.deepEqual(branches, [{ branch: `root ${otherId}` }]);
  assert.equal((await beside.askToCreate(deptId, "More")).status, 200);
}, openWith({ roles: 16 }));

forEachApp("equal noops share a row a minute, and each gets the response for its role", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const roles = [[await admin.create(rootId, "A"), "A"], [await admin.create(rootId, "B"), "B"]];
  const before = await queryNumber(target, "SELECT count(*) FROM change_log");
  for (let i = 0; i < 100; i++) {
    const answers = await Promise.all(
      roles.map(([id, name]) => admin.put<{ role: Role }>(`/v1/role/${id}`, { name, selfRights: ALL })),
    );
    assert.deepEqual(answers.map(({ role: { id, name } }) => [id, name]), roles);
  }
  assert.equal(await queryNumber(target, "SELECT count(*) FROM change_log") - before, 2);
  const attempts = "SELECT max(attempts) FROM change_log WHERE decision = 'noop'";
  assert.equal(await queryNumber(target, attempts), 100);
});

forEachApp("a creation repeated beyond sixty targets in a minute gets its own response", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const made = [];
  for (let i = 0; i < 70; i++) {
    const sent = { headers: { "Idempotency-Key": `key ${i}` } };
    const create = () => admin.askToCreate(rootId, `Role ${i}`, sent);
    made.push({ create, text: (await create()).text });
  }
  for (const { create, text } of made) assert.equal((await create()).text, text);
});

forEachApp("a deletion costs its devices and keys, too, and refused ones share a row", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const made = (await admin.askToCreate(rootId, "Full")).body as Created;
  const path = `/v1/role/${rootId}/manages/${made.manages.id}`;
  for (let i = 0; i < 10; i++) await keyOf(target, made.role.id);
  for (let i = 0; i < 10; i++) await askForDevice(admin, made.role.id, `node ${i}`);
  const { effect } = await admin.delete<{ effect?: unknown }>(`${path}?dryRun=true`);
  assert.ok(effect, "twenty of them fit");
  for (let i = 0; i < 10; i++) await keyOf(target, made.role.id);
  const before = await queryNumber(target, "SELECT count(*) FROM change_log");
  for (let i = 0; i < 20; i++) {
    const answer = await admin.ask("DELETE", path);
    assert.equal(answer.status, 422);
    assert.match(answer.text, /about 1[0-9]{2} pairs of roles, more than the 100 allowed/);
  }
  assert.equal(await queryNumber(target, "SELECT count(*) FROM change_log") - before, 1);
  const [last] = await query(
    target,
    "SELECT attempts, gone_relation_ids AS gone FROM change_log ORDER BY rev DESC LIMIT 1",
  );
  assert.deepEqual(last, { attempts: 20, gone: null });
  assert.equal(await queryNumber(target, "SELECT count(*) FROM device"), 10);
}, (kind) => openTestApp(kind, { maxClosureChange: 100 }));
