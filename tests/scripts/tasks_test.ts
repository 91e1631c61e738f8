/** The tasks bootstrap, mail, dev and those of the closure, and how tasks find their settings and database. */
import assert from "node:assert/strict";
import { keepDevelopmentKeys } from "../../src/service/development_keys.ts";
import { openTestDatabase } from "../helpers/databases.ts";
import { execute } from "../helpers/http.ts";
import { productionEnv } from "../helpers/service_process.ts";
import { assertRefused, runOn, runScript } from "./run_script.ts";

async function envOf(url: string): Promise<Record<string, string>> {
  return { ...await productionEnv(url), PUBLIC_URL: "https://grid.example" };
}

const REFUSED_PASSWORDS: readonly (readonly [string, RegExp])[] = [
  ["short", /at least 8 characters/],
  ["password123", /most common/],
  ["Somebody@b.example", /email address/],
];

Deno.test("bootstrap refuses a bad password with the reason and makes the root once, and mail shows the invitation", async () => {
  await using file = await openTestDatabase("file");
  const env = await envOf(file.url);
  const args = ["--email", "somebody@b.example", "--role", "Platform"];
  for (const [input, reason] of REFUSED_PASSWORDS) {
    const refused = await runScript("bootstrap.ts", { env, args, input: `${input}\n` });
    assertRefused(refused, reason);
    assert.ok(!refused.stderr.includes(input));
  }
  const made = await runScript("bootstrap.ts", { env, args, input: "a sentence of my own\n" });
  assert.deepEqual([made.code, made.stderr], [0, ""]);
  assert.match(made.stdout, /^Created the root role "Platform" \(id 1\) with somebody@b\.example/);
  const again = await runScript("bootstrap.ts", { env, args, input: "another sentence\n" });
  assert.deepEqual([again.code, again.stdout.includes("Nothing was changed")], [0, true]);
  const invite = ["--email", "Guest@b.example", "--role", "Second", "--invite"];
  assert.equal((await runScript("bootstrap.ts", { env, args: invite })).code, 0);
  const mail = await runScript("mail.ts", { env, args: ["--to", "guest@B.example"] });
  assert.match(
    mail.stdout,
    /^To: guest@b\.example\n.*https:\/\/grid\.example\/reset-password#token=.*1 message/s,
  );
});

Deno.test("bootstrap reads ADMIN_EMAIL and ADMIN_PASSWORD, and names each missing variable", async () => {
  await using file = await openTestDatabase("file");
  const env = await envOf(file.url);
  const unnamed = await runScript("bootstrap.ts", { env });
  assertRefused(unnamed, "The first member is missing. Set --email or ADMIN_EMAIL.\n");
  const admin = { ADMIN_EMAIL: "admin@b.example", ADMIN_PASSWORD: "a sentence of my own" };
  const made = await runScript("bootstrap.ts", { env: { ...env, ...admin } });
  assert.match(made.stdout, /"Root" .* admin@b\.example .*can now log in with that password/);
  const withoutKeys = await runOn(file.url, "bootstrap.ts");
  assertRefused(withoutKeys, /PUBLIC_URL is required.*TOKEN_KEYS is required.*SECRET_KEYS is required/s);
  assert.doesNotMatch(withoutKeys.stderr, /^\s+at /m);
});

Deno.test("tasks on a development database need no variables except those of .env", async () => {
  await using file = await openTestDatabase("file");
  await keepDevelopmentKeys(file.database);
  const directory = await Deno.makeTempDir({ prefix: "rolegrid_test_" });
  const variables = `TURSO_DATABASE_URL='${file.url}'\nADMIN_EMAIL=env@b.example\n`;
  await Deno.writeTextFile(`${directory}/.env`, variables);
  const run = (name: string, args: string[], env: Record<string, string> = {}) =>
    runScript(name, { env, args, cwd: directory });
  const made = await run("bootstrap.ts", ["--invite"]);
  assert.match(made.stdout, /env@b\.example/, made.stderr);
  const winner = { ADMIN_EMAIL: "real@b.example" };
  const second = await run("bootstrap.ts", ["--role", "B", "--invite"], winner);
  assert.match(second.stdout, /real@b\.example/);
  const mail = await run("mail.ts", ["--last"]);
  assert.match(mail.stdout, /^To: real@b\.example\n.*http:\/\/localhost:8000\/reset-password#token=/s);
  await Deno.remove(directory, { recursive: true });
});

Deno.test("a database without tables or out of reach is reported in one line", async () => {
  const directory = await Deno.makeTempDir({ prefix: "rolegrid_test_" });
  const empty = await runOn(`file:${directory}/new.db`, "mail.ts");
  assertRefused(empty, /^The database lacks 0000_\w+.*Run "deno task migrate" first\.\n$/);
  const away = await runOn("http://127.0.0.1:9", "closure_verify.ts");
  assertRefused(away, /^The database is unreachable: [^\n]+ Check TURSO_DATABASE_URL [^\n]+\n$/);
  await Deno.remove(directory, { recursive: true });
});

Deno.test("dev refuses a port in use, and a database with accounts that was not created for development", async () => {
  await using file = await openTestDatabase("file");
  await execute(file, "INSERT INTO user_account (email, created_at) VALUES ('a@b.example', 0)");
  const port = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const env = { TURSO_DATABASE_URL: file.url, PORT: String(port.addr.port) };
  const taken = await runScript("dev.ts", { env });
  port.close();
  assert.match(taken.stderr, /^Port \d+ is already in use\. .*PORT=\d+ deno task dev\n$/);
  const foreign = await runScript("dev.ts", { env });
  assert.match(
    foreign.stderr,
    /^This database has accounts and was not created for development, so nothing was changed\./,
  );
  assert.deepEqual([taken.code, foreign.code], [1, 1]);
});

Deno.test("the closure tasks find and repair tampered rows, and need no keys", async () => {
  await using file = await openTestDatabase("file");
  await execute(file, [
    "INSERT INTO role (id, name, self_rights, is_root) VALUES (1, 'a', 63, 1), (2, 'b', 0, 0), (3, 'c', 0, 0)",
    "INSERT INTO manages (id, parent_id, child_id, rights) VALUES (1, 1, 2, 63), (2, 2, 3, 5)",
    "INSERT INTO role_closure (descendant_id, ancestor_id, rights) VALUES (2, 1, 0), (3, 3, 1), (3, 2, 5)",
  ]);
  const found = await runOn(file.url, "closure_verify.ts");
  assert.equal(found.code, 1);
  assert.deepEqual(found.stdout.trim().split("\n"), [
    "Role 1 over role 2: a row without rights, should be roleManagement+userManagement+viewManagement+" +
    "deviceManagement+reportManagement+alarmManagement",
    "Role 1 over role 3: no row, should be roleManagement+viewManagement",
    "Role 3 over role 3: roleManagement, should be no row",
    "2 relations, 3 rows: 3 rows are wrong, 0 roles cannot be managed, 0 rows refer to something deleted, the " +
    "history of 0 rows is wrong, and so are 0 copies of demands and 0 counts.",
    '"deno task closure:rebuild" repairs the rows.',
  ]);
  const repaired = await runOn(file.url, "closure_rebuild.ts");
  assert.deepEqual([repaired.code, repaired.stdout], [0, "2 relations, 3 rows: 3 repaired.\n"]);
  const clean = await runOn(file.url, "closure_verify.ts");
  assert.deepEqual([clean.code, clean.stdout], [0, "Clean: 2 relations, 3 rows.\n"]);
  await execute(file, "INSERT INTO manages (id, parent_id, child_id, rights) VALUES (3, 3, 2, 0)");
  const cycle = await runOn(file.url, "closure_verify.ts");
  assert.match(cycle.stdout, /form a cycle, so the rows could not be compared: (2 -> 3 -> 2|3 -> 2 -> 3)\n/);
  const refused = await runOn(file.url, "closure_rebuild.ts");
  assert.deepEqual([cycle.code, refused.code], [1, 1]);
  assert.match(
    refused.stderr,
    /^The relations form a cycle of 2 roles: .*Delete one of these relations first\.\n$/,
  );
});
