/**
 * Parts of statements about a moment in the past. The tables of history keep from which revision (`from_rev`) up to, but
 * not including, which (`to_rev`) a row was valid. Triggers write them (`db/schema/role.ts`).
 */

/**
 * CTEs: `moment(revision, at, verdict)`, one row. `:asOfRevision` stands for the time of the last row of the change log
 * at or before it; `:asOfMs` for the last revision at or before that time. One of the two is null. `verdict` is `future`,
 * `before` the history that is kept, or `kept`. Parameters besides these: `:now`.
 */
export const MOMENT = `history(first_rev, last_rev) AS MATERIALIZED (
    SELECT coalesce((SELECT CAST(value AS INTEGER) FROM setting WHERE name = 'history_from'), 0),
      coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'change_log'), 0)),
  found(revision, at) AS MATERIALIZED (
    SELECT :asOfRevision, (SELECT moment_row.at FROM change_log moment_row
      WHERE moment_row.rev <= :asOfRevision ORDER BY moment_row.rev DESC LIMIT 1)
    WHERE :asOfRevision IS NOT NULL
    UNION ALL
    SELECT (SELECT moment_row.rev FROM change_log moment_row
      WHERE moment_row.at <= :asOfMs ORDER BY moment_row.at DESC, moment_row.rev DESC LIMIT 1), :asOfMs
    WHERE :asOfRevision IS NULL),
  moment(revision, at, verdict) AS MATERIALIZED (
    SELECT coalesce(found.revision, 0), coalesce(found.at, 0), CASE
        WHEN coalesce(found.revision, 0) > history.last_rev OR :asOfMs > :now THEN 'future'
        WHEN coalesce(found.revision, 0) < history.first_rev THEN 'before'
        ELSE 'kept' END
    FROM found CROSS JOIN history)`;

/** SQL: the columns of a `MomentRow`, where `MOMENT` is among the CTEs. */
export const MOMENT_COLUMNS = `(SELECT revision FROM moment) AS momentRevision,
  (SELECT at FROM moment) AS momentMs, (SELECT verdict FROM moment) AS momentVerdict`;

/** SQL: history of the moment is kept. Whatever reads it has this condition. */
export const MOMENT_IS_KEPT = "(SELECT verdict FROM moment) = 'kept'";

/** SQL: the row of a table of history was valid at the moment. */
export function validThen(row: string): string {
  return `${row}.to_rev > (SELECT revision FROM moment) AND ${row}.from_rev <= (SELECT revision FROM moment)`;
}

/** SQL: the row of `member_history` was valid at the moment, and the membership had not ended. */
export function memberLivedThen(member: string): string {
  return `${
    validThen(member)
  } AND (${member}.ends_at IS NULL OR ${member}.ends_at > (SELECT at FROM moment))`;
}

/** SQL: the self rights that the role had at the moment, or null if it did not exist. */
export function selfRightsThen(role: string): string {
  return `(SELECT then_role.self_rights FROM role_history then_role
    WHERE then_role.role_id = ${role} AND ${validThen("then_role")})`;
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
