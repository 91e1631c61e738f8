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
judged AS MATERIALIZED (
  SELECT *,
    CASE
      WHEN ruling = 'ok'
        AND coalesce(
          (
            SELECT counter.count
            FROM throttle counter
            WHERE counter.scope = 'preview' AND counter.key = :payer AND counter.expires_at > :now
          ),
          0
        ) >= 400000 THEN 'too_many_previews'
      ELSE ruling
    END AS decision
  FROM decided
),
logged AS MATERIALIZED (
  SELECT ('key.create') || '.dry_run' AS kind,
    :roleId AS role_id,
    CASE decision WHEN 'ok' THEN NULL END AS relation_id,
    CASE decision WHEN 'ok' THEN -NULL END AS subject_id,
    rights AS new_rights,
    CASE
      WHEN decision = 'ok' THEN (
        SELECT count(*)
        FROM (SELECT 1 FROM role_closure WHERE role_closure.ancestor_id = :roleId LIMIT 100000)
      ) + 1
    END AS cost,
    json_object('name', :name, 'asks', json(iif(:asks, 'true', 'false')), 'endsAt', ends_at) AS details,
    decision,
    CASE decision WHEN 'ok' THEN 'none' ELSE 'none' END AS effect,
    true AS is_merged
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
  logged.kind,
  logged.role_id,
  logged.relation_id,
  logged.subject_id,
  logged.new_rights,
  logged.cost,
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
  role_id = excluded.role_id,
  relation_id = excluded.relation_id,
  subject_id = excluded.subject_id,
  new_rights = excluded.new_rights,
  cost = excluded.cost,
  details = excluded.details,
  decision = excluded.decision,
  effect = excluded.effect
