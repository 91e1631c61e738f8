/** Service and model agree over random histories, and over those that chance seldom makes. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { scenario } from "../model/graph_operations.ts";
import { CYCLE, WITHOUT_MANAGER } from "../model/oracle.ts";
import { WITHOUT_LASTING_MEMBER, WITHOUT_MEMBER } from "../model/oracle_members.ts";
import {
  BEGINS_EARLIER,
  CANNOT_END,
  NODE_ID_FIXED,
  NODE_ID_TAKEN,
  OUTSIDE_PERIOD,
  PERIOD_EMPTY,
} from "../model/oracle_devices.ts";
import { blueprint, buildGraph } from "../model/oracle_blueprint.ts";
import { createRole, link, must, startSmallWorld, unlink } from "../model/oracle_builder.ts";
import { assertAnswers, playScenario, type Tally } from "../model/oracle_driver.ts";
import {
  ALL_RIGHTS as ALL,
  DEVICE_MANAGEMENT as DM,
  ROLE_MANAGEMENT as RM,
  USER_MANAGEMENT as UM,
  VIEW_MANAGEMENT as VM,
  type World,
} from "../model/oracle_rights.ts";
import { plant, plantRelation } from "../model/oracle_run.ts";
import { readCount, SEQUENCES } from "../helpers/read_count.ts";
import { openTestApp } from "../helpers/test_app.ts";
import { type DatabaseKind, DATABASES, testKind } from "../helpers/databases.ts";
import { forEachApp } from "../helpers/http.ts";

const SEED = readCount("ROLEGRID_SEED", 20_260_101);
/** Shares of the sequences. All kinds run the same SQL, but one on a server takes four times as long, on a copy six. */
const SHARES = { file: 0.95, remote: 0.03 } as const;

function sequencesOn(kind: DatabaseKind): number {
  return Math.ceil(SEQUENCES * SHARES[kind]);
}

/** With fewer sequences, some verdict may not occur by chance. */
const SEQUENCES_THAT_MEET_ALL = 250;

const RULED = [
  ...["createRole", "updateRole", "setPassword", "createRole by a key"],
  ...["putRelation", "putRelationById", "putRelation as a move", "putRelation by password", "deleteRelation"],
  ...["addMember", "removeMember", "addMember by a key"],
  ...["createDevice", "updateDevice", "attachDevice", "detachDevice", "transferDevice"],
  ...["createKey", "adoptKey", "deleteKey"],
];
const VERDICTS = [
  ...RULED.flatMap((kind) => [`${kind} 200`, `${kind} 403 User does not have sufficient rights`]),
  `createRole 409 ${WITHOUT_MANAGER}`,
  `putRelation 409 ${CYCLE}`,
  `putRelation 409 ${WITHOUT_MANAGER}`,
  "putRelation by void password 403 User does not have sufficient rights",
  "deleteAccount 200",
  `deleteAccount 409 ${WITHOUT_MEMBER}`,
  `putRelation by password 409 ${CYCLE}`,
  `putRelationById 409 ${WITHOUT_MANAGER}`,
  `deleteRelation 409 ${WITHOUT_MANAGER}`,
  `removeMember 409 ${WITHOUT_MEMBER}`,
  `addMember 409 ${WITHOUT_LASTING_MEMBER}`,
  `putRelation as a move 409 ${WITHOUT_MANAGER}`,
  "addMember by a key 401 Failed to verify token",
  `createDevice 409 ${NODE_ID_TAKEN}`,
  `updateDevice 409 ${NODE_ID_FIXED}`,
  `attachDevice 422 ${OUTSIDE_PERIOD}`,
  `attachDevice 422 ${BEGINS_EARLIER}`,
  `attachDevice 422 ${PERIOD_EMPTY}`,
  `transferDevice 409 ${CANNOT_END}`,
];

for (const kind of DATABASES) {
  testKind(kind, `service and model agree over ${sequencesOn(kind)} sequences, seed ${SEED}`, async () => {
    const sequences = sequencesOn(kind);
    await using target = await openTestApp(kind);
    const tally: Tally = new Map();
    const agrees = fc.asyncProperty(scenario, async (played) => {
      await playScenario(target, played, tally);
    });
    await fc.assert(agrees, { numRuns: sequences, seed: SEED });
    if (sequences < SEQUENCES_THAT_MEET_ALL) return;
    const missed = VERDICTS.filter((verdict) => !tally.has(verdict));
    assert.deepEqual(missed, [], "the sequences never led to these verdicts");
  });
}

forEachApp(`the closure does not depend on the order of relations, seed ${SEED}`, async (target, kind) => {
  const agrees = fc.asyncProperty(blueprint, async ({ roles, edges, shuffled, detours }) => {
    const straight = await buildGraph(target, roles, edges);
    assert.deepEqual(await buildGraph(target, roles, shuffled, detours), straight);
  });
  await fc.assert(agrees, { numRuns: Math.ceil(sequencesOn(kind) / 10), seed: SEED });
});

forEachApp("adding a right by a relation's id needs the child as well as the parent", async (target) => {
  const { run, rootId, adminId, userId } = await startSmallWorld(target);
  const parentId = await createRole(run, adminId, { parentId: rootId, rights: ALL, selfRights: RM });
  const childId = await createRole(run, adminId, { parentId: rootId, rights: ALL });
  const relationId = await link(run, adminId, { parentId, childId, rights: VM | DM });
  await must(run, 200, { kind: "addMember", userId: adminId, roleId: parentId, subjectId: userId });
  const byId = { kind: "putRelationById", parentId, relationId } as const;
  await must(run, 403, { ...byId, userId, rights: ALL });
  await must(run, 403, { ...byId, userId, rights: VM | UM });
  await must(run, 403, { kind: "putRelation", userId, parentId, childId, rights: VM });
  await must(run, 200, { ...byId, userId, rights: VM });
  await must(run, 200, { ...byId, userId, rights: VM });
  await must(run, 403, { ...byId, userId, rights: VM | DM });
  await must(run, 200, { ...byId, userId: adminId, rights: ALL });
  await assertAnswers(run);
});

forEachApp("one role must hold the rights on both parent and child of a new relation", async (target) => {
  const { run, rootId, adminId, userId } = await startSmallWorld(target);
  const parentId = await createRole(run, adminId, { parentId: rootId, rights: ALL, selfRights: RM });
  const managerId = await createRole(run, adminId, { parentId: rootId, rights: ALL });
  const childId = await createRole(run, adminId, { parentId: managerId, rights: RM });
  for (const roleId of [parentId, managerId]) {
    await must(run, 200, { kind: "addMember", userId: adminId, roleId, subjectId: userId });
  }
  const relation = { kind: "putRelation", parentId, childId, rights: VM } as const;
  await must(run, 403, { ...relation, userId });
  await must(run, 200, { ...relation, userId: adminId });
  // The relation shows the child to the parent's members, but they still lack roleManagement on it.
  await must(run, 403, { ...relation, userId, rights: VM | DM });
  await assertAnswers(run);
});

forEachApp("a deletion keeps a root attached below, and all that depends on it", async (target) => {
  const { run, rootId, adminId, otherRootId, userId } = await startSmallWorld(target, 2);
  const goneId = await createRole(run, adminId, { parentId: rootId, rights: ALL });
  const relationId = await plantRelation(run, { parentId: goneId, childId: otherRootId, rights: RM | VM });
  const keptId = await createRole(run, adminId, { parentId: otherRootId, rights: RM });
  await must(run, 200, { kind: "addMember", userId: adminId, roleId: goneId, subjectId: userId });
  const memberId = [...run.world.members.keys()].at(-1);
  const entryId = [...run.world.relations.values()].find((r) => r.childId === goneId)?.id;
  assert.deepEqual(await unlink(run, adminId, { parentId: rootId, childId: goneId }), {
    deletedNodeIds: [goneId],
    deletedRelationIds: [entryId, relationId, memberId].sort((a = 0, b = 0) => a - b),
  });
  assert.deepEqual([...run.world.roles.keys()], [rootId, otherRootId, keptId]);
  await assertAnswers(run);
});

forEachApp("a deletion is refused if a remaining role would lose its last manager", async (target) => {
  const { run, rootId, adminId } = await startSmallWorld(target);
  const managerId = await createRole(run, adminId, { parentId: rootId, rights: RM });
  const viewerId = await createRole(run, adminId, { parentId: rootId, rights: RM });
  const lowId = await createRole(run, adminId, { parentId: managerId, rights: RM });
  await link(run, adminId, { parentId: viewerId, childId: lowId, rights: VM });
  await unlink(run, adminId, { parentId: rootId, childId: managerId, status: 409 });
  await unlink(run, adminId, { parentId: managerId, childId: lowId, status: 409 });
  await unlink(run, adminId, { parentId: viewerId, childId: lowId });
  await unlink(run, adminId, { parentId: rootId, childId: managerId });
  assert.equal(run.world.roles.has(lowId), false);
  await assertAnswers(run);
});

forEachApp("a deletion keeps the roles below a role that has another parent", async (target) => {
  const { run, rootId, adminId } = await startSmallWorld(target);
  const goneId = await createRole(run, adminId, { parentId: rootId, rights: RM });
  const otherId = await createRole(run, adminId, { parentId: rootId, rights: RM });
  const stayingId = await createRole(run, adminId, { parentId: goneId, rights: RM });
  const belowId = await createRole(run, adminId, { parentId: stayingId, rights: RM });
  await link(run, adminId, { parentId: otherId, childId: stayingId, rights: RM });
  await unlink(run, adminId, { parentId: rootId, childId: goneId });
  assert.deepEqual([goneId, stayingId, belowId].map((id) => run.world.roles.has(id)), [false, true, true]);
  await assertAnswers(run);
});

forEachApp("a relation without roleManagement does not replace the last one with it", async (target) => {
  const { run, rootId, adminId } = await startSmallWorld(target);
  const viewerId = await createRole(run, adminId, { parentId: rootId, rights: RM });
  const lowId = await createRole(run, adminId, { parentId: rootId, rights: RM });
  await link(run, adminId, { parentId: viewerId, childId: lowId, rights: VM });
  await must(run, 409, {
    kind: "putRelation",
    userId: adminId,
    parentId: rootId,
    childId: lowId,
    rights: VM,
  });
  await link(run, adminId, { parentId: viewerId, childId: lowId, rights: RM | VM });
  await link(run, adminId, { parentId: rootId, childId: lowId, rights: VM });
  await assertAnswers(run);
});

for (const kind of DATABASES) {
  testKind(kind, "a lattice of 20 layers of 10 roles is narrowed, cut and joined exactly", async () => {
    await using target = await openTestApp(kind, { maxClosureChange: 200_000 });
    const { run, rootId, adminId } = await startSmallWorld(target);
    await plant(run, lattice(run.world, rootId));
    const at = (layer: number, i: number): number => FIRST_LATTICE_ID + layer * LATTICE_WIDTH + i;
    for (const [layer, i, k] of [[0, 0, 0], [9, 3, 7], [18, 9, 9]] as const) {
      const relation = { parentId: at(layer, i), childId: at(layer + 1, k) };
      const rights = layer === 0 ? RM : DM | VM;
      await link(run, adminId, { ...relation, rights });
      await unlink(run, adminId, relation);
      await link(run, adminId, { ...relation, rights: ALL });
    }
    await assertAnswers(run);
  });
}

const LATTICE_WIDTH = 10;
const LATTICE_LAYERS = 20;
const FIRST_LATTICE_ID = 1001;

/** Every role of a layer manages every role of the next: about 10^19 paths, with rights that vary by relation. */
function lattice(world: World, rootId: number): World {
  const roles = new Map(world.roles);
  const relations = new Map(world.relations);
  const join = (parentId: number, childId: number, rights: number): void => {
    const id = FIRST_LATTICE_ID + relations.size;
    relations.set(id, { id, parentId, childId, rights, byPassword: false });
  };
  for (let n = 0; n < LATTICE_WIDTH * LATTICE_LAYERS; n++) {
    const id = FIRST_LATTICE_ID + n;
    const layerStart = id - n % LATTICE_WIDTH;
    roles.set(id, { id, name: `lattice ${n}`, selfRights: n % (ALL + 1), isRoot: false, password: null });
    if (n < LATTICE_WIDTH) join(rootId, id, ALL);
    // Two relations with roleManagement enter each role, so that one of them can go.
    const isManager = (i: number): boolean => i === n % LATTICE_WIDTH || i === (n + 1) % LATTICE_WIDTH;
    for (let i = 0; n >= LATTICE_WIDTH && i < LATTICE_WIDTH; i++) {
      const base = (n * 7 + i * 13) & ALL & ~RM;
      join(layerStart - LATTICE_WIDTH + i, id, isManager(i) ? base | RM : base);
    }
  }
  return { ...world, roles, relations };
}
