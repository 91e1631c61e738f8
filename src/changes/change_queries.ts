import { SECOND_MS } from "../core/clock.ts";
import { changeLog, idSequence, member } from "../db/schema/role.ts";
import {
  assigned,
  bare,
  type Declared,
  define,
  entriesOf,
  int,
  join,
  placeholdersOf,
  quoted,
  render,
  row,
  type SQL,
  sql,
  text,
  type Value,
  type ValuesBy,
} from "../db/sql.ts";
import { parametersOf, type SqlArgs, type Statement } from "../db/statement.ts";
import { PRINCIPAL } from "../graph/rules/principal_queries.ts";
import {
  actedFor,
  type ChargedChange,
  declaredFor,
  judgedWithCharge,
  OLDEST_ACTED,
} from "./charge_queries.ts";
import { type Run, stepFor, whenStep } from "../graph/step_queries.ts";

/**
 * The parts that the batches of all changes share. The first statement of a batch writes the change log row of this
 * operation with the decision and its step. All later statements read that row and act only on its step or decision.
 */

/** What every decision takes. */
export const CHANGE = { ...PRINCIPAL, opId: text };
const { opId, actorId, sessionId, now } = placeholdersOf(CHANGE);

/** The columns that every decision has. */
type Decided =
  | "rev"
  | "viaRoleId"
  | "opId"
  | "at"
  | "actorId"
  | "sessionId"
  | "kind"
  | "decision"
  | "step"
  | "mergeKey"
  | "attempts";

/** What the kinds of all previews end with. */
export const PREVIEW_SUFFIX = ".dry_run";

/**
 * What a change decides and records, in up to three steps. A _verdict_ says what the rules of the change find, before
 * its cost is known; only changes of relations have one, as a CTE. The _ruling_ is what they find with the cost. The
 * _decision_, in the log, is the ruling unless a limit of all changes refuses it: what may be stored. A
 * later statement of the batch may still turn an `ok` into a refusal.
 */
export interface RecordedChange {
  readonly kind: SQL;
  /** CTEs that `ruled` uses. */
  readonly ctes?: SQL;
  /**
   * Selects one row with the ruling, and with the columns that the other parts use. No row if the session has ended.
   */
  readonly ruled: SQL;
  /**
   * Selects the oldest role whose membership authorizes the change, from the columns of `ruled`. By default that of
   * `charged`.
   */
  readonly via?: SQL;
  /** What the change is charged by. By default it is free: it only takes away, or an administrator makes it. */
  readonly charged?: ChargedChange | undefined;
  /** Further columns of the row, from the columns of `ruled`. */
  readonly values: Omit<ValuesBy<typeof changeLog>, Decided>;
  /** The step. By default `write` if the decision is `ok`. */
  readonly step?: SQL;
  /** The step of a preview, if later statements find out what else the change would do. By default `none`. */
  readonly previewStep?: SQL;
  /** The change undoes another one. */
  readonly undoing?: Undoing | undefined;
  /** Whether there is a row at all. Here, since SQLite prepares a CTE anew for each of its uses. */
  readonly onlyIf?: SQL;
  /**
   * Selects the ruling after a denial, to find out whether a step-up helps. By default `ctes` and `ruled` do, which a
   * change whose own rows would get in the way cannot use.
   */
  readonly judged?: SQL;
}

/** How a change undoes another one: a change of the inverse, with further refusals. */
export interface Undoing {
  /** The arguments of the refusals besides `undoes`. */
  readonly declared: Declared;
  /** Branches of a CASE about the columns of `ruled`, which come before the ruling; at least one. */
  readonly refusals: SQL;
}

const UNDOES = { undoes: int };
/** The revision of the change that is undone. */
export const { undoes } = placeholdersOf(UNDOES);

/** The further columns of a row, and the role through which its actor acted. */
type Written = Omit<ValuesBy<typeof changeLog>, Exclude<Decided, "viaRoleId">>;

const IS_AUTHORIZED = sql`decision IN ('ok', 'noop')`;

/** Writes the change log row of this operation. `declared` are the arguments of the parts; see `changeRow`. */
export function recordChange(declared: Declared, change: RecordedChange, run: Run = "change"): Statement {
  const ofCharge = run === "preview" || change.charged === undefined ? {} : declaredFor(change.charged);
  const ofUndo = change.undoing === undefined ? {} : { ...UNDOES, ...change.undoing.declared };
  const decide = define({ ...CHANGE, ...declared, ...ofCharge, ...ofUndo }, () => changeRow(change, run));
  JUDGEMENTS.set(decide, judging(change, run));
  return decide;
}

/** What the deciding statement of a batch finds, without the limits that concern all changes. */
export interface JudgedRow {
  readonly ruling: string;
}

/** By deciding statement, the read that judges the same and writes nothing. */
const JUDGEMENTS = new WeakMap<object, Statement<SqlArgs, JudgedRow>>();

/** Returns the read that judges like the deciding statement of the batch. No row if the session has ended. */
export function judgementOf(batch: readonly Statement[]): Statement<SqlArgs, JudgedRow> | undefined {
  const decide = batch.find((statement) => JUDGEMENTS.has(statement));
  return decide && JUDGEMENTS.get(decide);
}

function judging(
  { ctes, ruled, charged, undoing, judged }: RecordedChange,
  run: Run,
): Statement<SqlArgs, JudgedRow> {
  const acted = run === "preview" || charged === undefined ? [] : [actedFor(charged)];
  const inOrder = judged === undefined
    ? [...(ctes === undefined ? [] : [ctes]), ...acted, sql`ruled AS MATERIALIZED (${ruled})`]
    : [sql`ruled AS MATERIALIZED (${judged})`];
  const ruling = undoing === undefined ? sql`ruling` : sql`CASE ${undoing.refusals} ELSE ruling END`;
  let rendered: string | undefined;
  return {
    get sql(): string {
      return rendered ??= render(sql`WITH ${join(inOrder, ", ")} SELECT ${ruling} AS ruling FROM ruled`);
    },
    get parameters(): ReadonlySet<string> {
      return parametersOf(this.sql);
    },
  };
}

/** Returns the statement that writes the change log row of this operation. */
export function changeRow(change: RecordedChange, run: Run): SQL {
  return run === "preview" ? previewRow(change) : changedRow(change);
}

function changedRow(change: RecordedChange): SQL {
  const {
    charged,
    undoing,
    via = charged === undefined ? undefined : OLDEST_ACTED,
    step = sql`CASE decision WHEN 'ok' THEN 'write' ELSE 'none' END`,
  } = change;
  const values = {
    ...valuesOf(change),
    ...(via && { viaRoleId: sql`CASE WHEN ${IS_AUTHORIZED} THEN ${via} END` }),
  };
  return writeRow({
    ...change,
    decided: charged === undefined ? decidedBy(undoing) : judgedWithCharge(charged, undoing?.refusals),
    values: charged === undefined ? values : withCharge(values),
    step,
  });
}

/** Returns the CTE `decided` of a change that no limit of all changes refuses. */
function decidedBy(undoing: Undoing | undefined): SQL {
  const decision = undoing === undefined ? sql`ruling` : sql`CASE ${undoing.refusals} ELSE ruling END`;
  return sql`decided AS MATERIALIZED (SELECT *, ${decision} AS decision FROM ruled)`;
}

/** Returns the further columns of a change, with the revision of the one that it undoes. */
function valuesOf({ values, undoing }: RecordedChange): RecordedChange["values"] {
  return undoing === undefined ? values : { ...values, undoes };
}

/** Returns the columns of a change that is charged. */
function withCharge(values: Written): Written {
  const cost = values.cost ?? sql`NULL`;
  return {
    ...values,
    countedTo: sql`counted_to`,
    countedFor: sql`counted_for`,
    cost: sql`CASE WHEN decision = 'too_much_stored' THEN wait_ms / ${SECOND_MS}.0 ELSE ${cost} END`,
  };
}

/** Returns the row of a preview, which has a kind of its own. */
function previewRow(change: RecordedChange): SQL {
  const { kind, previewStep = sql`'none'`, undoing } = change;
  return writeRow({
    ...change,
    charged: undefined,
    kind: sql`(${kind}) || ${quoted(PREVIEW_SUFFIX)}`,
    decided: decidedBy(undoing),
    values: valuesOf(change),
    step: sql`CASE decision WHEN 'ok' THEN ${previewStep} ELSE 'none' END`,
  });
}

interface RowParts extends Pick<RecordedChange, "kind" | "ctes" | "ruled" | "charged" | "onlyIf"> {
  readonly values: Written;
  /** CTEs, of which the last is `decided`: the row of `ruled` with the decision. */
  readonly decided: SQL;
  readonly step: SQL;
}

function writeRow(
  { kind, ctes, ruled, charged, decided, values, step, onlyIf = sql`true` }: RowParts,
): SQL {
  const log = changeLog;
  const entries = entriesOf(log, values);
  const ctesInOrder = [
    ...(ctes === undefined ? [] : [ctes]),
    ...(charged === undefined ? [] : [actedFor(charged)]),
    sql`ruled AS MATERIALIZED (${ruled})`,
    decided,
  ];
  const columns = [
    log.opId,
    log.at,
    log.actorId,
    log.sessionId,
    log.kind,
    ...entries.map(([column]) => column),
    log.decision,
    log.step,
  ];
  return sql`
    WITH ${join(ctesInOrder, ",\n    ")}
    INSERT INTO ${changeLog} (${bare(...columns)})
    SELECT ${opId}, ${now}, ${actorId}, ${sessionId}, ${kind}, ${
    join(entries.map(([, value]) => value))
  }, decision, ${step}
    FROM decided WHERE ${onlyIf}`;
}

/** The most memberships that a preview scans to count people. */
export const MAX_SCANNED_MEMBERS = 100_000;

const { sinceRevision, sinceTime } = placeholdersOf({ sinceRevision: int, sinceTime: int });

/** The change is of devices, or of which roles monitor them. It has no effect on rights. */
function isOfDevices(by: typeof changeLog): SQL {
  return sql`(${by.kind} LIKE 'device.%' OR ${by.kind} LIKE 'monitors.%')`;
}

/** Counts the changes that may move the graph. */
function movesGraph(by: typeof changeLog): SQL {
  return sql`(NOT ${isOfDevices(by)} AND ${by.kind} <> 'member.sign_out')`;
}

/** Counts all changes that have an effect on the reading of devices. What a device's properties are has none. */
export function movesDevices(by: typeof changeLog): SQL {
  return sql`${by.kind} NOT IN ('device.update', 'member.sign_out')`;
}

/**
 * Whether the graph or its members may have changed since `sinceRevision` and `sinceTime`, by a change that `counts`. By
 * default, changes of devices do not: there are many, anywhere, and no right depends on them. So the numbers of devices
 * in the effect on the graph or a member may be a moment old. After the clock is set back, ended memberships live again,
 * so ends between both times count in either direction.
 */
export function hasMoved(counts = movesGraph): SQL {
  const [by, end] = [row(changeLog, "moved_by"), row(member, "moved_end")];
  return sql`(EXISTS (SELECT 1 FROM ${by} WHERE ${by.rev} > ${sinceRevision} AND ${counts(by)}
      AND ${by.decision} = 'ok' AND ${by.step} <> 'none')
    OR EXISTS (SELECT 1 FROM ${end} WHERE ${end.endsAt} > min(${sinceTime}, ${now})
      AND ${end.endsAt} <= max(${sinceTime}, ${now})))`;
}

/** Follows a decision that applies what was previewed: refuses it if something that `counts` has changed since. */
function refuseIfMoved(counts: (by: typeof changeLog) => SQL): Statement {
  return define(
    { opId: text, sinceRevision: int, sinceTime: int, now: int },
    () =>
      sql`
  UPDATE ${changeLog} SET ${assigned(changeLog, { decision: sql`'moved'`, step: sql`'none'` })}
  WHERE ${changeLog.opId} = ${opId} AND ${changeLog.decision} = 'ok'
    AND ${hasMoved((by) => sql`${by.opId} <> ${opId} AND ${counts(by)}`)}`,
  );
}

const REFUSE_IF_MOVED = refuseIfMoved(movesGraph);
const REFUSE_IF_DEVICES_MOVED = refuseIfMoved(movesDevices);

/** The batches of a change that can be previewed. */
export interface Previewable {
  readonly make: readonly Statement[];
  /** Decides like `make`, with a row of its own kind, and changes nothing but counters. */
  readonly preview: readonly Statement[];
  /** Like `make`, but only if nothing has changed since a preview; see `hasMoved`. */
  readonly apply: readonly Statement[];
}

/**
 * Returns the batches of a change, of which the first statement of `make` decides. `changesDevices`: it changes, deletes or
 * restores devices, or which roles monitor them.
 */
export function previewable(
  { make, preview, changesDevices = false }: Omit<Previewable, "apply"> & {
    readonly changesDevices?: boolean;
  },
): Previewable {
  const refusal = changesDevices ? REFUSE_IF_DEVICES_MOVED : REFUSE_IF_MOVED;
  return { make, preview, apply: make.toSpliced(1, 0, refusal) };
}

/** Fails if this change is already on record; see `writeOnce`. */
export const REFUSE_REPEATED_CHANGE = define(
  { opId: text },
  () => refuseRepeated(sql`${changeLog.opId} = ${opId}`),
);

/** Returns a statement that breaks the unique key of operations if the log has a row that meets the condition. */
export function refuseRepeated(condition: SQL): SQL {
  const log = changeLog;
  const copied = bare(log.opId, log.at, log.actorId, log.sessionId, log.kind, log.decision, log.step);
  return sql`INSERT INTO ${changeLog} (${copied}) SELECT ${copied} FROM ${changeLog} WHERE ${condition}`;
}

/**
 * Returns the next id of a sequence, for the row of a decision that creates something. A later statement takes the id.
 * A preview gets null.
 */
export function nextId(sequence: "node" | "relation", run: Run = "change"): SQL {
  if (run === "preview") return sql`NULL`;
  const ofSequence = sql`${idSequence.name} = ${quoted(sequence)}`;
  return sql`(SELECT ${idSequence.lastId} + 1 FROM ${idSequence} WHERE ${ofSequence})`;
}

/** Returns the list of SET that takes the next ids of a sequence. */
function takesNext(count: Value): SQL {
  return assigned(idSequence, { lastId: sql`${idSequence.lastId} + ${count}` });
}

/** Who made a row of this operation, and through which role; null for an administrator's. */
export const GIVEN = { givenBy: sql`nullif(${changeLog.actorId}, 0)`, givenVia: changeLog.viaRoleId };

/** Takes the relation id in the change log row, unless an existing relation has it. */
export const TAKE_RELATION_ID = stepFor(["grow", "write"], () => {
  const given = sql`SELECT ${changeLog.relationId} FROM ${changeLog} WHERE ${whenStep("grow", "write")}`;
  return sql`
  UPDATE ${idSequence} SET ${takesNext(1)}
  WHERE ${idSequence.name} = 'relation' AND ${idSequence.lastId} < (${given})`;
});

/** Returns the statement that takes this many relation ids. `declared` are the arguments of `count`. */
export function takeRelationIds(declared: Declared, count: Value): Statement {
  return define(declared, () =>
    sql`
  UPDATE ${idSequence} SET ${takesNext(count)} WHERE ${idSequence.name} = 'relation'`);
}

/** The relations that the details of a change list as made: JSON objects with their ids. */
export const MADE_RELATIONS: SQL = sql`(SELECT ${changeLog.details} -> 'made' FROM ${changeLog} WHERE ${
  whenStep("write")
})`;

/** Takes the ids of `MADE_RELATIONS`, but for those that were given before. */
export const TAKE_MADE_IDS = define({ opId: text }, () => {
  const last = sql`(SELECT max(made.value ->> 'id') FROM json_each(${MADE_RELATIONS}) made)`;
  return sql`
  UPDATE ${idSequence} SET ${assigned(idSequence, { lastId: last })}
  WHERE ${idSequence.name} = 'relation' AND ${idSequence.lastId} < ${last}`;
});

/**
 * Returns the statement that takes the ids of a change which creates roles or devices, each together with its first
 * relation. `declared` are the arguments of `count`.
 */
export function takeNodesAndRelations(declared: Declared = {}, count: Value = 1): Statement {
  return define({ opId: text, ...declared }, () =>
    sql`
  UPDATE ${idSequence} SET ${takesNext(count)} WHERE ${idSequence.name} IN ('node', 'relation')
    AND EXISTS (SELECT 1 FROM ${changeLog} WHERE ${whenStep("grow", "write")})`);
}
