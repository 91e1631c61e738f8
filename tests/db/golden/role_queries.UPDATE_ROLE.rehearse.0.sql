WITH decided AS MATERIALIZED (
  SELECT current.self_rights AS old_self_rights,
    current.name AS old_name,
    CASE
      WHEN NOT NOT EXISTS (
        SELECT 1
        FROM (
          SELECT :actorId AS id
          UNION ALL
          SELECT guard_made.created_by
          FROM role_key guard_made
          WHERE guard_made.id = -:actorId
            AND guard_made.created_by IS NOT NULL
            AND (:selfRights & ~current.self_rights)
        ) guard_giver
        WHERE NOT EXISTS (
          SELECT 1
          FROM member acting
          WHERE acting.user_id = guard_giver.id
            AND (acting.ends_at IS NULL OR acting.ends_at > :now)
            AND (
              EXISTS (
                SELECT 1
                FROM role_closure guard_path
                WHERE guard_path.descendant_id = :roleId
                  AND guard_path.ancestor_id = acting.role_id
                  AND guard_path.rights & acting.rights & 1
              )
              AND NOT ((:selfRights & ~current.self_rights) & ~acting.rights)
            )
        )
      ) THEN 'denied'
      WHEN current.name = :name AND current.self_rights = :selfRights THEN 'noop'
      ELSE 'ok'
    END AS decision
  FROM (SELECT 1) principal
  LEFT JOIN role current ON current.id = :roleId
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
  op_id, at, actor_id, session_id, kind, role_id, old_rights, new_rights, details, decision, effect, merge_key
)
SELECT :opId,
  :now,
  :actorId,
  :sessionId,
  ('role.update') || '.dry_run',
  :roleId,
  old_self_rights,
  :selfRights,
  json_object('name', :name, 'oldName', old_name),
  dry_decision,
  CASE dry_decision WHEN 'ok' THEN 'none' ELSE 'none' END,
  :payer || ' ' || (:now / 60000) || ' ' || :actorId || ' ' || ('role.update') || '.dry_run' || ' ' || dry_decision || ' ' || CASE
    WHEN (
      SELECT count(*)
      FROM (
        SELECT 1
        FROM change_log crowd
        WHERE crowd.merge_key >= :payer || ' ' || (:now / 60000) || ' '
          AND crowd.merge_key < :payer || ' ' || (:now / 60000) || '!'
        LIMIT 60
      )
    ) < 60 THEN coalesce(:roleId, '-')
    ELSE ''
  END
FROM previewed
WHERE true ON CONFLICT (merge_key)
WHERE merge_key IS NOT NULL DO UPDATE
SET op_id = excluded.op_id,
  session_id = excluded.session_id,
  attempts = attempts + 1,
  role_id = excluded.role_id,
  old_rights = excluded.old_rights,
  new_rights = excluded.new_rights,
  details = excluded.details,
  decision = excluded.decision,
  effect = excluded.effect
