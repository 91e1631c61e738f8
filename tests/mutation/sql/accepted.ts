/** Mutants that may survive, by the names that `deno task mutate:sql` prints. */
export interface Acceptance {
  readonly module: string;
  readonly mutants: readonly string[];
  /** Why no test can or should notice; or "no test yet: …", which is a gap to fill. */
  readonly reason: string;
}

export const ACCEPTED: readonly Acceptance[] = [
  {
    module: "role_queries",
    mutants: [
      "WHEN (SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL OR json_array_length(:roleIds) < 2 → false",
      "json_array_length(:roleIds) < 2 → false",
      "step.descendant_id = judged.role_id → true",
    ],
    reason: "These decide in how many statements a long list is judged; what is found is the same.",
  },
  {
    module: "role_queries",
    mutants: [
      "WHEN ((SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL OR EXISTS (SELECT 1 FROM role_closure longer WHERE longer.descendant_id = asked.value LIMIT 1 OFFSET… #5eaafd → false",
      "EXISTS (SELECT 1 FROM role_closure longer WHERE longer.descendant_id = asked.value LIMIT 1 OFFSET (SELECT count(*) FROM member shorter WHERE shorter.user_id = :actorId)) → false",
      "longer.descendant_id = asked.value → true",
    ],
    reason: "These choose the shorter of two lists to search; both lead to the same roles.",
  },
  {
    module: "session_queries",
    mutants: ["open.user_id >= :fromUser → true"],
    reason: "It saves time: the sessions of earlier users have been ended, and are not found again.",
  },
  {
    module: "session_queries",
    mutants: [
      "partial_login.id IN (SELECT open.id FROM partial_login open WHERE open.user_id >= :fromUser AND open.ended_at IS NULL ORDER BY open.user_id LIMIT 1000) → true",
    ],
    reason: "no test yet: sign-ins that had ended before all were, and more than fit into one statement",
  },
];
