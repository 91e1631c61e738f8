/**
 * Keys whose makers are removed go on acting, with passwords that the makers set and without. At every step
 * `assertMakerGainsNothing` holds: a key's act gives its maker nothing that they could not take by themselves.
 * Not covered: what a key creates, the key's own rights, and keys of other makers whose secret a former member knows.
 */
import { type Command, resolve } from "../model/graph_operations.ts";
import type { Operation } from "../model/oracle.ts";
import { perform, playCommand } from "../model/oracle_driver.ts";
import {
  ascending,
  giversOf,
  isMember,
  membershipsOf,
  type ModelKey,
  type World,
} from "../model/oracle_rights.ts";
import type { GraphRun } from "../model/oracle_run.ts";
import { assertMet, forRandomScenarios, startTally } from "./random_runs.ts";

/** With fewer sequences, chance may leave out a case. */
const SEQUENCES_THAT_MEET_ALL = 200;

const { tally, note } = startTally();

/** The keys whose maker is no longer a member of their role. */
function orphansOf(world: World): ModelKey[] {
  return [...world.keys.values()].filter(({ roleId, createdBy }) => !isMember(world, createdBy, roleId));
}

/** Every fourth command makes a key, or removes the maker of one; of the others, half are a key's. */
function divert(run: GraphRun, operation: Operation, n: number): Operation {
  const { world } = run;
  const pickOf = <T>(rows: readonly T[]): T | undefined => rows[n % Math.max(1, rows.length)];
  const people = [...world.members.values()].filter(({ userId }) => userId > 0);
  if (n % 8 === 0) {
    const maker = pickOf(people.filter(({ roleId }) => !world.roles.get(roleId)?.isRoot)) ?? pickOf(people);
    if (maker !== undefined && world.keys.size < 8) {
      const key = { roleId: maker.roleId, name: `key ${n}`, provisions: n % 16 === 0 };
      return { kind: "createKey", userId: maker.userId, ...key };
    }
  }
  if (n % 8 === 4) {
    const made = pickOf([...world.keys.values()]);
    const removed = people.find(({ userId, roleId }) => userId === made?.createdBy && roleId === made.roleId);
    const [first] = ascending(world.users.keys());
    if (removed !== undefined && first !== undefined) {
      return { kind: "removeMember", userId: first, roleId: removed.roleId, memberId: removed.id };
    }
  }
  const orphans = orphansOf(world);
  const key = n % 2 === 0
    ? undefined
    : pickOf(n % 3 === 0 || orphans.length === 0 ? [...world.keys.values()] : orphans);
  if (key === undefined || operation.kind === "deleteAccount") return operation;
  if (operation.kind === "putRelation" && n % 5 === 0) {
    // The key joins a role of its maker's with the password that they set.
    const own = [...world.roles.values()].find(({ password }) => password?.setBy === key.createdBy);
    if (own?.password) {
      const { text, rights } = own.password;
      const { replaces: _, ...rest } = operation;
      return {
        ...rest,
        userId: -key.id,
        parentId: key.roleId,
        childId: own.id,
        password: text,
        rights: rest.rights & rights,
      };
    }
  }
  return { ...operation, userId: -key.id };
}

async function play(run: GraphRun, command: Command): Promise<void> {
  const simple = command.kind === "once" ? resolve(run.world, command.command) : undefined;
  if (simple === undefined) return await playCommand(run, command);
  const operation = divert(run, simple, run.trace.length);
  const { world } = run;
  const { status } = await perform(run, operation);
  const [, maker] = giversOf(world, operation.userId);
  if (maker === undefined) return;
  const hasLeft = orphansOf(world).some(({ id }) => id === -operation.userId) ? "has left" : "is there";
  const password = operation.kind === "putRelation" && operation.password !== undefined ? " by password" : "";
  note(`${operation.kind}${password}, whose maker ${hasLeft} ${status}`);
  if (membershipsOf(world, maker).length > 0) note(`the maker ${hasLeft}, and a member elsewhere ${status}`);
}

forRandomScenarios(
  "a removed person gains nothing by the keys that they made",
  () => ({ play, atEnd: () => Promise.resolve() }),
  {
    atEnd: (sequences) => {
      const expected = [
        "putRelation, whose maker is there 200",
        "putRelation, whose maker has left 403",
        "putRelation by password, whose maker is there 403",
        "putRelation by password, whose maker has left 403",
        "createRole, whose maker has left 200",
        "addMember, whose maker is there 200",
        "addMember, whose maker has left 403",
        "updateRole, whose maker has left 403",
        "attachDevice, whose maker has left 403",
        "the maker has left, and a member elsewhere 200",
      ];
      assertMet(tally, sequences, expected, SEQUENCES_THAT_MEET_ALL);
    },
  },
);
