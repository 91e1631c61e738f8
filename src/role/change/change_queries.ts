import { MINUTE_MS, SECOND_MS } from "../../core/clock.ts";
import { defineStatement, type Statement } from "../../db/statement.ts";
import { PREVIEW_COST_PER_WINDOW, PREVIEW_WINDOW_SECONDS, THROTTLE_SCOPES } from "../../throttle/limits.ts";
import { counterValue, countInWindow } from "../../throttle/throttle_queries.ts";
import { actedFor, type ChargedChange, judgedWithCharge } from "./charge_queries.ts";
import type { Effect } from "./decision.ts";

/**
 * The parts that the batches of all changes share. The first statement of a batch writes the change log row of `:opId`
 * with the decision and its effect. All later statements read that row and act only on its effect.
 */

/** SQL: the change log row of this operation, if its effect is one of these. */
export function whenEffect(...effects: Effect[]): string {
  return `op_id = :opId AND effect IN (${effects.map((effect) => `'${effect}'`).join(", ")})`;
}

/** The columns that say what a change is about. */
const TARGET_COLUMNS = ["parent_id", "role_id", "relation_id", "subject_id", "device_id"] as const;

/**
 * Rows for the refusals and dry runs of one payer in one minute. Once there are as many, the targets no longer tell
 * them apart.
 */
export const REFUSAL_ROWS_PER_MINUTE = 60;

/** SQL: the beginning of the keys of all refusals and dry runs of this payer in this minute. */
const MERGED_OF_MINUTE = `:payer || ' ' || (:now / ${MINUTE_MS})`;

/** What the kinds of all dry runs end with. */
export const DRY_RUN_SUFFIX = ".dry_run";

/** A dry run decides like the change itself, and changes nothing. */
export type Run = "real" | "dry";

const PREVIEWED = { scope: THROTTLE_SCOPES.preview, key: ":payer" } as const;

/** SQL: the payer's latest previews have used up their budget. */
const PREVIEWS_ARE_USED_UP = `${
  counterValue(PREVIEWED.scope, PREVIEWED.key, "count")
} >= ${PREVIEW_COST_PER_WINDOW}`;

export interface RecordedChange {
  /** SQL: the kind of change. */
  readonly kind: string;
  /** SQL: CTEs that `decided` uses. */
  readonly ctes?: string;
  /**
   * SQL: selects the ruling, which is the decision unless a limit of all changes refuses it, and whatever the other
   * parts use, in one row; no row if the session has ended.
   */
  readonly decided: string;
  /** The payer of the change. By default a change is free: it only takes away, or an administrator makes it. */
  readonly charged?: ChargedChange | undefined;
  /** SQL: further columns of the row, from the columns of `decided`. */
  readonly values: Readonly<Record<string, string>>;
  /** SQL: the effect. By default `write` if the decision is `ok`. */
  readonly effect?: string;
  /** SQL: the effect of a dry run, if later statements find out what else the change would do. By default `none`. */
  readonly dryEffect?: string;
  /** SQL: whether a refusal gets a row of its own, for example because it counts as a guess. By default it does not. */
  readonly ownRow?: string;
}

/**
 * Writes the change log row of `:opId`. Parameters besides those of the parts: `:opId`, `:now`, `:actorId`,
 * `:sessionId`, `:payer`.
 *
 * Attempts that changed nothing are merged, so that no caller can fill the log: refusals and noops of one actor, kind,
 * target and decision within a minute share a row. It keeps its number and time, counts the attempts, and takes on the
 * operation id of the latest, by which that batch reads its answer back. An attempt whose row has taken on another's id
 * may be decided anew if its response was lost: it has changed nothing yet. Where merged refusals differ in a column,
 * it is null; the session and the cost are those of the latest. A row of noops tells of the latest alone, since its
 * batch reads it back.
 *
 * Dry runs are merged like noops, whatever the decision. They have a kind of their own, and are refused once the
 * payer's previews have cost too much.
 */
export function recordChange(change: RecordedChange, run: Run = "real"): Statement {
  return run === "dry" ? recordDryRun(change) : recordRealChange(change);
}

function recordRealChange(change: RecordedChange): Statement {
  const { values, charged, ownRow = "false" } = change;
  const { effect = "CASE decision WHEN 'ok' THEN 'write' ELSE 'none' END" } = change;
  return writeRow({
    ...change,
    judged: charged === undefined
      ? "judged AS MATERIALIZED (SELECT *, ruling AS decision FROM decided)"
      : judgedWithCharge(charged),
    values: charged === undefined ? values : withCharge(values),
    effect,
    isMerged: `decision <> 'ok' AND NOT ${ownRow}`,
    merged: Object.keys(values).map(mergeColumn),
  });
}

/** The columns of a change that is charged. */
function withCharge(values: RecordedChange["values"]): RecordedChange["values"] {
  return {
    ...values,
    counted_to: "counted_to",
    counted_for: "counted_for",
    cost: `CASE WHEN decision = 'too_much_stored' THEN wait_ms / ${SECOND_MS}.0 ELSE ${
      values["cost"] ?? "NULL"
    } END`,
  };
}

function recordDryRun(change: RecordedChange): Statement {
  const { kind, values, dryEffect = "'none'" } = change;
  return writeRow({
    ...change,
    kind: `(${kind}) || '${DRY_RUN_SUFFIX}'`,
    judged: `judged AS MATERIALIZED (SELECT *, CASE WHEN ruling = 'ok' AND ${PREVIEWS_ARE_USED_UP}
      THEN 'too_many_previews' ELSE ruling END AS decision FROM decided)`,
    effect: `CASE decision WHEN 'ok' THEN ${dryEffect} ELSE 'none' END`,
    isMerged: "true",
    merged: [...Object.keys(values), "decision", "effect"].map((column) => `${column} = excluded.${column}`),
  });
}

/** The parts of a row, as SQL. */
interface RowParts extends Pick<RecordedChange, "kind" | "ctes" | "decided" | "charged" | "values"> {
  /** CTEs, of which the last is `judged`: the row of `decided` with the decision. */
  readonly judged: string;
  /**
   * These parts and the following ones are each written once: a server parses a long text for longer than it runs it.
   */
  readonly effect: string;
  readonly isMerged: string;
  /** The columns that a row takes over from another one that is merged into it. */
  readonly merged: readonly string[];
}

function writeRow(
  { kind, ctes, decided, charged, judged, values, effect, isMerged, merged }: RowParts,
): Statement {
  const columns = Object.keys(values);
  const parts = [
    ...(ctes === undefined ? [] : [ctes]),
    ...(charged === undefined ? [] : [actedFor(charged)]),
    `decided AS MATERIALIZED (${decided})`,
    judged,
    `logged AS MATERIALIZED (SELECT ${kind} AS kind, ${
      columns.map((column) => `${values[column]} AS ${column}`).join(", ")
    }, decision, ${effect} AS effect, ${isMerged} AS is_merged FROM judged)`,
  ];
  return defineStatement(`
    WITH ${parts.join(",\n    ")}
    INSERT INTO change_log (op_id, at, actor_id, session_id, kind, ${
    columns.join(", ")
  }, decision, effect, merge_key)
    SELECT :opId, :now, :actorId, :sessionId, kind, ${columns.join(", ")}, decision, effect,
      CASE WHEN is_merged THEN ${mergeKey(columns)} END
    FROM logged WHERE true
    ON CONFLICT (merge_key) WHERE merge_key IS NOT NULL DO UPDATE SET
      op_id = excluded.op_id, session_id = excluded.session_id, attempts = attempts + 1, ${
    merged.join(", ")
  }`);
}

/** SQL: the key of the row that a decision shares, from the columns of `logged`. */
function mergeKey(columns: readonly string[]): string {
  const target = TARGET_COLUMNS.filter((column) => columns.includes(column))
    .map((column) => `coalesce(${column}, '-')`).join(" || ' ' || ");
  return `
        ${MERGED_OF_MINUTE} || ' ' || :actorId || ' ' || kind || ' ' || decision || ' ' ||
        CASE WHEN (SELECT count(*) FROM (SELECT 1 FROM change_log crowd
          WHERE crowd.merge_key >= ${MERGED_OF_MINUTE} || ' ' AND crowd.merge_key < ${MERGED_OF_MINUTE} || '!'
          LIMIT ${REFUSAL_ROWS_PER_MINUTE})) < ${REFUSAL_ROWS_PER_MINUTE}
        THEN ${target} ELSE '' END`;
}

/**
 * Follows statements that refused what the row of `:opId` had decided. The row is merged like any other refusal, in
 * place of the earlier one, and forgets what would have been deleted.
 */
export const MERGE_LATE_REFUSAL: Statement = defineStatement(`
  UPDATE OR REPLACE change_log SET gone_role_ids = NULL, gone_device_ids = NULL, gone_relation_ids = NULL,
    (merge_key, attempts) = (SELECT refused.key, 1 + coalesce((SELECT earlier.attempts FROM change_log earlier
      WHERE earlier.merge_key = refused.key), 0)
      FROM (SELECT ${mergeKey(["parent_id", "role_id", "relation_id"])} AS key) refused)
  WHERE op_id = :opId AND decision NOT IN ('ok', 'noop') AND merge_key IS NULL`);

/** The most memberships that a preview scans to count people. */
export const MAX_SCANNED_MEMBERS = 100_000;

/**
 * SQL: how many memberships the effect of the dry run `run` scans. If it has no cost yet, only the role itself changes;
 * otherwise those in the parents of a relation and above count, old and new.
 */
const SCANNED_MEMBERS = `(SELECT count(*) FROM (
    SELECT 1 FROM (
      SELECT run.role_id AS id WHERE run.cost IS NULL
      UNION ALL SELECT run.parent_id
      UNION ALL SELECT run.details ->> 'replacedParentId'
      UNION ALL SELECT path.ancestor_id FROM role_closure path
        WHERE path.descendant_id IN (run.parent_id, run.details ->> 'replacedParentId')) acting
    CROSS JOIN member scanned ON scanned.role_id = acting.id LIMIT ${MAX_SCANNED_MEMBERS}))`;

/** Charges a dry run of `:opId` to its payer, unless it is refused, before the effect is read. */
export const CHARGE_PREVIEW: Statement = countInWindow(
  PREVIEWED.scope,
  PREVIEWED.key,
  PREVIEW_WINDOW_SECONDS,
  "EXISTS (SELECT 1 FROM change_log WHERE op_id = :opId AND decision = 'ok')",
  `(SELECT coalesce(run.cost, 1) + ${SCANNED_MEMBERS} FROM change_log run WHERE run.op_id = :opId)`,
);

/**
 * SQL: the graph or its members may differ from what they were at `:sinceRevision` and `:sinceTime`. Not if only
 * devices changed. `others` is a condition on the rows of the change log, `moved_by`. If the clock has been set back, a
 * membership that had ended lives again.
 */
export function hasMoved(others = "true"): string {
  return `(EXISTS (SELECT 1 FROM change_log moved_by WHERE moved_by.rev > :sinceRevision AND ${others}
      AND moved_by.decision = 'ok' AND moved_by.effect <> 'none' AND moved_by.kind NOT LIKE 'device.%'
      AND moved_by.kind NOT LIKE 'monitors.%')
    OR EXISTS (SELECT 1 FROM member moved_end WHERE moved_end.ends_at > min(:sinceTime, :now)
      AND moved_end.ends_at <= max(:sinceTime, :now)))`;
}

/** Follows a decision that applies what was previewed: refuses it if something has changed since. */
const REFUSE_IF_MOVED: Statement = defineStatement(`
  UPDATE change_log SET decision = 'moved', effect = 'none'
  WHERE op_id = :opId AND decision = 'ok' AND ${hasMoved("moved_by.op_id <> :opId")}`);

/** The batches of a change that can be previewed. */
export interface Previewable {
  readonly make: readonly Statement[];
  /** Decides like `make`, with a dry run's row, and changes nothing but counters. */
  readonly rehearse: readonly Statement[];
  /** Like `make`, but only if nothing has changed since a preview; see `hasMoved`. */
  readonly apply: readonly Statement[];
}

/**
 * The batches of a change, of which the first statement of `make` decides. `remake` makes it after a rehearsal, by
 * default like `make`.
 */
export function previewable(
  { make, rehearse, remake = make }: Omit<Previewable, "apply"> & { readonly remake?: readonly Statement[] },
): Previewable {
  return { make, rehearse, apply: remake.toSpliced(1, 0, REFUSE_IF_MOVED) };
}

function mergeColumn(column: string): string {
  return column === "cost"
    ? "cost = excluded.cost"
    : `${column} = CASE WHEN excluded.decision = 'noop' OR ${column} IS excluded.${column} THEN excluded.${column} END`;
}

/** Fails if this change is already on record; see `writeOnce`. */
export const REFUSE_REPEATED_CHANGE: Statement = defineStatement(`
  INSERT INTO change_log (op_id, at, actor_id, session_id, kind, decision, effect)
  SELECT op_id, at, actor_id, session_id, kind, decision, effect FROM change_log WHERE op_id = :opId`);

/**
 * SQL: the next id of a sequence, for the row of a decision that creates something. A later statement takes it. A dry
 * run takes none.
 */
export function nextId(sequence: "node" | "relation", run: Run = "real"): string {
  if (run === "dry") return "NULL";
  return `(SELECT last_id + 1 FROM id_sequence WHERE name = '${sequence}')`;
}

/** Takes the relation id in the change log row, unless an existing relation has it. */
export const TAKE_RELATION_ID: Statement = defineStatement(`
  UPDATE id_sequence SET last_id = last_id + 1 WHERE name = 'relation'
    AND last_id < (SELECT relation_id FROM change_log WHERE ${whenEffect("grow", "write")})`);

/** Takes both ids of a change that creates a role or device together with its first relation. */
export const TAKE_NODE_AND_RELATION_ID: Statement = defineStatement(`
  UPDATE id_sequence SET last_id = last_id + 1 WHERE name IN ('node', 'relation')
    AND EXISTS (SELECT 1 FROM change_log WHERE ${whenEffect("grow", "write")})`);
