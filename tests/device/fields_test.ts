/** A list of devices has the fields that are asked for, and refuses filters that are not supported. */
import assert from "node:assert/strict";
import { type CreatedDevice, type Device, rootMember } from "./device_people.ts";
import { assertError, MALFORMED, testApp } from "../helpers/http.ts";

testApp("a list of devices has only the fields that the request names", async (target) => {
  const { admin, rootId } = await rootMember(target);
  const properties = { nodeId: "meter", name: "Meter", id: "an own id", site: { no: 1 } };
  const { device } = await admin.post<CreatedDevice>(`/v1/device?roleId=${rootId}`, { properties });
  const { id, lastUpdate, userRights } = device;
  const expected: [string[], Partial<Device>][] = [
    [[], device],
    [["id"], { id }],
    [["id", "lastUpdate"], { id, lastUpdate }],
    [["userRights"], { id, userRights }],
    [["properties"], { id, properties }],
    [["properties", "name"], { id, properties }],
    [["nodeId", "name"], { id, properties: { nodeId: "meter", name: "Meter" }, lastUpdate, userRights }],
    [["name", "lastUpdate"], { id, properties: { name: "Meter" }, lastUpdate }],
    [["site", "site", "nothing"], { id, properties: { site: { no: 1 } }, lastUpdate, userRights }],
    [["__proto__", "toString"], { id, properties: {}, lastUpdate, userRights }],
  ];
  for (const [fields, shown] of expected) {
    const lists = [
      await admin.post("/v1/device/query", { fields }),
      await admin.get(`/v1/device?fields=${fields.join()}`),
      await admin.get(`/v1/device?${fields.map((name) => `fields=${name}`).join("&")}`),
    ];
    for (const list of lists) assert.deepEqual(list, { device: [shown] }, fields.join());
    const page = await admin.post("/v1/device/query", { fields, limit: 1 });
    assert.deepEqual(page, { device: [shown], nextCursor: null });
  }
  for (const fields of ["id", null, [1], Array<string>(1001).fill("a")]) {
    assertError(await admin.ask("POST", "/v1/device/query", { fields }), 400, MALFORMED);
  }
});

testApp("unsupported filters of the platform are refused", async (target) => {
  const { admin } = await rootMember(target);
  for (const filter of [{ companyId: [1] }, { viewId: [1] }, { nodeType: "meter" }, { isActive: "true" }]) {
    assertError(await admin.ask("POST", "/v1/device/query", { filter }), 400, MALFORMED);
  }
  for (const body of [{ conditions: {} }, { nodeType: ["meter"] }, { isActive: true }]) {
    assertError(await admin.ask("POST", "/v1/device/query", body), 400, MALFORMED);
  }
  for (const query of ["companyId=1", "isActive=yes", "isActive=true&isActive=true"]) {
    assertError(await admin.ask("GET", `/v1/device?${query}`), 400, MALFORMED);
  }
});
