import type { Actor } from "../core/actor.ts";
import { AppError } from "../core/errors.ts";
import { readRevised } from "../db/revisions.ts";
import { bind } from "../db/statement.ts";
import { SUMMARIZE } from "./summary_queries.ts";
import type { GraphDeps } from "../graph/deps.ts";

/** Numbers of roles around a role. Counts stop at a maximum. */
export interface Summary {
  readonly id: number;
  /** The roles that manage it, of those that the actor sees. */
  readonly parents: number;
  /** The roles that it manages. */
  readonly children: number;
  /** The roles at any depth below it. */
  readonly descendants: number;
}

interface SummaryRow extends Summary {
  /** 0 or 1: not all relations that lead to the role were scanned. */
  readonly areParentsCut: number;
}

/** Limits of a statement's counts for each of up to `roles`. Their product bounds what it reads. */
interface Extent {
  readonly roles: number;
  readonly most: number;
  readonly mostParents: number;
}

/** Maximum number of roles that are summarized at once. */
export const MAX_SUMMARIES = 150;

/** Nearly all roles have less around them than the first extent; the others are counted again, fewer at a time. */
const EXTENTS: readonly Extent[] = [
  { roles: MAX_SUMMARIES, most: 2000, mostParents: 10 },
  { roles: 15, most: 20_000, mostParents: 100 },
  { roles: 3, most: 100_000, mostParents: 1000 },
];

/** Maximum number of statements of each extent, which bounds what a request reads. */
const MAX_STATEMENTS = 10;

/**
 * Returns the summary of each role that the actor sees, in order of id. If more than 30 of them have much around them,
 * those with the greatest ids are counted to 20,000. Throws `TOKEN_INVALID`.
 */
export async function summarizeRoles(
  deps: GraphDeps,
  actor: Actor,
  roleIds: readonly number[],
): Promise<Summary[]> {
  const found = new Map<number, Summary>();
  let asked = [...new Set(roleIds)].sort((a, b) => a - b);
  for (const extent of EXTENTS) {
    const cut: number[] = [];
    for (let i = 0; i < Math.min(asked.length, MAX_STATEMENTS * extent.roles); i += extent.roles) {
      for (const row of await readSummaries(deps, actor, asked.slice(i, i + extent.roles), extent)) {
        const { areParentsCut: _, ...summary } = row;
        found.set(row.id, summary);
        if (isCut(row, extent)) cut.push(row.id);
      }
    }
    asked = cut.sort((a, b) => a - b);
  }
  return [...found.values()].sort((a, b) => a.id - b.id);
}

function isCut({ areParentsCut, children, descendants }: SummaryRow, { most }: Extent): boolean {
  return areParentsCut === 1 || children === most || descendants === most;
}

async function readSummaries(
  { database, clock }: GraphDeps,
  { userId: actorId, sessionId }: Actor,
  roleIds: readonly number[],
  { most, mostParents }: Extent,
): Promise<SummaryRow[]> {
  const args = { now: clock(), actorId, sessionId, roleIds: JSON.stringify(roleIds), most, mostParents };
  const [row] = await readRevised<{ summaries: string }>(database, bind(SUMMARIZE, args));
  if (row === undefined) throw new AppError("TOKEN_INVALID");
  return JSON.parse(row.summaries) as SummaryRow[];
}
