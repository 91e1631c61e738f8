WITH decided AS MATERIALIZED (
  SELECT existing.id AS relation_id,
    existing.device_id,
    CASE
      WHEN existing.id IS NOT NULL
        AND EXISTS (
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
                    FROM role self
                    WHERE self.id = :roleId AND self.self_rights & acting.rights & 8
                  )
                )
                OR EXISTS (
                  SELECT 1
                  FROM role_closure path
                  WHERE path.descendant_id = :roleId
                    AND path.ancestor_id = acting.role_id
                    AND path.rights & acting.rights & 9
                )
              )
            )
        ) THEN 'ok'
      ELSE 'denied'
    END AS ruling
  FROM (SELECT 1) principal
  LEFT JOIN monitors existing ON existing.id = :relationId AND existing.role_id = :roleId
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
),
judged AS MATERIALIZED (SELECT *, ruling AS decision FROM decided),
logged AS MATERIALIZED (
  SELECT 'monitors.remove' AS kind,
    :roleId AS role_id,
    device_id AS device_id,
    relation_id AS relation_id,
    CASE decision WHEN 'ok' THEN json_array(relation_id) END AS gone_relation_ids,
    decision,
    CASE decision WHEN 'ok' THEN 'delete' ELSE 'none' END AS effect,
    decision <> 'ok'
    AND NOT false AS is_merged
  FROM judged
)
INSERT INTO change_log (
  op_id,
  at,
  actor_id,
  session_id,
  kind,
  role_id,
  device_id,
  relation_id,
  gone_relation_ids,
  decision,
  effect,
  merge_key
)
SELECT :opId,
  :now,
  :actorId,
  :sessionId,
  logged.kind,
  logged.role_id,
  logged.device_id,
  logged.relation_id,
  logged.gone_relation_ids,
  logged.decision,
  logged.effect,
  CASE
    WHEN is_merged THEN :payer || ' ' || (:now / 60000) || ' ' || :actorId || ' ' || kind || ' ' || decision || ' ' || CASE
      WHEN (
        SELECT count(*)
        FROM (
          SELECT 1
          FROM change_log crowd
          WHERE crowd.merge_key >= :payer || ' ' || (:now / 60000) || ' '
            AND crowd.merge_key < :payer || ' ' || (:now / 60000) || '!'
          LIMIT 60
        )
      ) < 60 THEN coalesce(role_id, '-') || ' ' || coalesce(relation_id, '-') || ' ' || coalesce(device_id, '-')
      ELSE ''
    END
  END
FROM logged
WHERE true ON CONFLICT (merge_key)
WHERE merge_key IS NOT NULL DO UPDATE
SET op_id = excluded.op_id,
  session_id = excluded.session_id,
  attempts = change_log.attempts + 1,
  role_id = CASE
    WHEN excluded.decision = 'noop' OR change_log.role_id IS excluded.role_id THEN excluded.role_id
  END,
  device_id = CASE
    WHEN excluded.decision = 'noop' OR change_log.device_id IS excluded.device_id THEN excluded.device_id
  END,
  relation_id = CASE
    WHEN excluded.decision = 'noop'
      OR change_log.relation_id IS excluded.relation_id THEN excluded.relation_id
  END,
  gone_relation_ids = CASE
    WHEN excluded.decision = 'noop'
      OR change_log.gone_relation_ids IS excluded.gone_relation_ids THEN excluded.gone_relation_ids
  END
