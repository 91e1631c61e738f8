/**
 * A change is decided as if the actor did not have their dormant memberships, and refused with 401 exactly if they could
 * make it with these. No actor gains by it what the awake memberships could not give.
 */
import assert from "node:assert/strict";
import { execute } from "../helpers/http.ts";
import { resolve } from "../model/graph_operations.ts";
import { decide, type Operation } from "../model/oracle.ts";
import { playCommand, type Tally } from "../model/oracle_driver.ts";
import { givenIds, keepSecret, messageOf, send } from "../model/oracle_http.ts";
import { assertStep } from "../model/oracle_invariants.ts";
import { hasRoleManagement, type ModelMember, someMembership, type World } from "../model/oracle_rights.ts";
import { assertSameGraph, forgetFailures, type GraphRun } from "../model/oracle_run.ts";
import { assertMet, forRandomScenarios } from "./random_runs.ts";

/** With fewer histories, chance may leave out a case. */
const HISTORIES_THAT_MEET_ALL = 10;

const DEMAND = ["UPDATE role SET needs = (id * 7 + :step * 5) % 3", "UPDATE session SET meets = :level"];

/** Changes of the actor's own memberships, and passwords that they set, which a world without them cannot decide. */
function isOfOneself(world: World, operation: Operation): boolean {
  const { userId } = operation;
  if (operation.kind === "addMember") return operation.subjectId === userId;
  if (operation.kind === "removeMember") return world.members.get(operation.memberId)?.userId === userId;
  if (operation.kind === "putRelation") return world.roles.get(operation.childId)?.password?.setBy === userId;
  return operation.kind === "deleteAccount";
}

/** Returns the world without the memberships of a user in these roles. */
function without(world: World, isDormant: (member: ModelMember) => boolean): World {
  return { ...world, members: new Map([...world.members].filter(([, member]) => !isDormant(member))) };
}

/**
 * Whether the actor manages the parent of a relation by password only where they are dormant. Such a request asks for a
 * step-up before the password is compared, so that a session that is too weak does not learn whether it is right.
 */
function asksBeforeThePassword(awake: World, asIs: World, operation: Operation): boolean {
  if (operation.kind !== "putRelation" || operation.password === undefined) return false;
  const { userId, parentId } = operation;
  const manages = (world: World): boolean =>
    someMembership(world, userId, (own) => hasRoleManagement(world, own, parentId));
  return userId > 0 && manages(awake) && !manages(asIs);
}

/**
 * Returns the memberships after a change: as the awake ones gave them, whose end bounds what they give, and the dormant
 * ones that are left.
 */
function withDormant(asIs: World, awake: World): World["members"] {
  return new Map([...awake.members].map(([id, member]) => [id, asIs.members.get(id) ?? member]));
}

const tally: Tally = new Map();

async function perform(run: GraphRun, operation: Operation, step: number): Promise<void> {
  const { target, world } = run;
  const level = step % 3;
  await execute(target, DEMAND, { step, level });
  const isDormant = ({ userId, roleId }: ModelMember): boolean =>
    userId === operation.userId && userId > 0 && (roleId * 7 + step * 5) % 3 > level;
  const answer = await send(run, operation);
  keepSecret(run, answer);
  if (operation.kind === "putRelation" && operation.password !== undefined) await forgetFailures(run);
  run.trace.push(`${JSON.stringify(operation)} at level ${level}: ${answer.status}`);
  const given = givenIds(answer);
  const asAwake = decide(world, operation, given);
  const asIs = decide(without(world, isDormant), operation, given);
  const { status } = asIs;
  const helps = asAwake.status !== 403 || asksBeforeThePassword(world, without(world, isDormant), operation);
  const expected = status !== 403 ? asAwake.status : helps ? 401 : 403;
  assert.equal(answer.status, expected, messageOf(answer.body) ?? "");
  const asks = messageOf(answer.body) === "SECOND_FACTOR_REQUIRED";
  assert.equal(asks, expected === 401 && asAwake.status !== 401, "A key that has ended gets a 401, too");
  tally.set(`${expected}${operation.userId < 0 ? " by a key" : ""}`, 1);
  if (expected === 200) {
    assertStep(without(world, isDormant), operation, asIs);
    for (const id of asAwake.createdNodeIds) run.nodeIds.add(id);
    for (const id of asAwake.createdRelationIds) run.relationIds.add(id);
    run.world = { ...asIs.after, members: withDormant(asIs.after, asAwake.after) };
  }
  await assertSameGraph(run);
}

forRandomScenarios(
  "dormant memberships count as absent, and a refusal for them alone asks for a step-up",
  () => {
    let step = 0;
    return {
      play: async (run, command) => {
        step++;
        const operation = command.kind === "once" ? resolve(run.world, command.command) : undefined;
        if (command.kind === "once" && operation === undefined) return;
        if (operation !== undefined && !isOfOneself(run.world, operation)) {
          return await perform(run, operation, step);
        }
        await execute(run.target, "UPDATE role SET needs = 0");
        await playCommand(run, command);
      },
      atEnd: () => Promise.resolve(),
    };
  },
  {
    tally,
    atEnd: (histories) =>
      assertMet(tally, histories, ["200", "200 by a key", "401", "403", "409"], HISTORIES_THAT_MEET_ALL),
  },
);
