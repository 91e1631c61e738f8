/** Which addresses open a database, and with which permissions. */
import assert from "node:assert/strict";
import { openDatabase } from "../../src/db/open_database.ts";
import { testOn } from "../helpers/databases.ts";

Deno.test("an address of an unknown kind, or none, is refused, and the error does not repeat it", async () => {
  for (
    const url of [
      "postgres://user:secret@host/db",
      "secret.db",
      "",
      "libsql:secret",
      "libsql://host:99999?authToken=secret",
    ]
  ) {
    await assert.rejects(openDatabase(url), (error: Error) => {
      assert.equal(error.name, "TypeError");
      assert.match(error.message, /must start with "file:", "libsql:\/\/"/);
      assert.ok(!error.message.includes("secret"));
      return true;
    });
  }
});

Deno.test("a database in memory is refused", async () => {
  for (const url of ["file::memory:", "file:", "file::memory:?cache=shared"]) {
    await assert.rejects(openDatabase(url), { name: "TypeError", message: /name a file/ });
  }
});

testOn("remote", "a remote database needs only the permission for the network", async (_, { url }) => {
  const module = new URL("../../src/db/open_database.ts", import.meta.url).href;
  const program = `
    import { openDatabase } from ${JSON.stringify(module)};
    const database = await openDatabase(${JSON.stringify(url)});
    const rows = await database.read({ sql: "SELECT count(*) AS n FROM id_sequence", args: {} });
    Deno.stdout.writeSync(new TextEncoder().encode(JSON.stringify(rows)));
    await database.close();
  `;
  const path = await Deno.makeTempFile({ prefix: "rolegrid_test_", suffix: ".ts" });
  await Deno.writeTextFile(path, program);
  const config = new URL("../../deno.json", import.meta.url).pathname;
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--no-prompt", "--config", config, "--allow-net=127.0.0.1", path],
    env: { NO_COLOR: "1" },
    stdin: "null",
  }).output();
  await Deno.remove(path);
  const decoder = new TextDecoder();
  assert.deepEqual([decoder.decode(stderr), decoder.decode(stdout)], ["", '[{"n":2}]']);
});
