/** Previews say who gains and loses the reading of devices. */
import assert from "node:assert/strict";
import { effectOnMonitors, MAX_COMPARED, type MonitorsChange } from "../../src/device/reading_effect.ts";
import { ifEffect } from "../changes/effect_scene.ts";
import type { DecisionRow } from "../../src/changes/decision.ts";
import type { Pair } from "../../src/changes/preview/effect_rows.ts";
import { createDevice, DEVICE, joinRoles, namedMemberOf, NONE, rootMember } from "./device_people.ts";
import { assertError, testApp } from "../helpers/http.ts";
import type { Person } from "../helpers/person.ts";
import { lastRevision } from "../flows/undo_scene.ts";
import { ALL } from "../every_operation/request_catalogue.ts";

interface Reading {
  readonly roles: { readonly gained: number; readonly lost: number };
  readonly people: { readonly gained: number; readonly lost: number };
  readonly changes: readonly { actingRoleId: number; gained: number; lost: number }[];
  readonly hidden: number;
}
interface Previewed {
  readonly effect: { readonly tag: string; readonly reading: Reading };
}

/** The reading as `[roles, people, changes, hidden]`, each of the first three with what is gained and lost. */
async function reading(person: Person, method: string, path: string, body?: unknown): Promise<unknown> {
  const { effect } = await preview(person, method, path, body);
  const { roles, people, changes, hidden } = effect.reading;
  return [
    [roles.gained, roles.lost],
    [people.gained, people.lost],
    changes.map(({ actingRoleId, gained, lost }) => [actingRoleId, gained, lost]),
    hidden,
  ];
}

async function preview(person: Person, method: string, path: string, body?: unknown): Promise<Previewed> {
  const answer = await person.ask(method, `${path}${path.includes("?") ? "&" : "?"}dryRun=true`, body);
  assert.equal(answer.status, 200, answer.text);
  return answer.body as Previewed;
}

const NOTHING = [[0, 0], [0, 0], [], 0];

testApp("a hand-over and its undo say which roles and how many people gain reading", async (target) => {
  const { admin, rootId } = await rootMember(target);
  const [old, next] = [await admin.create(rootId, "Old house"), await admin.create(rootId, "New house")];
  for (const email of ["ann@example.com", "bob@example.com"]) await namedMemberOf(target, admin, email, old);
  await namedMemberOf(target, admin, "cy@example.com", next);
  await namedMemberOf(target, admin, "agent@example.com", old, next);
  const { device } = await createDevice(admin, old, "meter");
  target.clock.advance(60);
  const path = `/v1/device/${device.id}/transfer?toRoleId=${next}`;
  // The agent, and those above both houses, read all of it before and after.
  assert.deepEqual(await reading(admin, "POST", path), [[1, 1], [1, 2], [[old, 0, 1], [next, 1, 0]], 0]);
  const { effect: { tag } } = await preview(admin, "POST", path);
  await namedMemberOf(target, admin, "dee@example.com", next);
  const stale = await admin.ask("POST", path, undefined, ifEffect(tag));
  assertError(stale, 409, "EFFECT_CHANGED");
  await admin.post(path);
  target.clock.advance(60);
  const undo = `/v1/change/${await lastRevision(target)}/undo`;
  assert.deepEqual(await reading(admin, "POST", undo), [[1, 1], [2, 2], [[old, 1, 0], [next, 0, 1]], 0]);
  await admin.post(undo);
  target.clock.advance(60);
  const again = `/v1/change/${await lastRevision(target)}/undo`;
  assert.deepEqual(await reading(admin, "POST", again), [[1, 1], [2, 2], [[old, 0, 1], [next, 1, 0]], 0]);
});

testApp("a preview that is repeated within a minute says the same", async (target) => {
  const { admin, rootId } = await rootMember(target);
  const [old, next] = [await admin.create(rootId, "Old house"), await admin.create(rootId, "New house")];
  for (const email of ["ann@example.com", "bob@example.com"]) await namedMemberOf(target, admin, email, old);
  const { device } = await createDevice(admin, old, "meter");
  for (let i = 0; i < 3; i++) {
    const tenant = await admin.create(old, `Flat ${i}`);
    await admin.put(`/v1/role/${tenant}/monitors?deviceId=${device.id}`);
  }
  target.clock.advance(1);
  await admin.post(`/v1/device/${device.id}/transfer?toRoleId=${next}`);
  const path = `/v1/change/${await lastRevision(target)}/undo`;
  const tags = [await preview(admin, "POST", path), await preview(admin, "POST", path)]
    .map(({ effect }) => effect.tag);
  assert.equal(tags[0], tags[1]);
  assert.equal((await admin.ask("POST", path, undefined, ifEffect(tags[0] ?? ""))).status, 200);
});

testApp("a period that is given, shortened or taken away says who reads more or less", async (target) => {
  const { admin, rootId } = await rootMember(target);
  const [house, flat] = [await admin.create(rootId, "House"), await admin.create(rootId, "Flat")];
  const guest = await admin.create(flat, "Guest");
  await namedMemberOf(target, admin, "guest@example.com", guest);
  const make = `/v1/device?roleId=${guest}`;
  const batch = [{ properties: { nodeId: "a" } }, { properties: { nodeId: "b" } }];
  const [made] = await admin.post<Previewed[]>(`${make}&dryRun=true`, batch);
  assert.deepEqual(made?.effect.reading.changes.at(-1), { actingRoleId: guest, gained: 2, lost: 0 });
  assert.deepEqual(await reading(admin, "POST", make, batch[0]), [
    [3, 0],
    [2, 0],
    [[rootId, 1, 0], [flat, 1, 0], [guest, 1, 0]],
    0,
  ]);
  const { device } = await createDevice(admin, house, "meter");
  const at = (days: number): string => new Date(target.clock.now() + days * 86_400_000).toISOString();
  const put = (roleId: number): string => `/v1/role/${roleId}/monitors?deviceId=${device.id}`;
  // Those above the house read it already.
  const gained = [[2, 0], [1, 0], [[flat, 1, 0], [guest, 1, 0]], 0];
  assert.deepEqual(await reading(admin, "PUT", put(guest), { from: at(-9), until: at(9) }), gained);
  await admin.put(put(guest), { from: at(-9), until: at(9) });
  const lost = [[0, 2], [0, 1], [[flat, 0, 1], [guest, 0, 1]], 0];
  assert.deepEqual(await reading(admin, "PUT", put(guest), { until: at(5) }), lost);
  assert.deepEqual(await reading(admin, "PUT", put(guest), { until: at(10) }), gained);
  // Its flat reads the same days, and no more.
  assert.deepEqual(await reading(admin, "PUT", put(flat), { from: at(-9), until: at(8) }), NOTHING);
  const relationAt = async (roleId: number): Promise<string> => {
    const path = `/v1/role/${roleId}/monitors`;
    const { monitors: [first] } = await admin.post<{ monitors: { id: number }[] }>(`${path}/query`);
    return `${path}/${first?.id}`;
  };
  const relation = await relationAt(guest);
  assert.deepEqual(await reading(admin, "DELETE", relation), lost);
  await admin.delete(relation);
  const undo = `/v1/change/${await lastRevision(target)}/undo`;
  assert.deepEqual(await reading(admin, "POST", undo), gained);
  // A device that returns from the trash.
  await admin.delete(await relationAt(house));
  const back = `/v1/change/${await lastRevision(target)}/undo`;
  assert.deepEqual(await reading(admin, "POST", back), [[2, 0], [1, 0], [[rootId, 1, 0], [house, 1, 0]], 0]);
});

testApp("reading takes no right: relations and memberships without any give it, too", async (target) => {
  const { admin, rootId } = await rootMember(target);
  const [group, house] = [await admin.create(rootId, "Group"), await admin.create(rootId, "House")];
  await namedMemberOf(target, admin, "ann@example.com", group);
  for (const nodeId of ["meter", "battery"]) await createDevice(admin, house, nodeId);
  const path = `/v1/role/${group}/manages?childRoleId=${house}`;
  assert.deepEqual(await reading(admin, "PUT", path, NONE), [[1, 0], [1, 0], [[group, 2, 0]], 0]);
  const { effect: { tag } } = await preview(admin, "PUT", path, NONE);
  await createDevice(admin, house, "pump");
  const stale = await admin.ask("PUT", path, NONE, ifEffect(tag));
  assertError(stale, 409, "EFFECT_CHANGED");
  const { manages } = await admin.put<{ manages: { id: number } }>(path, NONE);
  assert.deepEqual(await reading(admin, "PUT", path, DEVICE), NOTHING);
  const relation = `/v1/role/${group}/manages/${manages.id}`;
  assert.deepEqual(await reading(admin, "DELETE", relation), [[0, 1], [0, 1], [[group, 0, 3]], 0]);
  const invited = `/v1/role/${group}/member?userEmail=bob@example.com`;
  assert.deepEqual(await reading(admin, "PUT", invited, { rights: NONE }), [
    [1, 0],
    [1, 0],
    [[group, 3, 0]],
    0,
  ]);
  const { member } = await admin.put<{ member: { id: number } }>(invited, { rights: ALL });
  assert.deepEqual(await reading(admin, "PUT", invited, { rights: NONE }), NOTHING);
  const removed = `/v1/role/${group}/member/${member.id}`;
  assert.deepEqual(await reading(admin, "DELETE", removed), [[0, 1], [0, 1], [[group, 0, 3]], 0]);
  assert.deepEqual(
    await reading(admin, "PUT", `/v1/role/${house}`, { name: "House", selfRights: NONE }),
    NOTHING,
  );
});

testApp("a deletion and its restoration say who loses and gains the devices of its roles", async (target) => {
  const { admin, rootId } = await rootMember(target);
  const [house, grid] = [await admin.create(rootId, "House"), await admin.create(rootId, "Grid")];
  const room = await admin.create(house, "Room");
  await namedMemberOf(target, admin, "ann@example.com", house);
  await namedMemberOf(target, admin, "bob@example.com", grid);
  const { device } = await createDevice(admin, room, "meter");
  await createDevice(admin, room, "battery");
  await admin.put(`/v1/role/${grid}/monitors?deviceId=${device.id}`);
  const relation = `/v1/role/${rootId}/manages/${await admin.relationIdOf(rootId, house)}`;
  const lost = (n: number) => [0, n] as const;
  // The grid keeps its loan. Of devices that a role reads otherwise, the paths tell nothing.
  assert.deepEqual(await reading(admin, "DELETE", relation), [
    lost(3),
    lost(2),
    [[rootId, ...lost(2)], [house, ...lost(2)], [room, ...lost(2)]],
    0,
  ]);
  await admin.delete(relation);
  const undo = `/v1/change/${await lastRevision(target)}/undo`;
  const gained = [[rootId, 2, 0], [house, 2, 0], [room, 2, 0]];
  assert.deepEqual(await reading(admin, "POST", undo), [[3, 0], [2, 0], gained, 0]);
  await admin.post(undo);
});

testApp("of roles hidden from the caller, a preview tells their number alone", async (target) => {
  const { admin, rootId } = await rootMember(target);
  const [grid, family] = [await admin.create(rootId, "Grid"), await admin.create(rootId, "Family")];
  const [house, next] = [await admin.create(family, "House"), await admin.create(family, "Next")];
  const owner = await namedMemberOf(target, admin, "owner@example.com", family);
  const { device } = await createDevice(owner, house, "meter");
  await joinRoles(admin, grid, next, NONE);
  const path = `/v1/role/${next}/monitors?deviceId=${device.id}`;
  const before = await reading(owner, "PUT", path);
  assert.deepEqual(before, [[3, 0], [1, 0], [[next, 1, 0]], 2]);
  // The grid, which the owner does not see, reads the device already: they are told the same.
  await admin.put(`/v1/role/${grid}/monitors?deviceId=${device.id}`);
  assert.deepEqual(await reading(owner, "PUT", path), before);
});

/** 100 devices of role 0 change hands. They have these relations with other roles, `[role, from, until]`. */
function readingOfMany(
  relationsOf: (device: number) => readonly (readonly [number, number, number | null])[],
) {
  const watched = Array.from({ length: 100 }, (_, device) => [
    [device, device, 0, device, null],
    ...relationsOf(device).map((relation, i) => [1000 * (device + 1) + i, device, ...relation]),
  ]);
  // Each of 500 acting roles reaches role 0, and another set of the roles 1 to 9.
  const reaches = Array.from(
    { length: 500 },
    (_, set) =>
      [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].filter((role) => role === 0 || (set >> (role - 1)) & 1)
        .map((role): Pair => [10 + set, role, 0, 0, 0]),
  );
  const change: MonitorsChange = {
    ended: { ids: Array.from({ length: 100 }, (_, device) => device), at: 5000 },
    put: Array.from(
      { length: 100 },
      (_, deviceId) => ({ id: null, deviceId, roleId: 9999, from: 5000, until: null }),
    ),
  };
  const { readingOf } = effectOnMonitors<DecisionRow>(() => change);
  const row = {
    revision: 1,
    moved: 0,
    pairs: "",
    watched: JSON.stringify(watched.flat()),
    holders: "",
    unmanaged: "",
    truncated: 0,
  };
  const whole = { row, pairs: [], reaches: reaches.flat(), holders: [], unmanaged: [] };
  return readingOf?.({ decision: "ok", revision: 1 } as DecisionRow)(whole, new Set());
}

Deno.test("the past of devices that change hands takes no work, and what does is bounded", () => {
  const past = readingOfMany((device) =>
    Array.from({ length: 200 }, (_, i) => [1 + i % 9, device + i, device + i + 1])
  );
  assert.deepEqual([past?.all.size, past?.truncated], [500, false]);
  const shared = readingOfMany((device) =>
    Array.from({ length: 9 }, (_, i) => [1 + i, 6000 + device * 10 + i, null])
  );
  assert.equal(shared?.truncated, true);
  const compared = shared?.all.size ?? 0;
  assert.ok(compared > 0 && compared * 100 * 11 <= MAX_COMPARED, `${compared} acting roles`);
});
