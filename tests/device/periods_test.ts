/** Each role reads and writes a device's telemetry within its own periods, which transfers divide. */
import assert from "node:assert/strict";
import {
  createDevice,
  DEVICE,
  type Device,
  joinRoles,
  type Monitors,
  namedMemberOf,
  NONE,
  rootMember,
} from "./device_people.ts";
import { type Answer, DENIED, forEachApp, queryNumber, testApp } from "../helpers/http.ts";
import { type Deletion, Person } from "../helpers/person.ts";
import type { TestApp } from "../helpers/test_app.ts";
import { ALL } from "../every_operation/request_catalogue.ts";
import { NEEDS_NUMBERS } from "../../src/telemetry/points/query.ts";
import { collect, powerOf, type QueryResult, writeLines } from "../every_operation/telemetry_requests.ts";

const DAY = 86_400_000;
const HOUR = 3_600_000;

interface Period {
  readonly from?: string;
  readonly until?: string;
}
type Listed = Monitors & Period & { readonly nodeId?: string };
interface Transfer {
  readonly monitors: Monitors & Period;
  readonly endedRelationIds: number[];
  readonly deletedRelationIds: number[];
  readonly effect?: { readonly tag: string };
}

/** The person with a new session, after the clock has moved by days. */
async function later(target: TestApp, email: string): Promise<Person> {
  const userId = await queryNumber(target, `SELECT id FROM user_account WHERE email = '${email}'`);
  return new Person(target, await target.accessToken(userId));
}

const [ROOT, TENANT, GUEST] = ["root@example.com", "tenant@example.com", "guest@example.com"];

function at(target: TestApp, days: number): string {
  return new Date(target.clock.now() + days * DAY).toISOString();
}

function put(
  person: Person,
  roleId: number,
  deviceId: number,
  period?: unknown,
  query = "",
): Promise<Answer> {
  return person.ask("PUT", `/v1/role/${roleId}/monitors?deviceId=${deviceId}${query}`, period);
}

async function putMonitors(
  person: Person,
  roleId: number,
  deviceId: number,
  period?: unknown,
): Promise<Listed> {
  const answer = await put(person, roleId, deviceId, period);
  assert.equal(answer.status, 200, answer.text);
  return (answer.body as { monitors: Listed }).monitors;
}

async function listed(person: Person, roleId: number): Promise<Listed[]> {
  return (await person.post<{ monitors: Listed[] }>(`/v1/role/${roleId}/monitors/query`)).monitors;
}

async function present(person: Person, nodeId: string): Promise<Device[]> {
  return (await person.post<{ device: Device[] }>("/v1/device/query", { filter: { nodeId: [nodeId] } }))
    .device;
}

/** Writes one point `days` from now, whose value is that number. */
function write(target: TestApp, person: Person, nodeId: string, days: number): Promise<Answer> {
  return writeLines(person, `energy,nodeId=${nodeId} power=${days} ${target.clock.now() + days * DAY}`);
}

/** The powers that the person reads, and whether the range was cut; or the error. */
function shown({ series, clipped, error }: QueryResult & { readonly clipped?: boolean }): unknown {
  if (error !== undefined) return error;
  const powers = series?.flatMap(({ values }) => values.map(([, power]) => power)) ?? [];
  return clipped === undefined ? powers : [...powers, "clipped"];
}

async function read(person: Person, nodeId: string, more: object = {}): Promise<unknown> {
  const [result] = await collect(person, [powerOf(nodeId, more)]);
  return shown(result as QueryResult);
}

function between(nodeId: string, from: string, until: string): object {
  return {
    where: { tags: { nodeId }, time: [{ operator: ">=", value: from }, { operator: "<", value: until }] },
  };
}

forEachApp("a house sale: each side reads the device's telemetry of its own time", async (target) => {
  const { admin, rootId } = await rootMember(target);
  const [sellers, buyers] = [
    await admin.create(rootId, "Old house"),
    await admin.create(rootId, "New house"),
  ];
  const seller = await namedMemberOf(target, admin, "seller@example.com", sellers);
  const buyer = await namedMemberOf(target, admin, "buyer@example.com", buyers);
  const agent = await namedMemberOf(target, admin, "agent@example.com", sellers, buyers);
  const { device, monitors } = await createDevice(seller, sellers, "meter");
  const before = at(target, -2);
  for (const days of [-2, -1]) assert.equal((await write(target, seller, "meter", days)).status, 204);
  const text = `energy,nodeId=meter mode="eco" ${target.clock.now() - DAY}`;
  assert.equal((await writeLines(seller, text)).status, 204);
  target.clock.advance(1);
  const sold = at(target, 0);

  // Neither side may move it alone, and the preview changes nothing.
  const path = `/v1/device/${device.id}/transfer?toRoleId=${buyers}`;
  for (const one of [seller, buyer]) assert.equal((await one.ask("POST", path)).status, 403);
  const preview = await agent.post<Transfer>(`${path}&dryRun=true`);
  assert.deepEqual([preview.monitors.id, preview.endedRelationIds], [null, [monitors.id]]);
  assert.deepEqual(await listed(admin, sellers), [monitors]);
  const headers = { "If-Effect": preview.effect?.tag ?? "" };
  const applied = await agent.ask("POST", path, undefined, { headers });
  const transfer = applied.body as Transfer;
  const { id } = transfer.monitors;
  assert.deepEqual(transfer, {
    monitors: { id, roleId: buyers, deviceId: device.id, from: sold },
    endedRelationIds: [monitors.id],
    deletedRelationIds: [],
  });
  // A repeated request changes nothing.
  assert.deepEqual(await agent.post<Transfer>(path), { ...transfer, endedRelationIds: [] });

  // The seller sees that there was a device, and no longer what it is or does.
  assert.deepEqual(await present(seller, "meter"), []);
  assert.deepEqual((await present(buyer, "meter")).map(({ userRights }) => userRights.monitorManagement), [
    true,
  ]);
  assert.deepEqual(await listed(seller, sellers), [{ ...monitors, until: sold, nodeId: "meter" }]);
  assert.equal(
    (await seller.ask("PUT", `/v1/device/${device.id}`, { properties: { name: "mine" } })).status,
    403,
  );
  assert.equal((await write(target, seller, "meter", -3)).status, 403);

  const tomorrow = at(target, 1);
  assert.equal((await write(target, buyer, "meter", 0)).status, 204);
  const refused = await write(target, buyer, "meter", -2);
  assert.equal(refused.status, 422);
  assert.match(refused.text, /Line 1 .*outside the period in which you may write/);
  assert.deepEqual(await read(seller, "meter"), [-2, -1, "clipped"]);
  assert.deepEqual(await read(buyer, "meter"), [0, "clipped"]);
  // A caller who reaches both sides reads one period without a gap.
  assert.deepEqual(await read(admin, "meter"), [-2, -1, 0]);
  assert.deepEqual(await read(seller, "meter", between("meter", before, sold)), [-2, -1]);
  assert.deepEqual(await read(seller, "meter", between("meter", sold, tomorrow)), "Unauthorized");
  assert.deepEqual(await read(buyer, "meter", between("meter", before, sold)), "Unauthorized");
  assert.deepEqual(await read(buyer, "meter", between("meter", before, tomorrow)), [0, "clipped"]);
  assert.deepEqual(await read(buyer, "meter", between("meter", before, at(target, 0.5))), [0, "clipped"]);

  // Who lives there now does not learn that a field had texts before.
  const mean = { select: [{ field: "mode", function: "mean" }] };
  assert.deepEqual(await read(seller, "meter", mean), NEEDS_NUMBERS);
  assert.deepEqual(await read(buyer, "meter", mean), ["clipped"]);

  // The seller deletes their past, and nothing of the buyer's.
  assert.deepEqual(
    await seller.delete<Deletion>(`/v1/role/${sellers}/monitors/${monitors.id}?cascade=refuse`),
    { deletedNodeIds: [], deletedRelationIds: [monitors.id] },
  );
  assert.deepEqual(await read(seller, "meter"), "Unauthorized");
  const last = `/v1/role/${buyers}/monitors/${id}`;
  const would = await buyer.ask("DELETE", `${last}?cascade=refuse`);
  assert.equal(would.status, 409);
  assert.deepEqual((would.body as { devices: unknown }).devices, {
    count: 1,
    first: [{ id: device.id, nodeId: "meter" }],
  });
  const gone = await buyer.delete<Deletion & { effect: { deletes: unknown } }>(`${last}?dryRun=true`);
  assert.deepEqual([gone.deletedNodeIds, gone.effect.deletes], [[device.id], { roles: 0, devices: 1 }]);
  assert.deepEqual((await buyer.delete<Deletion>(last)).deletedNodeIds, [device.id]);
});

testApp("a device that is handed back is read in exactly the periods of each owner", async (target) => {
  const { admin, rootId } = await rootMember(target);
  const [owners, tenants] = [await admin.create(rootId, "Owner"), await admin.create(rootId, "Tenant")];
  await namedMemberOf(target, admin, "owner@example.com", owners);
  await namedMemberOf(target, admin, TENANT, tenants);
  const { device } = await createDevice(admin, owners, "meter");
  const clock = target.clock.now();
  // Twelve stays of each side, an hour from half to half, with two points each.
  const begin = Math.ceil(clock / HOUR) * HOUR - HOUR / 2;
  target.clock.advance((begin - clock) / 1000 + 3600);
  const points = Array.from({ length: 48 }, (_, i) => ({ power: i, time: begin + (i / 2 + 0.25) * HOUR }));
  for (let stay = 0; stay < 24; stay++) {
    const someone = await later(target, ROOT);
    const lines = points.slice(2 * stay, 2 * stay + 2);
    const text = lines.map(({ power, time }) => `energy,nodeId=meter power=${power} ${time}`).join("\n");
    assert.equal((await writeLines(someone, text)).status, 204);
    await someone.post(`/v1/device/${device.id}/transfer?toRoleId=${stay % 2 === 0 ? tenants : owners}`);
    target.clock.advance(3600);
  }
  const [owner, tenant] = [await later(target, "owner@example.com"), await later(target, TENANT)];
  const [own, others] = [0, 1].map((side) => points.filter(({ power }) => (power >> 1) % 2 === side));
  const powers = (of: typeof points = []): number[] => of.map(({ power }) => power);
  assert.deepEqual(await read(owner, "meter"), [...powers(own), "clipped"]);
  assert.deepEqual(await read(tenant, "meter"), [...powers(others), "clipped"]);
  assert.deepEqual(await read(owner, "meter", { orderBy: "DESC", limit: 3 }), [45, 44, 41, "clipped"]);
  const last = { select: [{ field: "power", function: "last" }] };
  assert.deepEqual(await read(owner, "meter", last), [45, "clipped"]);
  // A window may have points of two stays, and none of those between.
  for (const hours of [1, 3]) {
    const windows = Map.groupBy(own ?? [], ({ time }) => Math.floor(time / hours / HOUR));
    const means = [...windows.values()].map((of) => powers(of).reduce((a, b) => a + b) / of.length);
    const mean = { select: [{ field: "power", function: "mean" }], groupBy: { time: `${hours}h` } };
    assert.deepEqual(await read(owner, "meter", mean), [...means, "clipped"]);
  }
  assert.deepEqual(await read(await later(target, ROOT), "meter"), powers(points));
});

testApp("a transfer takes the right to end each relation, and names those in its way", async (target) => {
  const { admin, rootId } = await rootMember(target);
  const [house, grid, hidden, next] = [
    await admin.create(rootId, "House"),
    await admin.create(rootId, "Grid"),
    await admin.create(rootId, "Hidden"),
    await admin.create(rootId, "Next house"),
  ];
  const mover = await namedMemberOf(target, admin, "mover@example.com", house, next);

  const { device } = await createDevice(mover, house, "meter");
  const seen = await putMonitors(admin, grid, device.id);
  await putMonitors(admin, hidden, device.id);
  const path = `/v1/device/${device.id}/transfer?toRoleId=${next}`;
  const refused = async (): Promise<unknown> => {
    const answer = await mover.ask("POST", path);
    assert.equal(answer.status, 409);
    return (answer.body as { monitors: unknown }).monitors;
  };
  assert.deepEqual(await refused(), { first: [], hidden: 2 });
  const viewers = await admin.create(rootId, "Viewers", ALL, NONE);
  await joinRoles(admin, viewers, grid, NONE);
  await admin.put(`/v1/role/${viewers}/member?userEmail=mover@example.com`);
  assert.deepEqual(await refused(), { first: [{ id: seen.id, roleId: grid }], hidden: 1 });
  // A relation to come is in the way, too.
  await admin.delete(`/v1/role/${grid}/monitors/${seen.id}`);
  const coming = await putMonitors(admin, grid, device.id, { from: at(target, 1) });
  assert.deepEqual(await refused(), { first: [{ id: coming.id, roleId: grid }], hidden: 1 });
  target.clock.advance(60);
  // No one learns of a device that they do not manage.
  const stranger = await namedMemberOf(target, admin, "stranger@example.com", next);
  for (const deviceId of [device.id, device.id + 1000]) {
    const answer = await stranger.ask("POST", `/v1/device/${deviceId}/transfer?toRoleId=${next}`);
    assert.deepEqual([answer.status, (answer.body as { message: string }).message], [403, DENIED]);
  }
  const { endedRelationIds, deletedRelationIds } = await admin.post<Transfer>(path);
  assert.deepEqual([endedRelationIds.length, deletedRelationIds.length], [2, 1]);
});

testApp("a period lies within the giver's, never moves back, and changes no past end", async (target) => {
  const { admin, rootId } = await rootMember(target);
  const owner = await admin.create(rootId, "Owner");
  const [tenant, guest] = [await admin.create(owner, "Tenant"), await admin.create(owner, "Guest")];
  const { device } = await createDevice(admin, owner, "meter");
  const member = await namedMemberOf(target, admin, TENANT, tenant);
  await joinRoles(admin, tenant, guest, DEVICE);
  const code = async (answer: Promise<Answer>): Promise<unknown> => {
    const { status, body } = await answer;
    return status === 200 ? 200 : `${status} ${(body as { message: string }).message.slice(0, 22)}`;
  };
  const [start, end] = [at(target, -10), at(target, 10)];
  await putMonitors(admin, tenant, device.id, { from: start, until: end });
  assert.equal(
    await code(put(admin, guest, device.id, { from: end, until: start })),
    "422 The period does not en",
  );
  // Without bounds, a new relation takes those of its giver.
  const given = await putMonitors(member, guest, device.id);
  assert.deepEqual([given.from, given.until], [start, end]);
  await member.delete(`/v1/role/${guest}/monitors/${given.id}`);
  for (const beyond of [{ until: null }, { from: at(target, -11) }, { until: at(target, 11) }]) {
    assert.equal(await code(put(member, guest, device.id, beyond)), "422 The period does not li");
  }
  const within = await putMonitors(member, guest, device.id, { from: at(target, -5), until: at(target, 5) });
  assert.equal(
    await code(put(member, guest, device.id, { from: at(target, -6) })),
    "422 The period of a monito",
  );
  assert.equal(await code(put(member, guest, device.id, { from: null })), "422 The period of a monito");
  assert.equal(
    await code(put(member, guest, device.id, { until: at(target, 11) })),
    "422 The period does not li",
  );
  const longer = await putMonitors(member, guest, device.id, { until: at(target, 7) });
  assert.deepEqual(longer, { ...within, until: at(target, 7) });
  // It ends now. The same request changes nothing more, and another one begins anew beside it.
  const now = at(target, 0);
  const ended = await putMonitors(member, guest, device.id, { until: now });
  assert.deepEqual(await putMonitors(member, guest, device.id, { until: now }), ended);
  target.clock.advance(60);
  const again = await putMonitors(member, guest, device.id, { from: at(target, 0) });
  assert.notEqual(again.id, ended.id);
  assert.deepEqual((await listed(member, guest)).map(({ id, until }) => [id, until]), [[ended.id, now], [
    again.id,
    end,
  ]]);
  // The giver's period ends, and with it what they can give and do.
  target.clock.advance(11 * DAY / 1000);
  const [tenantLater, adminLater] = [await later(target, TENANT), await later(target, ROOT)];
  assert.equal(await code(put(tenantLater, guest, device.id)), `403 ${DENIED.slice(0, 22)}`);
  assert.deepEqual(await present(tenantLater, "meter"), []);
  assert.equal(await code(put(adminLater, guest, device.id)), 200);
});

testApp("a retired device's nodeId is free after 30 days, and its past stays its own", async (target) => {
  const { admin, rootId } = await rootMember(target);
  const house = await admin.create(rootId, "House");
  const other = await admin.create(rootId, "Other house");
  await namedMemberOf(target, admin, GUEST, house);
  const { device } = await createDevice(admin, house, "meter");
  assert.equal((await write(target, admin, "meter", -1)).status, 204);
  await putMonitors(admin, house, device.id, { until: at(target, 0) });
  for (const roleId of [house, other]) assert.equal((await put(admin, roleId, device.id)).status, 403);
  const taken = await admin.ask("POST", `/v1/device?roleId=${other}`, { properties: { nodeId: "meter" } });
  assert.equal(taken.status, 409);
  target.clock.advance(30 * DAY / 1000);
  const [guestLater, adminLater] = [await later(target, GUEST), await later(target, ROOT)];
  const successor = await createDevice(adminLater, other, "meter");
  assert.equal((await write(target, adminLater, "meter", 0)).status, 204);
  assert.deepEqual(await read(guestLater, "meter"), [-1, "clipped"]);
  assert.deepEqual(await read(adminLater, "meter"), [0]);
  assert.deepEqual((await present(adminLater, "meter")).map(({ id }) => id), [successor.device.id]);
  // The Authorization API asks about now.
  for (const [id, decision] of [[String(device.id), false], ["meter", true]] as const) {
    const resource = { type: "device", id };
    const question = { subject: { type: "user", id: ROOT }, action: { name: "read" }, resource };
    const answer = await adminLater.post<{ decision: boolean }>("/access/v1/evaluation", question);
    assert.equal(answer.decision, decision, id);
  }
});
