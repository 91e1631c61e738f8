/** Every way to a database of a build before 1.0.0 says what to do, and changes nothing. */
import assert from "node:assert/strict";
import { exists } from "../../scripts/lib/backup_files.ts";
import type { Database } from "../../src/db/database.ts";
import { openDatabase } from "../../src/db/open_database.ts";
import { forEachKind, openTestDatabase } from "../helpers/databases.ts";
import { productionEnv, spawnService } from "../helpers/service_process.ts";
import { freePort } from "../helpers/sqld.ts";
import { assertRefused, runOn, runScript } from "./run_script.ts";

/** A build before 1.0.0 made this database, and died after its second step. */
const EARLIER = [
  "DROP TABLE hour_summary",
  "INSERT INTO applied_migration (name, applied_at) VALUES ('0001_account_security', 1)",
];
const REFUSAL =
  /^The database is of a build before 1\.0\.0, and was left as it is: .*\(deno task export [^\n]+\(deno task import [^\n]+\)\.\n$/;

async function makeEarlier(database: Database): Promise<void> {
  await database.write(EARLIER.map((sql) => ({ sql, args: {} })));
}

async function readAll(database: Database): Promise<unknown> {
  return await Promise.all(
    ["sqlite_schema", "applied_migration", "setting"].map((table) =>
      database.read({ sql: `SELECT * FROM ${table}`, args: {} })
    ),
  );
}

forEachKind(
  "every way to a database of a build before 1.0.0 says what to do, and changes nothing",
  async (kind) => {
    await using opened = await openTestDatabase(kind);
    await makeEarlier(opened.database);
    const before = await readAll(opened.database);
    await using service = spawnService(await productionEnv(opened.url));
    const { code, stderr } = await service.ended();
    assert.equal(code, 1);
    assert.match(stderr, REFUSAL);
    const env = { TURSO_DATABASE_URL: opened.url, PORT: String(freePort()) };
    const directory = await Deno.makeTempDir();
    for (const name of ["dev.ts", "migrate.ts", "export.ts", "mail.ts"]) {
      assertRefused(await runScript(name, { env }), REFUSAL);
    }
    const copy = await runOn(opened.url, "backup.ts", `${directory}/backup.db`);
    assert.deepEqual([copy.code, await exists(`${directory}/backup.db`)], [1, false]);
    assert.match(copy.stderr, REFUSAL);
    assert.deepEqual(await readAll(opened.database), before);
    await Deno.remove(directory, { recursive: true });
  },
);

forEachKind("a backup of a build before 1.0.0 is not restored", async (kind) => {
  const directory = await Deno.makeTempDir();
  await using file = await openTestDatabase("file");
  const backup = `${directory}/backup.db`;
  assert.equal((await runOn(file.url, "backup.ts", backup)).code, 0);
  const earlier = await openDatabase(`file:${backup}`);
  await makeEarlier(earlier);
  await earlier.close();
  await using target = await openTestDatabase(kind);
  const before = await readAll(target.database);
  assertRefused(await runOn(target.url, "restore.ts", backup), REFUSAL);
  assert.deepEqual(await readAll(target.database), before);
  await Deno.remove(directory, { recursive: true });
});
