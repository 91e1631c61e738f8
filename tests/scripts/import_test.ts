/** The import task reports every problem with its line, and imports all or nothing. */
import assert from "node:assert/strict";
import { queryNumber } from "../helpers/http.ts";
import { openTestDatabase, type TestDatabase } from "../helpers/databases.ts";
import { assertSoundGraph } from "../helpers/sound_graph.ts";
import { importAll, roleFile } from "../moving_in/platform.ts";
import { assertRefused, runOn, type ScriptOutcome } from "./run_script.ts";

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

function countRoles({ file }: Scene): Promise<number> {
  return queryNumber(file, "SELECT count(*) FROM role");
}

Deno.test("import lists 100 problems, counts the others, and imports nothing", async () => {
  await using scene = await openScene();
  const wrong = Array.from({ length: 105 }, (_, i) => `k${i},,,,,`);
  const { code, stdout, stderr } = await scene.run(roleFile("right,Right,,all,all,", ...wrong));
  assert.deepEqual([code, stdout], [1, ""]);
  const found = stderr.trimEnd().split("\n");
  assert.equal(found.length, 102);
  assert.match(found[0] ?? "", /^Line 3: name must be 1 to 256 characters/);
  assert.match(found[99] ?? "", /^Line 102: /);
  assert.deepEqual(found.slice(100), ["… and 5 more", "105 problems. Nothing was imported."]);
  assert.equal(await countRoles(scene), 0);
});

Deno.test("import refuses an unreadable file in one line", async () => {
  await using scene = await openScene();
  assertRefused(await scene.run(`${roleFile()}\na,"A,,,\n`), /^Line \d: Quote Not Closed[^\n]*\n1 problem\./);
  assertRefused(await scene.run(new Uint8Array([0x6b, 0xff, 0x0a])), /^\S+ is not UTF-8: [^\n]*\n$/);
  assert.equal(await countRoles(scene), 0);
});

Deno.test("import puts a file under a role, and a dry run makes the same checks", async () => {
  await using scene = await openScene();
  const roots = await scene.run(roleFile('r,"R ""x""",,all,all,', "s,S,r,all,all,"));
  assert.equal(roots.code, 0, roots.stderr);
  assert.match(
    roots.stdout,
    /^Imported 2 roles, 1 relation, 1 row of the rights table\. Their ids: 1 to 2\.\nRoot role "R "x"" \(id 1\) has no member yet\.\n.*bootstrap/,
  );
  const part = roleFile("a,A,,all,,", "b,B,a|#2=viewManagement,all,,");
  const under = ["--under", "1"];
  const dry = await scene.run(part, ...under, "--dry-run");
  assert.deepEqual([dry.code, dry.stdout], [
    0,
    "Would import 2 roles, 3 relations, 5 rows of the rights table under role 1. Nothing was changed.\n",
  ]);
  assert.equal(await countRoles(scene), 2);
  const nowhere = await scene.run(roleFile("a,A,,all,,"), "--under", "9", "--dry-run");
  assertRefused(nowhere, "The role to import under does not exist.\n");
  const made = await scene.run(part, ...under);
  assert.match(
    made.stdout,
    /^Imported 2 roles, 3 relations, 5 rows of the rights table under role 1\. Their ids: 3 to 4\.\nThe log names this import [-0-9a-f]{36}\.\n$/,
  );
  await assertSoundGraph(scene.file);
});

Deno.test("import under a role names nothing outside of it without --outside", async () => {
  await using scene = await openScene();
  await importAll(scene.file.database, { roles: roleFile("r,R,,,all,", "t,T,r,all,all,", "s,S,r,all,all,") });
  const part = roleFile("a,A,|#3=viewManagement,all,,");
  const reason = /^Line 2: the parent "#3" is a role that is not below the role of --under/;
  assertRefused(await scene.run(part, "--under", "2"), reason);
  assert.equal(await countRoles(scene), 3);
  const made = await scene.run(part, "--under", "2", "--outside");
  assert.deepEqual([made.code, await countRoles(scene)], [0, 4]);
  assertRefused(await scene.run(part, "--outside"), "--outside needs --under.\n");
});

Deno.test("import names the lines of hashes that cannot be read, and loads these people without them on request", async () => {
  await using scene = await openScene();
  const people = "email,passwordHash\na@x.example,$argon2d$v=19$m=4096\nb@x.example,secret\nc@x.example,\n";
  assertRefused(
    await scene.run(people),
    /^Line 2: passwordHash: argon2d is not supported\nLine 3: .*\n2 problems\. .*\n--skip-hashes imports people without/,
  );
  const { code, stdout } = await scene.run(people, "--skip-hashes");
  assert.equal(code, 0);
  assert.match(stdout, /: 3 new, 0 changed, 0 unchanged\n2 password hashes left out, in lines: 2, 3\n/);
});

Deno.test("import refuses a chain of 20,000 roles before it fills the memory", async () => {
  await using scene = await openScene();
  const chain = Array.from({ length: 20_000 }, (_, i) => i === 0 ? "0,N,,,all," : `${i},N,${i - 1},all,,`);
  assertRefused(
    await scene.run(roleFile(...chain)),
    /^The file would need more than 20000000 rows in the rights table\. Nothing was imported\. Split the file/,
  );
  assert.equal(await countRoles(scene), 0);
});

Deno.test("import deletes what the file does not name, once its list was asked for", async () => {
  await using scene = await openScene();
  const [root, site] = ["root,Root,,all,all,x-root", "site,Site,root,all,all,x-site"];
  await importAll(scene.file.database, { roles: roleFile(root, site, "other,Other,root,all,all,x-other") });
  const kept = roleFile(root, site);
  const unlisted = await scene.run(kept, "--effect", "0123456789abcdef");
  assertRefused(unlisted, "--effect needs --delete-missing.\n");
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
  const other = await scene.run(roleFile(root), "--delete-missing", "--effect", tag);
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
  const refused = await scene.run(roleFile("root,Root,,all,all,"), "--ids", folder);
  await Deno.remove(folder);
  assertRefused(refused, `A file cannot be read or written: ${folder} is a directory\n`);
  assert.equal(await countRoles(scene), 0);
});
