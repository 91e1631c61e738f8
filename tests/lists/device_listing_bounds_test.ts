/** A page of the largest devices, more than a database server sends at once, is complete. */
import assert from "node:assert/strict";
import { bindBatch } from "../../src/db/statement.ts";
import { testApp } from "../helpers/http.ts";
import { defineStatement } from "../helpers/text_statement.ts";
import { type Device, rootMember } from "../device/device_people.ts";

/** A full page of the largest devices is more than a database server sends at once. */
const DEVICES = 1000;
/** Three bytes a character, together almost 16 KiB. */
const FILLING = "€".repeat(5400);
const FIRST_ID = 1000;

const PLANT = [
  defineStatement(`INSERT INTO device (id, node_id, properties, updated_at)
    SELECT value, 'node ' || value, '{"nodeId":"node ' || value || '","filling":"' || :filling || '"}', 0
    FROM json_each(:ids)`),
  defineStatement(
    `INSERT INTO monitors (id, role_id, device_id) SELECT value, :roleId, value FROM json_each(:ids)`,
  ),
];

testApp("a page of the largest devices is complete and in order with any filter", async (target) => {
  const { admin, rootId } = await rootMember(target);
  const ids = Array.from({ length: DEVICES }, (_, i) => FIRST_ID + i);
  await target.database.write(
    bindBatch(PLANT, { ids: JSON.stringify(ids), filling: FILLING, roleId: rootId }),
  );
  const nodeId = ids.map((id) => `node ${id}`);
  for (const filter of [{}, { id: ids }, { nodeId }, { roleId: [rootId] }]) {
    const read = await admin.post<{ device: Device[]; nextCursor?: unknown }>("/v1/device/query", {
      filter,
      limit: DEVICES,
    });
    const what = Object.keys(filter).join();
    assert.deepEqual(read.device.map(({ id }) => id), ids, what);
    assert.equal(read.nextCursor, null, what);
    for (const { id, properties } of read.device) {
      assert.deepEqual(properties, { nodeId: `node ${id}`, filling: FILLING }, what);
    }
  }
  const body = { filter: { property: { filling: [FILLING] } } };
  const whole = await admin.post<{ device: Device[] }>("/v1/device/query", body);
  assert.deepEqual(whole.device.map(({ id }) => id), ids, "property");
});
