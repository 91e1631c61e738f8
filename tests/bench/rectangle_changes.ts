import { bind, defineStatement } from "../../src/db/statement.ts";
import { deleteManages, putManages } from "../../src/role/manages_service.ts";
import { toRights } from "../../src/role/rights.ts";
import { createRole } from "../../src/role/role_service.ts";
import type { TimedService } from "./bench_service.ts";
import { type Figure, figure } from "./benchmark.ts";
import { summarize } from "./statistics.ts";

const ROUNDS = 15;
/** About so many closure rows are made and taken away again. */
const ROWS = 11_000;
const ALL_RIGHTS = toRights(63);
const FEWER_RIGHTS = toRights(0b000101);
const STEPS = { grow: 25, weaken: 45, delete: 50 } as const;

type Step = keyof typeof STEPS;

const COUNT_BELOW = defineStatement("SELECT count(*) AS rows FROM role_closure WHERE ancestor_id = :roleId");

export interface RectangleFigures {
  readonly figures: readonly Figure[];
  /** Pairs of roles that the relation joined. */
  readonly rows: number;
}

/**
 * Joins a subtree of a thousand roles or two to the end of a chain, narrows that relation and deletes it, again and
 * again. `hasGoals`: the times have goals.
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
  const times: Record<Step, number[]> = { grow: [], weaken: [], delete: [] };
  for (let round = 0; round <= ROUNDS; round++) {
    takeTimes();
    const { id: managesId } = await putManages(deps, actor, { ...pair, rights: ALL_RIGHTS });
    await putManages(deps, actor, { ...pair, rights: FEWER_RIGHTS });
    await deleteManages(deps, actor, { parentRoleId, managesId, dryRun: false });
    const [grow = NaN, weaken = NaN, deletion = NaN] = takeTimes();
    if (round === 0) continue;
    times.grow.push(grow);
    times.weaken.push(weaken);
    times.delete.push(deletion);
  }
  const [top] = chain;
  if (top !== undefined) await deleteManages(deps, actor, { ...top, dryRun: false });
  const figures = (Object.keys(STEPS) as Step[]).map((step) =>
    figure(step, "ms", summarize(times[step]), hasGoals ? { atMost: STEPS[step] } : undefined)
  );
  return { figures, rows: chain.length * below };
}

interface Link {
  readonly parentRoleId: number;
  readonly managesId: number;
  readonly roleId: number;
}

/** Roles one below the other, the first one below the root. */
async function makeChain({ deps, actor, rootId }: TimedService, length: number): Promise<Link[]> {
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
