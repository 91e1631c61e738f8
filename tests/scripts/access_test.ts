/** The access task writes who has access to a role, now or at a past moment. */
import assert from "node:assert/strict";
import type { Manages } from "../helpers/person.ts";
import { openTestApp } from "../helpers/test_app.ts";
import { ADA, addKey, addPeople, ADMIN, BOB, setAccessScene } from "../lists/access_scene.ts";
import { assertRefused, runOn } from "./run_script.ts";

Deno.test("access writes all accounts and keys with access to a role, to a file or to standard output", async () => {
  await using target = await openTestApp("file", {}, { onDisk: true });
  const { rootId, plantId, boilerId } = await setAccessScene(target);
  await addPeople(target, plantId, 1200);
  await addKey(target, { keyId: 90_001, roleId: boilerId, name: "=gate", mask: 4 });
  const directory = await Deno.makeTempDir();
  const path = `${directory}/access.csv`;
  const written = await runOn(target.url, "access.ts", "--role", String(boilerId), "--csv", path);
  assert.deepEqual([written.code, written.stdout], [0, ""], written.stderr);
  assert.equal(written.stderr, "Wrote 1204 people and keys with access to the role.\n");
  assert.equal(((await Deno.stat(path)).mode ?? 0) & 0o777, 0o600);
  assert.deepEqual([...Deno.readDirSync(directory)].map(({ name }) => name), ["access.csv"]);
  const text = await Deno.readTextFile(path);
  await Deno.remove(directory, { recursive: true });

  const lines = text.split("\r\n");
  assert.equal(lines.length, 1 + 1204 + 1);
  assert.match(lines[0] ?? "", /^userEmail,keyId,keyName,roleManagement,/);
  assert.deepEqual(lines.slice(1, 4).map((line) => line.split(",").slice(0, -1).join(",")), [
    `${ADMIN},,,true,true,false,false,false,false,false,${rootId},Energy Inc,0,`,
    `${ADA},,,true,true,false,false,false,true,false,${plantId},Plant,0,`,
    `${BOB},,,false,false,true,false,true,false,true,,,0,`,
  ]);
  assert.match(lines[1204] ?? "", /^,90001,'=gate,false,false,true,/);
  const printed = await runOn(target.url, "access.ts", "--role", String(boilerId));
  assert.deepEqual([printed.code, printed.stdout], [0, text]);
});

Deno.test("access refuses a missing role, and names the file that it cannot write", async () => {
  await using target = await openTestApp("file", {}, { onDisk: true });
  assertRefused(await runOn(target.url, "access.ts"), "--role is missing: the id of the role.\n");
  const { rootId } = await setAccessScene(target);
  const args = ["--role", String(rootId), "--csv", "/no/such/folder/access.csv"];
  const reason = /^A file cannot be read or written: .*\/no\/such\/folder\/.*\n$/;
  assertRefused(await runOn(target.url, "access.ts", ...args), reason);
});

Deno.test("access --as-of writes the access of a past moment, even for a role deleted since", async () => {
  await using target = await openTestApp("file", {}, { onDisk: true });
  const { admin, rootId, plantId, boilerId } = await setAccessScene(target);
  const run = (...args: string[]) => runOn(target.url, "access.ts", "--role", String(boilerId), ...args);
  const then = await run();
  const revision = then.stdout.trimEnd().split(",").at(-1) as string;
  const { manages } = await admin.post<{ manages: Manages[] }>(`/v1/role/${boilerId}/managed-by/query`);
  for (const { id, parentRoleId } of manages) await admin.delete(`/v1/role/${parentRoleId}/manages/${id}`);
  assert.ok(rootId !== plantId);
  const past = await run("--as-of", revision);
  assert.deepEqual([past.code, past.stdout], [0, then.stdout], past.stderr);
  assertRefused(await run(), "The role does not exist.\n");
  assertRefused(await run("--as-of", "99999"), "--as-of must not be in the future.\n");
});
