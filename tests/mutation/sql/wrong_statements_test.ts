import assert from "node:assert/strict";
import { judge } from "./verdict.ts";
import { filterFor, makeWrong, type WrongStatement } from "./wrong_statement.ts";
import { WRONG_STATEMENTS } from "./wrong_statements.ts";

const ROOT = new URL("../../../", import.meta.url);

function readSource(path: string): string {
  return Deno.readTextFileSync(new URL(path, ROOT));
}

Deno.test("every wrong statement still applies to its file, and changes it", () => {
  for (const wrong of WRONG_STATEMENTS) {
    const text = readSource(wrong.file);
    assert.notEqual(makeWrong(text, wrong), text, wrong.name);
  }
});

Deno.test("every wrong statement names a test that is there", () => {
  for (const { name, test } of WRONG_STATEMENTS) {
    // A test that runs on a server alone is registered with that label.
    const written = test.name.replace(/ \(sqld\)$/, "");
    assert.ok(isInFolderOf(test.file, written), `${name}: ${test.file} has no test "${test.name}"`);
  }
});

Deno.test("a test is named in one way, so that those that are found can be counted", () => {
  const names = new Set(WRONG_STATEMENTS.map(({ test }) => test.name));
  for (const name of names) {
    for (const other of names) assert.ok(name === other || !name.startsWith(other), `${name} / ${other}`);
  }
});

/** A suite shared by several test files is in a file beside them. */
function isInFolderOf(path: string, text: string): boolean {
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  if (readSource(path).includes(text)) return true;
  const files = [...Deno.readDirSync(new URL(folder, ROOT))].filter(({ name }) => name.endsWith(".ts"));
  return files.some(({ name }) => readSource(folder + name).includes(text));
}

Deno.test("no two wrong statements are the same, in words or in what they change", () => {
  const names = WRONG_STATEMENTS.map(({ file, name }) => `${file} ${name}`);
  assert.equal(new Set(names).size, names.length);
  const changes = WRONG_STATEMENTS.map((wrong) => wrong.file + makeWrong(readSource(wrong.file), wrong));
  assert.equal(new Set(changes).size, changes.length);
});

Deno.test("every module of statements has a wrong one, but for those that decide nothing", () => {
  const covered = new Set(WRONG_STATEMENTS.map(({ file }) => file));
  const modules = findQueryModules("src/").filter((path) => !covered.has(path));
  assert.deepEqual(modules.sort(), [...DECIDE_NOTHING].sort());
});

/** Their conditions are checked elsewhere, or only the administrator runs them. */
const DECIDE_NOTHING: readonly string[] = [
  "src/account/administrator_reads.ts",
  "src/db/setting_queries.ts",
  "src/device/cascade_queries.ts",
  "src/identity/administrator_session_queries.ts",
  "src/identity/password_link_queries.ts",
  "src/identity/user_queries.ts",
  "src/mail/outbox_queries.ts",
  "src/mail/outbox_reads.ts",
  "src/mail/queued_mail_queries.ts",
  "src/role/closure/closure_reads.ts",
  "src/role/key/made_key_reads.ts",
  "src/role/guard/price_queries.ts",
  "src/role/transfer/export_reads.ts",
  "src/telemetry/libsql/point_queries.ts",
  "src/telemetry/influx/influx_queries.ts",
  "src/telemetry/libsql/plain_queries.ts",
];

Deno.test("a filter finds a test by how its name begins, on a file rather than on a server", () => {
  const pattern = new RegExp(filterFor(["a (deep) role", "others"]).slice(1, -1));
  for (const name of ["a (deep) role ends (file)", "others, seed 1 (file)", "others"]) {
    assert.match(name, pattern);
  }
  for (
    const name of [
      "a (deep) role ends (sqld)",
      "others, seed 1 (sqld)",
      "others stay",
      "no others",
      "a deep role",
    ]
  ) {
    assert.doesNotMatch(name, pattern);
  }
});

Deno.test("a part that does not occur exactly once is refused, with what to do", () => {
  const wrong: WrongStatement = {
    name: "a session never ends",
    file: "src/some_queries.ts",
    find: "AND ended_at IS NULL",
    replace: "",
    test: { file: "tests/some_test.ts", name: "a session ends" },
  };
  assert.equal(makeWrong("WHERE true AND ended_at IS NULL;", wrong), "WHERE true ;");
  for (
    const [text, times] of [["WHERE true", "0 times"], [
      "AND ended_at IS NULL ".repeat(2),
      "2 times",
    ]] as const
  ) {
    assert.throws(
      () => makeWrong(text, wrong),
      new RegExp(`a session never ends.* ${times} .*adapt the entry`),
    );
  }
});

Deno.test("white space counts neither in the file nor in the part to replace", () => {
  const wrong: WrongStatement = {
    name: "anybody's session ends",
    file: "src/some_queries.ts",
    find: "  AND ended_at IS NULL\n    AND user_id = :actorId)`;\n",
    replace: "AND ended_at IS NULL)`;",
    test: { file: "tests/some_test.ts", name: "a session ends" },
  };
  assert.equal(
    makeWrong("(id = ${\n  id\n} AND ended_at\n  IS NULL AND user_id =\n:actorId)`;\n\nexport", wrong),
    "(id = ${\n  id\n} AND ended_at IS NULL)`;\n\nexport",
  );
});

Deno.test("a wrong statement is caught by a test that fails, missed where all pass, and else invalid", () => {
  const failed = (error: string): string =>
    `running 1 test\n\n ERRORS \n\na session ends (file) => ./tests/a_test.ts:1:2\nerror: ${error}\n\nFAILED | 0 passed`;
  assert.deepEqual(judge({ code: 1, stdout: failed("AssertionError: 200 !== 401"), stderr: "" }), {
    kind: "caught",
    detail: "a session ends (file): AssertionError: 200 !== 401",
  });
  assert.deepEqual(
    judge({
      code: 1,
      stdout: failed("Error: Property failed\nCaused by: AssertionError: 1 !== 2"),
      stderr: "",
    }),
    { kind: "caught", detail: "a session ends (file): Error: Property failed; AssertionError: 1 !== 2" },
  );
  assert.equal(judge({ code: 0, stdout: "ok | 3 passed", stderr: "" }).kind, "missed");
  assert.equal(
    judge({ code: 1, stdout: failed("LibsqlError: no such column: ended"), stderr: "" }).kind,
    "invalid",
  );
  assert.deepEqual(
    judge({ code: 143, stdout: "running 1 test", stderr: "Check\nerror: Module not found\n" }),
    {
      kind: "invalid",
      detail: "no test failed, and the run ended with status 143: Module not found",
    },
  );
});

function findQueryModules(folder: string): string[] {
  const found: string[] = [];
  for (const entry of Deno.readDirSync(new URL(folder, ROOT))) {
    if (entry.isDirectory) found.push(...findQueryModules(`${folder}${entry.name}/`));
    else if (/(queries|reads)\.ts$/.test(entry.name)) found.push(`${folder}${entry.name}`);
  }
  return found;
}
