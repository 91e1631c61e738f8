-- also key_queries CREATE_KEY_AS_ADMINISTRATOR.make.0
WITH bound AS MATERIALIZED (SELECT 63 AS rights, NULL AS ends_at FROM role WHERE role.id = :roleId),
decided AS MATERIALIZED (
  SELECT CASE
    WHEN false THEN 'proof_required'
    WHEN bound.rights IS NULL THEN 'denied'
    WHEN (
      SELECT count(*)
      FROM (
        SELECT 1
        FROM role_key counted
        CROSS JOIN member living ON living.id = counted.id
          AND (living.ends_at IS NULL OR living.ends_at > :now)
        WHERE counted.role_id = :roleId
        LIMIT 100
      )
    ) >= 100 THEN 'too_many_keys'
    ELSE 'ok'
  END AS ruling,
    coalesce(:rights, bound.rights) AS rights,
    coalesce(:expiresAt, min(:defaultExpiresAt, coalesce(bound.ends_at, :defaultExpiresAt))) AS ends_at
  FROM (SELECT 1) principal
  LEFT JOIN bound ON true
  WHERE true
),
judged AS MATERIALIZED (SELECT *, ruling AS decision FROM decided),
logged AS MATERIALIZED (
  SELECT 'key.create' AS kind,
    :roleId AS role_id,
    CASEdecision
      WHEN 'ok' THEN (SELECT id_sequence.last_id + 1 FROM id_sequence WHERE id_sequence.name = 'relation')
    END AS relation_id,
    CASEdecision
      WHEN 'ok' THEN -(SELECT id_sequence.last_id + 1 FROM id_sequence WHERE id_sequence.name = 'relation')
    END AS subject_id,
    rights AS new_rights,
    json_object('name', :name, 'asks', json(iif(:asks, 'true', 'false')), 'endsAt', ends_at) AS details,
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
  new_rights,
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
  logged.new_rights,
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
  new_rights = CASE
    WHEN excluded.decision = 'noop' OR change_log.new_rights IS excluded.new_rights THEN excluded.new_rights
  END,
  details = CASE
    WHEN excluded.decision = 'noop' OR change_log.details IS excluded.details THEN excluded.details
  END
