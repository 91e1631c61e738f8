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
),
previewed AS MATERIALIZED (
  SELECT *,
    CASE
      WHEN decision = 'ok'
        AND coalesce(
          (
            SELECT counter.count
            FROM throttle counter
            WHERE counter.scope = 'preview' AND counter.key = :payer AND counter.expires_at > :now
          ),
          0
        ) >= 2000000 THEN 'too_many_previews'
      ELSE decision
    END AS dry_decision
  FROM decided
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
  cost,
  details,
  decision,
  effect,
  merge_key
)
SELECT :opId,
  :now,
  :actorId,
  :sessionId,
  ('key.create') || '.dry_run',
  :roleId,
  CASE decision WHEN 'ok' THEN NULL END,
  CASE decision WHEN 'ok' THEN -NULL END,
  rights,
  CASE
    WHEN decision = 'ok' THEN (
      SELECT count(*)
      FROM (SELECT 1 FROM role_closure WHERE ancestor_id = :roleId LIMIT 100000)
    ) + 1
  END,
  json_object('name', :name, 'asks', json(iif(:asks, 'true', 'false')), 'endsAt', ends_at),
  dry_decision,
  CASE dry_decision WHEN 'ok' THEN 'none' ELSE 'none' END,
  :payer || ' ' || (:now / 60000) || ' ' || :actorId || ' ' || ('key.create') || '.dry_run' || ' ' || dry_decision || ' ' || CASE
    WHEN (
      SELECT count(*)
      FROM (
        SELECT 1
        FROM change_log crowd
        WHERE crowd.merge_key >= :payer || ' ' || (:now / 60000) || ' '
          AND crowd.merge_key < :payer || ' ' || (:now / 60000) || '!'
        LIMIT 60
      )
    ) < 60 THEN coalesce(:roleId, '-') || ' ' || coalesce(CASE decision WHEN 'ok' THEN NULL END, '-') || ' ' || coalesce(CASE decision WHEN 'ok' THEN -NULL END, '-')
    ELSE ''
  END
FROM previewed
WHERE true ON CONFLICT (merge_key)
WHERE merge_key IS NOT NULL DO UPDATE
SET op_id = excluded.op_id,
  session_id = excluded.session_id,
  attempts = attempts + 1,
  role_id = excluded.role_id,
  relation_id = excluded.relation_id,
  subject_id = excluded.subject_id,
  new_rights = excluded.new_rights,
  cost = excluded.cost,
  details = excluded.details,
  decision = excluded.decision,
  effect = excluded.effect
