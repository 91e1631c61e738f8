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
      "WHEN (SELECT 1 FROM member guard_held WHERE guard_held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL OR json_array_length(:roleIds) < 2 → false",
      "json_array_length(:roleIds) < 2 → false",
      "guard_step.descendant_id = judged.role_id → true",
    ],
    reason: "These decide in how many statements a long list is judged; what is found is the same.",
  },
  {
    module: "role_queries",
    mutants: [
      "WHEN ((SELECT 1 FROM member guard_held WHERE guard_held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL OR EXISTS (SELECT 1 FROM role_closure guard_longer WHERE guard_longer.descendant_id = as… #47b2f8 → false",
      "EXISTS (SELECT 1 FROM role_closure guard_longer WHERE guard_longer.descendant_id = asked.value LIMIT 1 OFFSET (SELECT count(*) FROM member guard_shorter WHERE guard_shorter.user_id = :actorId)) → false",
      "guard_longer.descendant_id = asked.value → true",
    ],
    reason: "These choose the shorter of two lists to search; both lead to the same roles.",
  },
  {
    module: "role_queries",
    mutants: ["counter.scope = 'preview' → true", "counter.key = :payer → true"],
    reason: "no test yet: previews of a role are tried with one payer, and with no other counter of theirs",
  },
  {
    module: "session_queries",
    mutants: ["user_id >= :fromUser → true"],
    reason: "It saves time: the sessions of earlier users have been ended, and are not found again.",
  },
  {
    module: "session_queries",
    mutants: [
      "id IN (SELECT id FROM partial_login WHERE user_id >= :fromUser AND ended_at IS NULL ORDER BY user_id LIMIT 1000) → true",
    ],
    reason: "no test yet: sign-ins that had ended before all were, and more than fit into one statement",
  },
  {
    module: "administrator_session_queries",
    mutants: ["ended_at IS NULL → true"],
    reason: "no test yet: an operator's session that ends twice keeps its first end",
  },
];
