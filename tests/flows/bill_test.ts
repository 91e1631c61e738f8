/** What changes are billed agrees with how much the file grows. */
import assert from "node:assert/strict";
import { queryNumber, testApp } from "../helpers/http.ts";
import { bootstrap, invite, type Manages } from "../helpers/person.ts";
import type { TestApp } from "../helpers/test_app.ts";
import { createKey } from "../key/key_scene.ts";
import { DEFAULT_STORE_LIMITS } from "../../src/changes/store_limits.ts";
import { toRights } from "../../src/graph/rights.ts";

const ALL = toRights(63);
const { capacity, drainSeconds } = DEFAULT_STORE_LIMITS.bucket;

/** The bytes that a root has been billed: the clock stands still. */
async function billOf(target: TestApp, branch = ""): Promise<number> {
  const freeAt = await queryNumber(
    target,
    `SELECT coalesce(total(free_at - ${target.clock.now()}), 0) FROM root_usage WHERE branch = '${branch}' AND free_at > 0`,
  );
  return freeAt * capacity / (drainSeconds * 1000);
}

async function sizeOf(target: TestApp): Promise<number> {
  const pages =
    "(SELECT page_count FROM pragma_page_count) - (SELECT freelist_count FROM pragma_freelist_count)";
  return await queryNumber(target, `SELECT ${pages}`) * 4096;
}

/** Makes a change so often that pages even out, and returns the growth and the bill of one. */
async function measure(
  target: TestApp,
  times: number,
  change: (i: number) => Promise<unknown>,
): Promise<{ growth: number; bill: number }> {
  const [size, billed] = [await sizeOf(target), await billOf(target)];
  for (let i = 0; i < times; i++) await change(i);
  return { growth: (await sizeOf(target) - size) / times, bill: (await billOf(target) - billed) / times };
}

/** Returns 128 characters that hardly repeat. */
function longText(i: number): string {
  return Array.from({ length: 4 }, () => crypto.randomUUID().slice(4)).join("").slice(6) +
    String(i).padStart(6, "0");
}

/**
 * The bill is at least most of the growth, and not many times as much. The bounds are wide: keys of indexes are random,
 * and so is when a page is split.
 */
function assertFits(what: string, { growth, bill }: { growth: number; bill: number }): void {
  assert.ok(
    bill > 0.8 * growth && bill < 4 * growth,
    `${what}: ${bill} bytes billed, the file grew by ${growth}`,
  );
}

testApp("a change is billed what it leaves in the file", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  let siteId = rootId;
  for (let i = 0; i < 10; i++) siteId = await admin.create(siteId, `Level ${i}`);
  const roleIds: number[] = [];
  const relationIds: number[] = [];
  await invite(target, admin, siteId, "ann@example.com");
  const relate = (i: number, rights: number) =>
    admin.put<{ manages: Manages }>(
      `/v1/role/${roleIds[0]}/manages?childRoleId=${roleIds[i + 1]}`,
      toRights(rights),
    );
  const memberOf = (i: number) => `/v1/role/${roleIds[i]}/member?userEmail=ann@example.com`;
  const changes: readonly [string, (i: number) => Promise<unknown>][] = [
    ["a new role", async (i) => roleIds.push(await admin.create(siteId, `Some new role ${i}`))],
    ["a rename", (i) => admin.put(`/v1/role/${roleIds[i]}`, { name: `Another name ${i}`, selfRights: ALL })],
    ["a relation", async (i) => relationIds.push((await relate(i, 1)).manages.id)],
    ["a wider relation", (i) => relate(i, 3)],
    ["a membership", (i) => admin.put(memberOf(i))],
    ["a narrower membership", (i) => admin.put(memberOf(i), { rights: toRights(1) })],
    ["a key", (i) => createKey(admin, roleIds[i] ?? 0)],
    [
      "a device",
      (i) =>
        admin.post(`/v1/device?roleId=${roleIds[i]}`, {
          properties: { nodeId: `node ${i}`, name: "A meter" },
        }),
    ],
    [
      "a device with long ids",
      (i) =>
        admin.post(`/v1/device?roleId=${siteId}`, {
          properties: { nodeId: longText(i) },
          externalId: longText(i),
        }),
    ],
    [
      "a role with a long external id",
      (i) =>
        admin.post(`/v1/role?parentRoleId=${siteId}`, {
          manages: ALL,
          role: { name: `Identified ${i}`, selfRights: ALL, externalId: longText(i) },
        }),
    ],
  ];
  await admin.create(siteId, "Last").then((id) => roleIds.unshift(id));
  for (const [what, change] of changes) assertFits(what, await measure(target, 150, change));
  // What comes with one change is billed with it.
  const hubIds: number[] = [];
  for (let i = 0; i < 20; i++) hubIds.push(await admin.create(rootId, `Hub ${i}`));
  const joined = await measure(
    target,
    20,
    (i) => admin.put(`/v1/role/${hubIds[i]}/manages?childRoleId=${siteId}`, ALL),
  );
  assertFits("a relation to many roles", joined);
  assert.ok(joined.bill > 150 * 30, `${joined.bill}`);
  const devices = Array.from(
    { length: 150 },
    (_, i) => ({ properties: { nodeId: `other ${i}`, name: "A meter" } }),
  );
  assertFits(
    "many devices",
    await measure(target, 1, () => admin.post(`/v1/device?roleId=${siteId}`, devices)),
  );
});

testApp("repeated toggles are billed the rows of the log and the history", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const upperId = await admin.create(rootId, "Upper");
  const lowerId = await admin.create(rootId, "Lower");
  for (let i = 0; i < 200; i++) await admin.create(lowerId, `Site ${i}`);
  await invite(target, admin, lowerId, "ann@example.com");
  const pair = `/v1/role/${upperId}/manages?childRoleId=${lowerId}`;
  const join = async () => (await admin.put<{ manages: Manages }>(pair, ALL)).manages.id;
  const first = await measure(target, 1, join);
  assert.ok(first.bill > 200 * 30, `${first.bill}`);
  await admin.delete(`/v1/role/${upperId}/manages/${await admin.relationIdOf(upperId, lowerId)}`);
  const toggles: readonly [string, () => Promise<unknown>][] = [
    ["a relation", async () => admin.delete(`/v1/role/${upperId}/manages/${await join()}`)],
    ["rights of a relation", async () => {
      await admin.put(`/v1/role/${rootId}/manages?childRoleId=${lowerId}`, toRights(1));
      await admin.put(`/v1/role/${rootId}/manages?childRoleId=${lowerId}`, ALL);
    }],
    ["a membership", async () => {
      await admin.put(`/v1/role/${upperId}/member?userEmail=ann@example.com`);
      await admin.delete(
        `/v1/role/${upperId}/member/${await admin.memberIdOf(upperId, "ann@example.com")}`,
      );
    }],
  ];
  for (const [what, toggle] of toggles) {
    const toggled = await measure(target, 200, toggle);
    assertFits(what, toggled);
    assert.ok(toggled.bill < 2000, `${what}: ${toggled.bill}`);
  }
  // A deletion with all below, and its undo.
  const relationId = await admin.relationIdOf(rootId, lowerId);
  const undone = await measure(target, 20, async () => {
    await admin.delete(`/v1/role/${rootId}/manages/${relationId}`);
    await admin.post(`/v1/change/${await queryNumber(target, "SELECT max(rev) FROM change_log")}/undo`);
  });
  assertFits("a deletion that is undone", undone);
});
