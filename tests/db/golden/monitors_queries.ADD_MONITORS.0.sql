WITH decided AS MATERIALIZED (
  SELECT existing.id AS relation_id,
    CASE
      WHEN NOT (
        EXISTS (
          SELECT 1
          FROM monitors guard_monitors
          WHERE guard_monitors.device_id = :deviceId
            AND EXISTS (
              SELECT 1
              FROM (
                SELECT guard_few.role_id, guard_few.rights
                FROM member guard_few
                WHERE guard_few.user_id = iif(
                  (
                    SELECT 1
                    FROM member guard_count
                    WHERE guard_count.user_id = :actorId
                    LIMIT 1 OFFSET 32
                  ) IS NULL
                  OR EXISTS (
                    SELECT 1
                    FROM role_closure guard_longer
                    WHERE guard_longer.descendant_id = guard_monitors.role_id
                    LIMIT 1 OFFSET (
                      SELECT count(*)
                      FROM member guard_shorter
                      WHERE guard_shorter.user_id = :actorId
                    )
                  ),
                  :actorId,
                  NULL
                )
                  AND (guard_few.ends_at IS NULL OR guard_few.ends_at > :now)
                UNION ALL
                SELECT guard_own.role_id, guard_own.rights
                FROM member guard_own
                WHERE guard_own.user_id = :actorId
                  AND guard_own.role_id = iif(
                    (
                      SELECT 1
                      FROM member guard_count
                      WHERE guard_count.user_id = :actorId
                      LIMIT 1 OFFSET 32
                    ) IS NULL
                    OR EXISTS (
                      SELECT 1
                      FROM role_closure guard_longer
                      WHERE guard_longer.descendant_id = guard_monitors.role_id
                      LIMIT 1 OFFSET (
                        SELECT count(*)
                        FROM member guard_shorter
                        WHERE guard_shorter.user_id = :actorId
                      )
                    ),
                    NULL,
                    guard_monitors.role_id
                  )
                  AND (guard_own.ends_at IS NULL OR guard_own.ends_at > :now)
                UNION ALL
                SELECT guard_above.ancestor_id, guard_many.rights
                FROM role_closure guard_above
                CROSS JOIN member guard_many ON guard_many.user_id = :actorId
                  AND guard_many.role_id = guard_above.ancestor_id
                  AND (guard_many.ends_at IS NULL OR guard_many.ends_at > :now)
                WHERE guard_above.descendant_id = iif(
                  (
                    SELECT 1
                    FROM member guard_count
                    WHERE guard_count.user_id = :actorId
                    LIMIT 1 OFFSET 32
                  ) IS NULL
                  OR EXISTS (
                    SELECT 1
                    FROM role_closure guard_longer
                    WHERE guard_longer.descendant_id = guard_monitors.role_id
                    LIMIT 1 OFFSET (
                      SELECT count(*)
                      FROM member guard_shorter
                      WHERE guard_shorter.user_id = :actorId
                    )
                  ),
                  NULL,
                  guard_monitors.role_id
                )
              ) acting
              WHERE (
                (
                  acting.role_id = guard_monitors.role_id
                  AND EXISTS (
                    SELECT 1
                    FROM role guard_self
                    WHERE guard_self.id = guard_monitors.role_id
                      AND guard_self.self_rights & acting.rights & 8
                  )
                )
                OR EXISTS (
                  SELECT 1
                  FROM role_closure guard_path
                  WHERE guard_path.descendant_id = guard_monitors.role_id
                    AND guard_path.ancestor_id = acting.role_id
                    AND guard_path.rights & acting.rights & 8
                )
              )
                AND (
                  (
                    acting.role_id = :roleId
                    AND EXISTS (
                      SELECT 1
                      FROM role guard_self
                      WHERE guard_self.id = :roleId AND guard_self.self_rights & acting.rights & 8
                    )
                  )
                  OR EXISTS (
                    SELECT 1
                    FROM role_closure guard_path
                    WHERE guard_path.descendant_id = :roleId
                      AND guard_path.ancestor_id = acting.role_id
                      AND guard_path.rights & acting.rights & 8
                  )
                )
            )
        )
        AND NOT EXISTS (
          SELECT 1
          FROM role_key guard_made
          WHERE guard_made.id = -:actorId
            AND guard_made.created_by IS NOT NULL
            AND (existing.id IS NULL)
            AND NOT EXISTS (
              SELECT 1
              FROM monitors guard_monitors
              WHERE guard_monitors.device_id = :deviceId
                AND EXISTS (
                  SELECT 1
                  FROM (
                    SELECT guard_own.role_id, guard_own.rights
                    FROM member guard_own
                    WHERE guard_own.user_id = guard_made.created_by
                      AND guard_own.role_id = guard_monitors.role_id
                      AND (guard_own.ends_at IS NULL OR guard_own.ends_at > :now)
                    UNION ALL
                    SELECT guard_above.ancestor_id, guard_many.rights
                    FROM role_closure guard_above
                    CROSS JOIN member guard_many ON guard_many.user_id = guard_made.created_by
                      AND guard_many.role_id = guard_above.ancestor_id
                      AND (guard_many.ends_at IS NULL OR guard_many.ends_at > :now)
                    WHERE guard_above.descendant_id = guard_monitors.role_id
                  ) acting
                  WHERE (
                    (
                      acting.role_id = guard_monitors.role_id
                      AND EXISTS (
                        SELECT 1
                        FROM role guard_self
                        WHERE guard_self.id = guard_monitors.role_id
                          AND guard_self.self_rights & acting.rights & 8
                      )
                    )
                    OR EXISTS (
                      SELECT 1
                      FROM role_closure guard_path
                      WHERE guard_path.descendant_id = guard_monitors.role_id
                        AND guard_path.ancestor_id = acting.role_id
                        AND guard_path.rights & acting.rights & 8
                    )
                  )
                    AND (
                      (
                        acting.role_id = :roleId
                        AND EXISTS (
                          SELECT 1
                          FROM role guard_self
                          WHERE guard_self.id = :roleId AND guard_self.self_rights & acting.rights & 8
                        )
                      )
                      OR EXISTS (
                        SELECT 1
                        FROM role_closure guard_path
                        WHERE guard_path.descendant_id = :roleId
                          AND guard_path.ancestor_id = acting.role_id
                          AND guard_path.rights & acting.rights & 8
                      )
                    )
                )
            )
        )
      ) THEN 'denied'
      WHEN existing.id IS NOT NULL THEN 'noop'
      WHEN (
        SELECT 1
        FROM monitors counted
        WHERE counted.device_id = :deviceId
        LIMIT 1 OFFSET 99
      ) IS NOT NULL THEN 'too_many_monitors'
      ELSE 'ok'
    END AS decision
  FROM (SELECT 1) principal
  LEFT JOIN monitors existing ON existing.device_id = :deviceId AND existing.role_id = :roleId
  WHERE (
    EXISTS (
      SELECT 1
      FROM session guard_session
      WHERE guard_session.id = :sessionId
        AND guard_session.user_id = :actorId
        AND guard_session.ended_at IS NULL
        AND guard_session.idle_until > :now
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
)
INSERT INTO change_log (
  op_id, at, actor_id, session_id, kind, role_id, device_id, relation_id, decision, effect, merge_key
)
SELECT :opId,
  :now,
  :actorId,
  :sessionId,
  'monitors.add',
  :roleId,
  :deviceId,
  CASEdecision
    WHEN 'ok' THEN (SELECT last_id + 1 FROM id_sequence WHERE name = 'relation')
    ELSE relation_id
  END,
  decision,
  CASE decision WHEN 'ok' THEN 'write' ELSE 'none' END,
  CASE
    WHEN decision NOT IN ('ok', 'noop')
      AND NOT false THEN :payer || ' ' || (:now / 60000) || ' ' || :actorId || ' ' || 'monitors.add' || ' ' || decision || ' ' || CASE
        WHEN (
          SELECT count(*)
          FROM (
            SELECT 1
            FROM change_log crowd
            WHERE crowd.merge_key >= :payer || ' ' || (:now / 60000) || ' '
              AND crowd.merge_key < :payer || ' ' || (:now / 60000) || '!'
            LIMIT 60
          )
        ) < 60 THEN coalesce(:roleId, '-') || ' ' || coalesce(
          CASEdecision
            WHEN 'ok' THEN (SELECT last_id + 1 FROM id_sequence WHERE name = 'relation')
            ELSE relation_id
          END,
          '-'
        ) || ' ' || coalesce(:deviceId, '-')
        ELSE ''
      END
  END
FROM decided
WHERE true ON CONFLICT (merge_key)
WHERE merge_key IS NOT NULL DO UPDATE
SET op_id = excluded.op_id,
  session_id = excluded.session_id,
  attempts = attempts + 1,
  role_id = CASE WHEN role_id IS excluded.role_id THEN role_id END,
  device_id = CASE WHEN device_id IS excluded.device_id THEN device_id END,
  relation_id = CASE WHEN relation_id IS excluded.relation_id THEN relation_id END
