WITH decided AS MATERIALIZED (
  SELECT coalesce(
    CASE
      WHEN NOT coalesce(
        factor.pending_email IS NOT NULL AND factor.pending_until > :now, false
      ) THEN 'uninitialized'
    END,
    CASE
      WHEN (factor.failures >= 100 OR factor.next_guess_at > :now) THEN 'waiting'
      ELSE CASECASE WHEN code.mac IS NULL OR NOT (code.ended_at IS NULL AND code.expires_at > :now AND code.guesses_left > 0) THEN 'no_code' WHEN code.mac IN (SELECT value FROM json_each(:codeMacs)) THEN 'ok' ELSE 'wrong' END
        WHEN 'ok' THEN CASE
          WHEN :recoveryHashes IS NULL
            AND NOT EXISTS (
              SELECT 1
              FROM second_factor code_set
              WHERE code_set.user_id = challenged.user_id
                AND code_set.kind = 'recovery_code'
                AND code_set.activated_at IS NOT NULL
            ) THEN 'needs_codes'
          ELSE 'ok'
        END
        ELSE CASE
          WHEN code.mac IS NULL
            OR NOT (code.ended_at IS NULL AND code.expires_at > :now AND code.guesses_left > 0) THEN 'no_code'
          WHEN code.mac IN (SELECT value FROM json_each(:codeMacs)) THEN 'ok'
          ELSE 'wrong'
        END
      END
    END
  ) AS result,
    challenged.user_id,
    coalesce(challenged.session_id, challenged.partial_id) AS session_id
  FROM (
    SELECT acting.user_id, acting.id AS session_id, NULL AS partial_id
    FROM session acting
    WHERE acting.id = :sessionId
      AND acting.user_id = :actorId
      AND acting.ended_at IS NULL
      AND acting.idle_until > :now
    UNION ALL
    SELECT pending.user_id, NULL, pending.id
    FROM partial_login pending
    CROSS JOIN user_account account ON account.id = pending.user_id
    WHERE pending.id = :partialLoginId
      AND pending.user_id = :actorId
      AND pending.ended_at IS NULL
      AND pending.expires_at > :now
      AND account.security_version = pending.security_version
  ) challenged
  LEFT JOIN second_factor factor ON factor.user_id = challenged.user_id AND factor.kind = 'email_otp'
  LEFT JOIN one_time_code code ON code.purpose = 'email_otp.activation'
    AND code.subject = coalesce(:sessionId, :partialLoginId)
)
INSERT INTO security_event (op_id, at, event, result, actor_id, user_id, session_id, address, merge_key)
SELECT :opId,
  :now,
  'email_otp.activate',
  result,
  user_id,
  user_id,
  session_id,
  :address,
  CASE
    WHEN result NOT IN ('ok', 'started', 'wrong', 'activation')
      OR (
        result = 'ok'
        AND (
          SELECT crowd.at / 60000 = :now / 60000
          FROM security_event crowd
          WHERE crowd.user_id = decided.user_id
          ORDER BY crowd.id DESC
          LIMIT 1 OFFSET 59
        )
      ) THEN user_id || ' ' || (:now / 60000) || ' email_otp.activate ' || result
  END
FROM decided
WHERE true ON CONFLICT (merge_key)
WHERE merge_key IS NOT NULL DO UPDATE
SET op_id = excluded.op_id,
  session_id = excluded.session_id,
  address = excluded.address,
  attempts = security_event.attempts + 1
