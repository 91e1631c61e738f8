/** Names and ids in several spellings: composed, decomposed (as a Mac types), with blanks at the ends. */
import assert from "node:assert/strict";
import { ALL } from "../every_operation/request_catalogue.ts";
import { collect, minute, powerOf, valuesOf, writeLines } from "../every_operation/telemetry_requests.ts";
import { assertError, execute, forEachApp, MALFORMED, query } from "../helpers/http.ts";
import type { Person, Role } from "../helpers/person.ts";
import { NODE_ID_FIXED, NODE_ID_TAKEN } from "../model/oracle_devices.ts";
import { createDevice, type Device, rootMember } from "../device/device_people.ts";

const COMPOSED = "Zähler é";
const DECOMPOSED = COMPOSED.normalize("NFD");
/** A no-break space, "next line", which JavaScript does not trim, an ideographic space and a byte order mark. */
const BLANKS = " \u00a0\u0085\u3000\ufeff\t";
const EXTERNAL_ID_TAKEN =
  "The externalId is that of another one below the same root role: give this one a different externalId";

type Identified = Role & { readonly externalId?: string };

const newRole = (name: string, externalId?: string) => ({
  manages: ALL,
  role: { name, selfRights: ALL, externalId },
});

async function find<T>(by: Person, kind: "role" | "device", filter: object): Promise<T[]> {
  return (await by.post<Record<string, T[]>>(`/v1/${kind}/query`, { filter }))[kind] ?? [];
}

forEachApp("names and ids are stored in one form, and found and taken in any", async (target) => {
  const { admin, rootId } = await rootMember(target);
  const inRoot = `?parentRoleId=${rootId}`;
  const { role } = await admin.post<{ role: Identified }>(
    `/v1/role${inRoot}`,
    newRole(`${BLANKS}${DECOMPOSED}${BLANKS}`, `${DECOMPOSED}\u0085`),
  );
  assert.deepEqual([role.name, role.externalId], [COMPOSED, COMPOSED]);
  for (const text of [COMPOSED, DECOMPOSED, `${BLANKS}${DECOMPOSED}`]) {
    for (const filter of [{ name: [text] }, { externalId: [text] }]) {
      const found = await find<Identified>(admin, "role", filter);
      assert.deepEqual(found.map(({ id }) => id), [role.id], JSON.stringify(filter));
    }
    const second = await admin.ask("POST", `/v1/role${inRoot}`, newRole("Other", text));
    assertError(second, 409, EXTERNAL_ID_TAKEN);
  }
  for (const blank of [BLANKS, "a\u0085b"]) {
    assertError(await admin.ask("POST", `/v1/role${inRoot}`, newRole(blank)), 400, MALFORMED);
    const body = { properties: { nodeId: blank } };
    assertError(await admin.ask("POST", `/v1/device?roleId=${rootId}`, body), 400, MALFORMED);
  }

  const { device } = await createDevice(admin, rootId, `${BLANKS}${DECOMPOSED} `);
  assert.deepEqual(device.properties, { nodeId: COMPOSED });
  for (const text of [COMPOSED, DECOMPOSED, `${DECOMPOSED}${BLANKS}`]) {
    const body = { properties: { nodeId: text } };
    assertError(await admin.ask("POST", `/v1/device?roleId=${rootId}`, body), 409, NODE_ID_TAKEN);
    assert.deepEqual((await find<Device>(admin, "device", { nodeId: [text] })).map(({ id }) => id), [
      device.id,
    ]);
    // An update may name it in any spelling, and does not change it.
    for (const mode of ["legacy", "replace"]) {
      const path = `/v1/device/${device.id}?mode=${mode}`;
      const put = await admin.put<{ device: Device }>(path, {
        properties: { kind: mode, ...body.properties },
      });
      assert.deepEqual(put.device.properties, { nodeId: COMPOSED, kind: mode });
    }
  }
  assertError(
    await admin.ask("PUT", `/v1/device/${device.id}`, { properties: { nodeId: "Zahler é" } }),
    409,
    NODE_ID_FIXED,
  );
  const twice = ["x\u0301", "X".toLowerCase() + "\u0301 "].map((nodeId) => ({ properties: { nodeId } }));
  assertError(await admin.ask("POST", `/v1/device?roleId=${rootId}`, twice), 400, MALFORMED);

  // A gateway on a Mac writes and reads under the decomposed nodeId.
  const tag = DECOMPOSED.replace(" ", "\\ ");
  const written = await writeLines(admin, [`energy,nodeId=${tag} power=7 ${minute(1)}`]);
  assert.equal(written.status, 204, written.text);
  for (const nodeId of [COMPOSED, DECOMPOSED]) {
    const [result] = await collect(admin, [powerOf(nodeId)]);
    assert.deepEqual(valuesOf(result), [["2026-01-01T00:01:00Z", 7]], nodeId);
  }
  const evaluation = {
    subject: { type: "user", id: "root@example.com" },
    action: { name: "write" },
    resource: { type: "device", id: DECOMPOSED },
  };
  assert.equal((await admin.post<{ decision: boolean }>("/access/v1/evaluation", evaluation)).decision, true);
});

forEachApp("a row from before keeps its spelling, and is found as it was sent", async (target) => {
  const { admin, rootId } = await rootMember(target);
  const { role: { id: roleId } } = await admin.post<{ role: Role }>(
    `/v1/role?parentRoleId=${rootId}`,
    newRole("Old", "e"),
  );
  const { device: { id } } = await createDevice(admin, rootId, "w1");
  const old = { role: "e\u0301", nodeId: "w1\u00a0" };
  await execute(target, "UPDATE role SET external_id = :text, name = :text WHERE id = :id", {
    text: old.role,
    id: roleId,
  });
  await execute(
    target,
    "UPDATE device SET node_id = :nodeId, properties = json_object('a', 1.50, 'nodeId', :nodeId) WHERE id = :id",
    { nodeId: old.nodeId, id },
  );
  const rolesBy = async (filter: object) => (await find<Role>(admin, "role", filter)).map(({ id }) => id);
  const devicesBy = async (nodeId: string) =>
    (await find<Device>(admin, "device", { nodeId: [nodeId] })).map(({ id }) => id);
  assert.deepEqual(await devicesBy(old.nodeId), [id]);
  for (const text of [old.role, "\u00e9"]) {
    assert.deepEqual(await rolesBy({ externalId: [text] }), [roleId]);
    assert.deepEqual(await rolesBy({ name: [text] }), [roleId]);
    // The same as before, so it does not become another one.
    const put = await admin.put<{ role: Identified }>(`/v1/role/${roleId}`, {
      name: "Old",
      selfRights: ALL,
      externalId: text,
    });
    assert.equal(put.role.externalId, old.role);
    const other = await admin.ask("POST", `/v1/role?parentRoleId=${rootId}`, newRole("New", text));
    assertError(other, 409, EXTERNAL_ID_TAKEN);
    await execute(target, "UPDATE role SET name = :text WHERE id = :id", { text: old.role, id: roleId });
  }
  const body = { properties: { nodeId: old.nodeId } };
  assertError(await admin.ask("POST", `/v1/device?roleId=${rootId}`, body), 409, NODE_ID_TAKEN);
  const { device } = await admin.put<{ device: Device }>(`/v1/device/${id}?mode=replace`, {
    properties: { b: 2, nodeId: old.nodeId },
  });
  assert.equal(JSON.stringify(device.properties), JSON.stringify({ b: 2, nodeId: old.nodeId }));

  // Another device may have the canonical form; what is written goes to the one that was named.
  const { device: { id: newId } } = await createDevice(admin, rootId, "w1");
  assert.deepEqual(await devicesBy("w1"), [newId]);
  const lines = [`energy,nodeId=w1\u00a0 power=1 ${minute(1)}`, `energy,nodeId=w1 power=2 ${minute(1)}`];
  assert.equal((await writeLines(admin, lines)).status, 204);
  for (const [nodeId, power] of [[old.nodeId, 1], ["w1", 2], ["w1\u2003", 2]] as const) {
    const [result] = await collect(admin, [powerOf(nodeId)]);
    assert.deepEqual(valuesOf(result), [["2026-01-01T00:01:00Z", power]], nodeId);
  }
  const [counted] = await query(target, "SELECT count(*) AS devices FROM device");
  assert.deepEqual({ ...counted }, { devices: 2 });
});
