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
        WHERE NOT (
          (SELECT 1 FROM member guard_held WHERE guard_held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
        )
        ORDER BY id
        LIMIT -1
      ) judged
      CROSS JOIN role_closure guard_step ON guard_step.descendant_id = judged.role_id
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
    WHERE (
      EXISTS (
        SELECT 1
        FROM member guard_direct
        WHERE guard_direct.user_id = :actorId
          AND guard_direct.role_id = judged.id
          AND (guard_direct.ends_at IS NULL OR guard_direct.ends_at > :now)
      )
      OR iif(
        (
          (SELECT 1 FROM member guard_held WHERE guard_held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
          OR EXISTS (
            SELECT 1
            FROM role_closure guard_longer
            WHERE guard_longer.descendant_id = judged.id
            LIMIT 1 OFFSET (SELECT count(*) FROM member guard_shorter WHERE guard_shorter.user_id = :actorId)
          )
        ),
        EXISTS (
          SELECT guard_path.rights & guard_own.rights AS guard_rights
          FROM member guard_own
          CROSS JOIN role_closure guard_path ON guard_path.descendant_id = judged.id
            AND guard_path.ancestor_id = guard_own.role_id
          WHERE guard_own.user_id = :actorId AND (guard_own.ends_at IS NULL OR guard_own.ends_at > :now)
        ),
        EXISTS (
          SELECT guard_path.rights & guard_own.rights AS guard_rights
          FROM role_closure guard_path
          CROSS JOIN member guard_own ON guard_own.user_id = :actorId
            AND guard_own.role_id = guard_path.ancestor_id
            AND (guard_own.ends_at IS NULL OR guard_own.ends_at > :now)
          WHERE guard_path.descendant_id = judged.id
        )
      )
    )
  ) AS seen
WHERE (
  EXISTS (
    SELECT 1
    FROM session guard_live
    WHERE guard_live.id = :sessionId
      AND guard_live.user_id = :actorId
      AND guard_live.ended_at IS NULL
      AND guard_live.idle_until > :now
  )
  OR EXISTS (
    SELECT 1
    FROM role_key guard_key
    CROSS JOIN member guard_keyed ON guard_keyed.id = guard_key.id
    WHERE guard_key.id = -:actorId
      AND guard_key.secret_mac = :sessionId
      AND (guard_keyed.ends_at IS NULL OR guard_keyed.ends_at > :now)
  )
)
