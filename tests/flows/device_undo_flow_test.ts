/** Transfers, and changes of which roles monitor a device, are undone by those who could make the inverse. */
import assert from "node:assert/strict";
import { addDevice } from "../every_operation/telemetry_requests.ts";
import {
  type Answer,
  assertError,
  DENIED,
  execute,
  forEachApp,
  query,
  queryNumber,
  testApp,
} from "../helpers/http.ts";
import { ALL } from "../every_operation/request_catalogue.ts";
import { bootstrap, invite, Person } from "../helpers/person.ts";
import type { TestApp } from "../helpers/test_app.ts";
import { lastRevision, laterOf, undo, undone } from "./undo_scene.ts";

interface Monitors {
  readonly id: number;
  readonly roleId: number;
  readonly from?: string;
  readonly until?: string;
}

const OUTSIDE = [422, "The period does not lie within that of a relation by which you manage the device"];
const messageOf = ({ status, body }: Answer): unknown[] => [status, (body as { message: string }).message];

/** The device's relations as `[roleId, from, until]`, in seconds after the start. */
async function periodsOf(target: TestApp, deviceId: number, start: number): Promise<unknown[]> {
  const rows = await query(
    target,
    `SELECT role_id, (valid_from - ${start}) / 1000 AS begins, (valid_until - ${start}) / 1000 AS ends
      FROM monitors WHERE device_id = ${deviceId} ORDER BY id`,
  );
  return rows.map(({ role_id, begins, ends }) => [role_id, begins, ends].map((n) => n && Number(n)));
}

async function scene(target: TestApp) {
  const { admin, rootId } = await bootstrap(target);
  const [house, grid, next] = [
    await admin.create(rootId, "House"),
    await admin.create(rootId, "Grid"),
    await admin.create(rootId, "Next house"),
  ];
  const { device, monitors } = await admin.post<{ device: { id: number }; monitors: Monitors }>(
    `/v1/device?roleId=${house}`,
    { properties: { nodeId: "meter" } },
  );
  const start = target.clock.now();
  const at = (seconds: number): string => new Date(start + 1000 * seconds).toISOString();
  const put = async (roleId: number, period: unknown = {}): Promise<Monitors> => {
    const path = `/v1/role/${roleId}/monitors?deviceId=${device.id}`;
    return (await admin.put<{ monitors: Monitors }>(path, period)).monitors;
  };
  const periods = (): Promise<unknown[]> => periodsOf(target, device.id, start);
  const transfer = (roleId: number) =>
    admin.post<unknown>(`/v1/device/${device.id}/transfer?toRoleId=${roleId}`);
  return { admin, rootId, house, grid, next, deviceId: device.id, monitors, at, put, periods, transfer };
}

forEachApp("a transfer is transferred back by new periods, and that can be undone, too", async (target) => {
  const { admin, rootId, house, grid, next, at, put, periods, transfer } = await scene(target);
  const coming = await admin.create(rootId, "Tenant");
  await put(grid, { until: at(100) });
  await put(coming, { from: at(30), until: at(500) });
  target.clock.advance(10);
  await transfer(next);
  const sold = await lastRevision(target);
  const before = [[house, null, 10], [grid, null, 10], [next, 10, null]];
  assert.deepEqual(await periods(), before);
  target.clock.advance(10);
  await undone(admin, sold);
  const back = await lastRevision(target);
  // The past of all three stays; what was to come returns as itself.
  assert.deepEqual(await periods(), [
    [house, null, 10],
    [grid, null, 10],
    [coming, 30, 500],
    [next, 10, 20],
    [house, 20, null],
    [grid, 20, 100],
  ]);
  const { change: [row] } = await admin.post<{ change: Record<string, unknown>[] }>("/v1/change/query", {
    after: back - 1,
    filter: { kind: "device.transfer" },
  });
  assert.deepEqual(
    ["undoes", "roleId", "parentRoleId", "from", "until"].map((name) => row?.[name]),
    [sold, house, next, at(20), null],
  );
  assert.equal(laterOf(await undo(admin, sold)), back);
  // The next house takes it again, from all three.
  target.clock.advance(20);
  await undone(admin, back);
  assert.deepEqual(await periods(), [
    [house, null, 10],
    [grid, null, 10],
    [coming, 30, 40],
    [next, 10, 20],
    [house, 20, 40],
    [grid, 20, 40],
    [next, 40, null],
  ]);
});

forEachApp("a transfer back takes the rights of a transfer, and no change since", async (target) => {
  const { admin, rootId, house, grid, next, deviceId, put, periods, transfer } = await scene(target);
  await put(grid);
  const buyer = await invite(target, admin, next, "buyer@example.com");
  const both = await invite(target, admin, next, "both@example.com");
  await admin.put(`/v1/role/${house}/member?userEmail=both@example.com`);
  target.clock.advance(10);
  await transfer(next);
  const sold = await lastRevision(target);
  const stays = await periods();
  // The buyer may not give it to the houses; and of two that had it, one is not enough.
  for (const who of [buyer, both]) assertError(await undo(who, sold), 403, DENIED);
  const other = await put(rootId);
  const attached = await lastRevision(target);
  assert.equal(laterOf(await undo(admin, sold)), attached);
  assertError(await undo(both, sold), 403, DENIED);
  await admin.delete(`/v1/role/${rootId}/monitors/${other.id}`);
  const detached = await lastRevision(target);
  assert.equal(laterOf(await undo(admin, sold)), detached);
  assert.deepEqual(await periods(), stays);

  // Of two relations that are open, one is in the way of who may end the other alone.
  await transfer(house);
  await admin.put(`/v1/role/${grid}/monitors?deviceId=${deviceId}`);
  await transfer(next);
  target.clock.advance(10);
  await undone(admin, await lastRevision(target));
  const refused = await undo(both, await lastRevision(target));
  assert.equal(refused.status, 409);
  assert.deepEqual((refused.body as { monitors: unknown }).monitors, { first: [], hidden: 1 });

  // A role that had it and is deleted gets nothing.
  await transfer(next);
  const last = await lastRevision(target);
  await admin.delete(`/v1/role/${rootId}/manages/${await admin.relationIdOf(rootId, grid)}`);
  assertError(await undo(admin, last), 403, DENIED);
});

forEachApp("attaching, changing a period and detaching can be undone", async (target) => {
  const { admin, house, grid, monitors, at, put, periods } = await scene(target);
  const member = await invite(target, admin, grid, "grid@example.com");
  const alone = await periods();
  const added = await put(grid, { until: at(100) });
  const attached = await lastRevision(target);
  await put(grid, { until: at(50) });
  const shortened = await lastRevision(target);
  const short = await periods();
  assert.equal(laterOf(await undo(admin, attached)), shortened);
  // Its members may not give it a longer time.
  assert.deepEqual(messageOf(await undo(member, shortened)), OUTSIDE);
  await undone(admin, shortened);
  assert.deepEqual(await periods(), [[house, null, null], [grid, null, 100]]);
  laterOf(await undo(admin, shortened));
  await undone(member, attached);
  assert.deepEqual(await periods(), alone);
  laterOf(await undo(admin, attached));

  // What has ended stays, and a beginning never moves back.
  const again = await put(grid, { until: at(60) });
  await put(grid, { until: at(50) });
  const ended = await lastRevision(target);
  assert.notEqual(again.id, added.id);
  target.clock.advance(50);
  assert.deepEqual(await periods(), short);
  assert.deepEqual(messageOf(await undo(admin, ended)), [409, "CANNOT_UNDO"]);
  await put(house, { from: at(40) });
  assert.deepEqual(messageOf(await undo(admin, await lastRevision(target))), [409, "CANNOT_UNDO"]);

  // Detached, and attached again under its id, by those who may attach it.
  await admin.delete(`/v1/role/${grid}/monitors/${again.id}`);
  const detached = await lastRevision(target);
  assertError(await undo(member, detached), 403, DENIED);
  assert.deepEqual(messageOf(await undo(admin, detached)), OUTSIDE);
  const other = await put(grid);
  await admin.delete(`/v1/role/${grid}/monitors/${other.id}`);
  const last = await lastRevision(target);
  const { id } = await put(grid);
  laterOf(await undo(admin, last));
  await admin.delete(`/v1/role/${grid}/monitors/${id}`);
  await undone(admin, last);
  assert.deepEqual(await periods(), [[house, 40, null], [grid, 40, null]]);
  // It would be deleted with its last relation.
  const returned = await lastRevision(target);
  await admin.delete(`/v1/role/${house}/monitors/${monitors.id}`);
  const left = await periods();
  for (const query of ["?dryRun=true", ""]) laterOf(await undo(admin, returned, query));
  assert.deepEqual(await periods(), left);
});

forEachApp("a device left with nothing but a past returns to those who may detach it", async (target) => {
  const { admin, house, grid, next, put, periods, transfer } = await scene(target);
  const member = await invite(target, admin, next, "next@example.com");
  target.clock.advance(10);
  await transfer(next);
  const { id: shared } = await put(grid);
  const all = await periods();
  await admin.delete(`/v1/role/${grid}/monitors/${shared}`);
  const fromGrid = await lastRevision(target);
  const relationId = await queryNumber(target, `SELECT id FROM monitors WHERE role_id = ${next}`);
  await member.delete(`/v1/role/${next}/monitors/${relationId}`);
  const detached = await lastRevision(target);
  assert.deepEqual(await periods(), [[house, null, 10]]);
  // The other relation was taken away while there was one: that stays with those who may attach devices.
  assertError(await undo(admin, fromGrid), 403, DENIED);
  await undone(member, detached);
  assert.deepEqual(await periods(), all.filter((period) => (period as number[])[0] !== grid));
  await undone(admin, fromGrid);
  assert.deepEqual(await periods(), all);
});

forEachApp("a detach is undone only once, even if the relation is deleted again", async (target) => {
  const { admin, house, next, monitors, at, put, periods, transfer } = await scene(target);
  const member = await invite(target, admin, house, "house@example.com");
  target.clock.advance(10);
  // The device lives on with the past of the next house, and returns to the house that detached it.
  await put(next, { until: at(5) });
  const detach = () => member.delete(`/v1/role/${house}/monitors/${monitors.id}`);
  await detach();
  const detached = await lastRevision(target);
  await undone(member, detached);
  // It is sold; the buyer retires it; and the seller deletes their past, to detach "it" once more.
  target.clock.advance(10);
  await transfer(next);
  target.clock.advance(10);
  await put(next, { until: at(30) });
  target.clock.advance(10);
  await detach();
  const last = await lastRevision(target);
  const left = await periods();
  for (const person of [member, admin]) assertError(await undo(person, detached), 403, DENIED);
  assert.deepEqual(await periods(), left);
  // The relation had ended before it was deleted: that is no retirement that its owner may take back.
  assertError(await undo(member, last), 403, DENIED);
});

interface Transfers {
  readonly monitors: readonly (Monitors & { readonly deviceId: number })[];
  readonly endedRelationIds: readonly number[];
  readonly deletedRelationIds: readonly number[];
  readonly effect?: { readonly tag: string; readonly reading: { readonly changes: unknown } };
}

interface LoggedChange {
  readonly revision: number;
  readonly kind: string;
  readonly devices: number | null;
  readonly deviceIds: readonly number[];
  readonly parentRoleId: number | null;
  readonly deletedRelationIds: readonly number[];
  readonly deviceId: number | null;
  readonly roleId: number | null;
  readonly undoes: number | null;
}

forEachApp("devices are handed over, logged and undone as one", async (target) => {
  const { admin, rootId, house, grid, next, deviceId, transfer } = await scene(target);
  const [battery, pump] = [await addDevice(admin, house, "battery"), await addDevice(admin, grid, "pump")];
  const mine = await addDevice(admin, next, "own");
  const ids = [pump, deviceId, mine, battery];
  const log = async (after: number): Promise<LoggedChange[]> =>
    (await admin.post<{ change: LoggedChange[] }>("/v1/change/query", { after })).change;
  const holders = async (): Promise<[device: number, role: number][]> => {
    const open = "SELECT device_id, role_id FROM monitors WHERE valid_until IS NULL ORDER BY device_id";
    return (await query(target, open)).map(({ device_id, role_id }) => [Number(device_id), Number(role_id)]);
  };
  const before = await holders();
  target.clock.advance(10);
  const path = `/v1/device/transfer?toRoleId=${next}`;
  const start = await lastRevision(target);

  // Seen, and made as it was seen. Lost responses are repeated.
  const preview = await admin.post<Transfers>(`${path}&dryRun=true`, { deviceId: ids });
  assert.deepEqual(await holders(), before);
  assert.deepEqual(preview.effect?.reading.changes, [
    { actingRoleId: house, gained: 0, lost: 2 },
    { actingRoleId: grid, gained: 0, lost: 1 },
    { actingRoleId: next, gained: 3, lost: 0 },
  ]);
  const headers = { "If-Effect": preview.effect?.tag ?? "", "Idempotency-Key": "the sale" };
  const send = () => admin.ask("POST", path, { deviceId: ids }, { headers });
  const made = await send();
  assert.equal(made.status, 200, made.text);
  const { monitors, endedRelationIds, deletedRelationIds } = made.body as Transfers;
  assert.deepEqual(monitors.map((each) => [each.deviceId, each.roleId]), ids.map((id) => [id, next]));
  assert.deepEqual([endedRelationIds.length, deletedRelationIds], [3, []]);
  const after = await holders();
  assert.deepEqual(after, before.map(([id]) => [id, next]));
  const keyOnly = { headers: { "Idempotency-Key": "the sale" } };
  assert.deepEqual((await admin.ask("POST", path, { deviceId: ids }, keyOnly)).body, made.body);
  assert.equal((await admin.ask("POST", path, { deviceId: [pump] }, keyOnly)).status, 422);
  const [row, ...taken] = (await log(start)).filter(({ kind }) => kind !== "device.transfer.dry_run");
  // One row, one for each role that lost a device, and one that the repeats share. Their order is that of the request.
  assert.deepEqual([row?.kind, row?.roleId, row?.deviceId, row?.devices], ["device.transfer", next, null, 3]);
  const { "monitors.end": lost = [], ...others } = Object.groupBy(taken, ({ kind }) => kind);
  assert.deepEqual(
    new Map(lost.map(({ roleId, deviceIds }) => [roleId, deviceIds])),
    new Map([[house, [deviceId, battery]], [grid, [pump]]]),
  );
  assert.deepEqual(Object.keys(others), ["device.transfer"]);

  // Nothing may have changed since, of any of them.
  target.clock.advance(10);
  await transfer(grid);
  const single = await lastRevision(target);
  laterOf(await undo(admin, row?.revision ?? 0));
  target.clock.advance(10);
  await undone(admin, single);
  target.clock.advance(10);
  laterOf(await undo(admin, row?.revision ?? 0));
  const mark = await lastRevision(target);
  const again = await admin.post<Transfers>(`/v1/device/transfer?toRoleId=${house}`, { deviceId: ids });
  assert.equal(again.endedRelationIds.length, 4);
  const sold = await lastRevision(target);
  const head = (await log(mark)).find(({ kind }) => kind === "device.transfer");
  target.clock.advance(10);
  await undone(admin, head?.revision ?? 0);
  assert.deepEqual(await holders(), after);
  const back = (await log(sold)).filter(({ kind }) => kind === "device.transfer");
  assert.deepEqual(back.map(({ undoes, devices }) => [undoes, devices]), [[head?.revision, 4]]);
  target.clock.advance(10);
  await undone(admin, back[0]?.revision ?? 0);
  assert.deepEqual(await holders(), before.map(([id]) => [id, house]));
  // The new periods have ids of their own, which the next relation does not get.
  await admin.create(rootId, "Other");
});

forEachApp(
  "a seller finds where their points are, as the device said then, whatever becomes of it",
  async (target) => {
    const { admin, house, next, deviceId, transfer } = await scene(target);
    const seller = await invite(target, admin, house, "seller@example.com");
    const series = (measurement: string) => [{ database: "plant", measurement, fields: ["power"] }];
    const change = async (properties: object): Promise<void> => {
      await admin.put(`/v1/device/${deviceId}?mode=replace`, {
        properties: { nodeId: "meter", ...properties },
      });
      target.clock.advance(10);
    };
    const known = async (): Promise<unknown[]> => {
      const body = { filter: { ended: true } };
      const { device } = await seller.post<{ device: { properties: unknown }[] }>("/v1/device/query", body);
      return device.map(({ properties }) => properties);
    };
    await change({ nodeInfluxSeries: series("old"), name: "Meter" });
    await transfer(next);
    target.clock.advance(10);
    const then = [{ nodeId: "meter", nodeInfluxSeries: series("old") }];
    assert.deepEqual(await known(), then);
    for (
      const after of [{ name: "Theirs", nodeInfluxSeries: series("old") }, {
        nodeInfluxSeries: series("new"),
      }, {}]
    ) {
      await change(after);
      assert.deepEqual(await known(), then, JSON.stringify(after));
    }

    // A second time is told as it was then; without a description, or with a long one, of neither.
    await transfer(house);
    target.clock.advance(10);
    await transfer(next);
    target.clock.advance(10);
    assert.deepEqual(await known(), [{ nodeId: "meter" }]);
    await change({ nodeInfluxSeries: series("new") });
    assert.deepEqual(await known(), [{ nodeId: "meter" }]);
    await transfer(house);
    await change({ nodeInfluxSeries: series("x".repeat(2100)) });
    await transfer(next);
    target.clock.advance(10);
    assert.deepEqual(await known(), [{ nodeId: "meter" }]);
    await change({});
    assert.deepEqual(await known(), [{ nodeId: "meter" }]);
  },
);

testApp("neither a restored relation nor a period given later tells what a device became", async (target) => {
  const { admin, rootId, house, grid, next, deviceId, put, at, transfer } = await scene(target);
  const company = await admin.create(rootId, "Company");
  const { manages } = await admin.put<{ manages: { id: number } }>(
    `/v1/role/${company}/manages?childRoleId=${house}`,
    ALL,
  );
  const before = await admin.post<{ manages: { id: number }[] }>(
    `/v1/role/${rootId}/manages/query`,
    { filter: { childRoleId: [house] } },
  );
  await admin.delete(`/v1/role/${rootId}/manages/${before.manages[0]?.id}`);
  const seller = await invite(target, admin, company, "seller@example.com");
  const auditor = await invite(target, admin, grid, "auditor@example.com");
  const change = async (measurement: string): Promise<void> => {
    const nodeInfluxSeries = [{ database: "plant", measurement, fields: ["power"] }];
    await admin.put(`/v1/device/${deviceId}?mode=replace`, {
      properties: { nodeId: "meter", nodeInfluxSeries },
    });
    target.clock.advance(10);
  };
  const told = async (person: Person): Promise<string> =>
    JSON.stringify(await person.post("/v1/device/query", { filter: { ended: true } }));
  target.clock.advance(10);
  await change("first");
  await transfer(next);
  target.clock.advance(10);
  await change("second");
  await put(grid, { from: at(21), until: at(29) });
  await admin.delete(`/v1/role/${company}/manages/${manages.id}`);
  const deleted = await lastRevision(target);
  target.clock.advance(10);
  const { status, body } = await undo(admin, deleted);
  assert.deepEqual([status, (body as { restored: { roles: number } }).restored.roles], [200, 1]);
  for (const measurement of ["third", "fourth"]) {
    await change(measurement);
    for (const person of [seller, auditor]) {
      const answer = await told(person);
      assert.match(answer, /"nodeId":"meter"/);
      assert.doesNotMatch(answer, /second|third|fourth/);
    }
  }
});

testApp("the log tells each role of exactly the devices that it loses and regains", async (target) => {
  const { admin, house, grid, next, deviceId, put, at } = await scene(target);
  const readers: Person[] = [];
  for (const role of [house, grid, next]) {
    readers.push(await invite(target, admin, role, `r${role}@example.com`));
  }
  const own = [await addDevice(admin, grid, "pump"), await addDevice(admin, grid, "battery")];
  const planned = await put(grid, { from: at(500) });
  target.clock.advance(10);
  let after = await lastRevision(target);
  const told = async (): Promise<unknown[]> => {
    const rows: unknown[] = [];
    for (const reader of readers) {
      const { change } = await reader.post<{ change: LoggedChange[] }>("/v1/change/query", { after });
      rows.push(change.map(({ kind, devices, deviceIds, parentRoleId, deletedRelationIds }) => {
        return [kind, devices, deviceIds.toSorted((a, b) => a - b), parentRoleId, deletedRelationIds];
      }));
    }
    return rows;
  };
  const ids = [deviceId, ...own];
  await admin.post(`/v1/device/transfer?toRoleId=${next}`, { deviceId: ids });
  const sold = after + 1;
  assert.deepEqual(await told(), [
    [["monitors.end", 1, [deviceId], null, []]],
    [["monitors.end", 3, ids, null, [planned.id]]],
    [["device.transfer", 3, ids, null, []]],
  ]);
  target.clock.advance(10);
  after = await queryNumber(target, "SELECT max(rev) FROM change_log");
  await undone(admin, sold);
  assert.deepEqual(await told(), [
    [["device.transfer", 1, [deviceId], null, []]],
    [["device.transfer", 3, ids, null, []]],
    [["monitors.end", 3, ids, null, []]],
  ]);
});

testApp("too many relations for one transfer are no reason to name a device", async (target) => {
  const { admin, rootId, house, grid, next } = await scene(target);
  const mover = await invite(target, admin, next, "mover@example.com");
  const ids: number[] = [];
  for (const half of [0, 50]) {
    const devices = Array.from({ length: 50 }, (_, i) => ({ properties: { nodeId: `n${half + i}` } }));
    const made = await admin.post<{ device: { id: number } }[]>(`/v1/device?roleId=${house}`, devices);
    ids.push(...made.map(({ device }) => device.id));
  }
  for (let i = 0; i < 10; i++) {
    const role = await admin.create(rootId, `R${i}`);
    await execute(
      target,
      "INSERT INTO monitors (id, role_id, device_id) SELECT :first + value, :role, value FROM json_each(:ids)",
      { first: 1000 * (i + 1), role, ids: JSON.stringify(ids) },
    );
  }
  target.clock.advance(10);
  const path = `/v1/device/transfer?toRoleId=${next}`;
  const refusal = async (person: Person, deviceId: number[]): Promise<unknown> => {
    const { status, body } = await person.ask("POST", path, { deviceId });
    return [status, (body as { deviceId?: number }).deviceId];
  };
  assert.deepEqual(await refusal(admin, ids), [409, undefined]);
  assert.deepEqual(await refusal(mover, ids), [403, ids[0]]);
  assert.deepEqual(await refusal(admin, [grid + 90_000, ...ids.slice(0, 80)]), [403, grid + 90_000]);
  assert.equal((await admin.ask("POST", path, { deviceId: ids.slice(0, 90) })).status, 200);
});

testApp("a transfer of several devices is refused as a whole, and names the first cause", async (target) => {
  const { admin, house, grid, next, deviceId } = await scene(target);
  const mover = await invite(target, admin, house, "mover@example.com");
  await admin.put(`/v1/role/${next}/member?userEmail=mover@example.com`);
  const [shared, hidden] = [await addDevice(admin, house, "shared"), await addDevice(admin, grid, "hidden")];
  await admin.put(`/v1/role/${grid}/monitors?deviceId=${shared}`);
  target.clock.advance(10);
  const path = `/v1/device/transfer?toRoleId=${next}`;
  const refusal = async (...ids: number[]): Promise<unknown> => {
    const { status, body } = await mover.ask("POST", path, { deviceId: ids });
    const { message, deviceId, monitors } = body as Record<string, unknown>;
    return [status, status === 403 ? message : monitors, deviceId];
  };
  // What does not exist is refused like what the caller does not manage, and before anything else.
  for (const unknown of [hidden, 9999]) {
    assert.deepEqual(await refusal(unknown), [403, DENIED, undefined]);
    assert.deepEqual(await refusal(deviceId, shared, unknown), [403, DENIED, unknown]);
  }
  assert.deepEqual(await refusal(deviceId, shared), [409, { first: [], hidden: 1 }, shared]);
  assert.deepEqual(await refusal(shared), [409, { first: [], hidden: 1 }, undefined]);
  assert.equal(await queryNumber(target, `SELECT count(*) FROM monitors WHERE role_id = ${next}`), 0);
  for (const deviceId of [[], [1, 1], Array.from({ length: 101 }, (_, i) => i)]) {
    assert.equal((await mover.ask("POST", path, { deviceId })).status, 400);
  }
});
