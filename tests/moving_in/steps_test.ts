/** New roles are written in several steps, as on a server, and an import that broke off is completed. */
import assert from "node:assert/strict";
import fc from "fast-check";
import type { Database } from "../../src/db/database.ts";
import { forEachDatabase, testOn } from "../helpers/databases.ts";
import { assertSoundGraph } from "../helpers/sound_graph.ts";
import {
  clear,
  file,
  type Files,
  importAll,
  importFiles,
  read,
  ROLE_HEADER,
  roleFile,
  type Rows,
  smallPlatform,
} from "./platform.ts";

/** Roles by their names, which are unique here, with their relations and all rights that result. */
async function readHierarchy(database: Database): Promise<unknown[][][]> {
  const tables = [
    "SELECT name, self_rights, is_root, external_id FROM role ORDER BY name",
    `SELECT p.name, c.name, m.rights FROM manages m JOIN role p ON p.id = m.parent_id
      JOIN role c ON c.id = m.child_id ORDER BY 1, 2`,
    `SELECT a.name, d.name, c.rights FROM role_closure c JOIN role a ON a.id = c.ancestor_id
      JOIN role d ON d.id = c.descendant_id ORDER BY 1, 2`,
  ];
  return await Promise.all(tables.map((sql) => read(database, sql)));
}

const ABOVE = roleFile(
  "root,Root,,all,all,x-root",
  "top,Top,root,roleManagement|viewManagement,all,x-top",
  "side,Side,root,all,all,x-side",
);

/** Rows in any order: each role has earlier ones, the top, or a role of the database for parents. */
const hierarchy = fc.array(
  fc.record({
    place: fc.nat(),
    picks: fc.array(fc.nat(), { minLength: 1, maxLength: 3 }),
    isTop: fc.boolean(),
    hasSide: fc.boolean(),
    hasId: fc.boolean(),
  }),
  { minLength: 4, maxLength: 14 },
).map((drafts): Rows => {
  const rows = drafts.map(({ place, picks, isTop, hasSide, hasId }, i) => {
    const parents = i === 0 ? [] : [...new Set(picks.map((pick) => `k${pick % i}`))];
    const entries = parents.map((key, n) => n === 0 ? key : `${key}=viewManagement+alarmManagement`);
    const outside = hasSide ? ["x-side=reportManagement"] : [];
    const list = [...(isTop || parents.length === 0 ? [""] : []), ...entries, ...outside];
    return { place, cells: [`k${i}`, `Role ${i}`, list.join("|"), "all", "", hasId ? `x${i}` : ""] };
  });
  return [ROLE_HEADER.split(","), ...rows.toSorted((a, b) => a.place - b.place).map(({ cells }) => cells)];
});

forEachDatabase("a hierarchy that is loaded in steps becomes the same as at once", async (database) => {
  await fc.assert(
    fc.asyncProperty(hierarchy, fc.integer({ min: 1, max: 40 }), async (roles, stepRows) => {
      const loaded: unknown[][][][] = [];
      for (const rows of [stepRows, 100_000]) {
        await clear(database);
        const above = await importAll(database, { roles: ABOVE });
        const underId = above.idOfRole({ position: 2 });
        const options = { underId, outside: true, stepRows: rows };
        const { idOfRole, roles: report } = await importAll(database, { roles }, options);
        loaded.push(await readHierarchy(database));
        const ids = (report?.ids ?? []).map((_, i) => idOfRole({ position: i + 1 }));
        const named = await read(
          database,
          `SELECT r.name FROM json_each('${JSON.stringify(ids)}') listed JOIN role r ON r.id = listed.value
            ORDER BY listed.key`,
        );
        assert.deepEqual(named.flat(), roles.slice(1).map(([, name]) => name));
        await assertSoundGraph({ database });
      }
      assert.deepEqual(loaded[0], loaded[1]);
    }),
    { numRuns: 12 },
  );
});

/** Breaks off at a batch, counted from 1. */
function breakingAt(database: Database, batch: number, error: Error): Database {
  return {
    ...database,
    write(statements): ReturnType<Database["write"]> {
      return --batch === 0 ? Promise.reject(error) : database.write(statements);
    },
  };
}

for (const hasIds of [true, false]) {
  forEachDatabase(
    `an import that breaks off at any batch is completed by the same files, ${
      hasIds ? "with" : "without"
    } external ids of roles`,
    async (database) => {
      const { roles, ...others } = smallPlatform();
      const files: Files = {
        ...others,
        roles: hasIds ? roles : roles.map((row) => row.slice(0, 5)),
        members: file("role,person", "root,p-root", "nl1,p-nl1"),
      };
      await importAll(database, files);
      const whole = await readHierarchy(database);
      let brokenOff = 0;
      for (let batch = 1; batch < 200; batch += 3) {
        await clear(database);
        const lost = new Error("the connection is lost");
        const first = await importAll(breakingAt(database, batch, lost), files, { stepRows: 25 })
          .catch((error: Error) => error);
        if (!(first instanceof Error)) break;
        brokenOff++;
        assert.match(
          first.message,
          /^the connection is lost$|^The import stopped after \d+ of 19 new roles, which stay\./,
        );
        await importAll(database, files, { stepRows: 30, now: 2_000 });
        assert.deepEqual(await readHierarchy(database), whole, `batch ${batch}`);
        await assertSoundGraph({ database });
        const rest =
          "SELECT (SELECT count(*) FROM import_chunk), (SELECT count(*) FROM member), (SELECT count(*) FROM device)";
        assert.deepEqual(await read(database, rest), [[0, 2, 12]], `batch ${batch}`);
      }
      assert.ok(brokenOff > 5, `${brokenOff}`);
      // Loaded once more, roles without external ids are new ones.
      const { plan } = await importAll(database, { roles: files.roles ?? "" });
      assert.equal(plan.counts.roles.added, hasIds ? 0 : 19);
    },
  );
}

testOn(
  "file",
  "what an import broke off is begun anew once some of it was deleted, or the file changed",
  async (database) => {
    const roles = smallPlatform().roles.map((row) => row.slice(0, 5));
    const breakOff = async (): Promise<void> => {
      await clear(database);
      const broken = breakingAt(database, 9, new Error("lost"));
      await assert.rejects(importFiles(broken, { roles }, { stepRows: 25 }), { name: "PartlyImportedError" });
    };
    await breakOff();
    const changed = await importAll(database, {
      roles: roles.map((row, i) => i === 0 ? row : row.with(1, `${row[1]} 2`)),
    });
    assert.equal(changed.plan.counts.roles.added, 19);
    await breakOff();
    await database.write([{ sql: "DELETE FROM role WHERE name = 'Platform'", args: {} }]);
    const anew = await importAll(database, { roles });
    assert.equal(anew.plan.counts.roles.added, 19);
  },
);

testOn("remote", "a step that a server does not take in time is halved", async (database) => {
  const sizes: number[] = [];
  const slow: Database = {
    ...database,
    write(statements): ReturnType<Database["write"]> {
      const args = statements[0]?.args ?? {};
      const roles = "roleCount" in args ? Number(args["roleCount"]) : 0;
      if (roles > 0) sizes.push(roles);
      if (roles > 4) return Promise.reject(Object.assign(new Error("slow"), { code: "TRANSACTION_TIMEOUT" }));
      return database.write(statements);
    },
  };
  const files = { roles: smallPlatform().roles };
  await importAll(slow, files);
  assert.equal(sizes[0], 19);
  assert.ok(sizes.filter((size) => size <= 4).reduce((sum, size) => sum + size, 0) === 19, `${sizes}`);
  const stepped = await readHierarchy(database);
  await clear(database);
  await importAll(database, files);
  assert.deepEqual(await readHierarchy(database), stepped);
});
