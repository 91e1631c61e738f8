import { wrongIn, type WrongStatement } from "./wrong_statement.ts";

/** Memberships that end, or carry less. */

const LIMITED = "tests/role/limited_membership_test.ts";
const ENDED = "tests/role/ended_membership_test.ts";
const GIVING = "tests/role/giving_membership_test.ts";

export const LIMIT_STATEMENTS: readonly WrongStatement[] = [
  ...wrongIn("src/role/guard/principal_queries.ts", ENDED, [
    {
      name: "a membership lasts for a millisecond more",
      find: "${endsAt} > ${now})",
      replace: "${endsAt} >= ${now})",
      by: "until its end a membership does everything",
    },
  ]),
  ...wrongIn("src/role/guard/guard_queries.ts", LIMITED, [
    {
      name: "a membership that has ended authorizes",
      find: "WHERE ${acting.userId} = ${user}\n    AND ${memberLives(acting)} AND (${meets(acting)}))`;",
      replace:
        "WHERE ${acting.userId} = ${user}\n    AND ${memberLives(acting)} IS NOT NULL AND (${meets(acting)}))`;",
      by: "until its end a membership does everything",
      in: ENDED,
    },
    {
      name: "the log names a role whose membership has ended",
      find: "WHERE ${acting.userId} = ${actorId}\n    AND ${memberLives(acting)} AND (${meets(acting)}))`;",
      replace:
        "WHERE ${acting.userId} = ${actorId}\n    AND ${memberLives(acting)} IS NOT NULL AND (${meets(acting)}))`;",
      by: "of several memberships, the one with the most rights sets",
      in: GIVING,
    },
    {
      name: "in lists, a membership that has ended authorizes",
      find:
        "WHERE ${few.userId} = ${actorOf(on, isFrom)} AND ${memberLives(few)}\n      UNION ALL SELECT ${own.roleId}",
      replace:
        "WHERE ${few.userId} = ${actorOf(on, isFrom)} AND ${memberLives(few)} IS NOT NULL\n      UNION ALL SELECT ${own.roleId}",
      by: "until its end a membership does everything",
      in: ENDED,
    },
    {
      name: "in lists, with many memberships, one of the role itself that has ended authorizes",
      find: "${own.roleId} = ${unlessFromMemberships(on, isFrom)} AND ${memberLives(own)}",
      replace: "${own.roleId} = ${unlessFromMemberships(on, isFrom)} AND ${memberLives(own)} IS NOT NULL",
      by: "among many memberships elsewhere, one of the role itself",
      in: ENDED,
    },
    {
      name: "in lists, with many memberships, one that has ended authorizes",
      find:
        "${many.roleId} = ${above.ancestorId}\n        AND ${memberLives(many)}\n      WHERE ${above.descendantId} = ${unlessFromMemberships(on, isFrom)}",
      replace:
        "${many.roleId} = ${above.ancestorId}\n        AND ${memberLives(many)} IS NOT NULL\n      WHERE ${above.descendantId} = ${unlessFromMemberships(on, isFrom)}",
      by: "among many memberships that have ended",
      in: ENDED,
    },
    {
      name: "in lists, a membership carries all rights",
      find: "SELECT ${few.roleId}, ${few.rights} FROM",
      replace: "SELECT ${few.roleId}, 63 AS rights FROM",
      by: "through relations, every rule",
    },
    {
      name: "in lists, with many memberships, one of the role itself carries all rights",
      find: "SELECT ${own.roleId}, ${own.rights} FROM ${own}\n      WHERE ${own.userId} = ${actorId}",
      replace: "SELECT ${own.roleId}, 63 FROM ${own}\n      WHERE ${own.userId} = ${actorId}",
      by: "with many memberships, too, every rule",
    },
    {
      name: "in lists, with many memberships, one carries all rights",
      find:
        "SELECT ${above.ancestorId}, ${many.rights} FROM ${above}\n      CROSS JOIN ${many} ON ${many.userId} = ${actorId}",
      replace:
        "SELECT ${above.ancestorId}, 63 FROM ${above}\n      CROSS JOIN ${many} ON ${many.userId} = ${actorId}",
      by: "with many memberships, too, every rule",
    },
    {
      name: "through relations, a membership carries all rights",
      find: "${path.rights} & ${acting.rights} & ${maskOf(right)}",
      replace: "${path.rights} & ${maskOf(right)}",
      by: "through relations, every rule",
    },
    {
      name: "on the role itself, a membership carries all rights",
      find: "${self.selfRights} & ${acting.rights} & ${maskOf(right)}",
      replace: "${self.selfRights} & ${maskOf(right)}",
      by: "of a role on itself, every rule",
    },
    {
      name: "a membership gives rights that it does not carry",
      find: "return sql`NOT ((${rights}) & ~${acting.rights})`;",
      replace: "return sql`((${rights}) IS NOT NULL)`;",
      by: "whoever has less gives at most that",
      in: GIVING,
    },
    {
      name: "what a membership gives ends after it",
      find: "coalesce(${endsAt} <= ${acting.endsAt}, false)",
      replace: "coalesce(${endsAt}, 0) IS NOT NULL",
      by: "whoever has less gives at most that",
      in: GIVING,
    },
    {
      name: "what a membership gives has no end although it has one",
      find: "coalesce(${endsAt} <= ${acting.endsAt}, false)",
      replace: "coalesce(${endsAt} <= ${acting.endsAt}, true)",
      by: "whoever has less gives at most that",
      in: GIVING,
    },
    {
      name: "what is prolonged has rights that the giver does not have",
      find: "return sql`(${mayGive(acting, rights)} AND (${endsWithin}",
      replace: "return sql`((${endsWithin}",
      by: "whoever has less takes away",
      in: GIVING,
    },
    {
      name: "a membership without an end gives after all others",
      find: "return sql`${endsAt} IS NOT NULL, ${endsAt}",
      replace: "return sql`${endsAt}",
      by: "one membership must give all of it",
      in: GIVING,
    },
    {
      name: "of memberships that end alike, the one with the fewest rights gives",
      find: "${countRights(rights)} DESC, ${id}`;",
      replace: "${countRights(rights)}, ${id}`;",
      by: "of memberships that end alike",
      in: GIVING,
    },
    {
      name: "a role is seen by a membership of it that has ended",
      find: "AND ${direct.roleId} = ${on} AND ${memberLives(direct)})\n    OR EXISTS",
      replace: "AND ${direct.roleId} = ${on} AND ${memberLives(direct)} IS NOT NULL)\n    OR EXISTS",
      by: "a membership of the role itself ends",
      in: ENDED,
    },
    {
      name: "rights of a role on itself are returned after the end of the membership",
      find: "AND ${direct.roleId} = ${on} AND ${memberLives(direct)}\n      UNION",
      replace: "AND ${direct.roleId} = ${on} AND ${memberLives(direct)} IS NOT NULL\n      UNION",
      by: "a membership of the role itself ends",
      in: ENDED,
    },
    {
      name: "all rights of a role on itself are returned",
      find: "SELECT ${selfRights ?? self.selfRights} & ${direct.rights} AS guard_rights",
      replace: "SELECT ${selfRights ?? self.selfRights} AS guard_rights",
      by: "of a role on itself, every rule",
    },
    {
      name: "rights through relations are returned after the end of the membership",
      find:
        "WHERE ${few.userId} = ${actorOf(on)} AND ${memberLives(few)}\n      UNION ALL SELECT ${path.rights}",
      replace:
        "WHERE ${few.userId} = ${actorOf(on)} AND ${memberLives(few)} IS NOT NULL\n      UNION ALL SELECT ${path.rights}",
      by: "until its end a membership does everything",
      in: ENDED,
    },
    {
      name: "all rights through relations are returned",
      find: "${path.rights} & ${few.rights} AS guard_rights",
      replace: "${path.rights} AS guard_rights",
      by: "through relations, every rule",
    },
    {
      name: "with many memberships, rights are returned after the end of the one that gave them",
      find: "${many.roleId} = ${path.ancestorId}\n          AND ${memberLives(many)}",
      replace: "${many.roleId} = ${path.ancestorId}\n          AND ${memberLives(many)} IS NOT NULL",
      by: "among many memberships that have ended",
      in: ENDED,
    },
    {
      name: "with many memberships, all rights through relations are returned",
      find: "${path.rights} & ${many.rights} FROM",
      replace: "${path.rights} FROM",
      by: "with many memberships, too, every rule",
    },
  ]),
  ...wrongIn("src/role/paging/listing_queries.ts", LIMITED, [
    {
      name: "the listing of roles returns all rights of a role on itself",
      find: "self.self_rights & mine.rights AS rights",
      replace: "self.self_rights AS rights",
      by: "of a role on itself, every rule",
    },
    {
      name: "the listing of roles returns all rights through relations",
      find: "source.rights & mine.rights FROM",
      replace: "source.rights FROM",
      by: "through relations, every rule",
    },
    {
      name: "roles are listed whose membership has ended",
      find: 'FROM member own WHERE own.user_id = :actorId AND ${memberLives("own")})`,\n    `stretch',
      replace: "FROM member own WHERE own.user_id = :actorId)`,\n    `stretch",
      by: "a membership of the role itself ends",
      in: ENDED,
    },
    {
      name: "one's own memberships are listed after their end",
      find: 'AND ${memberLives("candidate")} AND ${inList("candidate.id", ":ids")} AND ${\n      inEmails',
      replace: 'AND ${inList("candidate.id", ":ids")} AND ${\n      inEmails',
      by: "until its end a membership does everything",
      in: ENDED,
    },
    {
      name: "memberships are listed after their end",
      find: '`candidate.user_id > 0 AND ${memberLives("candidate")} AND',
      replace: "`candidate.user_id > 0 AND",
      by: "an ended membership is in no list",
      in: ENDED,
    },
  ]),
  ...wrongIn("src/role/member/member_queries.ts", GIVING, [
    {
      name: "a membership that has ended adds members",
      find: 'AND ${memberLives("acting")} AND ${ACTOR_IS_USER}\n',
      replace: "AND ${ACTOR_IS_USER}\n",
      by: "until its end a membership does everything",
      in: ENDED,
    },
    {
      name: "a new member gets any rights",
      find: 'THEN ${mayGive("coalesce(:rights, 0)")}\n          AND (NOT :setsEnd',
      replace: "THEN (NOT :setsEnd",
      by: "whoever has less gives at most that",
    },
    {
      name: "a new member stays for any time",
      find: 'AND (NOT :setsEnd OR ${mayGiveUntil("0", ":endsAt")})',
      replace: "",
      by: "whoever has less gives at most that",
    },
    {
      name: "a member is widened and prolonged beyond what the giver has",
      find: 'WHEN asked.widens THEN ${mayGiveUntil("asked.rights", "asked.ends_at")}\n',
      replace: "",
      by: "whoever has less takes away",
    },
    {
      name: "a member who gets other rights is not widened",
      find: "(rights & ~old_rights OR (old_ends_at",
      replace: "((old_ends_at",
      by: "whoever has less takes away",
    },
    {
      name: "a member whose end is later is not prolonged",
      find: "(old_ends_at IS NOT NULL AND coalesce(ends_at > old_ends_at, true))",
      replace: "false",
      by: "whoever has less takes away",
    },
    {
      name: "a member whose end is lifted is not prolonged",
      find: "coalesce(ends_at > old_ends_at, true)",
      replace: "coalesce(ends_at > old_ends_at, false)",
      by: "whoever has less takes away",
    },
    {
      name: "a membership that has ended is there",
      find: 'existing.role_id = :roleId\n          AND ${memberLives("existing")}',
      replace: "existing.role_id = :roleId",
      by: "giving an ended membership again",
      in: ENDED,
    },
    {
      name: "a new member has all rights unless the request names some",
      find: 'new_rights: "coalesce(rights, most_rights)"',
      replace: 'new_rights: "coalesce(rights, 63)"',
      by: "whoever has less gives at most that",
    },
    {
      name: "a new member stays for ever unless the request names an end",
      find: "THEN ends_at ELSE latest_end END) END`",
      replace: "THEN ends_at END) END`",
      by: "whoever has less gives at most that",
    },
    {
      name: "an absent right takes those that a member has",
      find: "coalesce(:rights, existing.rights) AS rights",
      replace: "coalesce(:rights, existing.rights & 0) AS rights",
      by: "a membership says what is set alone",
    },
    {
      name: "an absent end lifts the one that a member has",
      find: "CASE WHEN :setsEnd THEN :endsAt ELSE existing.ends_at END AS ends_at",
      replace: "CASE WHEN :setsEnd THEN :endsAt END AS ends_at",
      by: "a membership says what is set alone",
    },
    {
      name: "the last keeper of a root is given an end",
      find: "= 0 OR ends_at IS NOT NULL)`;",
      replace: "= 0)`;",
      by: "a root keeps a person with roleManagement",
    },
    {
      name: "the last keeper of a root loses roleManagement",
      find: 'const UNKEEPS_ROOT = `(rights & ${maskOf("roleManagement")} = 0 OR ends_at',
      replace: "const UNKEEPS_ROOT = `(ends_at",
      by: "a root keeps a person with roleManagement",
    },
    {
      name: "another user narrows the last keeper of a root",
      find: "      WHEN ${NARROWS_ANOTHER} AND ${KEEPS_ROOT_ALONE} THEN 'denied'\n",
      replace: "",
      by: "only the last keeper of a root narrows their own membership",
    },
    {
      name: "the last keeper of a root may not narrow their own membership",
      find: '"(old_rights & ~rights AND subject_id <> :actorId)"',
      replace: '"(old_rights & ~rights)"',
      by: "a root keeps a person with roleManagement",
    },
    {
      name: "a member without roleManagement keeps a root",
      find: 'AND ${member}.rights & ${\n    maskOf("roleManagement")\n  } AND ${member}.ends_at IS NULL)`;',
      replace: "AND ${member}.ends_at IS NULL)`;",
      by: "a root keeps a person with roleManagement",
    },
    {
      name: "a member whose membership ends keeps a root",
      find: "  } AND ${member}.ends_at IS NULL)`;",
      replace: "  })`;",
      by: "a root keeps a person with roleManagement",
    },
    {
      name: "every role keeps a member",
      find: "root.id = ${member}.role_id AND root.is_root)",
      replace: "root.id = ${member}.role_id)",
      by: "a role that is no root needs no member",
    },
    {
      name: "a membership that has ended is removed",
      find: 'AND existing.user_id > 0 AND ${memberLives("existing")}\n    WHERE',
      replace: "AND existing.user_id > 0\n    WHERE",
      by: "an ended membership is in no list",
      in: ENDED,
    },
    {
      name: "a key is removed like a member",
      find: 'AND existing.user_id > 0 AND ${memberLives("existing")}\n    WHERE',
      replace: 'AND ${memberLives("existing")}\n    WHERE',
      by: "a key is no member",
    },
    {
      name: "the row of a membership that has ended stays",
      find: 'SELECT gone_relation_ids ->> 0 FROM change_log WHERE ${\n  whenEffect("write")\n})`);',
      replace:
        'SELECT gone_relation_ids ->> 0 FROM change_log WHERE false AND ${\n  whenEffect("write")\n})`);',
      by: "giving an ended membership again",
      in: ENDED,
    },
    {
      name: "changes of members count as invitations",
      find: 'const INVITED = `EXISTS (SELECT 1 FROM change_log WHERE ${whenEffect("write")})`;',
      replace: 'const INVITED = `EXISTS (SELECT 1 FROM change_log WHERE ${whenEffect("write", "update")})`;',
      by: "changes of a member are not among",
    },
  ]),
  ...wrongIn("src/role/bootstrap_queries.ts", "tests/role/bootstrap_test.ts", [
    {
      name: "a root that has any member needs no other",
      find:
        'const ROOT_EXISTS = `EXISTS (SELECT 1 FROM role CROSS JOIN member ON member.role_id = role.id AND ${\n  keepsRoot("member")\n}\n',
      replace:
        "const ROOT_EXISTS = `EXISTS (SELECT 1 FROM role CROSS JOIN member ON member.role_id = role.id\n",
      by: "a root whose members all end or lack roleManagement",
    },
    {
      name: "a root of the same name is created beside one that nobody keeps",
      find: 'WHERE member.role_id = root.id AND ${keepsRoot("member")}))`;',
      replace: "WHERE member.role_id = root.id))`;",
      by: "a root whose members all end or lack roleManagement",
    },
    {
      name: "the limited membership of whoever is to keep a root stays",
      find: "DELETE FROM member WHERE id = (SELECT",
      replace: "DELETE FROM member WHERE false AND id = (SELECT",
      by: "a root whose members all end or lack roleManagement",
    },
  ]),
  ...wrongIn("src/role/manages/manages_queries.ts", GIVING, [
    {
      name: "a relation carries more than the membership that makes it",
      find: "sql`${ofParent} AND ${ofChild} AND ${mayGive(acting, added)}`",
      replace: "sql`${ofParent} AND ${ofChild}`",
      by: "bits are added to relations and roles",
    },
    {
      name: "what a relation carries already counts as added",
      find: "${asked.rights} & ~coalesce(${existing.rights}, 0)",
      replace: "${asked.rights} | (0 & coalesce(${existing.rights}, 0))",
      by: "bits are added to relations and roles",
    },
  ]),
  ...wrongIn("src/role/manages/deletion_queries.ts", GIVING, [
    {
      name: "memberships that had ended are named as deleted",
      find: "WHERE ${joined.userId} > 0 AND ${memberLives(joined)}",
      replace: "WHERE ${joined.userId} > 0 AND (${memberLives(joined)}) IS NOT NULL",
      by: "what is deleted with a role does not name",
      in: ENDED,
    },
    {
      name: "keys are named among the deleted memberships",
      find: "WHERE ${joined.userId} > 0 AND ${memberLives(joined)}",
      replace: "WHERE ${memberLives(joined)}",
      by: "a key is no member",
    },
  ]),
  ...wrongIn("src/role/role_queries.ts", GIVING, [
    {
      name: "a role is created with a relation that carries more than the membership",
      find: '`${holds("roleManagement", ":parentId")} AND ${mayGive(":rights")}`',
      replace: 'holds("roleManagement", ":parentId")',
      by: "bits are added to relations and roles",
    },
    {
      name: "a role gets rights on itself that the membership does not carry",
      find: '`${holdsIndirectly("roleManagement", ":roleId")} AND ${mayGive(ADDED_SELF_RIGHTS)}`',
      replace: 'holdsIndirectly("roleManagement", ":roleId")',
      by: "bits are added to relations and roles",
    },
    {
      name: "rights that a role has on itself already count as added",
      find: 'const ADDED_SELF_RIGHTS = ":selfRights & ~current.self_rights";',
      replace: 'const ADDED_SELF_RIGHTS = ":selfRights";',
      by: "bits are added to relations and roles",
    },
  ]),
  ...wrongIn("src/role/manages/password_relation_queries.ts", GIVING, [
    {
      name: "a relation by a password carries more than the membership that makes it",
      find: 'sql`${holds(acting, "roleManagement", parentId)} AND ${mayGive(acting, addedTo(existing))}`',
      replace: 'holds(acting, "roleManagement", parentId)',
      by: "a relation by a password carries at most",
    },
    {
      name: "a relation is not flagged although no membership could have given it",
      find: "mayJoin(parentId, childId, changeLog.newRights)",
      replace: "mayJoin(parentId, childId, 0)",
      by: "a relation is flagged if no membership",
    },
  ]),
  ...wrongIn("src/role/password/role_password_queries.ts", GIVING, [
    {
      name: "a password carries more than the membership of its setter",
      find: "of.id)} THEN ${acting.rights}\n",
      replace: "of.id)} THEN 63\n",
      by: "a role's password carries what",
    },
    {
      name: "by direct roleManagement a password carries more than the membership",
      find: "sql`${of.selfRights} & ${acting.rights} & ~",
      replace: "sql`${of.selfRights} & ~",
      by: "of direct roleManagement a password carries",
    },
    {
      name: "a membership that has ended sets the default of a password",
      find: "AND ${memberLives(acting)} AND highest IS NOT NULL",
      replace: "AND highest IS NOT NULL",
      by: "of several memberships, the one with the most rights sets",
    },
    {
      name: "of several memberships, the one with the fewest rights sets the default of a password",
      find: "ORDER BY ${countRights(sql`highest`)} DESC, ${acting.id}",
      replace: "ORDER BY ${countRights(sql`highest`)}, ${acting.id}",
      by: "of several memberships, the one with the most rights sets",
    },
  ]),
  ...wrongIn("src/device/guard_queries.ts", LIMITED, [
    {
      name: "before it is known which devices, a membership of their role carries all rights",
      find: "SELECT guard_role.id, guard_role.self_rights & guard_member.rights",
      replace: "SELECT guard_role.id, guard_role.self_rights",
      by: "of a role on itself, every rule",
    },
    {
      name: "before it is known which devices, a membership carries all rights through relations",
      find: "guard_path.descendant_id, guard_path.rights & guard_member.rights",
      replace: "guard_path.descendant_id, guard_path.rights",
      by: "through relations, every rule",
    },
    {
      name: "before it is known which devices, a membership of their role that has ended counts",
      find:
        'guard_role.id = guard_member.role_id\n      WHERE guard_member.user_id = :actorId AND ${memberLives("guard_member")} LIMIT',
      replace: "guard_role.id = guard_member.role_id\n      WHERE guard_member.user_id = :actorId LIMIT",
      by: "a membership of the role itself ends",
      in: ENDED,
    },
    {
      name: "before it is known which devices, a membership above them that has ended counts",
      find:
        'guard_path.ancestor_id = guard_member.role_id\n      WHERE guard_member.user_id = :actorId AND ${memberLives("guard_member")} LIMIT',
      replace:
        "guard_path.ancestor_id = guard_member.role_id\n      WHERE guard_member.user_id = :actorId LIMIT",
      by: "until its end a membership does everything",
      in: ENDED,
    },
  ]),
  ...wrongIn("src/account/leave_queries.ts", ENDED, [
    {
      name: "an account leaves memberships that had ended",
      find: "CASE WHEN ${memberLives(\"ending\")} THEN 'member.leave' ELSE 'member.end' END",
      replace: "'member.leave'",
      by: "an account leaves the memberships",
    },
  ]),
  ...wrongIn("src/account/administrator_queries.ts", ENDED, [
    {
      name: "an invitation is sent again for a membership that has ended",
      find: 'WHERE member.user_id = account.id AND ${memberLives("member")} ORDER BY',
      replace: "WHERE member.user_id = account.id ORDER BY",
      by: "an invitation is not sent again",
    },
  ]),
];
