-- also key_queries DELETE_KEY.make.0
-- nearly the same: key_queries DELETE_KEY.preview.0
WITH decided AS MATERIALIZED (
  SELECT existing.id AS relation_id,
    ended.rights AS rights,
    existing.name AS name,
    CASE
      WHEN ended.id IS NULL
        OR NOT (
          NOT EXISTS (
            SELECT 1
            FROM (
              SELECT :actorId AS id
              UNION ALL
              SELECT made.created_by
              FROM role_key made
              WHERE made.id = -:actorId AND made.created_by IS NOT NULL AND (true)
            ) giver
            WHERE NOT EXISTS (
              SELECT 1
              FROM member acting
              WHERE acting.user_id = giver.id
                AND (acting.ends_at IS NULL OR acting.ends_at > :now)
                AND (
                  (
                    (
                      acting.role_id = :roleId
                      AND EXISTS (
                        SELECT 1
                        FROM role self
                        WHERE self.id = :roleId AND self.self_rights & acting.rights & 2
                      )
                    )
                    OR EXISTS (
                      SELECT 1
                      FROM role_closure path
                      WHERE path.descendant_id = :roleId
                        AND path.ancestor_id = acting.role_id
                        AND path.rights & acting.rights & 3
                    )
                  )
                )
            )
          )
          OR (
            existing.created_by = :actorId
            AND EXISTS (
              SELECT 1
              FROM member acting
              WHERE acting.user_id = :actorId
                AND (acting.ends_at IS NULL OR acting.ends_at > :now)
                AND (
                  (
                    acting.role_id = :roleId
                    OR EXISTS (
                      SELECT 1
                      FROM role_closure path
                      WHERE path.descendant_id = :roleId AND path.ancestor_id = acting.role_id
                    )
                  )
                )
            )
          )
        ) THEN 'denied'
      ELSE 'ok'
    END AS ruling
  FROM (SELECT 1) principal
  LEFT JOIN role_key existing ON existing.id = :keyId AND existing.role_id = :roleId
  LEFT JOIN member ended ON ended.id = existing.id AND (ended.ends_at IS NULL OR ended.ends_at > :now)
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
  SELECT 'key.delete' AS kind,
    :roleId AS role_id,
    relation_id AS relation_id,
    -relation_id AS subject_id,
    rights AS old_rights,
    CASE decision WHEN 'ok' THEN json_object('name', name) END AS details,
    decision,
    CASE decision WHEN 'ok' THEN 'write' ELSE 'none' END AS effect,
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
  relation_id,
  subject_id,
  old_rights,
  details,
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
  logged.relation_id,
  logged.subject_id,
  logged.old_rights,
  logged.details,
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
      ) < 60 THEN coalesce(role_id, '-') || ' ' || coalesce(relation_id, '-') || ' ' || coalesce(subject_id, '-')
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
  relation_id = CASE
    WHEN excluded.decision = 'noop'
      OR change_log.relation_id IS excluded.relation_id THEN excluded.relation_id
  END,
  subject_id = CASE
    WHEN excluded.decision = 'noop' OR change_log.subject_id IS excluded.subject_id THEN excluded.subject_id
  END,
  old_rights = CASE
    WHEN excluded.decision = 'noop' OR change_log.old_rights IS excluded.old_rights THEN excluded.old_rights
  END,
  details = CASE
    WHEN excluded.decision = 'noop' OR change_log.details IS excluded.details THEN excluded.details
  END
