import { wrongIn, type WrongStatement } from "./wrong_statement.ts";

/** Keys of roles. */

/** What keys give once their makers have left. */
const REMOVED = "tests/flows/removed_maker_test.ts";

export const KEY_STATEMENTS: readonly WrongStatement[] = [
  ...wrongIn("src/role/key/key_queries.ts", "tests/role/key_test.ts", [
    {
      name: "anybody makes a key of any role",
      find: " AND (${MANAGES_MEMBERS})\n",
      replace: "\n",
      by: "only those who manage the members of a role make, see and delete its keys",
    },
    {
      name: "a key makes keys",
      find: " AND ${ACTOR_IS_USER}",
      replace: "",
      by: "a key makes no keys, adds no members and sets no passwords, whatever its rights",
    },
    {
      name: "a membership that has ended makes keys",
      find: 'AND ${memberLives("acting")} AND ${ACTOR_IS_USER}',
      replace: "AND ${ACTOR_IS_USER}",
      by: "a membership that has ended makes no keys",
    },
    {
      name: "a key has more rights than its maker",
      find: 'AND ${mayGive("coalesce(:rights, 0)")} ',
      replace: "",
      by: "a key is made within one membership of its maker",
    },
    {
      name: "a key outlasts the membership within which it is made",
      find: 'AND (:expiresAt IS NULL OR ${mayGiveUntil("0", ":expiresAt")})',
      replace: "",
      by: "a key is made within one membership of its maker",
    },
    {
      name: "a key without an end of its own outlasts the membership",
      find: "min(:defaultExpiresAt, coalesce(bound.ends_at, :defaultExpiresAt))",
      replace: ":defaultExpiresAt",
      by: "a key is made within one membership of its maker",
    },
    {
      name: "a role has any number of keys",
      find: "WHEN ${LIVE_KEYS} >= ${LIVE_KEYS_PER_ROLE}",
      replace: "WHEN ${LIVE_KEYS} IS NULL",
      by: "a role has at most 100 live keys",
    },
    {
      name: "keys that have ended count",
      find: 'ON living.id = counted.id AND ${memberLives("living")}',
      replace: "ON living.id = counted.id",
      by: "a role has at most 100 live keys",
    },
    {
      name: "the keys of all roles count together",
      find: "WHERE counted.role_id = :roleId LIMIT",
      replace: "LIMIT",
      by: "a role has at most 100 live keys",
    },
    {
      name: "a key deletes keys that its maker could not",
      find: "`(${someGivingRole(MANAGES_MEMBERS)} OR",
      replace: "`(${someAuthorizingRole(MANAGES_MEMBERS)} OR",
      by: "a key removes members and keys as long as its maker could",
      in: "tests/flows/removed_maker_test.ts",
    },
    {
      name: "makers delete their keys after they have left",
      find: 'existing.created_by = :actorId AND ${isOneVisible(":roleId")}',
      replace: "existing.created_by = :actorId",
      by: "a key removes members and keys as long as its maker could",
      in: "tests/flows/removed_maker_test.ts",
    },
    {
      name: "a key is deleted through the path of another role",
      find: "ON existing.id = :keyId AND existing.role_id = :roleId",
      replace: "ON existing.id = :keyId",
      by: "only those who manage the members of a role make, see and delete its keys",
    },
    {
      name: "anybody deletes any key",
      find: "WHEN ended.id IS NULL OR NOT ${isAllowed} THEN",
      replace: "WHEN ended.id IS NULL THEN",
      by: "only those who manage the members of a role make, see and delete its keys",
    },
    {
      name: "a key that has ended is deleted",
      find: 'ON ended.id = existing.id AND ${memberLives("ended")}',
      replace: "ON ended.id = existing.id",
      by: "a key ends by itself, and is then as absent",
    },
    {
      name: "anybody sees the keys of a role",
      find: "AND candidate.id > :afterId AND ${isReadable}",
      replace: "AND candidate.id > :afterId",
      by: "only those who manage the members of a role make, see and delete its keys",
    },
    {
      name: "keys that have ended are listed",
      find: 'ON living.id = candidate.id AND ${memberLives("living")}',
      replace: "ON living.id = candidate.id AND :now IS NOT NULL",
      by: "a key ends by itself, and is then as absent",
    },
    {
      name: "every page of keys is the first",
      find: " AND candidate.id > :afterId AND ${isReadable}",
      replace: " AND :afterId IS NOT NULL AND ${isReadable}",
      by: "a role has at most 100 live keys",
    },
    {
      name: "a late note of an earlier use turns the latest back",
      find: " AND coalesce(last_used_at, 0) < :hour",
      replace: "",
      by: "the hour of a key's latest use",
    },
    {
      name: "a key is made without proof",
      find: "lacksProof: `NOT :isPreview AND ${LACKS_LASTING_PROOF}`",
      replace: "lacksProof: `false AND NOT :isPreview AND ${LACKS_LASTING_PROOF}`",
      by: "making a key and setting or removing a role's password take a current sudo token",
      in: "tests/role/lasting_proof_test.ts",
    },
    {
      name: "a preview of a key needs proof",
      find: "lacksProof: `NOT :isPreview AND ",
      replace: "lacksProof: `:isPreview IS NOT NULL AND ",
      by: "a key is previewed without proof, and not made so",
      in: "tests/role/lasting_proof_test.ts",
    },
  ]),
  ...wrongIn("src/role/key/made_key_queries.ts", "tests/account/own_keys_test.ts", [
    {
      name: "undoing a transfer deletes keys of any age",
      find: " AND suspect.created_at >= ${since}",
      replace: "",
      by: "undoing a transfer deletes the keys",
      in: "tests/email_transfer/transfer_test.ts",
    },
    {
      name: "undoing a transfer deletes everybody's keys",
      find: "suspect.created_by = ${user} AND",
      replace: "",
      by: "undoing a transfer deletes the keys",
      in: "tests/email_transfer/transfer_test.ts",
    },
    {
      name: "a maker deletes keys that they may not delete any more",
      find: " AND ${isPermitted} AND ${isAllowed}`",
      replace: " AND ${isPermitted}`",
      by: "it ends the keys that their maker made and may delete now, and no others",
    },
    {
      name: "keys of others are deleted, too",
      find: "next.created_by = :makerId",
      replace: "next.created_by IS NOT :makerId - :makerId",
      by: "it ends the keys that their maker made and may delete now, and no others",
    },
  ]),
  ...wrongIn("src/role/made_notice_queries.ts", "tests/role/lasting_proof_test.ts", [
    {
      name: "a refused attempt is mailed",
      find: 'WHERE ${whenEffect("write")})',
      replace: "WHERE op_id = :opId)",
      by: "a mail tells the maker of a key, and the setter of a role's password",
    },
    {
      name: "any number of mails is sent",
      find: "\n      AND ${withinBudgets(BUDGETS)}",
      replace: "",
      by: "twenty such mails go to an account in a day",
    },
  ]),
  ...wrongIn("src/role/guard/principal_queries.ts", "tests/role/key_test.ts", [
    {
      name: "proof from before a change of the account's security counts",
      find: " AND ${proven.securityVersion} = ${sudoVersion}",
      replace: " AND ${sudoVersion} IS NOT NULL",
      by: "a change of the account's security voids the proof at once",
      in: "tests/role/lasting_proof_test.ts",
    },
    {
      name: "a key is asked for proof",
      find: "(${ACTOR_IS_USER} AND NOT EXISTS (SELECT 1 FROM ${proven}",
      replace: "(NOT EXISTS (SELECT 1 FROM ${proven}",
      by: "a key does none of this, with or without a sudo token of its maker",
      in: "tests/role/lasting_proof_test.ts",
    },
    {
      name: "a key acts with another secret",
      find: " AND ${key.secretMac} = ${sessionId}",
      replace: " AND ${sessionId} IS NOT NULL",
      by: "a key is refused in every form that is not its own",
    },
    {
      name: "a key acts after its end",
      find:
        "WHERE ${key.id} = -${actorId} AND ${key.secretMac} = ${sessionId} AND ${\n  memberLives(keyed)\n}))`",
      replace: "WHERE ${key.id} = -${actorId} AND ${key.secretMac} = ${sessionId}))`",
      by: "a key ends by itself, and is then as absent",
    },
    {
      name: "no membership ends",
      find: "(${endsAt} IS NULL OR ${endsAt} > ${now})",
      replace: "(${endsAt} IS NULL OR ${now} IS NOT NULL)",
      by: "a key ends by itself, and is then as absent",
    },
  ]),
  ...wrongIn("src/role/key/payer_queries.ts", "tests/role/payer_test.ts", [
    {
      name: "a key counts to a maker who has left",
      find: "AND ${making.roleId} = above.role_id AND ",
      replace: "AND ",
      by: "a key counts to its maker while they are a member of its role, then to the root above",
    },
    {
      name: "a key counts to a maker whose membership has ended",
      find: "AND ${making.roleId} = above.role_id AND ${memberLives(making)})",
      replace: "AND ${making.roleId} = above.role_id)",
      by: "a key of a maker whose membership has ended counts to the least of the roots above",
    },
    {
      name: "a key counts to a maker who is a member elsewhere",
      find: "WHERE ${path.descendantId} = ${asking.roleId} AND ${path.ancestorId} = few.role_id",
      replace: "WHERE ${path.descendantId} = ${asking.roleId}",
      by: "a key counts to its maker while they are a member of its role, then to the root above",
    },
    {
      name: "a key counts to a maker whose membership above has ended",
      find: "${first.userId} = ${asking.createdBy} AND ${memberLives(first)} LIMIT",
      replace: "${first.userId} = ${asking.createdBy} LIMIT",
      by: "a key of a maker whose membership has ended counts to the least of the roots above",
    },
    {
      name: "a key counts to any member of its role",
      find: "ON ${making.userId} = ${asking.createdBy}\n        AND ${making.roleId}",
      replace: "ON ${making.userId} > 0\n        AND ${making.roleId}",
      by: "a key counts to its maker while they are a member of its role, then to the root above",
    },
    {
      name: "a key counts to a role that is no root",
      find: "ON ${root.id} = above.role_id AND ${root.isRoot}",
      replace: "ON ${root.id} = above.role_id",
      by: "a key of a maker whose membership has ended counts to the least of the roots above",
    },
    {
      name: "a key counts to a root that was let in above with less than roleManagement",
      find: 'WHERE above.rights & ${maskOf("roleManagement")} ORDER BY',
      replace: "WHERE above.rights >= 0 ORDER BY",
      by: "a key does not count to a root that manages its role without roleManagement",
    },
    {
      name: "a key of a root counts to a root above it",
      find: "ORDER BY above.is_above, ${root.id} LIMIT 1",
      replace: "ORDER BY ${root.id} LIMIT 1",
      by: "a key does not count to a root that manages its role without roleManagement",
    },
  ]),
  ...wrongIn("src/role/guard/guard_queries.ts", REMOVED, [
    {
      name: "a key gives what its maker could not",
      find: "AND ${made.createdBy} IS NOT NULL AND (${gives})) ${giver}",
      replace: "AND ${made.createdBy} IS NOT NULL AND (${gives}) AND ${actorId} > 0) ${giver}",
      by: "a key makes and widens relations as long as its maker could, too",
    },
    {
      name: "what gives nothing needs the maker of the key",
      find: "AND ${made.createdBy} IS NOT NULL AND (${gives})) ${giver}",
      replace: "AND ${made.createdBy} IS NOT NULL) ${giver}",
      by: "a key makes and widens relations as long as its maker could, too",
    },
    {
      name: "a key without a maker gives nothing",
      find: "AND ${made.createdBy} IS NOT NULL AND (${gives})) ${giver}",
      replace: "AND (${gives})) ${giver}",
      by: "a key that an administrator's task made has no maker, and gives what it may",
    },
    {
      name: "only the maker of a key has to be able to give",
      find: "SELECT ${actorId} AS id UNION ALL\n      SELECT ${made.createdBy}",
      replace: "SELECT ${actorId} AS id WHERE ${actorId} > 0 UNION ALL\n      SELECT ${made.createdBy}",
      by: "a key makes and widens relations as long as its maker could, too",
    },
  ]),
  ...wrongIn("src/role/manages/manages_queries.ts", REMOVED, [
    {
      name: "a key ends a relation that was made by a password, whatever its maker could",
      find: 'someGivingRole((acting) => holdsDirectly(acting, "roleManagement", child))',
      replace: 'someAuthorizingRole((acting) => holdsDirectly(acting, "roleManagement", child))',
      by: "a key ends the relation of those who let its role in by a password only as its maker could",
    },
    {
      name: "a relation without a right is nothing given",
      find: "sql`(${existing.id} IS NULL OR ${addedTo(existing)})`",
      replace: "addedTo(existing)",
      by: "a key makes and widens relations as long as its maker could, too",
    },
  ]),
  ...wrongIn("src/role/role_queries.ts", REMOVED, [
    {
      name: "a key narrows the rights of a role on itself, whatever its maker could",
      find: '":selfRights <> current.self_rights",',
      replace: "ADDED_SELF_RIGHTS,",
      by: "a key changes a role's own rights and attaches devices as long as its maker could, too",
    },
    {
      name: "a key changes the rights of a role on itself, whatever its maker could",
      find: '":selfRights <> current.self_rights",',
      replace: '"false",',
      by: "a key changes a role's own rights and attaches devices as long as its maker could, too",
    },
  ]),
  ...wrongIn("src/device/monitors_queries.ts", REMOVED, [
    {
      name: "a key attaches devices, whatever its maker could",
      find: '":roleId", "existing.id IS NULL")',
      replace: '":roleId", "false")',
      by: "a key changes a role's own rights and attaches devices as long as its maker could, too",
    },
  ]),
  ...wrongIn("src/role/manages/password_relation_queries.ts", REMOVED, [
    {
      name: "a key uses passwords of roles",
      find: "SELECT ${ACTOR_IS_USER} AND ${MANAGES_PARENT}",
      replace: "SELECT ${MANAGES_PARENT}",
      by: "a key uses no password of a role: nothing is compared, and nothing counted",
    },
  ]),
  ...wrongIn("src/role/change/change_queries.ts", "tests/role/payer_test.ts", [
    {
      name: "refusals of different keys share a row",
      find: "|| ' ' || ${actorId} || ' ' || kind",
      replace: "|| ' ' || (${actorId} IS NULL) || ' ' || kind",
      by: "equal refusals of a maker's keys keep their actors, and share the rows of one minute",
    },
    {
      name: "each key has rows of its own in a minute",
      find: "sql`${payer} || ' ' || (${now} / ${MINUTE_MS})`",
      replace: "sql`coalesce(${actorId}, ${payer}) || ' ' || (${now} / ${MINUTE_MS})`",
      by: "equal refusals of a maker's keys keep their actors, and share the rows of one minute",
    },
  ]),
  ...wrongIn("src/role/member/member_queries.ts", REMOVED, [
    {
      name: "keys of other makers are named with a removed member",
      find: "WHERE latest.created_by = change_log.subject_id ORDER BY",
      replace: "WHERE latest.created_by > 0 ORDER BY",
      by: "removing a member names the keys that they made and that stay",
    },
    {
      name: "keys of roles elsewhere are named with a removed member",
      find: "WHERE below.descendant_id = made.role_id AND below.ancestor_id = :roleId))",
      replace: "WHERE :roleId IS NOT NULL))",
      by: "removing a member names the keys that they made and that stay",
    },
    {
      name: "keys are named to those who do not manage the members of their roles",
      find: 'AND EXISTS (SELECT 1 FROM authorizing acting WHERE ${managesMembersOf("made.role_id")})',
      replace: "AND EXISTS (SELECT 1 FROM authorizing)",
      by: "removing a member names the keys that they made and that stay",
    },
    {
      name: "keys that have ended are named with a removed member",
      find: 'ON living.id = made.id AND ${memberLives("living")}',
      replace: "ON living.id = made.id",
      by: "removing a member names the keys that they made and that stay",
    },
    {
      name: "keys are named to a member who leaves",
      find: "WHEN decision = 'ok' AND subject_id <> actor_id THEN",
      replace: "WHEN decision = 'ok' THEN",
      by: "removing a member names the keys that they made and that stay",
    },
    {
      name: "many keys elsewhere hide those that stay",
      find: "THEN ${SCANNED_KEYS} ELSE 0 END) IS NOT NULL)`;",
      replace: "THEN 1000 * ${SCANNED_KEYS} ELSE 0 END) IS NOT NULL)`;",
      by: "many keys elsewhere hide no key of a role from which its maker is removed",
    },
    {
      name: "keys of the role itself are not searched",
      find: "searched(role_id) AS (SELECT :roleId UNION ALL SELECT * FROM (",
      replace: "searched(role_id) AS (SELECT * FROM (",
      by: "many keys elsewhere hide no key of a role from which its maker is removed",
    },
    {
      name: "keys of roles below are not searched",
      find: "SELECT descendant_id FROM role_closure WHERE ancestor_id = :roleId LIMIT ${SEARCHED_ROLES})),",
      replace:
        "SELECT descendant_id FROM role_closure WHERE ancestor_id = -:roleId LIMIT ${SEARCHED_ROLES})),",
      by: "many keys elsewhere hide no key of a role from which its maker is removed",
    },
    {
      name: "keys of the role that others made are named with a removed member",
      find: "WHERE kept.created_by = change_log.subject_id)",
      replace: ")",
      by: "removing a member names the keys that they made and that stay",
    },
  ]),
];
