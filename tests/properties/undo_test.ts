import assert from "node:assert/strict";
import { type Command, resolve } from "../model/graph_operations.ts";
import type { Operation } from "../model/oracle.ts";
import { isClosed, relationsOf } from "../model/oracle_devices.ts";
import { perform, playCommand, type Tally } from "../model/oracle_driver.ts";
import { call, tokenOf } from "../model/oracle_http.ts";
import { assertNoEscalation, assertSound } from "../model/oracle_invariants.ts";
import { ALL_RIGHTS, isLive, ROLE_MANAGEMENT, type World } from "../model/oracle_rights.ts";
import { assertSameGraph, type GraphRun, readNextRelation, readRevision, wait } from "../model/oracle_run.ts";
import { decideUndo, type Made, type UndoOutcome } from "../model/oracle_undo.ts";
import { askersOf, assertMet, forRandomScenarios } from "./random_runs.ts";

/** With fewer sequences, chance may leave out a case. */
const SEQUENCES_THAT_MEET_ALL = 50;

const tally: Tally = new Map();

/**
 * The graph as text, without what no undo brings back: keys, passwords of roles, and memberships that have ended by the
 * time of the `last` world.
 */
function textOf(world: World, last: World): string {
  const { roles, relations, members, devices, monitors } = world;
  const byId = <T extends { readonly id: number }>(rows: Iterable<T>): T[] =>
    [...rows].sort((a, b) => a.id - b.id);
  return JSON.stringify([
    byId(roles.values()).map((role) => ({ ...role, password: null })),
    byId(relations.values()),
    byId(members.values()).filter((member) => member.userId > 0 && isLive(last, member)),
    byId(devices.values()),
    byId(monitors.values()),
  ]);
}

/** Whether all that a deletion took returned. */
function isWhole(
  { returned = { relations: [0, 0], monitors: [0, 0], members: [0, 0] } }: UndoOutcome,
): boolean {
  return Object.values(returned).every(([back, lost]) => back === lost);
}

/** Previews the undo and makes it, and compares responses and graph with the model. */
async function undo(
  run: GraphRun,
  made: Made,
  revision: number,
  userId: number,
  again = "",
): Promise<UndoOutcome> {
  const expected = decideUndo(made, userId, await readNextRelation(run));
  const path = `/v1/change/${revision}/undo`;
  const token = tokenOf(run, userId);
  const preview = await call(run.target, "POST", `${path}?dryRun=true`, { token });
  await assertSameGraph(run);
  const { effect, ...previewed } = preview.body as { effect?: unknown };
  const answer = await call(run.target, "POST", path, { token });
  const what = `user ${userId} undoes ${made.operation.kind} at ${revision}`;
  run.trace.push(`${what} -> ${answer.status} ${JSON.stringify(answer.body)}`);
  assert.deepEqual([answer.status, preview.status], [expected.status, expected.status], what);
  assert.deepEqual(previewed, answer.body, what);
  assert.equal(effect !== undefined, expected.status === 200, what);
  if (expected.status === 200) {
    const { restored, leftOut } = answer.body as Record<string, Record<string, number>>;
    for (const [name, [back, lost]] of Object.entries(expected.returned ?? {})) {
      assert.deepEqual([restored?.[name], leftOut?.[name]], [back, lost - back], `${what}: ${name}`);
    }
    run.world = expected.after;
    assertSound(run.world);
    assertNoEscalation({ ...made.after, ...pick(expected.restored) }, run.world, userId);
    // A transfer back gives new periods, beside the past.
    const isBack = made.operation.kind !== "transferDevice" && isWhole(expected);
    if (isBack) assert.equal(textOf(run.world, run.world), textOf(made.before, run.world), what);
  }
  await assertSameGraph(run);
  const sort = expected.returned === undefined ? "" : isWhole(expected) ? " whole" : " in part";
  const key = `${made.operation.kind}${again}${sort} ${expected.status}`;
  tally.set(key, (tally.get(key) ?? 0) + 1);
  return expected;
}

/** The number of relations that a transfer takes. */
function takenBy(operation: Operation, before: World): number {
  if (operation.kind !== "transferDevice") return 0;
  return relationsOf(before, operation.deviceId).filter((relation) => !isClosed(before, relation)).length;
}

/** Undoes the change, and what undid a transfer, which takes the device from several roles at once. */
async function undoTwice(run: GraphRun, made: Made, revision: number, userId: number): Promise<boolean> {
  const { status, after, transfer } = await undo(run, made, revision, userId);
  if (transfer === undefined) return status === 200;
  const undone = { operation: transfer, before: made.after, after };
  const undoing = await readRevision(run) - takenBy(transfer, made.after);
  for (const asker of askersOf(run).reverse()) {
    if ((await undo(run, undone, undoing, asker, " again")).status === 200) break;
  }
  return true;
}

/** Restored roles count as existing ones, but nobody had rights on them. */
function pick(restored: World | undefined): Partial<World> {
  return restored === undefined ? {} : { roles: restored.roles, relations: restored.relations };
}

/** Deletions are rare in random histories, and most are refused. Half of the commands lead to them. */
function divert({ world, trace }: GraphRun, operation: Operation): Operation {
  const n = 7 * trace.length + 3 * world.relations.size + world.members.size;
  const [first] = [...world.users.keys()].sort((a, b) => a - b);
  if (first === undefined) return operation;
  const pickOf = <T>(rows: readonly T[], k = n): T | undefined => rows[k % Math.max(1, rows.length)];
  const relations = [...world.relations.values()];
  const by = { userId: n % 3 === 0 ? operation.userId : first };
  const roleIds = [...world.roles.keys()];
  switch (n % 12) {
    case 0:
    case 1: {
      // A relation into a role that stays, or one of those that take most with them.
      const shared = relations.filter(({ id, childId }) =>
        relations.some((other) => other.childId === childId && other.id !== id)
      );
      const relation = pickOf(n % 12 === 0 && shared.length > 0 ? shared : relations.slice(0, 3));
      if (relation === undefined) return operation;
      const { id: relationId, parentId } = relation;
      return { kind: "deleteRelation", ...by, parentId, relationId, dryRun: false };
    }
    case 2:
    case 3: {
      // A second parent, so that a deletion takes less, and what it takes leads to what stays.
      const [parentId = 0, childId = 0] = [pickOf(roleIds), pickOf(roleIds, 5 * n + 1)];
      return { kind: "putRelation", userId: first, parentId, childId, rights: n % 2 === 0 ? ALL_RIGHTS : 9 };
    }
    case 4: {
      // Somebody in the middle, who may not make all again.
      const [roleId = 0, subjectId = 0] = [pickOf(roleIds), pickOf([...world.users.keys()])];
      return { kind: "addMember", userId: first, roleId, subjectId, rights: n % 8 === 4 ? 3 : ALL_RIGHTS };
    }
    case 5: {
      const member = pickOf([...world.members.values()]);
      if (member === undefined) return operation;
      return { kind: "removeMember", ...by, roleId: member.roleId, memberId: member.id };
    }
    case 6: {
      const monitors = pickOf([...world.monitors.values()]);
      if (monitors === undefined) return operation;
      return { kind: "detachDevice", ...by, roleId: monitors.roleId, monitorsId: monitors.id };
    }
    case 7: {
      const relation = pickOf(relations, 5 * n + 1);
      if (relation === undefined) return operation;
      const { id: relationId, parentId } = relation;
      return {
        kind: "putRelationById",
        userId: first,
        parentId,
        relationId,
        rights: n % 64 | ROLE_MANAGEMENT,
      };
    }
    case 8: {
      const role = pickOf([...world.roles.values()], 5 * n + 1);
      if (role === undefined) return operation;
      const { id: roleId } = role;
      return { kind: "updateRole", userId: first, roleId, name: `role ${n}`, selfRights: n % 64 };
    }
    case 9: {
      const [device, toRoleId] = [pickOf([...world.devices.values()]), pickOf(roleIds, 5 * n + 1)];
      if (device === undefined || toRoleId === undefined) return operation;
      return { kind: "transferDevice", ...by, deviceId: device.id, toRoleId };
    }
    case 10: {
      // Another role, or another period of one that monitors the device.
      const [device, roleId] = [pickOf([...world.devices.values()]), pickOf(roleIds, 5 * n + 1)];
      if (device === undefined || roleId === undefined) return operation;
      const bounds = [{}, { until: world.now + 1000 * n }, { until: null }, { from: world.now + 3000 }];
      return { kind: "attachDevice", ...by, roleId, deviceId: device.id, ...bounds[trace.length % 4] };
    }
    default:
      return operation;
  }
}

let prepared = 0;

/**
 * A company, a region and a customer below each other, a role that the company and the customer share, people with
 * random rights in the middle, and devices. Deletes the customer, and lets the region's person restore it.
 */
async function restoreFromTheMiddle(run: GraphRun): Promise<void> {
  const n = prepared++;
  const mask = (k: number): number => (37 * n + 11 * k * (n % 5 + 1)) % 64;
  const [userId = 0, leadId = 0, otherId = leadId] = [...run.world.users.keys()].sort((a, b) => a - b);
  const top = [...run.world.roles.keys()][0] ?? 0;
  const newest = (): number => Math.max(...run.world.roles.keys());
  const create = async (parentId: number, rights: number): Promise<number> => {
    const name = `role ${run.trace.length}`;
    await perform(run, { kind: "createRole", userId, parentId, rights, name, selfRights: mask(1) });
    return newest();
  };
  const region = await create(top, ALL_RIGHTS);
  const customer = await create(region, mask(2) | ROLE_MANAGEMENT);
  const site = await create(customer, mask(3) | ROLE_MANAGEMENT);
  const shared = await create(n % 2 === 0 ? top : region, mask(4) | ROLE_MANAGEMENT);
  await perform(run, {
    kind: "putRelation",
    userId,
    parentId: site,
    childId: shared,
    rights: mask(5) & mask(6),
  });
  await perform(run, { kind: "createDevice", userId, roleId: site, nodeId: `shared ${n}`, name: "" });
  const deviceId = Math.max(...run.world.devices.keys());
  await perform(run, { kind: "attachDevice", userId, roleId: shared, deviceId });
  const lead = mask(7) | ROLE_MANAGEMENT | (n % 3 === 0 ? ALL_RIGHTS : mask(2));
  await perform(run, { kind: "addMember", userId, roleId: region, subjectId: leadId, rights: lead });
  await perform(run, { kind: "addMember", userId, roleId: site, subjectId: otherId, rights: mask(8) });
  const relation = [...run.world.relations.values()].find(({ childId }) => childId === customer);
  if (relation === undefined) return;
  const { id: relationId, parentId } = relation;
  const operation = { kind: "deleteRelation", userId, parentId, relationId, dryRun: false } as const;
  const before = run.world;
  const { status } = await perform(run, operation);
  if (status === 200) {
    await undo(run, { operation, before, after: run.world }, await readRevision(run), leadId);
  }
}

async function play(run: GraphRun, command: Command): Promise<void> {
  if (run.trace.length === 0) await restoreFromTheMiddle(run);
  const resolved = command.kind === "once" ? resolve(run.world, command.command) : undefined;
  const operation = resolved && divert(run, resolved);
  if (operation === undefined) return await playCommand(run, command);
  const before = run.world;
  const { status } = await perform(run, operation);
  if (status !== 200 || run.world === before || operation.kind === "deleteAccount") return;
  const isMove = operation.kind === "putRelation" && operation.replaces !== undefined;
  const taken = takenBy(operation, before);
  // Further rows of the log are about relations that ended with it.
  const revision = await readRevision(run) - (isMove ? 1 : taken);
  // A period that begins at the moment of its end has no past.
  const isOfDevice = operation.kind === "transferDevice" || operation.kind === "attachDevice" ||
    operation.kind === "detachDevice";
  if (isOfDevice && run.trace.length % 2 === 0) wait(run, 1);
  const made = { operation, before, after: run.world };
  const askers = askersOf(run);
  const n = run.trace.length;
  // Somebody who may not make all again, some who may not at all, and then the one who did it.
  const inPart = askers.find((userId) => {
    const expected = decideUndo(made, userId, 0);
    return expected.status === 200 && !isWhole(expected);
  });
  for (
    const userId of inPart !== undefined && n % 4 > 0
      ? [inPart]
      : [askers[n % askers.length] ?? 0, askers[(3 * n + 1) % askers.length] ?? 0]
  ) {
    if (await undoTwice(run, made, revision, userId)) return;
  }
  if (n % 3 === 0 && askers.includes(operation.userId)) {
    await undoTwice(run, made, revision, operation.userId);
  }
}

forRandomScenarios(
  "undoing the latest change gives back the world before it, as far as the rules of today allow that",
  () => ({ play, atEnd: () => Promise.resolve() }),
  {
    atEnd: (sequences) => {
      const expected = [
        "deleteRelation whole 200",
        "deleteRelation in part 200",
        "deleteRelation 200",
        "deleteRelation 403",
        "createRole 200",
        "putRelation 200",
        "putRelationById 200",
        "updateRole 200",
        "updateRole 403",
        "addMember 200",
        "removeMember 200",
        "attachDevice 200",
        "attachDevice 403",
        "attachDevice 409",
        "detachDevice 200",
        "detachDevice 403",
        "transferDevice 200",
        "transferDevice 403",
        "transferDevice again 200",
        "transferDevice again 403",
        "createKey 409",
      ];
      assertMet(tally, sequences, expected, SEQUENCES_THAT_MEET_ALL);
    },
  },
);
