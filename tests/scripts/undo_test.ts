/** The undo task restores deletions that cost too much for a request. */
import assert from "node:assert/strict";
import { createApp } from "../../src/app.ts";
import { query, send } from "../helpers/http.ts";
import { bootstrap } from "../helpers/person.ts";
import { assertSoundGraph } from "../helpers/sound_graph.ts";
import { openTestApp, requestsTo, type TestApp } from "../helpers/test_app.ts";
import { assertRefused, runOn } from "./run_script.ts";

const CHAIN = 10;
const CUSTOMERS = 1000;
const SITES = 3;

/** A company at the end of a chain, with customers and their sites: 4,000 roles that one deletion takes. */
function companyFile(): string {
  const row = (key: string, parent: string): string => `${key},${key},${parent},all,`;
  const chain = Array.from({ length: CHAIN }, (_, i) => row(`chain${i}`, i === 0 ? "" : `chain${i - 1}`));
  const customers = Array.from({ length: CUSTOMERS }, (_, i) => [
    row(`customer${i}`, `chain${CHAIN - 1}`),
    ...Array.from({ length: SITES }, (_, site) => row(`site${i}.${site}`, `customer${i}`)),
  ]);
  return ["key,name,parents,manages,selfRights", ...chain, ...customers.flat()].join("\n");
}

async function countRoles(target: TestApp): Promise<number> {
  return Number((await query(target, "SELECT count(*) AS roles FROM role"))[0]?.["roles"]);
}

Deno.test("undo restores a company of 4,000 roles, which costs too much for a request", async () => {
  await using target = await openTestApp("file", {}, { onDisk: true });
  const { admin, rootId } = await bootstrap(target);
  const path = await Deno.makeTempFile({ suffix: ".csv" });
  await Deno.writeTextFile(path, companyFile());
  const imported = await runOn(target.url, "import.ts", path, "--under", String(rootId));
  await Deno.remove(path);
  assert.equal(imported.code, 0, imported.stderr);
  const roles = await countRoles(target);

  const raised = { request: requestsTo(createApp({ ...target.deps, maxClosureChange: 100_000 })) };
  const [relation] = await query(target, `SELECT id FROM manages WHERE parent_id = ${rootId}`);
  const deletion = `/v1/role/${rootId}/manages/${relation?.["id"]}`;
  const deleted = await send(raised, "DELETE", deletion, { token: admin.accessToken });
  assert.equal(deleted.status, 200);
  assert.equal(await countRoles(target), 1);
  const [{ rev } = {}] = await query(target, "SELECT max(rev) AS rev FROM change_log");

  const tooMuch = await admin.ask("POST", `/v1/change/${rev}/undo`);
  assert.equal(tooMuch.status, 422);
  assert.match(JSON.stringify(tooMuch.body), /about \d{5} pairs of roles, more than the 40000 allowed/);
  const undone = await runOn(target.url, "undo.ts", String(rev));
  const total = CHAIN + CUSTOMERS * (1 + SITES);
  assert.deepEqual([undone.stderr, undone.stdout.split("\n")[0]], [
    "",
    `Restored ${total} roles, 0 devices, ${total} manages relations, 0 monitors relations, 0 memberships.`,
  ]);
  assert.equal(await countRoles(target), roles);
  await assertSoundGraph(target);
  assertRefused(
    await runOn(target.url, "undo.ts", String(rev)),
    new RegExp(`^Revision ${rev} is no deletion that can be restored: `),
  );
});
