import { wrongIn, type WrongStatement } from "./wrong_statement.ts";

/** Refresh tokens, and listing and ending sessions. */

export const SESSION_STATEMENTS: readonly WrongStatement[] = [
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
      name: "the predecessor of a used token refreshes for ever",
      find: "(used_at IS NULL OR :now < used_at + ${OVERLAP_MS})",
      replace: "(used_at IS NULL OR :now IS NOT NULL)",
      by: "the predecessor serves until its successor is first used",
    },
    {
      name: "the predecessor of a used token refreshes a moment too long",
      find: ":now < used_at + ${OVERLAP_MS}",
      replace: ":now <= used_at + ${OVERLAP_MS}",
      by: "the predecessor serves until its successor is first used",
    },
    {
      name: "the predecessor of a predecessor refreshes for ever",
      find: "(:generation = generation - 2 AND :now < previous_used_at + ${OVERLAP_MS})",
      replace: "(:generation = generation - 2)",
      by: "the one before the predecessor serves ten seconds",
    },
    {
      name: "a token older than its overlap leaves the session open",
      find: "  ended_at = CASE WHEN ${USABLE} THEN NULL ELSE :now END,",
      replace: "  ended_at = NULL,",
      by: "a token three rotations old ends the session at once",
    },
    {
      name: "a repeated refresh makes another generation",
      find: "generation = generation + (:generation = generation),",
      replace: "generation = generation + (:generation <= generation),",
      by: "a rotation asked for again and again gives the same successor",
    },
    {
      name: "a session whose end is near gets successors",
      find: "FROM session WHERE ${LIVE} AND ${USABLE} AND expires_at - :now >= ${IDLE_MS}`),",
      replace: "FROM session WHERE ${LIVE} AND ${USABLE}`),",
      by: "a session ends after ninety days",
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
  ]),
];
