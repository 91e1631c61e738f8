import type { Actor } from "../../core/actor.ts";
import { AppError } from "../../core/errors.ts";
import { noteRevision, requireClient } from "../../db/revisions.ts";
import { bind, type BoundStatement, pickNamed, type SqlArgs, type Statement } from "../../db/statement.ts";
import { runChange } from "../change/change_service.ts";
import type { Previewable } from "../change/change_queries.ts";
import type { DecisionRow } from "../change/decision.ts";
import type { RoleDeps } from "../deps.ts";
import {
  type Deletes,
  type Effect,
  type EffectRow,
  isOneOfTags,
  NO_EFFECT,
  rolesOf,
  tagsOf,
  toShownEffect,
  toWholeEffect,
} from "./effect.ts";
import { type EffectArgs, SEEN_OF_EFFECT } from "./effect_queries.ts";

/** Maximum number of attempts to preview or apply a change while others change the graph. */
const MAX_ROUNDS = 3;

/** Makes the change, previews it, or makes it if its effect has the tag. */
export type Mode =
  | { readonly kind: "make" }
  | { readonly kind: "preview" }
  | { readonly kind: "apply"; readonly tag: string };

export const MAKE: Mode = { kind: "make" };

/** A change that can be previewed. */
export interface PreviewableChange<D extends DecisionRow> {
  /** The operation and all that tells its requests apart; no secrets. */
  readonly request: readonly (string | number | null)[];
  readonly batches: Previewable;
  /** The parameters of all batches. */
  readonly args: SqlArgs;
  /** Returns the row of a change that was made, or would be. Throws the error of one that was refused. */
  readonly accept: (row: D | undefined) => D;
  /** Reads the effect (see `effect_queries.ts`) of a change that would be made. */
  readonly effectOf: (row: D, args: EffectArgs) => BoundStatement<EffectRow>;
  /** Returns what the change deletes besides relations. By default nothing. */
  readonly deletes?: (row: D) => Deletes;
  /** Runs before each run of a batch. Returns further parameters. */
  readonly begin?: () => Promise<SqlArgs>;
}

/**
 * Makes a change, previews it, or makes it if its effect has the given tag. Only a preview returns an effect. Throws
 * the errors of the change, `TOO_MANY_PREVIEWS`, `EFFECT_CHANGED`, and `UNAVAILABLE` if the graph changed during each
 * of three attempts to apply.
 */
export async function changeOrPreview<D extends DecisionRow>(
  deps: Pick<RoleDeps, "database" | "clock" | "secrets" | "storeLimits">,
  actor: Actor,
  mode: Mode,
  change: PreviewableChange<D>,
): Promise<{ readonly row: D; readonly effect?: Effect }> {
  const { batches, accept } = change;
  const run = async (batch: readonly Statement[], args: SqlArgs): Promise<D | undefined> => {
    const begun = await change.begin?.();
    return await runChange<D>(deps, actor, batch, pickNamed(batch, { ...args, ...begun }));
  };
  if (mode.kind === "make") return { row: accept(await run(batches.make, change.args)) };

  // The batch of a preview decides like the change; the effect is read outside the write lock. The batch that applies
  // it refuses if the graph has changed since. After three changed previews, the effect may be newer than the list of
  // what is deleted.
  const request = JSON.stringify(change.request);
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const sinceTime = deps.clock();
    const row = accept(await run(batches.preview, { ...change.args, now: sinceTime }));
    if (mode.kind === "apply" && row.decision === "noop") return { row };
    const since = { sinceRevision: row.revision, sinceTime };
    const read = row.decision === "noop"
      ? { shown: NO_EFFECT, revision: row.revision, moved: false }
      : await readEffect(deps, actor, since, (args) => change.effectOf(row, args), change.deletes?.(row));
    const { shown, revision, moved } = read;
    const isLast = round === MAX_ROUNDS - 1;
    if (moved && !(isLast && mode.kind === "preview")) continue;
    const tags = await tagsOf(deps.secrets, { actorId: actor.userId, request, effect: shown });
    if (mode.kind === "preview") {
      noteRevision(revision);
      return { row, effect: { tag: tags[0], revision, ...shown } };
    }
    if (!isOneOfTags(mode.tag, tags)) throw new AppError("EFFECT_CHANGED");
    const applied = await run(batches.apply, { ...change.args, ...since, now: deps.clock() });
    if (applied?.decision !== "moved") return { row: accept(applied) };
  }
  throw new AppError("UNAVAILABLE");
}

/** Maximum number of roles in one statement. */
const ROLES_ASKED = 1000;

/**
 * Reads the effect, and then in steps which of its roles the caller sees. `moved`: the graph may have changed since the
 * decision. Throws `TOKEN_INVALID` if the session has ended, and the error of `requireClient`.
 */
async function readEffect(
  { database, clock }: Pick<RoleDeps, "database" | "clock">,
  { userId: actorId, sessionId }: Actor,
  since: Pick<EffectArgs, "sinceRevision" | "sinceTime">,
  effectOf: (args: EffectArgs) => BoundStatement<EffectRow>,
  deletes?: Deletes,
): Promise<{ shown: ReturnType<typeof toShownEffect>; revision: number; moved: boolean }> {
  const args = (): EffectArgs => ({ actorId, sessionId, now: clock(), ...since });
  async function read<R>(statement: BoundStatement<R>): Promise<R> {
    const [row] = await database.read(statement);
    if (row === undefined) throw new AppError("TOKEN_INVALID");
    return row;
  }

  const whole = toWholeEffect(await read(effectOf(args())));
  let { revision } = whole.row;
  let moved = whole.row.moved === 1;
  const seen = new Set<number>();
  const roleIds = rolesOf(whole);
  for (let next = 0; next < roleIds.length;) {
    requireClient();
    const asked = roleIds.slice(next, next + ROLES_ASKED);
    const row = await read(bind(SEEN_OF_EFFECT, { ...args(), roleIds: JSON.stringify(asked) }));
    for (const roleId of JSON.parse(row.seen) as number[]) seen.add(roleId);
    next += asked.indexOf(row.lookedTo) + 1;
    revision = row.revision;
    moved ||= row.moved === 1;
  }
  return { shown: toShownEffect(whole, seen, deletes), revision, moved };
}
