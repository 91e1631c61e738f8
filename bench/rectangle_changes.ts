import { WITH_DEVICES } from "../src/device/with_devices.ts";
import { bind, type SqlArgs, type Statement } from "../src/db/statement.ts";
import { deleteManages, putManages } from "../src/role/manages/manages_service.ts";
import { toRights } from "../src/graph/rights.ts";
import { createRole } from "../src/role/role_service.ts";
import { defineStatement } from "../tests/helpers/text_statement.ts";
import type { ProductionService } from "../tests/helpers/production_service.ts";
import type { TimedService } from "./bench_service.ts";
import { type Figure, figure, ratio } from "./benchmark.ts";
import { summarize } from "./statistics.ts";

const ROUNDS = 15;
/** About the number of closure rows that are added and removed. */
const ROWS = 11_000;
const ALL_RIGHTS = toRights(63);
const FEWER_RIGHTS = toRights(0b000101);
const STEPS = { grow: 25, weaken: 45, delete: 50 } as const;

type Step = keyof typeof STEPS;
const STEP_NAMES = Object.keys(STEPS) as Step[];

/** A copy of the rows that only this relation adds to the closure. */
const COPY_ROWS = defineStatement(`
  CREATE TABLE bench_rectangle AS SELECT descendant_id, ancestor_id, rights FROM role_closure
  WHERE ancestor_id IN (SELECT value FROM json_each(:chainIds)) AND descendant_id IN (
    SELECT descendant_id FROM role_closure WHERE ancestor_id = :childRoleId UNION ALL SELECT :childRoleId)`);
const IN_RECTANGLE =
  "(descendant_id, ancestor_id) IN (SELECT descendant_id, ancestor_id FROM bench_rectangle)";
/** The least that any implementation does: write these rows, known beforehand, without deciding anything. */
const PLAIN: Readonly<Record<Step, Statement>> = {
  grow: defineStatement(`INSERT INTO role_closure (descendant_id, ancestor_id, rights)
    SELECT descendant_id, ancestor_id, rights FROM bench_rectangle`),
  weaken: defineStatement(`UPDATE role_closure SET rights = rights & 5 WHERE ${IN_RECTANGLE}`),
  delete: defineStatement(`DELETE FROM role_closure WHERE ${IN_RECTANGLE}`),
};
const DROP_COPY = defineStatement("DROP TABLE bench_rectangle");

const COUNT_BELOW = defineStatement("SELECT count(*) AS rows FROM role_closure WHERE ancestor_id = :roleId");

export interface RectangleFigures {
  readonly figures: readonly Figure[];
  /** Number of role pairs that the relation connects. */
  readonly rows: number;
}

/**
 * Repeatedly connects a subtree of one to two thousand roles to the end of a chain, weakens that relation and
 * deletes it, and in between writes the same rows alone. `hasGoals`: the times have goals.
 */
export async function changeRectangle(
  side: TimedService,
  { hasGoals }: { readonly hasGoals: boolean },
): Promise<RectangleFigures> {
  const { deps, actor, hierarchy, takeTimes } = side;
  const secondLevel = hierarchy.levels[1] ?? [];
  const childRoleId = secondLevel[secondLevel.length / 2] as number;
  const below = 1 + await countBelow(side, childRoleId);
  const chain = await makeChain(side, Math.round(ROWS / below));
  const parentRoleId = chain.at(-1)?.roleId as number;
  const pair = { parentRoleId, childRoleId };
  const write = (statement: Statement, args: SqlArgs): Promise<unknown> =>
    deps.database.write([bind(statement, args)]);
  const copy = { chainIds: JSON.stringify(chain.map(({ roleId }) => roleId)), childRoleId };
  const times = emptyTimes();
  const plain = emptyTimes();
  for (let round = 0; round <= ROUNDS; round++) {
    takeTimes();
    const { manages } = await putManages(deps, actor, { ...pair, rights: ALL_RIGHTS });
    const managesId = manages.id as number;
    if (round === 0) await write(COPY_ROWS, copy);
    await putManages(deps, actor, { ...pair, rights: FEWER_RIGHTS });
    await deleteManages({ ...deps, ...WITH_DEVICES }, actor, {
      parentRoleId,
      managesId,
    });
    for (const step of STEP_NAMES) await write(PLAIN[step], {});
    const taken = takeTimes();
    // The first round is a warm-up, and copies the rows.
    if (round === 0) continue;
    for (const [i, step] of STEP_NAMES.entries()) {
      times[step].push(taken[i] ?? NaN);
      plain[step].push(taken[i + STEP_NAMES.length] ?? NaN);
    }
  }
  await write(DROP_COPY, {});
  const [top] = chain;
  if (top !== undefined) {
    await deleteManages({ ...deps, ...WITH_DEVICES }, actor, top);
  }
  const figures = STEP_NAMES.flatMap((step) => {
    const sides = [summarize(times[step]), summarize(plain[step])] as const;
    return [
      figure(step, "ms", sides[0], hasGoals ? { atMost: STEPS[step] } : undefined),
      ratio(`${step} / the bare statement for the same rows`, "ms", sides),
    ];
  });
  return { figures, rows: chain.length * below };
}

function emptyTimes(): Record<Step, number[]> {
  return { grow: [], weaken: [], delete: [] };
}

export interface Link {
  readonly parentRoleId: number;
  readonly managesId: number;
  readonly roleId: number;
}

/** A chain of roles, starting below the root. */
export async function makeChain({ deps, actor, rootId }: ProductionService, length: number): Promise<Link[]> {
  const chain: Link[] = [];
  for (let i = 0; i < length; i++) {
    const parentRoleId = chain.at(-1)?.roleId ?? rootId;
    const input = { parentRoleId, name: `chain ${i}`, selfRights: ALL_RIGHTS, manages: ALL_RIGHTS };
    const { manages, role } = await createRole(deps, actor, input);
    chain.push({ parentRoleId, managesId: manages.id, roleId: role.id });
  }
  return chain;
}

async function countBelow({ deps }: TimedService, roleId: number): Promise<number> {
  const [row] = await deps.database.read<{ rows: number }>(bind(COUNT_BELOW, { roleId }));
  return row?.rows ?? 0;
}
