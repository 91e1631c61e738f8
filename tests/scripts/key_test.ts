/** The key task creates, lists and deletes the keys of a role. */
import assert from "node:assert/strict";
import { keepDevelopmentKeys } from "../../src/service/development_keys.ts";
import { openTestDatabase, type TestDatabase } from "../helpers/databases.ts";
import { execute, query } from "../helpers/http.ts";
import { assertRefused, runOn, type ScriptOutcome } from "./run_script.ts";

const SCENE =
  "INSERT INTO role (id, name, self_rights, is_root) VALUES (1, 'Root', 63, 1), (2, 'Site', 4, 0)";

type Run = (...args: readonly string[]) => Promise<ScriptOutcome>;

function keyTest(name: string, body: (run: Run, file: TestDatabase) => Promise<void>): void {
  Deno.test(name, async () => {
    await using file = await openTestDatabase("file");
    await keepDevelopmentKeys(file.database);
    await execute(file, SCENE);
    await body((...args) => runOn(file.url, "key.ts", ...args), file);
  });
}

keyTest("the key task creates, lists and deletes the keys of a role", async (run, file) => {
  const options = ["--name", "Gateway", "--rights", "viewManagement", "--days", "400", "--asks"];
  const made = await run("create", "1", ...options);
  assert.equal(made.code, 0, made.stderr);
  assert.match(made.stdout, /^rgk_1_[A-Za-z0-9_-]{54}[0-9a-f]{8}\n$/);
  assert.match(made.stderr, /^Created the key 1 of role 1\. It ends on \d{4}-\d\d-\d\d\. Its secret:\n$/);
  assert.equal((await run("create", "1", "--name", "All")).code, 0);
  const site = await run("create", "2", "--name", "Site", "--rights", "viewManagement,deviceManagement");
  assert.match(
    site.stderr,
    /^Without effect for now: deviceManagement\. [^\n]+\nCreated the key 3 of role 2\./,
  );

  const { stdout } = await run("list", "1");
  assert.match(
    stdout,
    new RegExp(`\\n1 +Gateway +${made.stdout.slice(0, 10)}… +viewManagement +ask +.* +never\\n`),
  );
  assert.match(stdout, /\n2 +All +rgk_2_.{4}… +all +[^y]* never\n$/);
  assert.ok(!stdout.includes(made.stdout.slice(0, 12)));

  assert.equal(
    (await run("delete", "1", "1")).stdout,
    "Deleted the key 1. Programs that use it are refused from now on.\n",
  );
  const [row] = await query(
    file,
    `SELECT actor_id AS actorId, session_id AS sessionId,
      (SELECT created_by FROM role_key WHERE id = 2) AS createdBy FROM change_log ORDER BY rev DESC LIMIT 1`,
  );
  assert.deepEqual({ ...row }, { actorId: 0, sessionId: "operator", createdBy: null });
  assertRefused(await run("delete", "1", "1"), "The role has no key with this id. Nothing was changed.\n");
});

keyTest("the key task explains each wrong argument", async (run) => {
  const wrong: [string[], RegExp][] = [
    [["make", "1"], /^ACTION must be create, list or delete\.\n$/],
    [["list", "x"], /^ROLE_ID must be the id of a role\.\n$/],
    [["delete", "1"], /^KEY_ID is missing/],
    [["list", "1", "2"], /^Only delete takes a KEY_ID\.\n$/],
    [["list", "1", "--name", "x"], /^Only create takes --name, --rights, --asks and --provisions\.\n$/],
    [["delete", "1", "2", "--asks"], /^Only create takes --name, --rights, --asks and --provisions\.\n$/],
    [["create", "1"], /^--name must be/],
    [["create", "1", "--name", "A", "--rights", "all"], /^--rights must be none, or some of roleManagement,/],
    [["create", "1", "--name", "A", "--days", "401"], /^--days must be a whole number from 1 to 400\.\n$/],
    [["create", "1", "--name", "A", "--days", "0"], /^--days must be/],
    [["create", "9", "--name", "A"], /^No role has this id\. Nothing was changed\.\n$/],
  ];
  for (const [args, message] of wrong) assertRefused(await run(...args), message);
});
