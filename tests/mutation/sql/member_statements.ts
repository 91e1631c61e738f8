import { wrongIn, type WrongStatement } from "./wrong_statement.ts";

/** Members. */

export const MEMBER_STATEMENTS: readonly WrongStatement[] = [
  ...wrongIn("src/role/member/member_queries.ts", "tests/role/properties_test.ts", [
    {
      name: "a member is added without userManagement",
      find: 'AND (${managesMembersOf(":roleId")}) AND CASE',
      replace: "AND CASE",
      by: "service and model agree over",
    },
    {
      name: "any user removes any membership",
      find:
        "WHEN NOT (existing.user_id = :actorId OR ${someGivingRole(managesMembersOf(\":roleId\"))}) THEN 'denied'\n",
      replace: "WHEN false THEN 'denied'\n",
      by: "service and model agree over",
    },
    {
      name: "a key removes whom its maker could not",
      find: "OR ${someGivingRole(managesMembersOf(\":roleId\"))}) THEN 'denied'\n",
      replace: 'OR ${someGivingRole(managesMembersOf(":roleId"), "false")}) THEN \'denied\'\n',
      by: "a key removes members and keys as long as its maker could",
      in: "tests/flows/removed_maker_test.ts",
    },
    {
      name: "only managers of a role's members can leave it",
      find:
        "WHEN NOT (existing.user_id = :actorId OR ${someGivingRole(managesMembersOf(\":roleId\"))}) THEN 'denied'\n",
      replace: "WHEN NOT ${someGivingRole(managesMembersOf(\":roleId\"))} THEN 'denied'\n",
      by: "whoever has no right at all leaves a role",
      in: "tests/flows/membership_flow_test.ts",
    },
    {
      name: "a membership is ended through the path of another role",
      find: "ON existing.id = :relationId AND existing.role_id = :roleId\n",
      replace: "ON existing.id = :relationId\n",
      by: "a membership is ended through its own role alone",
      in: "tests/flows/membership_flow_test.ts",
    },
    {
      name: "the last member of a root role leaves",
      find: "      WHEN ${isLastKeeper(\"existing\")} THEN 'root_without_member'\n",
      replace: "",
      by: "of fifty removals of the root's two members",
      in: "tests/flows/concurrency_test.ts",
    },
    {
      name: "an account is created for a reserved address",
      find: "      WHEN subject_id IS NULL AND ${IS_RESERVED} THEN 'denied'\n",
      replace: "",
      by: "nobody gets an account by an invitation to a reserved address",
      in: "tests/email_transfer/transfer_test.ts",
    },
    {
      name: "a refusal names an account that the caller knows nothing of",
      find: "CASE WHEN decision IN ('ok', 'noop') OR member_id IS NOT NULL THEN subject_id END",
      replace: "subject_id",
      by: "refused invitations share a row, whether or not an address has an account",
      in: "tests/insight/changes_test.ts",
    },
    {
      name: "a refusal names a membership that has ended",
      find: "CASE WHEN decision = 'ok' AND ended_id IS NOT NULL THEN",
      replace: "CASE WHEN ended_id IS NOT NULL THEN",
      by: "refused invitations share a row, whether or not an address has an account",
      in: "tests/insight/changes_test.ts",
    },
    {
      name: "a caller invites any number of people",
      find: '"count")\n} >= ${INVITATIONS_PER_CALLER} THEN',
      replace: '"count")\n} IS NULL THEN',
      by: "one caller adds fifty people a day",
      in: "tests/flows/invitation_limits_test.ts",
    },
    {
      name: "one address gets any number of mails",
      find: '"count")} < ${INVITATIONS_PER_ADDRESS}`;',
      replace: '"count")} IS NOT NULL`;',
      by: "one address gets one mail a day",
      in: "tests/flows/invitation_limits_test.ts",
    },
    {
      name: "an account that has a password gets a link to set one",
      find: "AND invited.password_hash IS NULL AND ${MAY_MAIL}`,",
      replace: "AND ${MAY_MAIL}`,",
      by: "who has a password is told of a new role",
      in: "tests/flows/invitation_limits_test.ts",
    },
  ]),
];
