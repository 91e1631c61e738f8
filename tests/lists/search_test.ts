/** A search finds roles, people and devices by parts of their texts, page by page, as they are now. */
import assert from "node:assert/strict";
import type { Found, Search } from "../../src/lists/search/find_service.ts";
import { rights } from "../every_operation/request_catalogue.ts";
import { forEachApp, send, testApp } from "../helpers/http.ts";
import { lastCode } from "../helpers/mails.ts";
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
    { properties: { nodeId: "meter-4711", name: "Stromzähler Süd" } },
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

testApp("a search follows what is renamed, moved, transferred and deleted", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const siteId = await admin.create(rootId, "Old mill");
  const roomId = await admin.create(siteId, "Mill room");
  await admin.post(`/v1/device?roleId=${roomId}`, { properties: { nodeId: "mill-wheel" } });
  const eva = await invite(target, admin, siteId, "eva.miller@example.com");
  const sid = await invite(target, admin, siteId, "sid.miller@example.com");
  const names = (): Promise<string[]> => namesOf(admin, "mill");
  assert.deepEqual(await names(), [
    "Old mill",
    "Mill room",
    "eva.miller@example.com",
    "sid.miller@example.com",
    "mill-wheel",
  ]);

  const { role: [site] } = await admin.post<{ role: [{ selfRights: unknown }] }>("/v1/role/query", {
    filter: { id: [siteId] },
  });
  await admin.put(`/v1/role/${siteId}`, { name: "Old forge", selfRights: site.selfRights });
  await send(target, "POST", "/user/email/initiate", {
    token: eva.accessToken,
    body: { email: "eva.smith@example.com" },
  });
  await eva.put("/user/email", { otp: await lastCode(target, "email_transfer_otp") });
  assert.equal((await send(target, "DELETE", "/user", { token: sid.accessToken })).text, "null");
  assert.deepEqual(await names(), ["Mill room", "mill-wheel"]);
  assert.deepEqual(await namesOf(admin, "forge"), ["Old forge"]);
  assert.deepEqual(await namesOf(admin, ".SMITH@"), ["eva.smith@example.com"]);

  await admin.ask("DELETE", `/v1/role/${siteId}/manages/${roomId}`);
  assert.deepEqual(await names(), []);
});

testApp("hits come page by page, and a hit by its id comes first", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const ids: number[] = [];
  for (let i = 0; i < 5; i++) ids.push(await admin.create(rootId, `Place ${i}`));
  const last = ids[4] ?? 0;
  const named = await admin.create(rootId, `Near ${last}00${last}00`);
  const pages: number[][] = [];
  let cursor: string | null | undefined;
  do {
    const page: Found = await find(admin, "place", { kind: ["role"], limit: 2, ...cursor && { cursor } });
    pages.push(page.role.map(({ id }) => id));
    cursor = page.nextCursor.role;
  } while (cursor !== null);
  assert.deepEqual(pages, [ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)]);
  const renamed = await admin.create(rootId, `${last} again`);
  const byId = await find(admin, String(last), { kind: ["role"], limit: 1 });
  assert.deepEqual(byId.role.map(({ id }) => id), [last]);
  assert.ok(byId.nextCursor.role);
  const next = await find(admin, String(last), { kind: ["role"], cursor: byId.nextCursor.role });
  assert.deepEqual(next.role.map(({ id }) => id), [renamed]);
  assert.deepEqual(await namesOf(admin, `${last}00`), [`Near ${last}00${last}00`]);
  assert.ok(named > last);
  const refused = await admin.ask("POST", "/v1/search", { text: "place", cursor: "1" });
  assert.equal(refused.status, 400);
});

forEachApp("a search and a prefix compare folded texts, however these are written", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const names = [
    "Hauptstra\u00dfe",
    "HAUPTSTRASSE 2",
    "Zähler é",
    "İstanbul",
    "i\u0307zmir",
    "ΟΔΟΣ",
    "Müller-ﬂur",
  ];
  for (const name of names) await admin.create(rootId, name);
  // A row from before there was a canonical form, and a property that stays as it is sent.
  await target.database.write([
    { sql: "UPDATE role SET name = :name WHERE name = 'Zähler é'", args: { name: "Za\u0308hler e\u0301" } },
  ]);
  const properties = { nodeId: "strassenmeter", name: "Zähler im Haus".normalize("NFD") };
  await admin.post(`/v1/device?roleId=${rootId}`, { properties });
  const streets = ["Hauptstraße", "HAUPTSTRASSE 2"];
  const asked: [text: string, found: string[]][] = [
    ["hauptstrasse", streets],
    ["HAUPTSTRAßE", streets],
    ["TSTRAẞE", streets],
    ["ptstras", streets],
    ["zähler", ["Zähler é".normalize("NFD"), "strassenmeter"]],
    ["ZÄHLER".normalize("NFD"), ["Zähler é".normalize("NFD"), "strassenmeter"]],
    ["istanbul", ["İstanbul"]],
    ["İSTAN", ["İstanbul"]],
    ["i\u0307stan", ["İstanbul"]],
    ["izmir", ["i\u0307zmir"]],
    ["İZMİR", ["i\u0307zmir"]],
    ["οδος", ["ΟΔΟΣ"]],
    ["mu\u0308ller-fl", ["Müller-ﬂur"]],
  ];
  for (const [text, expected] of asked) {
    assert.deepEqual(await namesOf(admin, text), expected, text);
    if (text.length < 5 || /^(TS|pt)/.test(text)) continue;
    const { role } = await admin.post<{ role: { name: string }[] }>("/v1/role/query", {
      filter: { namePrefix: text },
    });
    const roles = expected.filter((name) => name !== "strassenmeter");
    assert.deepEqual(role.map(({ name }) => name), roles, text);
  }
});
