/**
 * Monitors relations that lay in the trash while their device lived on: what was closed, or retired, is judged at the
 * moment of the deletion, and nothing is read of the time in between.
 */
import assert from "node:assert/strict";
import { restoreByAdministrator } from "../../src/undo/undo_service.ts";
import { addDevice, collect, powerOf, writeLines } from "../every_operation/telemetry_requests.ts";
import { type Answer, forEachApp, query, queryNumber, testApp } from "../helpers/http.ts";
import { bootstrap, Person } from "../helpers/person.ts";
import { assertSoundGraph } from "../helpers/sound_graph.ts";
import type { TestApp } from "../helpers/test_app.ts";
import { lastRevision } from "./undo_scene.ts";

const HOUR = 3600;
const NAMES = ["admin", "lead", "tenant", "seller", "buyer"] as const;
const [ADMIN, LEAD, TENANT, SELLER, BUYER] = NAMES;
type Name = typeof NAMES[number];

interface Undone {
  readonly restored: { readonly monitors: number };
  readonly leftOut: { readonly monitors: number };
  readonly shortened?: readonly { readonly until?: string; readonly reason: string }[];
  readonly effect?: {
    readonly tag: string;
    readonly reading: { readonly changes: readonly { readonly actingRoleId: number }[] };
  };
}

/**
 * A house whose meter is measured each hour; a letting with a tenant below, to whom the meter can be lent; and a buyer's
 * house. The admin manages all of them, the lead only the lettings.
 */
async function scene(target: TestApp) {
  const { admin, rootId } = await bootstrap(target);
  const [house, lettings, bought] = [
    await admin.create(rootId, "House"),
    await admin.create(rootId, "Lettings"),
    await admin.create(rootId, "Bought house"),
  ];
  const tenant = await admin.create(lettings, "Tenant");
  const userIds = new Map<Name, number>();
  userIds.set(ADMIN, await queryNumber(target, "SELECT min(id) FROM user_account"));
  for (
    const [name, roleId] of [[LEAD, lettings], [TENANT, tenant], [SELLER, house], [BUYER, bought]] as const
  ) {
    const email = `${name}@example.com`;
    userIds.set(name, (await target.createUser(email)).userId);
    await admin.put(`/v1/role/${roleId}/member?userEmail=${email}`);
  }
  /** The person with a new session, since the clock moves by hours. */
  const as = async (name: Name): Promise<Person> =>
    new Person(target, await target.accessToken(userIds.get(name) ?? 0));
  const deviceId = await addDevice(admin, house, "meter");
  const start = target.clock.now();
  const at = (hours: number): string => new Date(start + hours * HOUR * 1000).toISOString();
  const hour = (): number => (target.clock.now() - start) / (HOUR * 1000);
  /** Moves the clock to that hour, and measures each hour on the way. */
  const measureTo = async (hours: number, by: Name): Promise<void> => {
    while (hour() < hours) {
      target.clock.advance(HOUR / 2);
      const line = `energy,nodeId=meter power=${Math.floor(hour())} ${target.clock.now()}`;
      assert.equal((await writeLines(await as(by), line)).status, 204);
      target.clock.advance(HOUR / 2);
    }
  };
  const put = async (roleId: number, period: unknown): Promise<Answer> =>
    await (await as(ADMIN)).ask("PUT", `/v1/role/${roleId}/monitors?deviceId=${deviceId}`, period);
  /** The hours that the person reads of the meter, by the pieces of each period. */
  const read = async (name: Name): Promise<unknown> => {
    const hours = new Set<unknown>();
    const person = await as(name);
    for (let from = 0; from < hour(); from++) {
      const time = [{ operator: ">=", value: at(from) }, { operator: "<", value: at(from + 1) }];
      const [result] = await collect(person, [
        powerOf("meter", { where: { tags: { nodeId: "meter" }, time } }),
      ]);
      for (const { values } of result?.series ?? []) for (const [, power] of values) hours.add(power);
    }
    return [...hours];
  };
  /** The meter's periods at the tenant's, in hours. */
  const lent = async (): Promise<unknown[]> => {
    const sql =
      `SELECT (valid_from - ${start}) / 3600000.0 AS begins, (valid_until - ${start}) / 3600000.0 AS ends
      FROM monitors WHERE device_id = ${deviceId} AND role_id = ${tenant} ORDER BY id`;
    return (await query(target, sql)).map(({ begins, ends }) => [begins, ends].map((n) => n && Number(n)));
  };
  const remove = async (): Promise<number> => {
    const person = await as(ADMIN);
    await person.delete(`/v1/role/${lettings}/manages/${await person.relationIdOf(lettings, tenant)}`);
    return await lastRevision(target);
  };
  const transfer = async (roleId: number): Promise<Answer> =>
    await (await as(ADMIN)).ask("POST", `/v1/device/${deviceId}/transfer?toRoleId=${roleId}`);
  const undo = async (name: Name, revision: number): Promise<Undone> => {
    const path = `/v1/change/${revision}/undo`;
    const { effect, ...previewed } = await (await as(name)).post<Undone>(`${path}?dryRun=true`);
    const headers = { "If-Effect": effect?.tag ?? "" };
    const { status, body } = await (await as(name)).ask("POST", path, undefined, { headers });
    assert.deepEqual([status, body], [200, previewed]);
    await assertSoundGraph(target);
    return previewed;
  };
  const ids = { deviceId, rootId, house, lettings, bought, tenant };
  return { ...ids, as, at, measureTo, put, read, lent, remove, transfer, undo };
}

/** What does not return whole, in short. */
function shortly({ restored, leftOut, shortened = [] }: Undone): unknown {
  return [restored.monitors, leftOut.monitors, ...shortened.map(({ until, reason }) => [until, reason])];
}

forEachApp("a loan in the trash reads nothing of a buyer's time, before or after its end", async (target) => {
  for (const undoneAt of [5, 9]) {
    await target.reset();
    const { at, bought, tenant, put, measureTo, remove, transfer, undo, read, lent } = await scene(target);
    await put(tenant, { from: at(1), until: at(8) });
    await measureTo(2, SELLER);
    const revision = await remove();
    await measureTo(3, SELLER);
    assert.equal((await transfer(bought)).status, 200);
    await measureTo(undoneAt, BUYER);
    const undone = await undo(ADMIN, revision);
    assert.deepEqual(shortly(undone), [0, 1, [at(2), undoneAt < 8 ? "unmanaged" : "ended"]]);
    await measureTo(undoneAt + 1, BUYER);
    assert.deepEqual(await lent(), [[1, 2]]);
    assert.deepEqual(await read(TENANT), [1]);
    assert.deepEqual(await read(SELLER), [0, 1, 2]);
  }
});

forEachApp("a loan goes on from its restoration only if its restorer could give it", async (target) => {
  for (const name of [ADMIN, LEAD] as const) {
    await target.reset();
    const { as, at, tenant, put, measureTo, remove, undo, read, lent } = await scene(target);
    await put(tenant, { until: at(8) });
    await measureTo(2, SELLER);
    const revision = await remove();
    await measureTo(4, SELLER);
    const goesOn = name === ADMIN;
    // What returns in part is read again, too.
    const { effect } = await (await as(name)).post<Undone>(`/v1/change/${revision}/undo?dryRun=true`);
    const gains = effect?.reading.changes.filter(({ actingRoleId }) => actingRoleId === tenant);
    assert.deepEqual(gains, [{ actingRoleId: tenant, gained: 1, lost: 0 }]);
    assert.deepEqual(shortly(await undo(name, revision)), [
      goesOn ? 1 : 0,
      goesOn ? 0 : 1,
      [at(2), goesOn ? "interrupted" : "unmanaged"],
    ]);
    await measureTo(6, SELLER);
    assert.deepEqual(await lent(), goesOn ? [[null, 2], [4, 8]] : [[null, 2]]);
    assert.deepEqual(await read(TENANT), goesOn ? [0, 1, 4, 5] : [0, 1]);
    // The new period has an id of its own, which the next relation does not get.
    assert.equal((await put(tenant, { until: at(7) })).status, 200);
  }
});

testApp("loans to come and without an end are judged at the moment of the deletion", async (target) => {
  const cases = [
    // [period, at the undo, what is said, what returns]: to come at the deletion, and to come, open or over at the undo.
    [{ from: 6, until: 8 }, 4, [1, 0], [[6, 8]]],
    [{ from: 3, until: 8 }, 4, [1, 0, [undefined, "interrupted"]], [[4, 8]]],
    [{ from: 3, until: 4 }, 5, [0, 1, [undefined, "ended"]], []],
    [{ from: 1, until: null }, 4, [1, 0, [2, "interrupted"]], [[1, 2], [4, null]]],
    [{ from: 0, until: 1 }, 4, [1, 0], [[0, 1]]],
  ] as const;
  for (const [{ from, until }, undoneAt, said, returned] of cases) {
    await target.reset();
    const { at, tenant, put, measureTo, remove, undo, lent } = await scene(target);
    await put(tenant, { from: at(from), until: until === null ? null : at(until) });
    await measureTo(2, SELLER);
    const revision = await remove();
    await measureTo(undoneAt, SELLER);
    const [back, left, ...shortened] = said;
    const told = shortened.map(([end, reason]) => [end && at(end), reason]);
    assert.deepEqual(shortly(await undo(ADMIN, revision)), [back, left, ...told]);
    assert.deepEqual(await lent(), returned);
  }
});

testApp("a transfer ends loans to come in the trash, even if it is transferred back", async (target) => {
  const { as, at, bought, tenant, put, measureTo, remove, transfer, undo, lent } = await scene(target);
  await put(tenant, { from: at(6), until: at(8) });
  await measureTo(2, SELLER);
  const revision = await remove();
  assert.equal((await transfer(bought)).status, 200);
  const sold = await lastRevision(target);
  await measureTo(3, BUYER);
  await (await as(ADMIN)).post(`/v1/change/${sold}/undo`);
  await measureTo(4, SELLER);
  assert.deepEqual(shortly(await undo(ADMIN, revision)), [0, 1, [undefined, "unmanaged"]]);
  assert.deepEqual(await lent(), []);
});

forEachApp("a loan without an end does not return for a device that was retired since", async (target) => {
  for (const isSold of [true, false]) {
    await target.reset();
    const { as, at, bought, house, tenant, put, measureTo, remove, transfer, undo, read, lent } = await scene(
      target,
    );
    await put(tenant, { from: null, until: null });
    await measureTo(2, SELLER);
    const revision = await remove();
    if (isSold) await transfer(bought);
    await measureTo(4, isSold ? BUYER : SELLER);
    // An owner may also move the end to a time before the deletion.
    assert.equal((await put(isSold ? bought : house, { until: at(isSold ? 4 : 1) })).status, 200);
    target.clock.advance(HOUR);
    for (const name of [LEAD, ADMIN] as const) {
      const preview = await (await as(name)).post<Undone>(`/v1/change/${revision}/undo?dryRun=true`);
      assert.deepEqual(shortly(preview), [0, 1, [at(2), "unmanaged"]]);
    }
    await undo(ADMIN, revision);
    assert.deepEqual(await lent(), [[null, 2]]);
    assert.deepEqual(await read(TENANT), [0, 1]);
    // They do not manage it either.
    const line = `energy,nodeId=meter power=9 ${target.clock.now()}`;
    assert.notEqual((await writeLines(await as(TENANT), line)).status, 204);
    assert.deepEqual((await (await as(TENANT)).post<{ device: unknown[] }>("/v1/device/query")).device, []);
  }
});

testApp("a device that the deletion retired returns whole to managers of its role", async (target) => {
  const { at, house, tenant, put, measureTo, remove, undo, lent } = await scene(target);
  await put(tenant, { until: at(20) });
  await measureTo(1, SELLER);
  await put(house, { until: at(1) });
  const revision = await remove();
  target.clock.advance(2 * HOUR);
  assert.deepEqual(shortly(await undo(LEAD, revision)), [1, 0]);
  assert.deepEqual(await lent(), [[null, 20]]);
});

testApp("an administrator's task gives only what an older relation gives", async (target) => {
  for (const isSold of [false, true]) {
    await target.reset();
    const { at, bought, tenant, put, measureTo, remove, transfer, lent } = await scene(target);
    await put(tenant, { until: at(8) });
    await measureTo(2, SELLER);
    const revision = await remove();
    if (isSold) await transfer(bought);
    await measureTo(4, isSold ? BUYER : SELLER);
    const { shortened } = await restoreByAdministrator(target.deps, revision) ?? {};
    assert.deepEqual(shortened?.map(({ reason }) => reason), [isSold ? "unmanaged" : "interrupted"]);
    assert.deepEqual(await lent(), isSold ? [[null, 2]] : [[null, 2], [4, 8]]);
  }
});

testApp("a loan whose device lies in the trash itself is lost, and said to be", async (target) => {
  const { as, at, house, rootId, tenant, put, measureTo, remove, undo, lent } = await scene(target);
  await put(tenant, { until: at(20) });
  await measureTo(2, SELLER);
  const revision = await remove();
  const admin = await as(ADMIN);
  await admin.delete(`/v1/role/${rootId}/manages/${await admin.relationIdOf(rootId, house)}`);
  const later = await lastRevision(target);
  assert.deepEqual(shortly(await undo(ADMIN, revision)), [0, 1, [undefined, "deleted"]]);
  // What the deletion took with its device is not told one by one.
  assert.deepEqual(shortly(await undo(ADMIN, later)), [1, 0]);
  assert.deepEqual(await lent(), []);
});
