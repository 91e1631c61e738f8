import type { Actor } from "../../core/actor.ts";
import { AppError } from "../../core/errors.ts";
import { noteRevision, requireClient } from "../../db/revisions.ts";
import { readTogether } from "../../db/rows.ts";
import { bind, type BoundStatement, pickNamed, type SqlArgs, type Statement } from "../../db/statement.ts";
import { runChange } from "../change_service.ts";
import type { Previewable } from "../change_queries.ts";
import type { DecisionRow } from "../decision.ts";
import type { GraphDeps } from "../../graph/deps.ts";
import type { ChangeDeps } from "../deps.ts";
import {
  type Deletes,
  type Effect,
  isOneOfTags,
  listShown,
  MAX_LISTED,
  NO_EFFECT,
  rolesOf,
  type ShownEffect,
  tagsOf,
  toShownEffect,
  toWholeEffect,
} from "./effect.ts";
import type { EffectArgs } from "./effect_queries.ts";
import type { EffectRow } from "./effect_rows.ts";
import {
  type Affected,
  listWays,
  type Named,
  pickPeople,
  toShownPeople,
  toStanding,
  touchedRoles,
  weighPeople,
} from "./people.ts";
import { type ReadingOf, readingOfPaths } from "./reading.ts";
import { READABLE_ROLES, ROLES_ASKED, SEEN_ROLES, STANDING_OF_PEOPLE } from "./affected_queries.ts";

/** Maximum number of attempts to preview or apply a change while others change the graph. */
export const MAX_ROUNDS = 3;

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
  /** Tells who gains and loses the reading of devices. By default, by the paths that it changes. */
  readonly readingOf?: (row: D) => ReadingOf;
  /** Returns the person or key of the change, and their name for the caller. The id of one that is not made yet is 0. */
  readonly subject?: (row: D) => Named;
  /** Returns what the change deletes besides relations. By default nothing. */
  readonly deletes?: (row: D) => Deletes;
  /** Returns what else a caller has seen in the preview: the change is made only if it is still the same. */
  readonly shows?: (row: D) => unknown;
  /** Runs before each run of a batch. Returns further parameters. */
  readonly begin?: () => Promise<SqlArgs>;
}

/**
 * Makes a change, previews it, or makes it if its effect has the given tag. Only a preview returns an effect. Throws
 * the errors of the change, `EFFECT_CHANGED`, and `UNAVAILABLE` if the graph changed during each of three attempts to
 * apply.
 */
export async function changeOrPreview<D extends DecisionRow>(
  deps: ChangeDeps,
  actor: Actor,
  mode: Mode,
  change: PreviewableChange<D>,
): Promise<{ readonly row: D; readonly effect?: Effect }> {
  const { batches, accept } = change;
  const run = async (batch: readonly Statement[], args: SqlArgs): Promise<D | undefined> => {
    const begun = await change.begin?.();
    const { metrics, ...unmeasured } = deps;
    const measured = batch === batches.preview ? unmeasured : { ...unmeasured, metrics };
    return await runChange<D>(measured, actor, batch, pickNamed(batch, { ...args, ...begun }));
  };
  if (mode.kind === "make") return { row: accept(await run(batches.make, change.args)) };

  // The batch of a preview decides like the change; the effect is read outside the write lock. The batch that applies
  // it refuses if the graph has changed since. After three changed previews, the effect may be newer than the list of
  // what is deleted.
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const sinceTime = deps.clock();
    const row = accept(await run(batches.preview, { ...change.args, now: sinceTime }));
    if (mode.kind === "apply" && row.decision === "noop") return { row };
    const since = { sinceRevision: row.revision, sinceTime };
    const read = row.decision === "noop"
      ? { shown: NO_EFFECT, revision: row.revision, moved: false }
      : await readEffect(deps, actor, since, { ...change, row });
    const { shown, revision, moved } = read;
    const isLast = round === MAX_ROUNDS - 1;
    if (moved && !(isLast && mode.kind === "preview")) continue;
    const request = JSON.stringify([change.request, change.shows?.(row)]);
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

/**
 * Reads the effect, then in steps which of its roles the caller sees, and what the named people keep. `moved`: the graph
 * may have changed since the decision. Throws `TOKEN_INVALID` if the session has ended, and the error of `requireClient`.
 */
async function readEffect<D extends DecisionRow>(
  { database, clock }: GraphDeps,
  { userId: actorId, sessionId }: Actor,
  since: Pick<EffectArgs, "sinceRevision" | "sinceTime">,
  { row, effectOf, deletes, subject, readingOf }: PreviewableChange<D> & { readonly row: D },
): Promise<{ shown: ShownEffect; revision: number; moved: boolean }> {
  let [revision, moved] = [0, false];
  const args = (): EffectArgs => ({ actorId, sessionId, now: clock(), ...since });
  function accept<R extends { revision: number; moved: number }>([found]: readonly R[]): R {
    if (found === undefined) throw new AppError("TOKEN_INVALID");
    revision = found.revision;
    moved ||= found.moved === 1;
    return found;
  }
  async function selectSeen(roleIds: readonly number[]): Promise<Set<number>> {
    const selected = new Set<number>();
    for (let next = 0; next < roleIds.length;) {
      requireClient();
      const asked = roleIds.slice(next, next + ROLES_ASKED);
      const found = accept(
        await database.read(bind(SEEN_ROLES, { ...args(), roleIds: JSON.stringify(asked) })),
      );
      for (const roleId of JSON.parse(found.roleIds) as number[]) selected.add(roleId);
      next += asked.indexOf(found.lookedTo) + 1;
    }
    return selected;
  }

  const whole = toWholeEffect(accept(await database.read(effectOf(row, args()))));
  const seen = await selectSeen(rolesOf(whole));
  const shown = listShown(whole, seen);
  const listed = shown.slice(0, MAX_LISTED);
  const principalIds = pickPeople(whole, listed);
  let affected: Affected[] = [];
  if (principalIds.length > 0) {
    const [judged, standing] = await readTogether(database, [READABLE_ROLES, STANDING_OF_PEOPLE], {
      ...args(),
      principalIds: JSON.stringify(principalIds),
      roleIds: JSON.stringify(touchedRoles(whole, listed)),
    });
    // With many memberships, the statement may judge only the first roles.
    const readable = new Set(JSON.parse(accept(judged).roleIds) as number[]);
    affected = weighPeople(whole, { seen, readable }, toStanding(accept(standing), subject?.(row)));
    const ways = listWays(affected).filter((roleId) => !seen.has(roleId)).slice(0, ROLES_ASKED);
    for (const roleId of await selectSeen(ways)) seen.add(roleId);
  }
  const people = toShownPeople(whole, affected, seen);
  return {
    shown: toShownEffect(whole, {
      seen,
      shown,
      people,
      reading: (readingOf?.(row) ?? readingOfPaths)(whole, seen),
      deletes: deletes?.(row),
    }),
    revision,
    moved,
  };
}
