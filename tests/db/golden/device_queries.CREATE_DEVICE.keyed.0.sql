-- nearly the same: device_queries CREATE_DEVICE.keyless.0
WITH decided AS MATERIALIZED (
  SELECT first.device_id AS device_id,
    first.relation_id AS relation_id,
    first.at AS created_at,
    CASE
      WHEN guard_key.fingerprint <> :fingerprint THEN 'key_reused'
      WHEN guard_key.op_id IS NOT NULL THEN 'noop'
      WHEN NOT EXISTS (
        SELECT 1
        FROM member acting
        WHERE acting.user_id = :actorId
          AND (acting.ends_at IS NULL OR acting.ends_at > :now)
          AND (
            (
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
            OR EXISTS (
              SELECT 1
              FROM role_closure guard_path
              WHERE guard_path.descendant_id = :roleId
                AND guard_path.ancestor_id = acting.role_id
                AND guard_path.rights & acting.rights & 1
            )
          )
      ) THEN 'denied'
      WHEN (
        EXISTS (SELECT 1 FROM device WHERE node_id = :nodeId)
        OR EXISTS (SELECT 1 FROM gone_device WHERE node_id = :nodeId)
      ) THEN 'node_id_taken'
      ELSE 'ok'
    END AS decision
  FROM (SELECT 1) principal
  LEFT JOIN idempotency_key guard_key ON guard_key.user_id = :actorId
    AND guard_key.key = :idempotencyKey
    AND guard_key.expires_at > :now
  LEFT JOIN change_log first ON first.op_id = guard_key.op_id
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
  op_id, at, actor_id, session_id, kind, role_id, device_id, relation_id, details, decision, effect, merge_key
)
SELECT :opId,
  :now,
  :actorId,
  :sessionId,
  'device.create',
  :roleId,
  CASEdecision
    WHEN 'ok' THEN (SELECT last_id + 1 FROM id_sequence WHERE name = 'node')
    WHEN 'noop' THEN device_id
  END,
  CASEdecision
    WHEN 'ok' THEN (SELECT last_id + 1 FROM id_sequence WHERE name = 'relation')
    WHEN 'noop' THEN relation_id
  END,
  json_object('nodeId', :nodeId, 'createdAt', CASE decision WHEN 'noop' THEN created_at ELSE :now END),
  decision,
  CASE decision WHEN 'ok' THEN 'write' ELSE 'none' END,
  CASE
    WHEN decision NOT IN ('ok', 'noop')
      AND NOT false THEN :payer || ' ' || (:now / 60000) || ' ' || :actorId || ' ' || 'device.create' || ' ' || decision || ' ' || CASE
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
            WHEN 'noop' THEN relation_id
          END,
          '-'
        ) || ' ' || coalesce(
          CASEdecision
            WHEN 'ok' THEN (SELECT last_id + 1 FROM id_sequence WHERE name = 'node')
            WHEN 'noop' THEN device_id
          END,
          '-'
        )
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
  relation_id = CASE WHEN relation_id IS excluded.relation_id THEN relation_id END,
  details = CASE WHEN details IS excluded.details THEN details END
