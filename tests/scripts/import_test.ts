import assert from "node:assert/strict";
import { openTestDatabase, type TestDatabase } from "../helpers/databases.ts";
import { runOn, type ScriptOutcome } from "./run_script.ts";

const HEADER = "key,name,parents,manages,selfRights";

interface Scene extends AsyncDisposable {
  readonly file: TestDatabase;
  run(content: string | Uint8Array<ArrayBuffer>, ...args: string[]): Promise<ScriptOutcome>;
}

async function openScene(): Promise<Scene> {
  const file = await openTestDatabase("file");
  const path = await Deno.makeTempFile({ suffix: ".csv" });
  return {
    file,
    async run(content, ...args): Promise<ScriptOutcome> {
      await Deno.writeFile(path, typeof content === "string" ? new TextEncoder().encode(content) : content);
      return await runOn(file.url, "import.ts", path, ...args);
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await file[Symbol.asyncDispose]();
      await Deno.remove(path);
    },
  };
}

function lines(...rows: string[]): string {
  return `${[HEADER, ...rows].join("\n")}\n`;
}

async function countRoles({ file }: Scene): Promise<unknown> {
  return (await file.database.read({ sql: "SELECT count(*) AS roles FROM role", args: {} }))[0]?.["roles"];
}

Deno.test("import reports every problem with its line and imports nothing", async () => {
  await using scene = await openScene();
  const long = "n".repeat(257);
  const { code, stdout, stderr } = await scene.run(lines(
    "a,A,,,",
    "a,Again,,,",
    "b,B,nobody,all,",
    "c,C,a=viewManagement,all,",
    "d,D,d,all,",
    "e,E,f,all,",
    "f,F,e,all,",
    "g,,a,all,",
    `h,${long},a,all,`,
    "i,I,a,allRights,",
    "j,J,a,all,viewManagement|",
    "k,K,a|a,all,",
    "l,L,a|,all,",
    ",M,a,all,",
    "n=1,N,a,all,",
    "o,O,a,all",
    "p,P,a,all,,",
  ));
  assert.deepEqual([code, stdout], [1, ""]);
  const expected = [
    /^Line 3: key "a" is already in line 2$/,
    /^Line 4: the parent "nobody" is neither in the file nor in the database$/,
    /^Line 5: no parent manages "c" with roleManagement$/,
    /^Line 6: "d" is its own parent$/,
    /^Line 7: the roles manage one another in a cycle: ("e" -> "f" -> "e"|"f" -> "e" -> "f")$/,
    /^Line 9: name must be 1 to 256 characters/,
    /^Line 10: name must be 1 to 256 characters/,
    /^Line 11: manages contains "allRights": rights are "all", nothing, or some of roleManagement, /,
    /^Line 12: selfRights contains "viewManagement\|"/,
    /^Line 13: parents names "a" twice$/,
    /^Line 14: parents contains an empty key: only the first key may be empty$/,
    /^Line 15: key is empty$/,
    /^Line 16: key "n=1" must not contain/,
    /^Line 17: the line has 4 columns, the header 5$/,
    /^Line 18: the line has 6 columns, the header 5$/,
    /^15 problems\. Nothing was imported\.$/,
  ];
  const found = stderr.trimEnd().split("\n");
  assert.equal(found.length, expected.length, stderr);
  for (const [i, pattern] of expected.entries()) assert.match(found[i] ?? "", pattern);
  assert.equal(await countRoles(scene), 0);
});

Deno.test("import lists 100 problems and counts the others", async () => {
  await using scene = await openScene();
  const { code, stderr } = await scene.run(lines(...Array.from({ length: 105 }, (_, i) => `k${i},,,,`)));
  const found = stderr.trimEnd().split("\n");
  assert.deepEqual([code, found.length], [1, 102]);
  assert.match(found[99] ?? "", /^Line 101: /);
  assert.deepEqual(found.slice(100), ["… and 5 more", "105 problems. Nothing was imported."]);
});

const UNREADABLE: readonly (readonly [string, string | Uint8Array<ArrayBuffer>, RegExp])[] = [
  [
    "an empty file",
    "",
    /^Line 1: the header must name the columns of roles \(key,name,parents,manages,selfRights/,
  ],
  [
    "an unknown column",
    `key,name,parents,manages,colour\n${"a,A,,,\n".repeat(40_000)}`,
    /^Line 1: .*key,name,parents,manages,selfRights.*, not "key,name,parents,manages,colour"/,
  ],
  ["a column twice", "key,name,parents,manages,name\n", /^Line 1: .*, not "key,name,parents,manages,name"/],
  [
    "a missing column",
    "key,name,parents,manages\n",
    /^Line 1: the header must name .*, not "key,name,parents,manages"/,
  ],
  ["an open quote", `${HEADER}\na,"A,,,\n`, /^Line \d: Quote Not Closed/],
  ["text behind a quote", `${HEADER}\na,A,,,\nb,"B"b,,,\n`, /^Line 3: Invalid Closing Quote/],
  ["bytes that are not UTF-8", new Uint8Array([0x6b, 0xff, 0x0a]), /is not UTF-8/],
];

for (const [what, content, message] of UNREADABLE) {
  Deno.test(`import refuses ${what} in one line`, async () => {
    await using scene = await openScene();
    const { code, stdout, stderr } = await scene.run(content);
    assert.deepEqual([code, stdout], [1, ""]);
    assert.match(stderr, message);
    assert.doesNotMatch(stderr, /^\s+at /m);
    assert.equal(await countRoles(scene), 0);
  });
}

Deno.test("import accepts a byte order mark, CRLF, quotes, empty lines and columns in another order", async () => {
  await using scene = await openScene();
  const content = '\ufeffname,key,selfRights,parents,manages\r\n"Ö, ""x""",a,all,,\r\n\r\nB,b,,a,all\r\n';
  const made = await scene.run(content);
  assert.equal(made.code, 0, made.stderr);
  assert.match(
    made.stdout,
    /^Imported 2 roles, 1 relation, 1 row of the rights table\. Their ids: 1 to 2\.\nRoot role "Ö, "x"" \(id 1\) has no member yet\.\n.*bootstrap/,
  );
  const names = await scene.file.database.read({ sql: "SELECT name FROM role ORDER BY id", args: {} });
  assert.deepEqual(names, [{ name: 'Ö, "x"' }, { name: "B" }]);
});

Deno.test("import puts a file under a role, and a dry run makes the same checks", async () => {
  await using scene = await openScene();
  await scene.run(lines("r,R,,,all"));
  const part = lines("a,A,,all,", "b,B,a,all,");
  const dry = await scene.run(part, "--under", "1", "--dry-run");
  assert.deepEqual([dry.code, dry.stdout], [
    0,
    "Would import 2 roles, 2 relations, 3 rows of the rights table under role 1. Nothing was changed.\n",
  ]);
  assert.equal(await countRoles(scene), 1);
  const nowhere = await scene.run(part, "--under", "9", "--dry-run");
  assert.deepEqual([nowhere.code, nowhere.stderr], [1, "The role to import under does not exist.\n"]);
  const unmanaged = await scene.run(lines("a,A,,viewManagement,"), "--under", "1");
  assert.match(unmanaged.stderr, /^Line 2: no parent manages "a" with roleManagement/);
  const notAnId = await scene.run(part, "--under", "-1.5");
  assert.equal(notAnId.code === 0, false);
  const made = await scene.run(part, "--under", "1");
  assert.match(
    made.stdout,
    /^Imported 2 roles, 2 relations, 3 rows of the rights table under role 1\. Their ids: 2 to 3\.\nThe log names this import [-0-9a-f]{36}\.\n$/,
  );
  const clean = await runOn(scene.file.url, "closure_verify.ts");
  assert.deepEqual([clean.code, clean.stdout], [0, "Clean: 2 relations, 3 rows.\n"]);
});

Deno.test("import under a role names nothing outside of it without --outside", async () => {
  await using scene = await openScene();
  await scene.run(lines("r,R,,,all", "t,T,r,all,all", "s,S,r,all,all"));
  const part = lines("a,A,|#3=viewManagement,all,");
  const refused = await scene.run(part, "--under", "2");
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /^Line 2: the parent "#3" is a role that is not below the role of --under/);
  assert.equal(await countRoles(scene), 3);
  const made = await scene.run(part, "--under", "2", "--outside");
  assert.deepEqual([made.code, await countRoles(scene)], [0, 4]);
  const alone = await scene.run(part, "--outside");
  assert.deepEqual([alone.code, alone.stderr], [1, "--outside needs --under.\n"]);
});

Deno.test("import names the lines of hashes that cannot be read, and loads these people without them on request", async () => {
  await using scene = await openScene();
  const people = "email,passwordHash\na@x.example,$argon2d$v=19$m=4096\nb@x.example,secret\nc@x.example,\n";
  const refused = await scene.run(people);
  assert.equal(refused.code, 1);
  assert.match(
    refused.stderr,
    /^Line 2: passwordHash: argon2d is not supported\nLine 3: .*\n2 problems\. .*\n--skip-hashes imports people without/,
  );
  const { code, stdout } = await scene.run(people, "--skip-hashes");
  assert.equal(code, 0);
  assert.match(
    stdout,
    /: 3 new, 0 changed, 0 unchanged\n2 password hashes left out, in lines: 2, 3\n/,
  );
});

Deno.test("import shows all control characters of a file as escapes", async () => {
  await using scene = await openScene();
  const { stderr } = await scene.run(lines("a,A,\u009b2J\u007f\u001b,,"));
  assert.match(stderr, /the parent "\\u009b2J\\u007f\\u001b" is neither in the file nor in the database/);
});

Deno.test("import refuses a chain of 20,000 roles before it fills the memory", async () => {
  await using scene = await openScene();
  const chain = Array.from({ length: 20_000 }, (_, i) => i === 0 ? "0,N,,,all" : `${i},N,${i - 1},all,`);
  const { code, stderr } = await scene.run(lines(...chain));
  assert.equal(code, 1);
  assert.match(
    stderr,
    /^The file would need more than 20000000 rows in the rights table\. Nothing was imported\. Split the file/,
  );
  assert.equal(await countRoles(scene), 0);
});

Deno.test("import deletes what the file does not name, once its list was asked for", async () => {
  await using scene = await openScene();
  const withIds = (...rows: string[]): string => `${[`${HEADER},externalId`, ...rows].join("\n")}\n`;
  const root = "root,Root,,all,all,x-root";
  await scene.run(
    withIds(root, "site,Site,root,all,all,x-site", "other,Other,root,all,all,x-other"),
  );
  const kept = withIds(root, "site,Site,root,all,all,x-site");
  const unlisted = await scene.run(kept, "--effect", "0123456789abcdef");
  assert.deepEqual([unlisted.code, unlisted.stderr], [1, "--effect needs --delete-missing.\n"]);
  const list = await scene.run(kept, "--delete-missing");
  const tag = /--effect ([0-9a-f]{16})$/m.exec(list.stdout)?.[1] ?? "";
  assert.deepEqual([list.code, list.stderr], [0, ""]);
  assert.equal(
    list.stdout.slice(list.stdout.indexOf("Roles to delete")),
    `Roles to delete, with their members and keys: 1
  role #3 "Other", externalId "x-other"
To import the files and delete this, add: --effect ${tag}
`,
  );
  const other = await scene.run(withIds(root), "--delete-missing", "--effect", tag);
  assert.deepEqual([other.code, other.stderr], [1, "What is missing differs from the list of this tag.\n"]);
  assert.equal(await countRoles(scene), 3);
  const done = await scene.run(kept, "--delete-missing", "--effect", tag);
  assert.deepEqual([done.code, done.stderr], [0, ""]);
  assert.match(done.stdout, /^Deleted 1 of 1 missing thing\.$/m);
  assert.equal(await countRoles(scene), 2);
});

Deno.test("import refuses a folder as the file of ids before it imports anything", async () => {
  await using scene = await openScene();
  const folder = await Deno.makeTempDir();
  const { code, stderr } = await scene.run(lines("root,Root,,all,all"), "--ids", folder);
  await Deno.remove(folder);
  assert.deepEqual([code, stderr], [1, `A file cannot be read or written: ${folder} is a directory\n`]);
  assert.equal(await countRoles(scene), 0);
});
