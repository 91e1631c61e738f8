/** The migrate task brings databases and points' files up to date, and says why it cannot. */
import assert from "node:assert/strict";
import { migrateFully, openTestDatabase, testMigrations } from "../helpers/databases.ts";
import { assertRefused, runOn, runScript } from "./run_script.ts";

Deno.test("two simultaneous migrations of a new database succeed, and a third has nothing to do", async () => {
  const directory = await Deno.makeTempDir({ prefix: "rolegrid_test_" });
  const url = `file:${directory}/data/new.db`;
  const names = (await testMigrations()).map(({ name }) => name);
  const outcomes = await Promise.all([runOn(url, "migrate.ts"), runOn(url, "migrate.ts")]);
  assert.deepEqual(outcomes.map(({ code, stderr }) => ({ code, stderr })), [
    { code: 0, stderr: "" },
    { code: 0, stderr: "" },
  ]);
  const applied = outcomes.flatMap(({ stdout }) =>
    Array.from(stdout.matchAll(/^Applied (.+)$/gm), (m) => m[1])
  );
  assert.deepEqual(applied.sort(), names);
  assert.match((await runOn(url, "migrate.ts")).stdout, /^Nothing to do/);
  await Deno.remove(directory, { recursive: true });
});

Deno.test("migrate brings a points' file up to date, too, and creates it once the database is there", async () => {
  const directory = await Deno.makeTempDir({ prefix: "rolegrid_test_" });
  const env = {
    TURSO_DATABASE_URL: `file:${directory}/new.db`,
    TELEMETRY_URL: `file:${directory}/points.db`,
  };
  const first = await runScript("migrate.ts", { env });
  assert.deepEqual([first.code, first.stderr], [0, ""]);
  assert.match(first.stdout, /^Applied 0000_initial$[^]*^Applied points\/0000_points_file$/m);
  assert.match((await runScript("migrate.ts", { env })).stdout, /^Nothing to do/);
  const same = { ...env, TELEMETRY_URL: env.TURSO_DATABASE_URL };
  assertRefused(
    await runScript("migrate.ts", { env: same }),
    /TELEMETRY_URL must not name the database's own file/,
  );
  const other = await runScript("migrate.ts", {
    env: { ...env, TURSO_DATABASE_URL: `file:${directory}/other.db` },
  });
  assert.match(other.stderr, /points\.db, has the points of another database/);
  await Deno.remove(directory, { recursive: true });
});

Deno.test({
  name: "migrate makes the default data folder private, even an existing one",
  ignore: Deno.build.os === "windows",
  async fn() {
    const cwd = await Deno.makeTempDir({ prefix: "rolegrid_test_" });
    await Deno.mkdir(`${cwd}/data`);
    await Deno.chmod(`${cwd}/data`, 0o755);
    assert.equal((await runScript("migrate.ts", { env: {}, cwd })).code, 0);
    const modes = ["data", "data/rolegrid.db"].map((name) =>
      (Deno.statSync(`${cwd}/${name}`).mode ?? 0) & 0o777
    );
    assert.deepEqual(modes, [0o700, 0o600]);
    await Deno.remove(cwd, { recursive: true });
  },
});

Deno.test("migrate fails on a newer database and says why", async () => {
  await using file = await openTestDatabase("file");
  await migrateFully(file.database, [{ name: "9999_future", statements: [] }]);
  assertRefused(await runOn(file.url, "migrate.ts"), /newer than this program: it has 9999_future/);
});

Deno.test("migrate fails on a file that is not a database and says so", async () => {
  const path = await Deno.makeTempFile({ prefix: "rolegrid_test_" });
  await Deno.writeTextFile(path, "This is a letter and not a database. ".repeat(40));
  assertRefused(await runOn(`file:${path}`, "migrate.ts"), /not a database/);
  await Deno.remove(path);
});

Deno.test("migrate shows its help and refuses an unknown argument", async () => {
  const help = await runOn("file:unused.db", "migrate.ts", "--help");
  assert.deepEqual([help.code, help.stdout.includes("TURSO_DATABASE_URL")], [0, true]);
  const wrong = await runOn("file:unused.db", "migrate.ts", "--dry");
  assert.deepEqual([wrong.code, wrong.stdout], [2, ""]);
  assert.match(wrong.stderr, /'--dry'.*deno task migrate --help/s);
});
