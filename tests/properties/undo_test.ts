/** Undoing a change, and restoring an earlier deletion, gives back what the model says, after any history. */
import assert from "node:assert/strict";
import { type Command, resolve } from "../model/graph_operations.ts";
import type { Operation } from "../model/oracle.ts";
import { createRole, relationBetween } from "../model/oracle_builder.ts";
import { isClosed, relationsOf } from "../model/oracle_devices.ts";
import { perform, playCommand } from "../model/oracle_driver.ts";
import { call, tokenOf } from "../model/oracle_http.ts";
import { assertNoEscalation, assertSound } from "../model/oracle_invariants.ts";
import { ALL_RIGHTS, ascending, byId, isLive, ROLE_MANAGEMENT, type World } from "../model/oracle_rights.ts";
import {
  assertSameGraph,
  forgetCounts,
  type GraphRun,
  readNextRelation,
  readRevision,
  wait,
} from "../model/oracle_run.ts";
import { betweenDeletionAndNow, type Made, nowOf, type UndoOutcome } from "../model/oracle_restore.ts";
import { decideUndo } from "../model/oracle_undo.ts";
import { askersOf, assertMet, forRandomScenarios, startTally } from "./random_runs.ts";

/** With fewer sequences, chance may leave out a case. */
const SEQUENCES_THAT_MEET_ALL = 50;

const { tally, note } = startTally();

/**
 * The graph as text, without what no undo brings back: keys, passwords of roles, and memberships that have ended by the
 * time of the `last` world.
 */
function textOf(world: World, last: World): string {
  const { roles, relations, members, devices, monitors } = world;
  return JSON.stringify([
    byId(roles.values()).map((role) => ({ ...role, password: null })),
    byId(relations.values()),
    byId(members.values()).filter((member) => member.userId > 0 && isLive(last, member)),
    byId(devices.values()),
    byId(monitors.values()),
  ]);
}

/** Whether all that a deletion took returned. */
function isWhole({ returned, shortened = [] }: UndoOutcome): boolean {
  return shortened.length === 0 && Object.values(returned ?? {}).every(([back, lost]) => back === lost);
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
    const { restored, leftOut, shortened = [] } = answer.body as
      & Record<"restored" | "leftOut", Record<string, number>>
      & { shortened?: unknown[] };
    assert.deepEqual(shortened, expected.shortened ?? [], what);
    for (const [name, [back, lost]] of Object.entries(expected.returned ?? {})) {
      assert.deepEqual([restored?.[name], leftOut?.[name]], [back, lost - back], `${what}: ${name}`);
    }
    run.world = expected.after;
    assertSound(run.world);
    assertNoEscalation({ ...nowOf(made), ...pick(expected.restored) }, run.world, userId);
    if (expected.restored !== undefined) assert.deepEqual(betweenDeletionAndNow(made, run.world), [], what);
    // A transfer back gives new periods, beside the past. Of an earlier deletion, more has changed since.
    const isBack = made.operation.kind !== "transferDevice" && made.since === undefined && isWhole(expected);
    if (isBack) assert.equal(textOf(run.world, run.world), textOf(made.before, run.world), what);
  }
  await assertSameGraph(run);
  const sort = expected.returned === undefined ? "" : isWhole(expected) ? " whole" : " in part";
  const kind = made.since === undefined ? made.operation.kind : "earlier deletion";
  note(`${kind}${again}${sort} ${expected.status}`);
  for (const { reason, until } of expected.shortened ?? []) {
    note(`${reason}${until === undefined ? " to come" : ""}`);
  }
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

/** Restored roles count as existing ones, but no one had rights on them. */
function pick(restored: World | undefined): Partial<World> {
  return restored === undefined ? {} : { roles: restored.roles, relations: restored.relations };
}

/** Deletions are rare in random histories, and most are refused. Half of the commands lead to them. */
function divert({ world, trace }: GraphRun, operation: Operation): Operation {
  const n = 7 * trace.length + 3 * world.relations.size + world.members.size;
  const [first] = ascending(world.users.keys());
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
      // A person in the middle, who may not make all again.
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
      const rights = n % 64 | ROLE_MANAGEMENT;
      return { kind: "putRelationById", userId: first, parentId, relationId, rights };
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
  const [userId = 0, leadId = 0, otherId = leadId] = ascending(run.world.users.keys());
  const top = [...run.world.roles.keys()][0] ?? 0;
  const create = (parentId: number, rights: number): Promise<number> =>
    createRole(run, userId, { parentId, rights, selfRights: mask(1) });
  const region = await create(top, ALL_RIGHTS);
  const customer = await create(region, mask(2) | ROLE_MANAGEMENT);
  const site = await create(customer, mask(3) | ROLE_MANAGEMENT);
  const shared = await create(n % 2 === 0 ? top : region, mask(4) | ROLE_MANAGEMENT);
  const sharing = { parentId: site, childId: shared, rights: mask(5) & mask(6) };
  await perform(run, { kind: "putRelation", userId, ...sharing });
  await perform(run, { kind: "createDevice", userId, roleId: site, nodeId: `shared ${n}`, name: "" });
  const deviceId = Math.max(...run.world.devices.keys());
  await perform(run, { kind: "attachDevice", userId, roleId: shared, deviceId });
  const lead = mask(7) | ROLE_MANAGEMENT | (n % 3 === 0 ? ALL_RIGHTS : mask(2));
  await perform(run, { kind: "addMember", userId, roleId: region, subjectId: leadId, rights: lead });
  await perform(run, { kind: "addMember", userId, roleId: site, subjectId: otherId, rights: mask(8) });
  const relationId = relationBetween(run, region, customer);
  const operation = { kind: "deleteRelation", userId, parentId: region, relationId, dryRun: false } as const;
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
  const isOfPeriods = operation.kind === "transferDevice" || operation.kind === "attachDevice" ||
    operation.kind === "detachDevice" || operation.kind === "deleteRelation";
  if (isOfPeriods && run.trace.length % 2 === 0) wait(run, 1);
  const made = { operation, before, after: run.world };
  const askers = askersOf(run);
  const n = run.trace.length;
  // One who may not make all again, some who may not at all, and then the one who did it.
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

/** A deletion that may still be restored. */
interface Pending extends Made {
  readonly revision: number;
  readonly since: World[];
}

/** Waits, or does something with roles and the devices that they have for a while. */
async function step(run: GraphRun, operation: Operation | undefined, pending: Pending[]): Promise<void> {
  const before = run.world;
  if (operation !== undefined) await perform(run, operation);
  const { world } = run;
  // What begins and ends at one moment has no time in between.
  if (operation === undefined || run.trace.length % 3 > 0) wait(run, 1);
  for (const { since } of pending) since.push(world, run.world);
  if (operation?.kind !== "deleteRelation" || operation.dryRun === true) return;
  if ([...before.roles.keys()].every((id) => world.roles.has(id))) return;
  const revision = await readRevision(run);
  pending.push({ operation, before, after: world, revision, since: [run.world] });
}

/** A company with houses and lettings below it, and a meter of the first house that the letting has for a while. */
async function lend(run: GraphRun): Promise<void> {
  const [userId = 0, leadId = 0] = ascending(run.world.users.keys());
  const [top = 0] = run.world.roles.keys();
  const create = (parentId: number, name: string): Promise<number> =>
    createRole(run, userId, { parentId, name, rights: ALL_RIGHTS, selfRights: ALL_RIGHTS });
  const [house] = [await create(top, "House"), await create(top, "Bought house")];
  const lettings = await create(top, "Lettings");
  const letting = await create(lettings, "Letting");
  await perform(run, { kind: "createDevice", userId, roleId: house, nodeId: "meter", name: "" });
  const deviceId = Math.max(...run.world.devices.keys());
  wait(run, 1);
  const until = run.world.now + 5000;
  await perform(run, { kind: "attachDevice", userId, roleId: letting, deviceId, until });
  const lead = { roleId: lettings, subjectId: leadId, rights: ALL_RIGHTS };
  await perform(run, { kind: "addMember", userId, ...lead });
}

/** A number that depends on the text in no regular way. */
function scattered(text: string): number {
  let n = 2_166_136_261;
  for (const char of text) n = Math.imul(n ^ char.charCodeAt(0), 16_777_619);
  return (n ^ n >>> 15) >>> 4;
}

/** Something that mixes loans, sales, deletions and time. */
function nextStep({ world, trace }: GraphRun, operation: Operation, n: number): Operation | undefined {
  const [userId = 0] = ascending(world.users.keys());
  let drawn = n;
  const pickOf = <T>(rows: Iterable<T>): T | undefined => {
    const all = [...rows];
    return all[(drawn = scattered(`${drawn}`)) % Math.max(1, all.length)];
  };
  const device = pickOf(world.devices.values());
  const roleId = pickOf(world.roles.keys()) ?? 0;
  const begun = [...world.monitors.values()].filter((each) => !isClosed(world, each));
  const monitors = pickOf(begun);
  switch (n % 12) {
    case 0:
    case 1:
    case 2: {
      // Of a role that monitors something, since others take no relations of devices with them.
      const watching = new Set([...world.monitors.values()].map((each) => each.roleId));
      const relation = pickOf([...world.relations.values()].filter(({ childId }) => watching.has(childId)));
      if (relation === undefined) return undefined;
      const { id: relationId, parentId } = relation;
      return { kind: "deleteRelation", userId, parentId, relationId, dryRun: false };
    }
    case 3:
    case 4:
    case 5: {
      if (device === undefined) return undefined;
      const soon = world.now + 1000 * (n % 7);
      const bounds = [{ until: soon }, { until: null }, { from: soon, until: soon + 3000 }, { from: soon }];
      return { kind: "attachDevice", userId, roleId, deviceId: device.id, ...bounds[trace.length % 4] };
    }
    case 6:
      return device && { kind: "transferDevice", userId, deviceId: device.id, toRoleId: roleId };
    case 7: {
      // Ends what is open, now or in the past.
      if (monitors === undefined) return undefined;
      const { roleId: of, deviceId } = monitors;
      const until = world.now - 2000 * (trace.length % 2);
      return { kind: "attachDevice", userId, roleId: of, deviceId, until };
    }
    case 8:
      if (monitors === undefined || trace.length % 2 === 0) return undefined;
      return { kind: "detachDevice", userId, roleId: monitors.roleId, monitorsId: monitors.id };
    case 9: {
      const nodeId = trace.length % 3 === 0 ? "meter" : `meter ${n}`;
      return { kind: "createDevice", userId, roleId, nodeId, name: "" };
    }
    case 10: {
      const all = { rights: ALL_RIGHTS, selfRights: ALL_RIGHTS };
      return { kind: "createRole", userId, parentId: roleId, name: `role ${trace.length}`, ...all };
    }
    default:
      return operation.kind === "deleteAccount" ? undefined : operation;
  }
}

/** Restores one of the earlier deletions, for a user who chance names, or else for one who manages most. */
async function restoreOne(run: GraphRun, pending: Pending[], n: number): Promise<void> {
  const [chosen] = pending.slice(n % Math.max(1, pending.length));
  if (chosen?.operation.kind !== "deleteRelation" || !run.world.roles.has(chosen.operation.parentId)) return;
  const users = ascending(run.world.users.keys());
  for (const userId of [users[n % users.length] ?? 0, users[0] ?? 0]) {
    if ((await undo(run, chosen, chosen.revision, userId)).status !== 200) continue;
    pending.splice(pending.indexOf(chosen), 1);
    for (const { since } of pending) since.push(run.world);
    return;
  }
}

forRandomScenarios(
  "what a deletion took returns after other changes, and nothing of the time in which its devices were others'",
  () => {
    const pending: Pending[] = [];
    return {
      play: async (run, command) => {
        if (run.trace.length === 0) await lend(run);
        const n = scattered(JSON.stringify([command, run.trace.length]));
        if (n % 4 === 0) await restoreOne(run, pending, n >>> 2);
        const resolved = command.kind === "once" ? resolve(run.world, command.command) : undefined;
        await step(run, resolved && nextStep(run, resolved, n >>> 4), pending);
      },
      atEnd: async (run) => {
        await forgetCounts(run);
        for (let n = pending.length; n > 0; n--) await restoreOne(run, pending, n - 1);
      },
    };
  },
  {
    atEnd: (sequences) => {
      const expected = [
        "earlier deletion whole 200",
        "earlier deletion in part 200",
        "earlier deletion 403",
        "interrupted",
        "unmanaged",
        "ended",
      ];
      assertMet(tally, sequences, expected, SEQUENCES_THAT_MEET_ALL);
    },
  },
);

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
