import { wrongIn, type WrongStatement } from "./wrong_statement.ts";

/** The guards, roles, and passwords of roles. */

export const ROLE_STATEMENTS: readonly WrongStatement[] = [
  ...wrongIn("src/role/change/change_queries.ts", "tests/flows/merged_refusals_test.ts", [
    {
      name: "refusals fill the log",
      find: "CASE WHEN is_merged THEN",
      replace: "CASE WHEN false THEN",
      by: "two hundred equal refusals leave one row a minute",
    },
    {
      name: "a success shares a row of the log",
      find: "isMerged: sql`decision <> 'ok' AND NOT ${ownRow}`",
      replace: "isMerged: sql`NOT ${ownRow}`",
      by: "a merged refusal still moves the revision on",
    },
    {
      name: "guesses at a role's password share a row of the log",
      find: " AND NOT ${ownRow}`,",
      replace: "`,",
      by: "two attempts at once have a row of the log each",
      in: "tests/role/password_relation_test.ts",
    },
    {
      name: "refusals fill the log with targets",
      find: "< ${REFUSAL_ROWS_PER_MINUTE}",
      replace: "< 1000000",
      by: "after sixty rows in a minute",
    },
    {
      name: "the refusals of all targets share a row of the log",
      find: "THEN ${join(target, \" || ' ' || \")} ELSE '' END`;",
      replace: "THEN '' ELSE '' END`;",
      by: "refusals of another user, kind, target or reason",
    },
  ]),
  ...wrongIn("src/role/change/change_queries.ts", "tests/flows/quota_flow_test.ts", [
    {
      name: "noops fill the log",
      find: "isMerged: sql`decision <> 'ok' AND NOT ${ownRow}`",
      replace: "isMerged: sql`decision NOT IN ('ok', 'noop') AND NOT ${ownRow}`",
      by: "a hundred noops leave one row a minute",
    },
    {
      name: "a noop is answered with nothing where it was merged into the row of another",
      find: "${excluded(changeLog.decision)} = 'noop' OR ",
      replace: "",
      by: "beyond sixty targets in a minute, a noop still answers",
    },
  ]),
  ...wrongIn("src/role/change/charge_queries.ts", "tests/flows/quota_flow_test.ts", [
    {
      name: "changes count to a root that was let in above with less than roleManagement",
      find: 'AND ${above.rights} & ${maskOf("roleManagement")}',
      replace: "AND ${above.rights} >= 0",
      by: "a root that was let in above without roleManagement is neither charged nor locks others out",
    },
    {
      name: "a root has no quota",
      find: "sql`${whole[counts]} >= ${quota} OR ",
      replace: "sql`",
      by: "a root has as many roles and devices as its quotas allow",
    },
    {
      name: "a caller below a root may use up its quota",
      find: " OR ${SHARES} * ${own[counts]} >= ${quota}",
      replace: "",
      by: "a caller below a root takes an eighth of its quotas at most",
    },
    {
      name: "a member of the root takes an eighth",
      find: "CASE WHEN NOT acted.is_root THEN ${payer} END",
      replace: "${payer}",
      by: "a caller below a root takes an eighth of its quotas at most",
    },
    {
      name: "a member of the root and of a role below acts below",
      find: "ORDER BY ${own.isRoot} DESC, ${acting.roleId} LIMIT 1",
      replace: "ORDER BY ${own.isRoot}, ${acting.roleId} LIMIT 1",
      by: "a caller below a root takes an eighth of its quotas at most",
    },
    {
      name: "a full bucket of a root refuses nothing",
      find: "(${whole.freeAt} > ${ROOT_IS_FULL_AT} OR ${own.freeAt} > ${fullAt})",
      replace: "${own.freeAt} > ${fullAt}",
      by: "what a root's members and those below have stored stops them all",
    },
    {
      name: "a full share of a bucket refuses nothing",
      find: "(${whole.freeAt} > ${ROOT_IS_FULL_AT} OR ${own.freeAt} > ${fullAt})",
      replace: "${whole.freeAt} > ${ROOT_IS_FULL_AT}",
      by: "a full bucket refuses what adds and says how long",
    },
    {
      name: "a full bucket keeps access from being ended",
      find: "sql`NOT (${takesAway}) AND ${isFull}`",
      replace: "isFull",
      by: "a full bucket refuses what adds and says how long",
    },
    {
      name: "a bucket that has drained is as full as before",
      find: "max(${freeAt}, ${now}) + excluded.${bare(freeAt)} - ${now}",
      replace: "${freeAt} + excluded.${bare(freeAt)}",
      by: "a full bucket refuses what adds and says how long",
    },
  ]),
  ...wrongIn("src/role/usage_queries.ts", "tests/flows/quota_flow_test.ts", [
    {
      name: "any caller sees what is stored below a root",
      find: "${acting.userId} = ${actorId}\n      AND ${acting.roleId} = ${roleId}",
      replace: "${acting.roleId} = ${roleId}",
      by: "a caller below a root takes an eighth of its quotas at most",
    },
  ]),
  ...wrongIn("src/role/guard/guard_queries.ts", "tests/role/properties_test.ts", [
    {
      name: "any user's roles authorize any other user",
      find: "return sql`EXISTS (SELECT 1 FROM ${acting} WHERE ${acting.userId} = ${user}\n",
      replace: "return sql`EXISTS (SELECT 1 FROM ${acting} WHERE ${user} IS NOT NULL\n",
      by: "a distributor, an installer and a customer",
      in: "tests/flows/hierarchy_flow_test.ts",
    },
    {
      name: "any path to a role gives every right on it",
      find:
        "AND ${path.ancestorId} = ${acting.roleId} AND ${path.rights} & ${acting.rights} & ${maskOf(right)})`;",
      replace: "AND ${path.ancestorId} = ${acting.roleId} AND ${acting.rights} & ${maskOf(right)})`;",
      by: "service and model agree over",
      in: "tests/role/properties_test.ts",
    },
    {
      name: "rights of another role's path count",
      find:
        "AND ${path.ancestorId} = ${acting.roleId} AND ${path.rights} & ${acting.rights} & ${maskOf(right)})`;",
      replace: "AND ${path.rights} & ${acting.rights} & ${maskOf(right)})`;",
      by: "service and model agree over",
    },
    {
      name: "a member of a role has every right on it",
      find: "\n    AND ${self.selfRights} & ${acting.rights} & ${maskOf(right)}))`;",
      replace: "\n    AND ${acting.rights} & ${maskOf(right)}))`;",
      by: "service and model agree over",
    },
    {
      name: "any role's rights on itself count for others",
      find: "sql`(${acting.roleId} = ${on} AND EXISTS (SELECT 1 FROM ${self}",
      replace: "sql`(EXISTS (SELECT 1 FROM ${self}",
      by: "service and model agree over",
    },
    {
      name: "a role's roleManagement on itself manages its members",
      find: 'OR ${holdsIndirectly(acting, "roleManagement", on)})`',
      replace: 'OR ${holds(acting, "roleManagement", on)})`',
      by: "service and model agree over",
    },
    {
      name: "a user who is not a member of a role sees it",
      find: "ON ${path.descendantId} = ${on} AND ${path.ancestorId} = ${few.roleId}",
      replace: "ON ${path.descendantId} = ${on}",
      by: "every filter and page of every listing",
      in: "tests/role/listing_test.ts",
    },
    {
      name: "a role's rights on itself are returned for every role",
      find:
        "WHERE ${direct.userId} = ${actorId} AND ${direct.roleId} = ${on} AND ${memberLives(direct)}\n      UNION",
      replace: "WHERE ${direct.userId} = ${actorId} AND ${memberLives(direct)}\n      UNION",
      by: "every filter and page of every listing",
      in: "tests/role/listing_test.ts",
    },
    {
      name: "rights that others hold are returned",
      find:
        "WHERE ${few.userId} = ${actorOf(on)} AND ${memberLives(few)}\n      UNION ALL SELECT ${path.rights} &",
      replace:
        "WHERE ${actorId} IS NOT NULL AND ${memberLives(few)}\n      UNION ALL SELECT ${path.rights} &",
      by: "every filter and page of every listing",
      in: "tests/role/listing_test.ts",
    },
    {
      name: "with many memberships, an explanation names roles above those that are seen",
      find: "role_id IN (SELECT role_id FROM guard_reached)))`;",
      replace: "role_id IN (SELECT role_id FROM guard_above)))`;",
      by: "what the caller does not see is hidden in its place",
      in: "tests/insight/explain_test.ts",
    },
    {
      name: "with many memberships, nothing is seen below more ancestors than these",
      find: "return sql`iif(${isFrom}, ${actorId}, NULL)`;",
      replace: "return sql`iif(${HAS_FEW}, ${actorId}, NULL)`;",
      by: "so are all answers to users with many memberships",
      in: "tests/role/listing_test.ts",
    },
    {
      name: "with many memberships, rights that others hold are returned",
      find: "ON ${many.userId} = ${actorId} AND ${many.roleId} = ${path.ancestorId}",
      replace: "ON ${many.roleId} = ${path.ancestorId}",
      by: "so are all answers to users with many memberships",
      in: "tests/role/listing_test.ts",
    },
    {
      name: "with many memberships, any user's roles authorize any other user",
      find: "ON ${many.userId} = ${actorId} AND ${many.roleId} = ${above.ancestorId}",
      replace: "ON ${many.roleId} = ${above.ancestorId}",
      by: "so are all answers to users with many memberships",
      in: "tests/role/listing_test.ts",
    },
    {
      name: "with many memberships, a role does not act on itself",
      find: "WHERE ${own.userId} = ${actorId} AND ${own.roleId} = ${unlessFromMemberships(on, isFrom)}",
      replace: "WHERE ${own.userId} = ${actorId} AND ${own.roleId} = NULL",
      by: "so are all answers to users with many memberships",
      in: "tests/role/listing_test.ts",
    },
  ]),
  ...wrongIn("src/role/guard/principal_queries.ts", "tests/identity/session_test.ts", [
    {
      name: "a session that has ended acts",
      find: "${sessionLives(live)}",
      replace: "${live.id} = ${sessionId}",
      by: "logging out kills every token of the session at once",
    },
  ]),
  ...wrongIn("src/role/role_queries.ts", "tests/role/properties_test.ts", [
    {
      name: "the time of a refused creation tells how much is above a hidden role",
      find: "CASE WHEN EXISTS (SELECT 1 FROM acted)\n",
      replace: "CASE WHEN true OR EXISTS (SELECT 1 FROM acted)\n",
      by: "what is above a role is not counted for a stranger",
      in: "tests/role/cost_bound_test.ts",
    },
    {
      name: "a role is created without roleManagement on the parent",
      find: '`${holds("roleManagement", ":parentId")} AND ${mayGive(":rights")}`;',
      replace: 'mayGive(":rights");',
      by: "service and model agree over",
    },
    {
      name: "a role is created that nobody can manage",
      find: "      WHEN NOT (:rights & ${maskOf(\"roleManagement\")}) THEN 'unmanaged'\n",
      replace: "",
      by: "service and model agree over",
    },
    {
      name: "a role raises its own rights",
      find: '`${holdsIndirectly("roleManagement", ":roleId")} AND ${mayGive(ADDED_SELF_RIGHTS)}`',
      replace: '`${holds("roleManagement", ":roleId")} AND ${mayGive(ADDED_SELF_RIGHTS)}`',
      by: "service and model agree over",
    },
    {
      name: "a check of one right leaves out the rights of a role on itself",
      find: 'unlessMany(someAuthorizingRole(holds(right, ":roleId")))',
      replace: 'unlessMany(someAuthorizingRole(holdsIndirectly(right, ":roleId")))',
      by: "service and model agree over",
    },
    {
      name: "a check of one right is made for a session that has ended",
      find: "AS isHeld, ${REVISION}\n    WHERE ${PRINCIPAL_LIVES}`));",
      replace: "AS isHeld, ${REVISION}\n    WHERE :sessionId IS NOT NULL AND :now IS NOT NULL`));",
      by: "logging out kills every token of the session at once",
      in: "tests/identity/session_test.ts",
    },
    {
      name: "a check of several rights is made for a session that has ended",
      find: "AS rights, ${REVISION}\n    WHERE ${PRINCIPAL_LIVES}`);",
      replace: "AS rights, ${REVISION}\n    WHERE :sessionId IS NOT NULL AND :now IS NOT NULL`);",
      by: "logging out kills every token of the session at once",
      in: "tests/identity/session_test.ts",
    },
  ]),
  ...wrongIn("src/role/password/role_password_queries.ts", "tests/role/role_password_test.ts", [
    {
      name: "a role's password is removed without proof",
      find: "WHEN ${LACKS_LASTING_PROOF} THEN 'proof_required'",
      replace: "WHEN false AND ${LACKS_LASTING_PROOF} THEN 'proof_required'",
      by: "making a key and setting or removing a role's password take a current sudo token",
      in: "tests/role/lasting_proof_test.ts",
    },
    {
      name: "a member grants roleManagement of their role through its password",
      find: 'sql`${of.selfRights} & ${acting.rights} & ~${maskOf("roleManagement")}`',
      replace: "sql`${of.selfRights} & ${acting.rights}`",
      by: "direct roleManagement alone gives away at most",
    },
    {
      name: "a member grants rights that their role does not have",
      find: 'sql`${of.selfRights} & ${acting.rights} & ~${maskOf("roleManagement")}`',
      replace: 'sql`${acting.rights} & ~${maskOf("roleManagement")}`',
      by: "direct roleManagement alone gives away at most",
    },
    {
      name: "a password carries more rights than its setter may grant",
      find: "maySet(current, sql`coalesce(${asked.rights}, 0)`, actorId)",
      replace: "maySet(current, sql`coalesce(${asked.rights}, 0) & 0`, actorId)",
      by: "which rights a password may carry is decided anew",
    },
    {
      name: "a user who may not set a role's password sets it",
      find: "${ACTOR_IS_USER} AND ${maySet(current, sql`coalesce(${asked.rights}, 0)`, actorId)})`",
      replace:
        "${ACTOR_IS_USER} AND (${asked.rights} IS NOT NULL OR ${maySet(current, sql`coalesce(${asked.rights}, 0)`, actorId)}))`",
      by: "a role that is unknown or foreign, or merely below",
    },
    {
      name: "a password outlives the rights of whoever set it",
      find: "AND ${maySet(of, 0, of.passwordSetBy)})",
      replace: "AND (${maySet(of, 0, of.passwordSetBy)}) IS NOT NULL AND ${of.passwordSetBy} IS NOT NULL)",
      by: "whoever was removed does not come back",
      in: "tests/role/password_setter_test.ts",
    },
    {
      name: "the rights of whoever uses a password stand for those of its setter",
      find: "AND ${maySet(of, rights, of.passwordSetBy)})",
      replace: "AND ${maySet(of, rights, actorId)})",
      by: "what a setter can give shrinks and grows",
      in: "tests/role/password_setter_test.ts",
    },
    {
      name: "a role's password survives the undoing of a transfer",
      find: "UPDATE role SET password_set_by = NULL WHERE ${which}`",
      replace: "UPDATE role SET password_set_by = NULL WHERE ${which} AND false`",
      by: "undoing a transfer voids the role passwords set since three days before it",
      in: "tests/email_transfer/transfer_test.ts",
    },
    {
      name: "undoing a transfer voids the role passwords of others",
      find: "password_set_by = ${user} AND password_set_at >=",
      replace: "${user} IS NOT NULL AND password_set_at >=",
      by: "undoing a transfer voids the role passwords set since three days before it",
      in: "tests/email_transfer/transfer_test.ts",
    },
    {
      name: "anybody learns of a role's password",
      find: "SELECT ${ACTOR_IS_USER} AND ${maySet(current, 0, actorId)} AS maySee",
      replace: "SELECT 1 AS maySee",
      by: "only those who may set a password learn of it",
      in: "tests/role/password_setter_test.ts",
    },
  ]),
  ...wrongIn("src/role/change/idempotency_queries.ts", "tests/role/idempotency_test.ts", [
    {
      name: "another request with a key returns the result of the first",
      find: "`WHEN guard_key.fingerprint <> :fingerprint THEN 'key_reused'\n",
      replace: "`WHEN :fingerprint = '' THEN 'key_reused'\n",
      by: "a key that comes with another path, query or body",
    },
    {
      name: "a key never expires",
      find: "      AND guard_key.expires_at > :now\n",
      replace: "      AND :now IS NOT NULL\n",
      by: "a key is free again after 24 hours",
    },
    {
      name: "a key applies to the request of another user",
      find: "ON guard_key.user_id = :actorId AND guard_key.key = :idempotencyKey",
      replace: "ON guard_key.key = :idempotencyKey",
      by: "a key belongs to its user",
    },
    {
      name: "a request repeated with its key is carried out again",
      find: "      WHEN guard_key.op_id IS NOT NULL THEN 'noop'`;",
      replace: "`;",
      by: "a creation that is repeated under its key",
    },
    {
      name: "a refused request uses up its key",
      find: 'FROM change_log WHERE ${whenEffect("grow", "write")}\n  ON CONFLICT (user_id, key)',
      replace: "FROM change_log WHERE op_id = :opId\n  ON CONFLICT (user_id, key)",
      by: "a refused request does not use its key up",
    },
  ]),
];
