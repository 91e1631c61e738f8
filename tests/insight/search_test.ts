import assert from "node:assert/strict";
import type { Found, Search } from "../../src/insight/search/find_service.ts";
import { rights } from "../every_operation/request_catalogue.ts";
import { forEachApp } from "../helpers/http.ts";
import { bootstrap, invite, type Person } from "../helpers/person.ts";

function find(by: Person, text: string, more: Omit<Partial<Search>, "kinds"> & { kind?: string[] } = {}) {
  return by.post<Found>("/v1/search", { text, ...more });
}

/** What a search finds, in short. */
async function namesOf(by: Person, text: string): Promise<string[]> {
  const { role, person, device } = await find(by, text);
  return [
    ...role.map(({ name }) => name),
    ...person.map(({ userEmail }) => userEmail),
    ...device.map(({ nodeId }) => nodeId),
  ];
}

forEachApp("a search finds roles, people and devices by any part of their texts", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const north = await admin.create(rootId, "Werk Nord");
  const south = await admin.create(rootId, "Werk Süd");
  const hall = await admin.create(north, "Halle 7 (Süd)");
  await admin.put(`/v1/role/${south}/manages?childRoleId=${hall}`, rights());
  const eva = await invite(target, admin, north, "eva.nordmann@example.com");
  const { device: { id: deviceId } } = await admin.post<{ device: { id: number } }>(
    `/v1/device?roleId=${hall}`,
    {
      properties: { nodeId: "meter-4711", name: "Stromzähler Süd" },
    },
  );

  const all = await find(admin, "süD");
  assert.deepEqual(all, {
    role: [
      { id: south, name: "Werk Süd", parents: [{ id: rootId, name: "Energy Inc" }] },
      {
        id: hall,
        name: "Halle 7 (Süd)",
        parents: [{ id: north, name: "Werk Nord" }, { id: south, name: "Werk Süd" }],
      },
    ],
    person: [],
    device: [{
      id: deviceId,
      nodeId: "meter-4711",
      name: "Stromzähler Süd",
      roles: [{ id: hall, name: "Halle 7 (Süd)" }],
    }],
    matched: "anywhere",
    nextCursor: { role: null, person: null, device: null },
  });
  const { person } = await find(admin, "NORD");
  assert.deepEqual(person, [{
    userId: (await eva.get<{ id: number }>("/user")).id,
    userEmail: "eva.nordmann@example.com",
    roles: [{ id: north, name: "Werk Nord" }],
  }]);
  assert.deepEqual(await namesOf(eva, "Süd"), ["Halle 7 (Süd)", "meter-4711"]);
  assert.deepEqual(await namesOf(admin, "4711"), ["meter-4711"]);

  const short = await find(admin, "we");
  assert.deepEqual(short.role.map(({ id }) => id), [north, south]);
  assert.equal(short.matched, "beginning");
  assert.deepEqual(await namesOf(admin, "rk"), []);
  assert.deepEqual(await namesOf(admin, String(hall)), ["Halle 7 (Süd)"]);
  assert.deepEqual(await namesOf(eva, String(south)), []);
});
