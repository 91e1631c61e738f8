import { wrongIn, type WrongStatement } from "./wrong_statement.ts";

/** Previews of changes, and changes that are made only with the effect that was seen. */

export const PREVIEW_STATEMENTS: readonly WrongStatement[] = [
  ...wrongIn("src/role/preview/effect_queries.ts", "tests/role/preview_test.ts", [
    {
      name: "a preview shows roles that the caller does not see",
      find: 'FROM judged WHERE ${isVisible("judged.id")})',
      replace: "FROM judged)",
      by: "pairs with a role that the caller does not see",
    },
    {
      name: "a membership that has ended counts as a person",
      find: '${memberLives("touched")} AS lives',
      replace: "true AS lives",
      by: "self rights that a role would get or lose",
    },
    {
      name: "a preview counts people whose membership does not carry the right",
      find: "touched.rights & acting.gained AS gained",
      replace: "acting.gained AS gained",
      by: "self rights that a role would get or lose",
    },
    {
      name: "a deleted role counts as one without a person",
      find: "`${role} IN (SELECT value FROM json_each(:deletedRoleIds))`",
      replace: "`${role} IN (SELECT value FROM json_each(:deletedRoleIds) WHERE false)`",
      by: "of a deletion that leaves roles without a person",
    },
    {
      name: "a role counts as managed by what the change takes away",
      find: "FROM pair WHERE ${LOST} & ${ROLE_MANAGEMENT})`,",
      replace: "FROM pair WHERE false AND ${LOST} & ${ROLE_MANAGEMENT})`,",
      by: "of a deletion that leaves roles without a person",
    },
    {
      name: "a key counts as a person who manages",
      find: "keeper.role_id = ${role} AND keeper.user_id > 0",
      replace: "keeper.role_id = ${role}",
      by: "less for a member, and none, is previewed",
      in: "tests/role/membership_preview_test.ts",
    },
    {
      name: "a membership that would end counts as one that manages",
      find: '" AND keeper.id <> :memberId"',
      replace: '" AND :memberId IS NOT NULL"',
      by: "less for a member, and none, is previewed",
      in: "tests/role/membership_preview_test.ts",
    },
    {
      name: "an effect is shown after the session has ended",
      find: " staff WHERE ${PRINCIPAL_LIVES}`);",
      replace: " staff WHERE ${PRINCIPAL_LIVES} OR true`);",
      by: "no effect is shown to a session that had ended when its",
    },
    {
      name: "a preview of a move keeps the relation that is replaced",
      find: "OR ${entering.parentId} IS ${replacedParentId}))`",
      replace: "OR ${entering.parentId} IS ${replacedParentId} AND false))`",
      by: "a role is moved with its rights",
    },
  ]),
  ...wrongIn("src/role/change/change_queries.ts", "tests/role/preview_test.ts", [
    {
      name: "a change is made although another one came after its preview",
      find: "AND ${changeLog.decision} = 'ok'\n    AND ${hasMoved(",
      replace: "AND ${changeLog.decision} = 'noop'\n    AND ${hasMoved(",
      by: "a change is not made if another one came after",
    },
    {
      name: "a change is made although a membership has ended since its preview",
      find: "AND ${end.endsAt} <= max(${sinceTime}, ${now})",
      replace: "AND ${end.endsAt} <= ${sinceTime}",
      by: "a membership that ends in between",
    },
    {
      name: "a change is made although a membership lives again since its preview",
      find: "${end.endsAt} > min(${sinceTime}, ${now})",
      replace: "${end.endsAt} > ${sinceTime}",
      by: "a membership that lives again since the clock was set back",
    },
    {
      name: "a dry run has an effect",
      find: "CASE decision WHEN 'ok' THEN ${dryEffect} ELSE 'none' END",
      replace: "CASE decision WHEN 'ok' THEN 'write' ELSE 'none' END",
      by: "previews share a row of the log",
    },
    {
      name: "a preview costs the same however many memberships it scans",
      find: "coalesce(${run.cost}, 1) + ${scannedMembers(run)} FROM",
      replace: "coalesce(${run.cost}, 1) FROM",
      by: "previews that cost too much in a minute are refused, with the seconds to wait",
    },
    {
      name: "previews may cost anything",
      find: "WHEN ruling = 'ok' AND ${PREVIEWS_ARE_USED_UP}",
      replace: "WHEN ruling = 'moved' AND ${PREVIEWS_ARE_USED_UP}",
      by: "previews that cost too much in a minute are refused, with the seconds to wait",
    },
  ]),
  ...wrongIn("src/role/member/member_queries.ts", "tests/role/membership_preview_test.ts", [
    {
      name: "trying a new member is no invitation",
      find: "op_id = :opId AND decision = 'ok' AND old_rights IS NULL",
      replace: "op_id = :opId AND decision = 'denied' AND old_rights IS NULL",
      by: "a dry run for a new member counts as an invitation",
    },
  ]),
  ...wrongIn("src/role/manages/manages_queries.ts", "tests/role/preview_test.ts", [
    {
      name: "a move deletes a relation of another role",
      find: "ON ${replaced.id} = ${asked.replaces} AND ${replaced.childId} = ${asked.childId}",
      replace: "ON ${replaced.id} = ${asked.replaces}",
      by: "a dry run is refused like the change itself",
    },
    {
      name: "a move takes the last manager of a role",
      find: "AND ${other.id} NOT IN (${replaced.id}, coalesce(${existing.id}, ${replaced.id})))`",
      replace: "AND ${other.id} <> coalesce(${existing.id}, -1))`",
      by: "a dry run is refused like the change itself",
    },
  ]),
];
