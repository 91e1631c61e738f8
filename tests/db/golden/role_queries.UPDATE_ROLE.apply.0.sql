-- also role_queries UPDATE_ROLE.make.0
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
)
INSERT INTO change_log (
  op_id, at, actor_id, session_id, kind, role_id, old_rights, new_rights, details, decision, effect, merge_key
)
SELECT :opId,
  :now,
  :actorId,
  :sessionId,
  'role.update',
  :roleId,
  old_self_rights,
  :selfRights,
  json_object('name', :name, 'oldName', old_name),
  decision,
  CASE decision WHEN 'ok' THEN 'write' ELSE 'none' END,
  CASE
    WHEN decision NOT IN ('ok', 'noop')
      AND NOT false THEN :payer || ' ' || (:now / 60000) || ' ' || :actorId || ' ' || 'role.update' || ' ' || decision || ' ' || CASE
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
  END
FROM decided
WHERE true ON CONFLICT (merge_key)
WHERE merge_key IS NOT NULL DO UPDATE
SET op_id = excluded.op_id,
  session_id = excluded.session_id,
  attempts = attempts + 1,
  role_id = CASE WHEN role_id IS excluded.role_id THEN role_id END,
  old_rights = CASE WHEN old_rights IS excluded.old_rights THEN old_rights END,
  new_rights = CASE WHEN new_rights IS excluded.new_rights THEN new_rights END,
  details = CASE WHEN details IS excluded.details THEN details END
