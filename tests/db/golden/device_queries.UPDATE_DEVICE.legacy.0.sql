-- nearly the same: device_queries UPDATE_DEVICE.legacy.2
-- nearly the same: device_queries UPDATE_DEVICE.replace.2
-- nearly the same: device_queries UPDATE_DEVICE.replace.0
WITH decided AS MATERIALIZED (
  SELECT device.node_id,
    CASE
      WHEN NOT EXISTS (
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
                  WHERE guard_self.id = guard_monitors.role_id AND guard_self.self_rights & acting.rights & 8
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
              OR EXISTS (
                SELECT 1
                FROM role_closure guard_path
                WHERE guard_path.descendant_id = guard_monitors.role_id
                  AND guard_path.ancestor_id = acting.role_id
                  AND guard_path.rights & acting.rights & 1
              )
          )
      ) THEN 'denied'
      WHEN device.updated_at / 1000 > :unmodifiedSince THEN 'modified'
      WHEN :nodeId <> device.node_id THEN 'node_id_fixed'
      WHEN NOT EXISTS (
        SELECT key, type, value
        FROM json_each(:properties) EXCEPT
        SELECT key, type, value
        FROM json_each(device.properties)
      )
        AND json_patch(
          replace(device.properties, '\u0000', '\n' || CAST(x'F7BFBFBF' AS TEXT)),
          replace(:numbers, '\u0000', '\n' || CAST(x'F7BFBFBF' AS TEXT))
        ) = replace(
          device.properties, '\u0000', '\n' || CAST(x'F7BFBFBF' AS TEXT)
        ) THEN 'noop'
      WHEN octet_length(
        substr(
          replace(
            json_patch(
              replace(device.properties, '\u0000', '\n' || CAST(x'F7BFBFBF' AS TEXT)),
              replace(:mentioned, '\u0000', '\n' || CAST(x'F7BFBFBF' AS TEXT))
            ),
            '\n' || CAST(x'F7BFBFBF' AS TEXT),
            '\u0000'
          ),
          -1,
          -1000000
        ) || ',' || substr(:properties, 2)
      ) > 16384 THEN 'properties_too_large'
      ELSE 'ok'
    END AS decision
  FROM (SELECT 1) principal
  LEFT JOIN device ON device.id = :deviceId
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
  op_id, at, actor_id, session_id, kind, device_id, details, decision, effect, merge_key
)
SELECT :opId,
  :now,
  :actorId,
  :sessionId,
  'device.update',
  :deviceId,
  json_object('nodeId', node_id),
  decision,
  CASE decision WHEN 'ok' THEN 'write' ELSE 'none' END,
  CASE
    WHEN decision NOT IN ('ok', 'noop')
      AND NOT false THEN :payer || ' ' || (:now / 60000) || ' ' || :actorId || ' ' || 'device.update' || ' ' || decision || ' ' || CASE
        WHEN (
          SELECT count(*)
          FROM (
            SELECT 1
            FROM change_log crowd
            WHERE crowd.merge_key >= :payer || ' ' || (:now / 60000) || ' '
              AND crowd.merge_key < :payer || ' ' || (:now / 60000) || '!'
            LIMIT 60
          )
        ) < 60 THEN coalesce(:deviceId, '-')
        ELSE ''
      END
  END
FROM decided
WHERE true ON CONFLICT (merge_key)
WHERE merge_key IS NOT NULL DO UPDATE
SET op_id = excluded.op_id,
  session_id = excluded.session_id,
  attempts = attempts + 1,
  device_id = CASE WHEN device_id IS excluded.device_id THEN device_id END,
  details = CASE WHEN details IS excluded.details THEN details END
