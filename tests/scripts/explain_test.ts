/** The explain task shows ways, losses and what to widen. */
import assert from "node:assert/strict";
import { openTestDatabase } from "../helpers/databases.ts";
import { execute } from "../helpers/http.ts";
import { assertRefused, runOn, type ScriptOutcome } from "./run_script.ts";

const SCENE = [
  "INSERT INTO user_account (id, email, created_at) VALUES (1, 'eva@example.com', 0)",
  "INSERT INTO role (id, name, self_rights, is_root) VALUES (1, 'Root', 63, 1), (2, 'Hall', 63, 0), (3, 'Site', 1, 0)",
  "INSERT INTO manages (id, parent_id, child_id, rights) VALUES (1, 1, 2, 63), (2, 2, 3, 5)",
  `INSERT INTO role_closure (ancestor_id, descendant_id, rights) VALUES (1, 2, 63), (2, 3, 5), (1, 3, 5)`,
  "INSERT INTO member (id, role_id, user_id, rights) VALUES (3, 1, 1, 63), (4, 3, 1, 6)",
];

Deno.test("the explain task shows ways, losses and what to widen", async () => {
  await using file = await openTestDatabase("file");
  await execute(file, SCENE);
  const run = (...args: string[]): Promise<ScriptOutcome> => runOn(file.url, "explain.ts", ...args);

  const denied = await run("3", "alarmManagement", "--user", "Eva@Example.com");
  assert.deepEqual(denied, {
    code: 0,
    stderr: "",
    stdout: `Denied: alarmManagement on role 3, at revision 0.

It is lost:
  member of Root (1)
    to Hall (2) by relation 1, with all rights
    to Site (3) by relation 2, with roleManagement+viewManagement   <- lost here
  member of Site (3), with userManagement+viewManagement   <- lost at the membership and the role's selfRights

To allow it, add alarmManagement to:
  relation 2
`,
  });
  const asJson = await run("3", "alarmManagement", "--user", "eva@example.com", "--json");
  const { fix } = JSON.parse(asJson.stdout);
  assert.deepEqual(
    fix,
    [{ managesId: 2, right: "alarmManagement" }],
    "the operator is no caller, so mayYou is absent",
  );
  const allowed = await run("3", "viewManagement", "--user", "eva@example.com", "--as-of", "0", "--json");
  const { ways, ...rest } = JSON.parse(allowed.stdout);
  assert.deepEqual(rest.allowed, true);
  assert.equal(ways.length, 1);
  assert.match(
    (await run("3", "viewManagement", "--key", "9")).stdout,
    /^Denied: .*\n\nNo membership leads to the role, or there is no such role, account or key\.\n$/,
  );

  const refused: [string[], string | RegExp][] = [
    [["3", "viewManagement"], "Give either --user or --key.\n"],
    [["3", "all", "--key", "9"], /^RIGHT must be one of /],
    [["x", "viewManagement", "--key", "9"], "ROLE_ID must be the id of a role.\n"],
    [["3", "viewManagement", "--user", "eva"], "--user must be an email address.\n"],
    [["3", "viewManagement", "--key", "9", "--as-of", "17"], "--as-of must not be in the future.\n"],
  ];
  for (const [args, reason] of refused) assertRefused(await run(...args), reason);
});
