/**
 * Parts of statements about a moment in the past. The tables of history keep from which revision (`from_rev`) up to, but
 * not including, which (`to_rev`) a row was valid. Triggers write them (`db/schema/role.ts`).
 */

/**
 * CTEs: `moment(revision, at, verdict)`, one row. `:asOfRevision` stands for the time of the last row of the change log
 * at or before it; `:asOfMs` for the last revision at or before that time. One of the two is null. `verdict` is `future`,
 * `before` the history that is kept, or `kept`. No time that the log shows is in the future, even if the clock is behind
 * that of the instance which wrote it. Parameters besides these: `:now`.
 */
export const MOMENT = `moment(revision, at, verdict) AS MATERIALIZED (
    SELECT revision, at, CASE
        WHEN revision > coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'change_log'), 0) THEN 'future'
        WHEN :asOfMs > :now AND NOT EXISTS (SELECT 1 FROM change_log moment_row WHERE moment_row.at >= :asOfMs)
          THEN 'future'
        WHEN revision < coalesce((SELECT CAST(value AS INTEGER) FROM setting WHERE name = 'history_from'), 0)
          THEN 'before'
        ELSE 'kept' END
    FROM (SELECT
      coalesce(:asOfRevision, (SELECT moment_row.rev FROM change_log moment_row
        WHERE moment_row.at <= :asOfMs ORDER BY moment_row.at DESC, moment_row.rev DESC LIMIT 1), 0) AS revision,
      coalesce(:asOfMs, (SELECT moment_row.at FROM change_log moment_row
        WHERE moment_row.rev <= :asOfRevision ORDER BY moment_row.rev DESC LIMIT 1), 0) AS at))`;

/** SQL: the columns of a `MomentRow`, where `MOMENT` is among the CTEs. */
export const MOMENT_COLUMNS = `(SELECT revision FROM moment) AS momentRevision,
  (SELECT at FROM moment) AS momentMs, (SELECT verdict FROM moment) AS momentVerdict`;

/** SQL: history of the moment is kept. Whatever reads it has this condition. */
export const MOMENT_IS_KEPT = "(SELECT verdict FROM moment) = 'kept'";

/** SQL: the row of a table of history was valid at the moment. */
export function validThen(row: string): string {
  return validAt("(SELECT revision FROM moment)", row);
}

/** SQL: the row of a table of history was valid at the revision. */
export function validAt(revision: string, row: string): string {
  return `${row}.to_rev > ${revision} AND ${row}.from_rev <= ${revision}`;
}

/** SQL: the row of `member_history` was valid at the moment, and the membership had not ended. */
export function memberLivedThen(member: string): string {
  return `${
    validThen(member)
  } AND (${member}.ends_at IS NULL OR ${member}.ends_at > (SELECT at FROM moment))`;
}

/** SQL: the self rights that the role had at the moment, or null if it did not exist. */
export function selfRightsThen(role: string): string {
  return `(SELECT then_role.self_rights FROM moment CROSS JOIN role_history then_role
    ON then_role.role_id = ${role} AND ${validAt("moment.revision", "then_role")})`;
}
