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
      "WHEN ((SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL OR EXISTS (SELECT 1 FROM role_closure longer WHERE longer.descendant_id = requested.value LIMIT 1 OF… #34c340 → false",
      "EXISTS (SELECT 1 FROM role_closure longer WHERE longer.descendant_id = requested.value LIMIT 1 OFFSET (SELECT count(*) FROM member shorter WHERE shorter.user_id = :actorId)) → false",
      "longer.descendant_id = requested.value → true",
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
      "partial_login.id IN (SELECT open.id AS id FROM partial_login open WHERE (open.user_id >= :fromUser AND open.ended_at IS NULL) ORDER BY open.user_id LIMIT 1000) → true",
    ],
    reason: "no test yet: sign-ins that had ended before all were, and more than fit into one statement",
  },
  {
    module: "device_queries",
    mutants: [
      "json_patch(replace(device.properties, '\\u0000', '\\n' || CAST(x'F7BFBFBF' AS TEXT)), replace(:numbers, '\\u0000', '\\n' || CAST(x'F7BFBFBF' AS TEXT))) = replace(device.properties, '\\u0000', '\\n… #d56f19 → true",
    ],
    reason: "The file's SQLite reads decimals exactly. The condition is for the older ones of servers.",
  },
  {
    module: "key_queries",
    mutants: [
      "WHEN decision = 'ok' → false",
      "role_closure.ancestor_id = :roleId → true",
    ],
    reason:
      "no test yet: what previews of the administrator's keys cost, with other counters and other roles",
  },
  {
    module: "demand_queries",
    mutants: [
      "moved_by.step <> 'none' → true",
      "moved_by.kind LIKE 'device.%' → false",
      "moved_by.kind LIKE 'monitors.%' → false",
    ],
    reason:
      "no test yet: a change of a demand or of keys that is made only with the effect that was seen, after other kinds of changes",
  },
  {
    module: "made_key_queries",
    mutants: [
      "(SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL → false",
      "EXISTS (SELECT 1 FROM role_closure longer WHERE longer.descendant_id = made.role_id LIMIT 1 OFFSET (SELECT count(*) FROM member shorter WHERE shorter.user_id = :actorId)) → false",
      "WHEN ((SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL OR EXISTS (SELECT 1 FROM role_closure longer WHERE longer.descendant_id = made.role_id LIMIT 1 OFFSE… #0f81f0 → false",
      "held.user_id = :actorId → true",
      "longer.descendant_id = made.role_id → true",
      "shorter.user_id = :actorId → true",
    ],
    reason: "These choose the shorter of two lists to search; both lead to the same roles.",
  },
  {
    module: "made_key_queries",
    mutants: [
      "(keyed.ends_at IS NULL OR keyed.ends_at > :now) → true",
      ":actorId > 0 → true",
      "EXISTS (SELECT 1 FROM role_key key CROSS JOIN member keyed ON keyed.id = key.id WHERE key.id = -:actorId AND key.secret_mac = :sessionId AND (keyed.ends_at IS NULL OR keyed.ends_at > :now)) → false",
      "key.id = -:actorId → true",
      "key.secret_mac = :sessionId → true",
      "keyed.ends_at > :now → false",
      "keyed.ends_at IS NULL → false",
      "keyed.id = key.id → true",
    ],
    reason:
      "Keys end no keys of their maker: the operation takes tokens of users alone, whose ids are positive.",
  },
  {
    module: "made_key_queries",
    mutants: [
      "acting.ended_at IS NULL → true",
      "acting.id = :sessionId → true",
      "acting.idle_until > :now → true",
    ],
    reason:
      "no test yet: the list of one's own keys for a session that ended; most of its tests were not run",
  },
  {
    module: "member_queries",
    mutants: [
      "change_log.old_rights IS NULL → true",
    ],
    reason: "no test yet: a preview that changes a member is no invitation",
  },
  {
    module: "member_queries",
    mutants: [
      "role_closure.ancestor_id = :roleId → true",
    ],
    reason: "no test yet: the cost of a member's preview in a hierarchy with another root",
  },
  {
    module: "password_relation_queries",
    mutants: [
      "EXISTS (SELECT 1 FROM change_log WHERE change_log.op_id = :attemptId AND change_log.step = 'compare') → true",
      "WHEN 'ok' → NULL",
    ],
    reason: "no test yet: an attempt whose password was compared, decided twice",
  },
  {
    module: "purge_queries",
    mutants: [
      "(rate_bucket.user_id) IN ( SELECT past.user_id FROM rate_bucket past WHERE past.at <= :now - 86400000 AND true LIMIT 500) → true",
      "WHERE (member_history.member_id, member_history.to_rev) IN ( SELECT past.member_id, past.to_rev FROM member_history past WHERE past.to_rev < 9007199254740991 AND past.to_rev <= (SELECT CAST(… #e960ce → false",
      "WHERE (role_history.role_id, role_history.to_rev) IN ( SELECT past.role_id, past.to_rev FROM role_history past WHERE past.to_rev < 9007199254740991 AND past.to_rev <= (SELECT CAST(setting.va… #05d6f0 → false",
      "past.delivered_at IS NOT NULL → false",
      "past.dropped_at IS NOT NULL → false",
      "role_key.id IN (SELECT due.id AS id FROM member due WHERE due.ends_at <= :now ORDER BY due.ends_at, due.id LIMIT 500) → true",
      "past.devices = 0 → true",
      "past.roles = 0 → true",
      "setting.name = 'history_from' → true",
      "past.to_rev < 9007199254740991 → true",
    ],
    reason: "no test yet: a purge where rows of other owners and states are beside those that go",
  },
  {
    module: "purge_queries",
    mutants: [
      "begun.user_id = past.id → true",
      "member.user_id = past.id → true",
      "one_time_code.ended_at IS NULL → true",
      "one_time_code.expires_at > :now → true",
      "one_time_code.user_id = past.id → true",
      "password_link.ended_at IS NULL → true",
      "password_link.expires_at > :now → true",
      "password_link.user_id = past.id → true",
      "second_factor.user_id = past.id → true",
    ],
    reason:
      "no test yet: an unopened account beside one that is in use; without them, more accounts stay than have to",
  },
  {
    module: "transfer_queries",
    mutants: [
      "(SELECT crowd.at / 60000 = :now / 60000 FROM security_event crowd WHERE crowd.user_id = decided.user_id ORDER BY crowd.id DESC LIMIT 1 OFFSET 59) → true",
      "(result = 'ok' AND (SELECT crowd.at / 60000 = :now / 60000 FROM security_event crowd WHERE crowd.user_id = decided.user_id ORDER BY crowd.id DESC LIMIT 1 OFFSET 59)) → false",
      "crowd.user_id = decided.user_id → true",
      "result = 'ok' → true",
    ],
    reason: "A minute never has sixty successes: an hour has three codes, and each has five guesses.",
  },
  {
    module: "transfer_queries",
    mutants: [
      "acting.user_id = :actorId → true",
    ],
    reason: "A token is signed with the session and its user, and a session never changes its user.",
  },
  {
    module: "transfer_queries",
    mutants: [
      "code.purpose = 'email_transfer' → true",
      "mailed.purpose = 'email_transfer' → true",
      "one_time_code.purpose = 'email_transfer' → true",
    ],
    reason: "The subject of a transfer's code is a user's id, which no other purpose has as its subject.",
  },
  {
    module: "undo_queries",
    mutants: [
      "EXISTS (SELECT 1 FROM change_log deleted WHERE deleted.op_id = :opId || ' ' || made.id) → true",
      "deleted.op_id = :opId || ' ' || made.id → true",
    ],
    reason: "An undo deletes all keys that it selects, so each one has its row of the log.",
  },
  {
    module: "undo_queries",
    mutants: [
      "NOT EXISTS (SELECT 1 FROM user_account holder WHERE holder.email = undo_link.email) → true",
    ],
    reason: "The former address is reserved, and no other account can take it while the link lives.",
  },
  {
    module: "undo_queries",
    mutants: [
      "WHERE reserved_email.email = (SELECT user_account.email AS email FROM user_account WHERE user_account.id = (SELECT changed.user_id FROM security_event changed WHERE changed.op_id = :opId AND… #143000 → false",
    ],
    reason: "no test yet: the reservation that an undone transfer leaves",
  },
  {
    module: "undo_queries",
    mutants: [
      "changed.result = 'ok' → true",
    ],
    reason: "The event of an undo has no other result than ok.",
  },
  {
    module: "verification_queries",
    mutants: [
      "(SELECT coalesce(max(change_log.rev), 0) AS revision FROM change_log) = :revision → true",
      "value ->> 2 IS NULL → true",
    ],
    reason: "no test yet: a change between two parts of a check of the closure",
  },
  {
    module: "search_queries",
    mutants: [
      "(acting_side.role_id = directed.role_id AND EXISTS (SELECT 1 FROM role self WHERE self.id = directed.role_id AND self.self_rights & acting_side.rights & 8)) → false",
      "EXISTS (SELECT 1 FROM role self WHERE self.id = directed.role_id AND self.self_rights & acting_side.rights & 8) → true",
      "EXISTS (SELECT 1 FROM role_closure path WHERE path.descendant_id = directed.role_id AND path.ancestor_id = acting_side.role_id AND path.rights & acting_side.rights & 9) → false",
      "path.rights & acting_side.rights & 9 → acting_side.rights & 9",
      "path.rights & acting_side.rights & 9 → path.rights & 9",
      "path.rights & acting_side.rights & 9 → path.rights & acting_side.rights",
      "path.rights & acting_side.rights & 9 → true",
      "self.self_rights & acting_side.rights & 8 → acting_side.rights & 8",
      "self.self_rights & acting_side.rights & 8 → self.self_rights & 8",
      "self.self_rights & acting_side.rights & 8 → self.self_rights & acting_side.rights",
      "self.self_rights & acting_side.rights & 8 → true",
    ],
    reason:
      "Whether devices are managed is a bit of `held` that only decisions read; searches read the other one.",
  },
  {
    module: "explain_queries",
    mutants: [
      ":right & ~relation.rights → :right",
      "relation.id = lost.value → true",
    ],
    reason: "Ids that were not asked for are ignored, and a relation that is asked about lacks the right.",
  },
  {
    module: "made_key_queries",
    mutants: [
      "given.ends_at IS NULL → false",
      ":actorId > 0 → :actorId >= 0",
    ],
    reason: "Ids of accounts begin at 1, and every key has an end.",
  },
  {
    module: "device_listing_queries",
    mutants: [
      "EXISTS (SELECT 1 FROM role_closure longer WHERE longer.descendant_id = judged.role_id LIMIT 1 OFFSET (SELECT count(*) FROM member shorter WHERE shorter.user_id = :actorId)) → false",
    ],
    reason: "These choose the shorter of two lists to search; both lead to the same roles.",
  },
  {
    module: "role_listing_queries",
    mutants: [
      "EXISTS (SELECT 1 FROM role_closure longer WHERE longer.descendant_id = role.id LIMIT 1 OFFSET (SELECT count(*) FROM member shorter WHERE shorter.user_id = :actorId)) → false",
      "longer.descendant_id = listed.id → true",
    ],
    reason: "These choose the shorter of two lists to search; both lead to the same roles.",
  },
  {
    module: "neighbourhood_queries",
    mutants: [
      "longer.descendant_id = role.id → true",
    ],
    reason: "These choose the shorter of two lists to search; both lead to the same roles.",
  },
  {
    module: "roles_queries",
    mutants: [
      "longer.descendant_id = candidate.role_id → true",
    ],
    reason: "These choose the shorter of two lists to search; both lead to the same roles.",
  },
  {
    module: "delivery_queries",
    mutants: ["outbox.next_attempt_at <= :now → true"],
    reason: "It only tells whether to claim mails. The claim compares the time again.",
  },
  {
    module: "own_password_queries",
    mutants: [
      "WHEN (iif(throttle.expires_at <= :now, 1, throttle.count + 1)) <= 1 → false",
    ],
    reason: "The next entry of the schedule has the same wait.",
  },
  {
    module: "device_listing_queries",
    mutants: ["own.role_id = reach.role_id → true"],
    reason: "`reach` has only roles that the actor reaches.",
  },
  {
    module: "queries",
    mutants: ["kept.user_id = decided.user_id → true"],
    reason: "The statement that decides compares the user of a matching code again.",
  },
  {
    module: "role_password_queries",
    mutants: ["shown.self_rights & acting.rights & ~1 → shown.self_rights & acting.rights"],
    reason: "That read only uses whether the mask is null.",
  },
];
