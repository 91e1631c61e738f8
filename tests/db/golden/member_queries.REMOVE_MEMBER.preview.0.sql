WITH decided AS MATERIALIZED (
  SELECT existing.id AS relation_id,
    existing.user_id AS subject_id,
    existing.rights AS old_rights,
    CASE
      WHEN existing.id IS NULL THEN 'denied'
      WHEN NOT (
        existing.user_id = :actorId
        OR NOT EXISTS (
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
      ) THEN 'denied'
      WHEN (
        (existing.user_id > 0 AND existing.rights & 1 AND existing.ends_at IS NULL)
        AND EXISTS (SELECT 1 FROM role root WHERE root.id = existing.role_id AND root.is_root)
        AND NOT EXISTS (
          SELECT 1
          FROM member other
          WHERE other.role_id = existing.role_id
            AND other.id <> existing.id
            AND (other.user_id > 0 AND other.rights & 1 AND other.ends_at IS NULL)
        )
      ) THEN 'root_without_member'
      ELSE 'ok'
    END AS ruling
  FROM (SELECT 1) principal
  LEFT JOIN member existing ON existing.id = :relationId
    AND existing.role_id = :roleId
    AND existing.user_id > 0
    AND (existing.ends_at IS NULL OR existing.ends_at > :now)
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
  SELECT ('member.remove') || '.dry_run' AS kind,
    :roleId AS role_id,
    relation_id AS relation_id,
    subject_id AS subject_id,
    CASE WHEN decision = 'ok' THEN old_rights END AS old_rights,
    CASE
      WHEN decision = 'ok' THEN (
        SELECT count(*)
        FROM (SELECT 1 FROM role_closure WHERE role_closure.ancestor_id = :roleId LIMIT 100000)
      ) + 1
    END AS cost,
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
  decision = excluded.decision,
  effect = excluded.effect
