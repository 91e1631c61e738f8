import { setting } from "../../db/schema/mail.ts";
import { changeLog, roleHistory } from "../../db/schema/role.ts";
import { int, nullable, placeholdersOf, row, type SQL, sql, type Value } from "../../db/sql.ts";
import { PRINCIPAL } from "../rules/principal_queries.ts";

/**
 * Parts of statements about a past moment. A row of history was valid from `from_rev` up to, but not including,
 * `to_rev`. Triggers write it (`db/schema/role.ts`).
 */

/**
 * The further arguments of `MOMENT`, of which one is null. `asOfRevision` stands for the time of the last row of the
 * change log at or before it; `asOfMs` for the last revision at or before that time.
 */
export const AS_OF = { asOfRevision: nullable(int), asOfMs: nullable(int) };

/** The further arguments of `PERIOD`, in milliseconds. The period has both of its ends. */
export const DURING = { fromMs: int, toMs: int };
const { asOfRevision, asOfMs, fromMs, toMs, now } = placeholdersOf({ ...AS_OF, ...DURING, ...PRINCIPAL });

/** The columns `MOMENT_COLUMNS`. */
export interface MomentRow {
  /** Milliseconds since 1970. Ends of memberships are judged at this time. */
  readonly momentMs: number;
  readonly momentRevision: number;
  readonly momentVerdict: "kept" | "before" | "future";
  /** The time at which the kept history begins, in milliseconds; null if it has no row in the log. */
  readonly keptFromMs: number | null;
  /** The time at which that of the role begins, of which a statement tells it, if that is after the moment. */
  readonly roleFromMs?: number | null;
}

const [logged, begun] = [row(changeLog, "moment_row"), row(changeLog, "begun")];
/** The first revision of the kept history. Rows of history that ended at it, or before, may be gone. */
export const HISTORY_FROM = sql`(SELECT CAST(${setting.value} AS INTEGER) FROM ${setting}
          WHERE ${setting.name} = 'history_from')`;

/** Selects the last revision at or before the time. */
function revisionAt(ms: Value): SQL {
  return sql`(SELECT ${logged.rev} FROM ${logged}
        WHERE ${logged.at} <= ${ms} ORDER BY ${logged.at} DESC, ${logged.rev} DESC LIMIT 1)`;
}

/** The verdict about a time, before that about its revision. */
function futureAfter(ms: Value): SQL {
  return sql`WHEN ${ms} > ${now}
          AND NOT EXISTS (SELECT 1 FROM ${logged} WHERE ${logged.at} >= ${ms}) THEN 'future'`;
}

const KEPT = sql`WHEN revision < coalesce(${HISTORY_FROM}, 0) THEN 'before'
        ELSE 'kept'`;

/**
 * CTE `moment(revision, at, verdict)`, one row. `verdict` is `future`, `before` the history that is kept, or `kept`. A
 * time up to that of the latest row in the log is not in the future, even if this instance's clock is behind.
 */
export const MOMENT: SQL = sql`moment(revision, at, verdict) AS MATERIALIZED (
    SELECT revision, at, CASE
        WHEN revision > coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'change_log'), 0) THEN 'future'
        ${futureAfter(asOfMs)}
        ${KEPT} END
    FROM (SELECT
      coalesce(${asOfRevision}, ${revisionAt(asOfMs)}, 0) AS revision,
      coalesce(${asOfMs}, (SELECT ${logged.at} FROM ${logged}
        WHERE ${logged.rev} <= ${asOfRevision} ORDER BY ${logged.rev} DESC LIMIT 1), 0) AS at))`;

/**
 * CTEs in place of `MOMENT`: `period(revision, last_revision)`, the revision of the period's beginning, and the last one
 * in it. Then `moment(revision, at, verdict)` of its beginning, whose verdict is about the whole period. A walk names
 * `period`, whose text is shorter.
 */
export const PERIOD: SQL = sql`period(revision, last_revision) AS MATERIALIZED (
    SELECT coalesce(${revisionAt(fromMs)}, 0), coalesce(${revisionAt(toMs)}, 0)),
  moment(revision, at, verdict) AS MATERIALIZED (
    SELECT revision, ${fromMs}, CASE
        ${futureAfter(toMs)}
        ${KEPT} END
    FROM period)`;

function columnsOf(revision: SQL): SQL {
  return sql`${revision} AS momentRevision,
  (SELECT at FROM moment) AS momentMs, (SELECT verdict FROM moment) AS momentVerdict,
  (SELECT ${begun.at} FROM ${begun} WHERE ${begun.rev} = ${HISTORY_FROM}) AS keptFromMs`;
}

/** The columns of a `MomentRow`, where `MOMENT` is among the CTEs. */
export const MOMENT_COLUMNS: SQL = columnsOf(sql`(SELECT revision FROM moment)`);
/** The last revision of the period. */
export const LAST_REVISION: SQL = sql`(SELECT last_revision FROM period)`;
/** The columns of a `MomentRow` with the last revision of the period, where `PERIOD` is among the CTEs. */
export const PERIOD_COLUMNS: SQL = columnsOf(LAST_REVISION);

/**
 * Selects the time at which the role's history begins, if that is after the moment and the role is older than it, or
 * null: before an import, nothing is known of who had access. Before a role was created, nobody had.
 */
export function beginsLater(roleId: Value): SQL {
  const first = row(roleHistory, "first");
  return sql`(SELECT ${begun.at} FROM moment CROSS JOIN ${begun} ON ${begun.rev} = (
      SELECT ${first.fromRev} FROM ${first} WHERE ${first.roleId} = ${roleId} ORDER BY ${first.toRev} LIMIT 1)
    WHERE ${begun.rev} > moment.revision AND ${begun.kind} NOT IN ('role.create', 'role.bootstrap'))`;
}

/** History of the moment is kept. All reads of history have this condition. */
export const MOMENT_IS_KEPT: SQL = sql`(SELECT verdict FROM moment) = 'kept'`;

/** When a row of a table of history was valid. */
export type Validity = Readonly<Record<"fromRev" | "toRev", Value>>;

/** Whether the row of history was valid at the moment. */
export function validThen(of: Validity): SQL {
  return validAt(sql`(SELECT revision FROM moment)`, of);
}

/** Whether the row of history was valid at the revision, or at one from it up to, and including, `last`. */
export function validAt(revision: Value, { fromRev, toRev }: Validity, last = revision): SQL {
  return sql`${toRev} > ${revision} AND ${fromRev} <= ${last}`;
}

/** Whether the row of `member_history` was valid at the moment, and the membership had not ended. */
export function memberLivedThen(of: Validity & Readonly<Record<"endsAt", Value>>): SQL {
  return sql`${validThen(of)} AND (${of.endsAt} IS NULL OR ${of.endsAt} > (SELECT at FROM moment))`;
}

/** Whether the row of history was valid at a revision of the period. */
export function validWithin(of: Validity): SQL {
  return validAt(sql`(SELECT revision FROM period)`, of, LAST_REVISION);
}

/**
 * Whether the row of `member_history`, which is `validWithin` the period, was valid at one of the revisions from
 * `span.from_rev` up to, but not including, `span.to_rev`, and the membership had not ended when both held first.
 */
export function memberLivedIn(of: Validity & Readonly<Record<"endsAt", Value>>, span: Validity): SQL {
  const start = row(changeLog, "start");
  // The time of a revision before the period is not after its beginning.
  const startMs = sql`max(${fromMs}, coalesce((SELECT ${start.at} FROM ${start}
      WHERE ${start.rev} = max(${of.fromRev}, ${span.fromRev})), 0))`;
  return sql`${of.toRev} > ${span.fromRev} AND ${of.fromRev} < ${span.toRev}
    AND (${of.endsAt} IS NULL OR ${of.endsAt} > ${startMs})`;
}

/** Selects the self rights that the role had at the moment, or null if it did not exist. */
export function selfRightsThen(roleId: Value): SQL {
  const past = row(roleHistory, "past");
  return sql`(SELECT ${past.selfRights} FROM moment CROSS JOIN ${past}
    ON ${past.roleId} = ${roleId} AND ${validAt(sql`moment.revision`, past)})`;
}
