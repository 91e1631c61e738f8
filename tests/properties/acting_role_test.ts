/**
 * The role through which a change was made, as the log tells it, is the oldest one of the actor's that would authorize
 * the change if it were their only one.
 */
import assert from "node:assert/strict";
import { query } from "../helpers/http.ts";
import { resolve } from "../model/graph_operations.ts";
import { decide, type Operation } from "../model/oracle.ts";
import { perform, playCommand, type Tally } from "../model/oracle_driver.ts";
import { ascending, membershipsOf, type World } from "../model/oracle_rights.ts";
import { readRevision } from "../model/oracle_run.ts";
import { assertMet, forRandomScenarios } from "./random_runs.ts";

/** With fewer histories, chance may leave out a case. */
const HISTORIES_THAT_MEET_ALL = 40;

/** Changes of the actor's own membership, which a world without it cannot decide. */
function isOfOneself(world: World, operation: Operation): boolean {
  const { userId } = operation;
  if (operation.kind === "addMember") return operation.subjectId === userId;
  if (operation.kind === "removeMember") return world.members.get(operation.memberId)?.userId === userId;
  return operation.kind === "deleteAccount";
}

/** Returns the roles of which one membership alone lets the actor do this. */
function authorizingRoles(world: World, operation: Operation): number[] {
  const { userId } = operation;
  const authorizing = membershipsOf(world, userId).filter(({ id }) => {
    const members = [...world.members].filter(([, other]) => other.userId !== userId || other.id === id);
    return decide({ ...world, members: new Map(members) }, operation, { nodeId: 0, relationId: 0 }).status !==
      403;
  });
  return ascending(authorizing.map(({ roleId }) => roleId));
}

const READ_MADE = `SELECT via_role_id AS via, kind FROM change_log
  WHERE rev > :last AND kind NOT LIKE '%.dry_run' ORDER BY rev LIMIT 1`;

const tally: Tally = new Map();

forRandomScenarios(
  "the log names the oldest role that alone authorizes a change",
  () => ({
    play: async (run, command) => {
      if (command.kind !== "once") return await playCommand(run, command);
      const operation = resolve(run.world, command.command);
      if (operation === undefined) return;
      const before = run.world;
      const last = await readRevision(run);
      const { status } = await perform(run, operation);
      if (status !== 200 || isOfOneself(before, operation)) return;
      const [row] = await query<{ via: number; kind: string }>(run.target, READ_MADE, { last });
      if (row === undefined) return;
      const roles = authorizingRoles(before, operation);
      assert.equal(row.via, roles[0], `${JSON.stringify(operation)} by one of ${roles}`);
      tally.set(`${row.kind} ${roles.length > 1 ? "several" : "one"}`, 1);
    },
    atEnd: () => Promise.resolve(),
  }),
  {
    tally,
    atEnd: (histories) =>
      assertMet(tally, histories, [
        "role.create several",
        "manages.put several",
        "key.create several",
        "device.create several",
      ], HISTORIES_THAT_MEET_ALL),
  },
);
