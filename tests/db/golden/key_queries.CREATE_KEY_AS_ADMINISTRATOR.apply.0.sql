-- also key_queries CREATE_KEY_AS_ADMINISTRATOR.make.0
WITH bound AS MATERIALIZED (SELECT 63 AS rights, NULL AS ends_at FROM role WHERE id = :roleId),
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
  END AS decision,
    coalesce(:rights, bound.rights) AS rights,
    coalesce(:expiresAt, min(:defaultExpiresAt, coalesce(bound.ends_at, :defaultExpiresAt))) AS ends_at
  FROM (SELECT 1) principal
  LEFT JOIN bound ON true
  WHERE true
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
  'key.create',
  :roleId,
  CASE decision WHEN 'ok' THEN (SELECT last_id + 1 FROM id_sequence WHERE name = 'relation') END,
  CASE decision WHEN 'ok' THEN -(SELECT last_id + 1 FROM id_sequence WHERE name = 'relation') END,
  rights,
  json_object('name', :name, 'asks', json(iif(:asks, 'true', 'false')), 'endsAt', ends_at),
  decision,
  CASE decision WHEN 'ok' THEN 'write' ELSE 'none' END,
  CASE
    WHEN decision NOT IN ('ok', 'noop')
      AND NOT false THEN :payer || ' ' || (:now / 60000) || ' ' || :actorId || ' ' || 'key.create' || ' ' || decision || ' ' || CASE
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
          CASE decision WHEN 'ok' THEN (SELECT last_id + 1 FROM id_sequence WHERE name = 'relation') END, '-'
        ) || ' ' || coalesce(
          CASE decision WHEN 'ok' THEN -(SELECT last_id + 1 FROM id_sequence WHERE name = 'relation') END, '-'
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
  relation_id = CASE WHEN relation_id IS excluded.relation_id THEN relation_id END,
  subject_id = CASE WHEN subject_id IS excluded.subject_id THEN subject_id END,
  new_rights = CASE WHEN new_rights IS excluded.new_rights THEN new_rights END,
  details = CASE WHEN details IS excluded.details THEN details END
