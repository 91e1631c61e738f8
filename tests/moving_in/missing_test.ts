/** Imports that delete what their files do not name. */
import assert from "node:assert/strict";
import fc from "fast-check";
import type { Database } from "../../src/db/database.ts";
import { ANY_KIND, forEachDatabase, openTestDatabase, testOn } from "../helpers/databases.ts";
import { assertSoundGraph } from "../helpers/sound_graph.ts";
import {
  assertSound,
  clear,
  file,
  type Files,
  importAll,
  read,
  roleFile,
  roleIdsOf,
  type Rows,
  smallPlatform,
} from "./platform.ts";

/** What the database holds of roles, relations, memberships and open places of devices, by external ids. */
async function readPlatform(database: Database): Promise<unknown[][][]> {
  const tables = [
    "SELECT external_id, name, self_rights FROM role ORDER BY 1",
    `SELECT p.external_id, c.external_id AS child, m.rights FROM manages m
     JOIN role p ON p.id = m.parent_id JOIN role c ON c.id = m.child_id ORDER BY 1, 2`,
    `SELECT r.external_id, u.email FROM member m
     JOIN role r ON r.id = m.role_id JOIN user_account u ON u.id = m.user_id ORDER BY 1, 2`,
    `SELECT d.external_id, r.external_id AS role FROM monitors m JOIN device d ON d.id = m.device_id
     JOIN role r ON r.id = m.role_id WHERE m.valid_until IS NULL ORDER BY 1, 2`,
  ];
  return await Promise.all(tables.map((sql) => read(database, sql)));
}

/** Rows of the table but for those that begin with one of the cells. */
function without(rows: Rows, ...cells: string[]): Rows {
  return rows.filter(([first = ""]) => !cells.includes(first));
}

forEachDatabase(
  "what the files do not name is deleted, and each deletion is in the log",
  async (database) => {
    const { roles, people, members, devices } = smallPlatform();
    const id = roleIdsOf(await importAll(database, { roles, people, members, devices }));
    // An installer goes with its sites, and what is between roles that stay goes, too.
    const later: Files = {
      roles: without(roles, "be1", "be1.1", "be1.2", "be1.3").map((row) => {
        const [key = "", name = "", , ...rest] = row;
        return key === "nl1.3" || key === "be2.3" ? [key, name, key.slice(0, 3), ...rest] : row;
      }),
      members: without(members, "be1", "be1.1", "be1.2", "be1.3", "nl2"),
      devices: without(devices, "node-be1.1", "node-be1.2", "node-be1.3", "node-nl1.1").map((row) =>
        row[0] === "node-nl1.2" ? ["node-nl1.2", "nl1.2", "dev-nl1.2", ...row.slice(3)] : row
      ),
    };
    const options = { now: 2_000, runId: "later", deletesMissing: true };
    const { removals, left } = await importAll(database, later, options);
    assert.deepEqual(left, []);
    const listed = [...Map.groupBy(removals, ({ kind }) => kind)].map(([kind, { length }]) => [kind, length]);
    assert.deepEqual(Object.fromEntries(listed), {
      "membership": 1,
      "ended place": 1,
      "deleted place": 3,
      "relation": 2,
      // Two relations enter one of the four.
      "role": 5,
    });
    assert.deepEqual(
      removals.filter(({ kind }) => kind === "membership" || kind === "relation").map(({ text }) => text),
      [
        `nl2@moving.example in role #${id("nl2")} "Installer 2"`,
        `role #${id("nl2")} manages role #${id("nl1.3")} "Site 3"`,
        `role #${id("be1")} manages role #${id("be2.3")} "Site 3"`,
      ],
    );
    await assertSound(database);
    await using fresh = await openTestDatabase("file");
    await importAll(fresh.database, { ...later, people });
    assert.deepEqual(await readPlatform(database), await readPlatform(fresh.database));
    // The account stays, and so does the past of the device that ended.
    const accounts = await read(database, "SELECT count(*) FROM user_account WHERE id > 0");
    assert.deepEqual(accounts, [[people.length - 1]]);
    const past =
      "SELECT m.valid_until FROM monitors m JOIN device d ON d.id = m.device_id WHERE d.node_id = 'node-nl1.1'";
    assert.deepEqual(await read(database, past), [[2_000]]);
    const logged =
      `SELECT kind, count(*) FROM change_log WHERE session_id = 'import:later' GROUP BY kind ORDER BY kind`;
    assert.deepEqual(await read(database, logged), [
      ["manages.delete", 7],
      ["manages.put", 1],
      ["member.remove", 1],
      ["monitors.remove", 3],
      ["monitors.update", 1],
    ]);
    const again = await importAll(database, later, { now: 3_000, deletesMissing: true });
    assert.deepEqual(again.removals, []);
  },
);

forEachDatabase("what no other system brought stays, and keeps the roles above it", async (database) => {
  const { roles, people, members, devices } = smallPlatform();
  const id = roleIdsOf(await importAll(database, { roles, people, members, devices }));
  // A room that has no external id, and a device without one in another site.
  await importAll(database, {
    roles: roleFile("room,Room,,all,all,"),
    devices: file("nodeId,role", "made by hand,crm-nl1.2"),
  }, { underId: id("nl1.1"), outside: true });
  const gone = ["nl1.1", "nl1.2", "root"];
  const { removals, left } = await importAll(database, {
    roles: without(roles, "nl1.1", "nl1.2"),
    members: without(members, ...gone),
    devices: without(devices, "node-nl1.1", "node-nl1.2"),
  }, { deletesMissing: true });
  const kinds = removals.map(({ kind }) => kind);
  assert.deepEqual(kinds, ["membership", "deleted place", "deleted place", "role", "role"]);
  assert.deepEqual(left.map((text) => text.replace(/#\d+/, "#N")), [
    'root@moving.example in role #N "Platform": it is the last that keeps the root role',
    'role #N "Site 1", externalId "crm-nl1.1": roles or devices below it would go that the preview did not list',
    'role #N "Site 2", externalId "crm-nl1.2": roles or devices below it would go that the preview did not list',
  ]);
  await assertSound(database);
  const kept = "SELECT count(*) FROM role WHERE name = 'Room' OR external_id IN ('crm-nl1.1', 'crm-nl1.2')";
  assert.deepEqual(await read(database, kept), [[3]]);
});

/** The parents of each role of a few, earlier ones, or undefined for one that is not there. The first is the root. */
const hierarchy = fc.array(
  fc.option(fc.array(fc.nat(), { minLength: 1, maxLength: 3 }), { nil: undefined, freq: 3 }),
  { minLength: 6, maxLength: 6 },
);

/** Files of a hierarchy: each role has a member and a device, which some of its parents monitor, too. */
function filesOf(drafts: readonly (readonly number[] | undefined)[]): Files {
  const present = [0, ...drafts.flatMap((draft, i) => draft === undefined ? [] : [i + 1])];
  const parentsOf = (i: number): number[] => {
    const earlier = present.filter((other) => other < i);
    return [...new Set((drafts[i - 1] ?? []).map((pick) => earlier[pick % earlier.length] ?? 0))];
  };
  const roles = present.map((i) => {
    const parents = parentsOf(i).map((j, n) => n === 0 ? `k${j}` : `k${j}=viewManagement`);
    return `k${i},Role ${i},${parents.join("|")},all,all,x${i}`;
  });
  const places = present.map((i) => [i, ...parentsOf(i).slice(1)].map((j) => `k${j}`).join("|"));
  return {
    roles: roleFile(...roles),
    people: file("email", ...present.map((i) => `p${i}@moving.example`)),
    members: file("role,person", ...present.map((i) => `k${i},p${i}@moving.example`)),
    devices: file("nodeId,role,externalId", ...present.map((i, n) => `n${i},${places[n]},d${i}`)),
  };
}

testOn(ANY_KIND, "files that replace others leave what they name, as if alone", async (database) => {
  const pairs = fc.asyncProperty(hierarchy, hierarchy, async (before, after) => {
    await clear(database);
    await importAll(database, filesOf(after));
    const expected = await readPlatform(database);
    await clear(database);
    await importAll(database, filesOf(before));
    const { left } = await importAll(database, filesOf(after), { now: 2_000, deletesMissing: true });
    assert.deepEqual(left, []);
    assert.deepEqual(await readPlatform(database), expected);
    await assertSoundGraph({ database });
  });
  await fc.assert(pairs, { numRuns: 30 });
});
