import { wrongIn, type WrongStatement } from "./wrong_statement.ts";

/** Refresh tokens, and listing and ending sessions. */

export const SESSION_STATEMENTS: readonly WrongStatement[] = [
  ...wrongIn("src/identity/caller_queries.ts", "tests/every_operation/guard_order_test.ts", [
    {
      name: "a long body is read for a partial sign-in that is over",
      find: "pending.user_id = :actorId AND pending.ended_at IS NULL",
      replace: "pending.user_id = :actorId",
      by: "of two faults, each operation refuses the one that the earlier guard looks at",
    },
    {
      name: "a long body is read for a key that has ended",
      find: "AND (keyed.ends_at IS NULL OR keyed.ends_at > :now)",
      replace: "",
      by: "of two faults, each operation refuses the one that the earlier guard looks at",
    },
  ]),
  ...wrongIn("src/identity/session_queries.ts", "tests/identity/refresh_test.ts", [
    {
      name: "the refresh token of an ended session works",
      find: "family_hash = :familyHash AND ended_at IS NULL AND idle_until",
      replace: "family_hash = :familyHash AND idle_until",
      by: "logging out kills every token of the session at once",
      in: "tests/identity/session_test.ts",
    },
    {
      name: "a refresh token works after its session was idle too long",
      find: "AND idle_until > :now AND :generation",
      replace: "AND :now IS NOT NULL AND :generation",
      by: "a session ends fourteen days after its last rotation",
    },
    {
      name: "a token that was never issued refreshes",
      find: "idle_until > :now AND :generation <= generation`;",
      replace: "idle_until > :now AND :generation IS NOT NULL`;",
      by: "a generation that was never given out is refused",
    },
    {
      name: "the parent of a used token serves for ever",
      find: "(used_at IS NULL OR :now < used_at + ${OVERLAP_MS})",
      replace: "(used_at IS NULL OR :now IS NOT NULL)",
      by: "where it is not rotated, a parent serves until",
    },
    {
      name: "the parent of a used token serves a moment too long",
      find: ":now < used_at + ${OVERLAP_MS}",
      replace: ":now <= used_at + ${OVERLAP_MS}",
      by: "where it is not rotated, a parent serves until",
    },
    {
      name: "a token that was replaced rotates",
      find: "const ROTATABLE = `(${IS_CURRENT} OR (${IS_PARENT} AND (used_at",
      replace: "const ROTATABLE = `(${IS_CURRENT} OR (:generation > 0 AND (used_at",
      by: "a successor that was replaced ends its session",
    },
    {
      name: "another network gets the same successor",
      find: "(issued_to IS :network AND :now < issued_at",
      replace: "(:network IS NOT NULL AND :now < issued_at",
      by: "an unused successor is replaced at once for another network",
    },
    {
      name: "the same network gets the same successor for ever",
      find: ":now < issued_at + ${OVERLAP_MS}",
      replace: "issued_at IS NOT NULL",
      by: "a rotation after ten seconds ends the session once the successor was used",
    },
    {
      name: "the same network gets the same successor a moment too long",
      find: ":now < issued_at + ${OVERLAP_MS}",
      replace: ":now <= issued_at + ${OVERLAP_MS}",
      by: "after ten seconds an unused successor is replaced",
    },
    {
      name: "a successor that was used is replaced without an alarm",
      find: "(used_at IS NULL OR ${JUST_ISSUED})",
      replace: "(:now IS NOT NULL OR ${JUST_ISSUED})",
      by: "a rotation from another network ends the session once the successor was used",
    },
    {
      name: "a new token counts as used",
      find: "used_at = CASE WHEN ${IS_CURRENT} THEN NULL ELSE used_at END,",
      replace: "",
      by: "the use of a token is not that of its successor",
    },
    {
      name: "the ten seconds of a replacement count from the first successor",
      find: "issued_at = CASE WHEN ${ADVANCES} THEN",
      replace: "issued_at = CASE WHEN ${IS_CURRENT} THEN",
      by: "after ten seconds an unused successor is replaced",
    },
    {
      name: "a reused token leaves the session open",
      find: "UPDATE session SET ended_at = :now, ended_reason = 'refresh_token_reused'",
      replace: "UPDATE session SET ended_at = NULL, ended_reason = 'refresh_token_reused'",
      by: "a token two rotations old ends the session at once",
    },
    {
      name: "a session whose end is near gets successors",
      find: "readSession(`${IS_PARENT} AND ${HAS_SUCCESSORS}`),",
      replace: "readSession(IS_PARENT),",
      by: "a lost answer at the start of the last fourteen days",
    },
    {
      name: "a session whose end is near gets a generation that nobody has",
      find: "WHERE ${LIVE} AND ${HAS_SUCCESSORS}`),",
      replace: "WHERE ${LIVE}`),",
      by: "a session ends after ninety days",
    },
    {
      name: "a sign-in ends sessions of others",
      find: "WHERE other.user_id = ${user} AND other.ended_at IS NULL",
      replace: "WHERE other.ended_at IS NULL",
      by: "a sign-in that makes one session more than a hundred",
      in: "tests/identity/session_test.ts",
    },
    {
      name: "ended sessions count",
      find: "AND other.ended_at IS NULL AND other.id <> ${id}",
      replace: "AND other.id <> ${id}",
      by: "a sign-in that makes one session more than a hundred",
      in: "tests/identity/session_test.ts",
    },
    {
      name: "an attempt that opens no session ends one",
      find: "WHERE ${condition} AND id IN (",
      replace: "WHERE id IN (",
      by: "a sign-in that waits for its second factor ends no session",
      in: "tests/identity/session_test.ts",
    },
    {
      name: "a session whose time is up counts more than a live one",
      find: "ORDER BY other.idle_until > :now DESC, other.last_token_at DESC",
      replace: "ORDER BY other.last_token_at DESC",
      by: "sessions whose time is up end first",
      in: "tests/identity/session_test.ts",
    },
    {
      name: "the session that was used most recently ends",
      find: "other.idle_until > :now DESC, other.last_token_at DESC",
      replace: "other.idle_until > :now DESC, other.last_token_at",
      by: "a sign-in that makes one session more than a hundred",
      in: "tests/identity/session_test.ts",
    },
    {
      name: "ending other sessions ends those of all users",
      find: "WHERE user_id = :actorId AND ended_at IS NULL AND ${which}",
      replace: "WHERE ended_at IS NULL AND ${which}",
      by: "all other sessions of the user end, and only those",
      in: "tests/identity/session_test.ts",
    },
    {
      name: "a user whose session has ended ends other sessions",
      find: 'AND ended_at IS NULL AND ${which} AND ${whenResult("ok")}`),',
      replace: "AND ended_at IS NULL AND ${which}`),",
      by: "a token whose session has ended ends no other session",
      in: "tests/identity/session_test.ts",
    },
    {
      name: "ending other sessions ends the logins of all users",
      find: "UPDATE partial_login SET ended_at = :now WHERE user_id = :actorId AND ended_at IS NULL",
      replace: "UPDATE partial_login SET ended_at = :now WHERE ended_at IS NULL",
      by: "ending all other sessions ends one's own sign-ins",
      in: "tests/second_factor/second_factor_test.ts",
    },
    {
      name: "ending other sessions leaves a login that waits for its second factor",
      find: "UPDATE partial_login SET ended_at = :now WHERE user_id = :actorId AND ended_at IS NULL",
      replace: "UPDATE partial_login SET ended_at = :now WHERE user_id = :actorId AND false",
      by: "ending all other sessions ends one's own sign-ins",
      in: "tests/second_factor/second_factor_test.ts",
    },
  ]),
  ...wrongIn("src/identity/session_reads.ts", "tests/identity/session_test.ts", [
    {
      name: "sessions of other users are listed",
      find: "isActors(session.userId),",
      replace: "sql`(${isActors(session.userId)} OR true)`,",
      by: "the own live sessions are listed, newest first",
    },
    {
      name: "ended sessions are listed",
      find: "isNull(session.endedAt),",
      replace: "",
      by: "all other sessions of the user end, and only those",
    },
    {
      name: "every page of sessions is the first",
      find:
        '(${session.createdAt}, ${session.id}) < (${sql.placeholder("beforeAt")}, ${sql.placeholder("beforeId")})',
      replace: '${sql.placeholder("beforeAt")} <> ${sql.placeholder("beforeId")}',
      by: "sessions are listed in pages",
    },
  ]),
];
