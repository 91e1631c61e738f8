WITH decided AS MATERIALIZED (
  SELECT existing.id AS relation_id,
    ended.rights AS rights,
    existing.name AS name,
    CASE WHEN ended.id IS NULL OR NOT true THEN 'denied' ELSE 'ok' END AS ruling
  FROM (SELECT 1) principal
  LEFT JOIN role_key existing ON existing.id = :keyId AND existing.role_id = :roleId
  LEFT JOIN member ended ON ended.id = existing.id AND (ended.ends_at IS NULL OR ended.ends_at > :now)
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
  SELECT ('key.delete') || '.dry_run' AS kind,
    :roleId AS role_id,
    relation_id AS relation_id,
    -relation_id AS subject_id,
    rights AS old_rights,
    CASE
      WHEN decision = 'ok' THEN (
        SELECT count(*)
        FROM (SELECT 1 FROM role_closure WHERE role_closure.ancestor_id = :roleId LIMIT 100000)
      ) + 1
    END AS cost,
    CASE decision WHEN 'ok' THEN json_object('name', name) END AS details,
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
  old_rights,
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
  logged.old_rights,
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
  old_rights = excluded.old_rights,
  cost = excluded.cost,
  details = excluded.details,
  decision = excluded.decision,
  effect = excluded.effect
