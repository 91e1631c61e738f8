/** The chain of each membership says who brought whom, as a model that knows who acted and through which role. */
import assert from "node:assert/strict";
import { LONGEST_CHAIN } from "../../src/changes/chain_queries.ts";
import { query } from "../helpers/http.ts";
import { type Command, resolve } from "../model/graph_operations.ts";
import type { Operation } from "../model/oracle.ts";
import { perform, playCommand, type Tally } from "../model/oracle_driver.ts";
import { keepsMembers, membershipsOf, type World } from "../model/oracle_rights.ts";
import type { GraphRun } from "../model/oracle_run.ts";
import { assertMet, forRandomScenarios } from "./random_runs.ts";

/** With fewer histories, chance may leave out a case. */
const HISTORIES_THAT_MEET_ALL = 20;

interface Chained {
  readonly id: number;
  readonly roleId: number;
  readonly userId: number;
  readonly givenBy: number | null;
  readonly via: number | null;
  readonly chain: string;
}

async function readChains({ target }: GraphRun): Promise<Map<number, Chained>> {
  const rows = await query<Chained>(
    target,
    "SELECT id, role_id AS roleId, user_id AS userId, given_by AS givenBy, given_via AS via, chain FROM member",
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** Half of the commands bring a member; of these, some are a key's. Every eighth makes such a key. */
function divert({ world, trace }: GraphRun, operation: Operation): Operation {
  const n = trace.length;
  const people = [...world.members.values()].filter(({ userId }) => userId > 0);
  const giver = people[n % people.length];
  if (giver === undefined || n % 2 === 0 || operation.kind === "deleteAccount") return operation;
  const { userId, roleId } = giver;
  if (n % 8 === 1) return { kind: "createKey", userId, roleId, name: `key ${n}`, provisions: true };
  const keys = [...world.keys.values()];
  const key = n % 3 === 0 ? keys[n % Math.max(1, keys.length)] : undefined;
  const acting = key === undefined ? giver : { roleId: key.roleId, userId: -key.id };
  const below = [...world.relations.values()].filter(({ parentId }) => parentId === acting.roleId);
  const users = [...world.users.keys()];
  return {
    kind: "addMember",
    userId: acting.userId,
    roleId: below[n % Math.max(1, below.length)]?.childId ?? acting.roleId,
    subjectId: users[(n >> 1) % users.length] ?? userId,
  };
}

/** What the chain of a new membership has to be. */
function expect(before: World, chains: Map<number, Chained>, made: Chained): string {
  const { givenBy, via, roleId, userId } = made;
  assert.ok(givenBy !== null && via !== null);
  const giver = [...chains.values()].find((row) => row.userId === givenBy && row.roleId === via);
  assert.ok(giver !== undefined, "no giver is known");
  if (userId < 0) return giver.chain;
  const roots = membershipsOf(before, givenBy)
    .filter((own) => before.roles.get(own.roleId)?.isRoot && keepsMembers(before, own, roleId))
    .map((own) => own.roleId);
  if (givenBy > 0 && roots.length > 0) return `${Math.min(...roots)}:${userId}`;
  const links = giver.chain.split("/");
  return links.length < LONGEST_CHAIN ? `${giver.chain}/${userId}` : giver.chain;
}

const tally: Tally = new Map();

async function play(run: GraphRun, command: Command): Promise<void> {
  const simple = command.kind === "once" ? resolve(run.world, command.command) : undefined;
  const before = run.world;
  const chains = await readChains(run);
  if (simple === undefined) await playCommand(run, command);
  else await perform(run, divert(run, simple));
  for (const [id, row] of await readChains(run)) {
    const known = chains.get(id);
    const isAdopted = known !== undefined && known.givenBy !== row.givenBy;
    if (known !== undefined && !isAdopted) assert.equal(row.chain, known.chain, "a chain has changed");
    else if (simple !== undefined) {
      assert.equal(row.chain, expect(before, chains, row), JSON.stringify(row));
      const sort = row.userId < 0 ? "key" : (row.givenBy ?? 0) < 0 ? "by a key" : "user";
      tally.set(`${sort} ${row.chain.split("/").length}`, 1);
    }
  }
}

forRandomScenarios(
  "the chain of a membership is that of the membership that gave it, and its holder",
  () => ({ play, atEnd: () => Promise.resolve() }),
  {
    tally,
    atEnd: (histories) => {
      const expected = ["key 1", "key 2", "by a key 2", "user 1", "user 2", "user 3"];
      assertMet(tally, histories, expected, HISTORIES_THAT_MEET_ALL);
    },
  },
);
