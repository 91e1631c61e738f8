import { userAccount } from "../../db/schema/identity.ts";
import { changeLog, member, memberHistory, OPEN_REVISION, role } from "../../db/schema/role.ts";
import {
  assigned,
  define,
  inserted,
  int,
  placeholdersOf,
  row,
  rows,
  rowsOf,
  sql,
  text,
} from "../../db/sql.ts";
import { begunAt } from "../../changes/chain_queries.ts";
import { memberLives } from "../../graph/rules/principal_queries.ts";
import {
  COUNT_CHANGES,
  importedBy,
  isOfOperation,
  numberedId,
  TAKE_NUMBERED_IDS,
} from "../../changes/import_run_queries.ts";
import { insertMemberships } from "../../changes/insertion_queries.ts";

/** Memberships that an import brings. The lists are JSON. */

/** A membership as an import compares it. */
export interface KnownMember {
  readonly roleId: number;
  readonly userId: number;
  readonly rights: number;
  readonly endsAt: number | null;
}

/** The memberships of a list of [roleId, userId] that have not ended. */
export const KNOWN_MEMBERS = rows<KnownMember>()({ list: text, now: int }, ({ list }) =>
  sql`
  SELECT ${member.roleId} AS roleId, ${member.userId} AS userId, ${member.rights} AS rights,
    ${member.endsAt} AS endsAt
  FROM json_each(${list}) listed CROSS JOIN ${member}
    ON ${member.userId} = listed.value ->> 1 AND ${member.roleId} = listed.value ->> 0 AND ${
    memberLives(member)
  }`);

const IMPORT = { opId: text, runId: text, now: int, members: text };
const { opId, runId, now, members } = placeholdersOf(IMPORT);

/** A membership to make, or to give these rights (a mask) and this end (milliseconds). */
export type ImportedMember = readonly [roleId: number, userId: number, rights: number, endsAt: number | null];

/** Records a change for each membership that is missing or differs, if its role and account exist. */
const DECIDE = define(IMPORT, () => {
  const { existing, person, place } = rowsOf({ existing: member, person: userAccount, place: role });
  const lives = sql`ifnull(${existing.id} IS NOT NULL AND ${memberLives(existing)}, false)`;
  const [rights, endsAt] = [sql`listed.value ->> 2`, sql`listed.value ->> 3`];
  const differs = sql`(${existing.rights} <> ${rights} OR ${existing.endsAt} IS NOT ${endsAt})`;
  const { names, values } = inserted(changeLog, {
    opId: sql`${opId} || ' ' || listed.key`,
    at: now,
    ...importedBy(runId),
    kind: sql`iif(${lives}, 'member.update', 'member.add')`,
    roleId: place.id,
    relationId: sql`iif(${lives}, ${existing.id}, ${numberedId("relation", lives)})`,
    subjectId: person.id,
    oldRights: sql`iif(${lives}, ${existing.rights}, NULL)`,
    newRights: rights,
    deletedRelationIds: sql`CASE WHEN NOT ${lives} AND ${existing.id} IS NOT NULL
      THEN json_array(${existing.id}) END`,
    decision: sql`'ok'`,
    step: sql`iif(${lives}, 'update', 'write')`,
    details: sql`json_object('oldUntil', iif(${lives}, ${existing.endsAt}, NULL), 'until', ${endsAt})`,
  });
  return sql`
  INSERT INTO ${changeLog} (${names}) SELECT ${values} FROM json_each(${members}) listed
    CROSS JOIN ${place} ON ${place.id} = listed.value ->> 0
    CROSS JOIN ${person} ON ${person.id} = listed.value ->> 1
    LEFT JOIN ${existing} ON ${existing.userId} = ${person.id} AND ${existing.roleId} = ${place.id}
  WHERE NOT ${lives} OR ${differs} ORDER BY listed.key`;
});

const DELETE_ENDED = define({ opId: text }, () =>
  sql`
  DELETE FROM ${member} WHERE ${member.id} IN (SELECT ${changeLog.deletedRelationIds} ->> 0
    FROM ${changeLog} WHERE ${isOfOperation(changeLog)} AND ${changeLog.deletedRelationIds} IS NOT NULL)`);

const INSERT_MEMBERS = define({ opId: text }, () => {
  const { relationId: id, roleId, subjectId: userId, newRights: rights, details } = changeLog;
  const made = {
    id,
    roleId,
    userId,
    rights,
    endsAt: sql`${details} ->> 'until'`,
    chain: begunAt(roleId, userId),
  };
  return insertMemberships(
    made,
    sql`FROM ${changeLog} WHERE ${isOfOperation(changeLog)} AND ${changeLog.step} = 'write'`,
  );
});

const UPDATE_MEMBERS = define({ opId: text }, () => {
  const changed = assigned(member, {
    rights: changeLog.newRights,
    endsAt: sql`${changeLog.details} ->> 'until'`,
  });
  return sql`
  UPDATE ${member} SET ${changed} FROM ${changeLog}
  WHERE ${
    isOfOperation(changeLog)
  } AND ${changeLog.step} = 'update' AND ${member.id} = ${changeLog.relationId}`;
});

/** Gives the rows of the history the revisions of their own rows of the log; triggers gave them the last one. */
const CLOSE_IN_HISTORY = define({ opId: text }, () => {
  const last = row(changeLog, "last_change");
  return sql`
  UPDATE ${memberHistory} SET ${assigned(memberHistory, { toRev: changeLog.rev })} FROM ${changeLog}
  WHERE ${isOfOperation(changeLog)} AND ${changeLog.step} = 'update'
    AND ${memberHistory.memberId} = ${changeLog.relationId}
    AND ${memberHistory.toRev} = (SELECT max(${last.rev}) FROM ${last})`;
});
const OPEN_IN_HISTORY = define({ opId: text }, () =>
  sql`
  UPDATE ${memberHistory} SET ${assigned(memberHistory, { fromRev: changeLog.rev })} FROM ${changeLog}
  WHERE ${isOfOperation(changeLog)} AND ${memberHistory.memberId} = ${changeLog.relationId}
    AND ${memberHistory.toRev} = ${OPEN_REVISION}`);

/** Makes and changes the memberships of a list of `ImportedMember`. The last statement counts them. */
export const IMPORT_MEMBERS = [
  DECIDE,
  TAKE_NUMBERED_IDS,
  DELETE_ENDED,
  INSERT_MEMBERS,
  UPDATE_MEMBERS,
  CLOSE_IN_HISTORY,
  OPEN_IN_HISTORY,
  COUNT_CHANGES,
] as const;
