WITH judged(id) AS MATERIALIZED (
  SELECT value
  FROM json_each(:roleIds)
  WHERE value <= (
    SELECT iif(count(*) > 50000, max(min(id), max(id) - 1), 9223372036854775807)
    FROM (
      SELECT judged.id
      FROM (
        SELECT id, role_id
        FROM (SELECT value AS id, value AS role_id FROM json_each(:roleIds))
        WHERE NOT ((SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL)
        ORDER BY id
        LIMIT -1
      ) judged
      CROSS JOIN role_closure step ON step.descendant_id = judged.role_id
      LIMIT 50001
    )
  )
)
SELECT (SELECT seq FROM sqlite_sequence WHERE name = 'change_log') AS revision,
  (
    EXISTS (
      SELECT 1
      FROM change_log moved_by
      WHERE moved_by.rev > :sinceRevision
        AND (true)
        AND moved_by.decision = 'ok'
        AND moved_by.effect <> 'none'
        AND moved_by.kind NOT LIKE 'device.%'
        AND moved_by.kind NOT LIKE 'monitors.%'
    )
    OR EXISTS (
      SELECT 1
      FROM member moved_end
      WHERE moved_end.ends_at > min(:sinceTime, :now) AND moved_end.ends_at <= max(:sinceTime, :now)
    )
  ) AS moved,
  (SELECT max(id) FROM judged) AS lookedTo,
  (
    SELECT json_group_array(id)
    FROM judged
    WHERE iif(
      (
        (SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
        OR EXISTS (
          SELECT 1
          FROM role_closure longer
          WHERE longer.descendant_id = judged.id
          LIMIT 1 OFFSET (SELECT count(*) FROM member shorter WHERE shorter.user_id = :actorId)
        )
      ),
      EXISTS (
        SELECT 1
        FROM member acting
        WHERE acting.user_id = :actorId
          AND (acting.ends_at IS NULL OR acting.ends_at > :now)
          AND (
            (
              acting.role_id = judged.id
              OR EXISTS (
                SELECT 1
                FROM role_closure path
                WHERE path.descendant_id = judged.id AND path.ancestor_id = acting.role_id
              )
            )
          )
      ),
      EXISTS (
        SELECT 1
        FROM (
          SELECT own.role_id, own.rights
          FROM member own
          WHERE own.user_id = :actorId
            AND own.role_id = judged.id
            AND (own.ends_at IS NULL OR own.ends_at > :now)
          UNION ALL
          SELECT above.ancestor_id, many.rights
          FROM role_closure above
          CROSS JOIN member many ON many.user_id = :actorId
            AND many.role_id = above.ancestor_id
            AND (many.ends_at IS NULL OR many.ends_at > :now)
          WHERE above.descendant_id = judged.id
        ) acting_above
        WHERE true
      )
    )
  ) AS seen
WHERE (
  EXISTS (
    SELECT 1
    FROM session live
    WHERE live.id = :sessionId
      AND live.user_id = :actorId
      AND live.ended_at IS NULL
      AND live.idle_until > :now
  )
  OR EXISTS (
    SELECT 1
    FROM role_key key
    CROSS JOIN member keyed ON keyed.id = key.id
    WHERE key.id = -:actorId
      AND key.secret_mac = :sessionId
      AND (keyed.ends_at IS NULL OR keyed.ends_at > :now)
  )
)
