/** The export task writes what the import task can read. */
import assert from "node:assert/strict";
import { openTestDatabase } from "../helpers/databases.ts";
import { assertRefused, runOn, runScript } from "./run_script.ts";

const HIERARCHY = `key,name,parents,manages,selfRights,externalId
1,Root,,all,all,
2,"North, ""upper""",1,all,viewManagement|alarmManagement,n-2
3,=SUM(A1),1|2=roleManagement+viewManagement,roleManagement,,
4,Second root,|2,all,all,
`;

Deno.test("export writes what import can read, to a file or to standard output", async () => {
  await using first = await openTestDatabase("file");
  await using second = await openTestDatabase("file");
  const directory = await Deno.makeTempDir();
  const path = `${directory}/hierarchy.csv`;
  await Deno.writeTextFile(path, HIERARCHY);
  assert.equal((await runOn(first.url, "import.ts", path)).code, 0);
  const printed = await runOn(first.url, "export.ts");
  assert.deepEqual([printed.code, printed.stdout], [0, HIERARCHY]);
  assert.equal(printed.stderr, "Exported 4 roles and 4 relations.\n");
  const written = await runOn(first.url, "export.ts", path);
  assert.deepEqual([written.code, written.stdout], [0, ""]);
  assert.equal(((await Deno.stat(path)).mode ?? 0) & 0o777, 0o600);
  assert.equal(await Deno.readTextFile(path), HIERARCHY);
  assert.deepEqual([...Deno.readDirSync(directory)].map(({ name }) => name), ["hierarchy.csv"]);
  assert.equal((await runOn(second.url, "import.ts", path)).code, 0);
  assert.equal((await runOn(second.url, "export.ts")).stdout, HIERARCHY);
  await Deno.remove(directory, { recursive: true });
});

Deno.test("export --under counts the relations it leaves out and refuses an unknown role", async () => {
  await using file = await openTestDatabase("file");
  const path = await Deno.makeTempFile();
  await Deno.writeTextFile(path, HIERARCHY);
  await runOn(file.url, "import.ts", path);
  await Deno.remove(path);
  const part = await runOn(file.url, "export.ts", "--under", "2");
  assert.equal(
    part.stdout,
    "key,name,parents,manages,selfRights,externalId\n3,=SUM(A1),,roleManagement|viewManagement,,\n4,Second root,,all,all,\n",
  );
  assert.match(part.stderr, /^Exported 2 roles and 2 relations\.\n1 relations from other roles/);
  const missing = await runOn(file.url, "export.ts", "--under", "77");
  assertRefused(missing, "The role to export from does not exist.\n");
});

Deno.test("export --help warns of names that a spreadsheet reads as formulas", async () => {
  const { stdout } = await runScript("export.ts", { env: {}, args: ["--help"] });
  assert.match(stdout, /Texts are exported unchanged, even if they begin with =/);
});
