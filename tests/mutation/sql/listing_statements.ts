import { wrongIn, type WrongStatement } from "./wrong_statement.ts";

/** Listings. */

export const LISTING_STATEMENTS: readonly WrongStatement[] = [
  ...wrongIn("src/role/paging/listing_queries.ts", "tests/role/listing_test.ts", [
    {
      name: "roles are listed by id although the actor does not see them",
      find: "    WHERE rights IS NOT NULL ORDER BY id",
      replace: "    ORDER BY id",
      by: "every filter and page of every listing",
    },
    {
      name: "of several paths to a role only one gives its rights",
      find: 'THEN least ELSE ${userRights("held.id")} END',
      replace: "THEN least ELSE most END",
      by: "every filter and page of every listing",
    },
    {
      name: "roles below a role are listed although the actor does not see it",
      find: 'stretchOf(":ancestorIds", isVisible,',
      replace: 'stretchOf(":ancestorIds", () => "true",',
      by: "a role that the caller does not see leads to nothing below it",
      in: "tests/flows/listing_flow_test.ts",
    },
    {
      name: "roles are filtered by ancestors that the actor does not see",
      find: 'asked WHERE ${isVisible("asked.value")})`;',
      replace: "asked)`;",
      by: "a role that the caller does not see leads to nothing below it",
      in: "tests/flows/listing_flow_test.ts",
    },
    {
      name: "a user with many memberships finds roles of others by their names",
      find: 'CASE WHEN ${HAS_FEW} THEN true ELSE ${isVisible("listed.id")} END',
      replace: "true",
      by: "a user with many memberships finds the same",
      in: "tests/role/judging_steps_test.ts",
    },
    {
      name: "a walk over many names shows roles of others",
      find: 'WHERE ${BY_WALK} AND ${isLikePattern("candidate")} AND ${isVisibleToFew("candidate.id")}`',
      replace: 'WHERE ${BY_WALK} AND ${isLikePattern("candidate")}`',
      by: "a listing over more roles than it starts from",
    },
    {
      name: "few names with a beginning show roles of others",
      find: 'WHERE ${ARE_FEW_NAMED} AND ${isLikePattern("candidate")} AND ${isVisibleToFew("candidate.id")}',
      replace: 'WHERE ${ARE_FEW_NAMED} AND ${isLikePattern("candidate")}',
      by: "a prefix finds the same among thousands of roles",
      in: "tests/role/listing_by_name_test.ts",
    },
    {
      name: "a walk over many names with a beginning shows roles of others",
      find: '${HORIZON}) AND ${isLikePattern("candidate")} AND ${isVisibleToFew("candidate.id")}`',
      replace: '${HORIZON}) AND ${isLikePattern("candidate")}`',
      by: "a prefix finds the same among thousands of roles",
      in: "tests/role/listing_by_name_test.ts",
    },
    {
      name: "members are listed for a user who only sees their role",
      find: "  readable: (role) => someRoleAbove(role, managesMembersOf(role)),",
      replace: "  readable: isVisible,",
      by: "whoever only sees a role is shown none of its members",
      in: "tests/flows/listing_flow_test.ts",
    },
    {
      name: "the relations that enter a role are listed for a user who only sees it",
      find: '  readable: (role) => someRoleAbove(role, holds("roleManagement", role)),',
      replace: "  readable: isVisible,",
      by: "every filter and page of every listing",
    },
    {
      name: "memberships of others count as one's own",
      find: "FROM member candidate WHERE candidate.user_id = :actorId AND candidate.id > :afterId",
      replace: "FROM member candidate WHERE :actorId IS NOT NULL AND candidate.id > :afterId",
      by: "every filter and page of every listing",
    },
  ]),
  ...wrongIn("src/role/summary_queries.ts", "tests/role/summary_test.ts", [
    {
      name: "roles are summarized that the actor does not see",
      find: "WHERE ${summarized.id} IN (SELECT role_id FROM seen)) AS summaries",
      replace: "WHERE true) AS summaries",
      by: "a summary counts the parents that the caller sees",
    },
    {
      name: "parents are counted that the actor does not see",
      find: "WHERE above.parent_id IN (SELECT role_id FROM seen)),",
      replace: "WHERE true),",
      by: "a summary counts the parents that the caller sees",
    },
  ]),
  ...wrongIn("src/role/paging/role_owned_queries.ts", "tests/role/listing_test.ts", [
    {
      name: "rows are listed by role although the actor may not read them",
      find: "stretchOf(list, rows.readable,",
      replace: 'stretchOf(list, () => "true",',
      by: "every filter and page of every listing",
    },
    {
      name: "rows are listed by id although the actor may not read them",
      find: 'WHERE ${rows.readable("judged.role_id")})`',
      replace: "WHERE true)`",
      by: "every filter and page of every listing",
    },
    {
      name: "rows of all visible roles are listed, even those that the actor may not read",
      find: 'AND ${rows.filter} AND ${rows.readable("reach.role_id")}\n',
      replace: "AND ${rows.filter}\n",
      by: "every filter and page of every listing",
    },
  ]),
  ...wrongIn("src/role/paging/page_queries.ts", "tests/flows/listing_flow_test.ts", [
    {
      name: "rows of a list of roles are those of roles that the actor may not read, too",
      find: 'asked WHERE ${readable("asked.value")})`,',
      replace: "asked)`,",
      by: "a role that the caller does not see leads to nothing below it",
    },
  ]),
  ...wrongIn("src/device/device_listing_queries.ts", "tests/role/listing_test.ts", [
    {
      name: "devices are listed although the actor may not read them",
      find: 'isWatchedBy("value IS NOT NULL", "asked_device.key", filter)',
      replace: '"true"',
      by: "every filter and page of every listing",
    },
    {
      name: "a walk over many devices shows those of others",
      find: "  none: BY_REACH,\n};",
      replace: '  none: "true",\n};',
      by: "a listing over many ",
      in: "tests/device/listing_test.ts",
    },
    {
      name: "devices are listed by a role that the actor does not see",
      find: 'stretchOf(":roleIds", isVisible,',
      replace: 'stretchOf(":roleIds", () => "true",',
      by: "a role that the caller does not see leads to no device",
      in: "tests/device/listing_test.ts",
    },
    {
      name: "devices are filtered by roles that the actor does not see",
      find: "AND +watching.role_id IN (SELECT role_id FROM held WHERE ${condition}) AND ${filter})`;",
      replace: "AND ${filter} AND ${condition.length} > 0)`;",
      by: "a role that the caller does not see leads to no device",
      in: "tests/device/listing_test.ts",
    },
    {
      name: "monitors relations are listed although the actor does not see their role",
      find: "  readable: isVisible,",
      replace: '  readable: () => "true",',
      by: "every filter and page of every listing",
    },
  ]),
];
