WITH decided AS MATERIALIZED (
  SELECT CASE
    WHEN factor.activated_at IS NULL
      AND NOT (
        challenged.session_id IS NOT NULL
        AND coalesce(factor.pending_email IS NOT NULL AND factor.pending_until > :now, false)
      ) THEN 'uninitialized'
    WHEN iif(
      EXISTS (
        SELECT 1
        FROM partial_login stranger
        WHERE stranger.id = :partialLoginId AND NOT stranger.from_known_address
      ),
      max(
        coalesce(factor.stranger_next_mail_at, 0),
        CASE
          WHEN factor.mail_day_started_at > :now - 86400000
            AND (
              factor.mails_of_day >= 10 OR factor.stranger_mails_of_day >= 5
            ) THEN factor.mail_day_started_at + 86400000
          ELSE 0
        END
      ),
      max(
        coalesce(factor.next_mail_at, 0),
        CASE
          WHEN factor.mail_day_started_at > :now - 86400000
            AND factor.mails_of_day >= 10 THEN factor.mail_day_started_at + 86400000
          ELSE 0
        END
      )
    ) > :now THEN 'waiting'
    WHEN factor.activated_at IS NULL THEN 'activation'
    ELSE 'ok'
  END AS result,
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
)
INSERT INTO security_event (op_id, at, event, result, actor_id, user_id, session_id, address, merge_key)
SELECT :opId,
  :now,
  'email_otp.challenge',
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
      ) THEN user_id || ' ' || (:now / 60000) || ' email_otp.challenge ' || result
  END
FROM decided
WHERE true ON CONFLICT (merge_key)
WHERE merge_key IS NOT NULL DO UPDATE
SET op_id = excluded.op_id,
  session_id = excluded.session_id,
  address = excluded.address,
  attempts = security_event.attempts + 1
