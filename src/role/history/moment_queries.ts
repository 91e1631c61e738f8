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

/** How many rows are looked through for a role that existed at the moment. */
const NEAR_ROLES = 100;

/**
 * SQL: the role, or if it did not exist at the moment, one near it that did. Walking above that one instead takes the
 * time that an invisible role takes, which must not tell that it exists; nothing of the walk leads to the unknown id.
 */
export function roleOrOther(role: string): string {
  return `(SELECT near.role_id FROM (SELECT near_role.role_id, near_role.from_rev, near_role.to_rev
      FROM role_history near_role WHERE near_role.role_id <= ${role}
      ORDER BY near_role.role_id DESC LIMIT ${NEAR_ROLES}) near WHERE ${validThen("near")} LIMIT 1)`;
}
