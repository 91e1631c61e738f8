-- also role_queries UPDATE_ROLE.make.0
WITH acted AS MATERIALIZED (
  SELECT acting.role_id, own.is_root
  FROM member acting
  CROSS JOIN role own ON own.id = acting.role_id
  WHERE acting.user_id = :actorId
    AND (acting.ends_at IS NULL OR acting.ends_at > :now)
    AND (
      EXISTS (
        SELECT 1
        FROM role_closure path
        WHERE path.descendant_id = :roleId
          AND path.ancestor_id = acting.role_id
          AND path.rights & acting.rights & 1
      )
    )
  ORDER BY own.is_root DESC, acting.role_id
  LIMIT 1
),
decided AS MATERIALIZED (
  SELECT current.self_rights AS old_self_rights,
    current.name AS old_name,
    CASE
      WHEN NOT NOT EXISTS (
        SELECT 1
        FROM (
          SELECT :actorId AS id
          UNION ALL
          SELECT made.created_by
          FROM role_key made
          WHERE made.id = -:actorId AND made.created_by IS NOT NULL AND (:selfRights <> current.self_rights)
        ) giver
        WHERE NOT EXISTS (
          SELECT 1
          FROM member acting
          WHERE acting.user_id = giver.id
            AND (acting.ends_at IS NULL OR acting.ends_at > :now)
            AND (
              EXISTS (
                SELECT 1
                FROM role_closure path
                WHERE path.descendant_id = :roleId
                  AND path.ancestor_id = acting.role_id
                  AND path.rights & acting.rights & 1
              )
              AND NOT ((:selfRights & ~current.self_rights) & ~acting.rights)
            )
        )
      ) THEN 'denied'
      WHEN current.name = :name AND current.self_rights = :selfRights THEN 'noop'
      ELSE 'ok'
    END AS ruling
  FROM (SELECT 1) principal
  LEFT JOIN role current ON current.id = :roleId
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
paying AS MATERIALIZED (
  SELECT CASE
    WHEN acted.is_root THEN acted.role_id
    ELSE (
      SELECT above.ancestor_id
      FROM role_closure above
      CROSS JOIN role root ON root.id = above.ancestor_id AND root.is_root
      WHERE above.descendant_id = acted.role_id AND above.rights & 1
      ORDER BY above.ancestor_id
      LIMIT 1
    )
  END AS counted_to,
    CASE WHEN NOT acted.is_root THEN :payer END AS counted_for
  FROM decided
  CROSS JOIN acted
  WHERE ruling = 'ok'
),
judged AS MATERIALIZED (
  SELECT decided.*,
    counted_to,
    counted_for,
    max(
      whole.free_at - (:fullAt + iif(counted_for IS NULL, (:fullAt - :now) / 2, 0)),
      coalesce(own.free_at, 0) - :fullAt
    ) AS wait_ms,
    CASE
      WHEN ruling <> 'ok' THEN ruling
      WHEN NOT (old_name = :name AND NOT (:selfRights & ~old_self_rights))
        AND (
          whole.free_at > (:fullAt + iif(counted_for IS NULL, (:fullAt - :now) / 2, 0))
          OR own.free_at > :fullAt
        ) THEN 'too_much_stored'
      ELSE ruling
    END AS decision
  FROM decided
  LEFT JOIN paying ON true
  LEFT JOIN root_usage whole ON whole.root_id = counted_to AND whole.payer = ''
  LEFT JOIN root_usage own ON own.root_id = counted_to AND own.payer = counted_for
),
logged AS MATERIALIZED (
  SELECT 'role.update' AS kind,
    :roleId AS role_id,
    old_self_rights AS old_rights,
    :selfRights AS new_rights,
    json_object('name', :name, 'oldName', old_name) AS details,
    counted_to AS counted_to,
    counted_for AS counted_for,
    CASE WHEN decision = 'too_much_stored' THEN wait_ms / 1000.0 ELSE NULL END AS cost,
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
  old_rights,
  new_rights,
  details,
  counted_to,
  counted_for,
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
  logged.old_rights,
  logged.new_rights,
  logged.details,
  logged.counted_to,
  logged.counted_for,
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
      ) < 60 THEN coalesce(role_id, '-')
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
  old_rights = CASE
    WHEN excluded.decision = 'noop' OR change_log.old_rights IS excluded.old_rights THEN excluded.old_rights
  END,
  new_rights = CASE
    WHEN excluded.decision = 'noop' OR change_log.new_rights IS excluded.new_rights THEN excluded.new_rights
  END,
  details = CASE
    WHEN excluded.decision = 'noop' OR change_log.details IS excluded.details THEN excluded.details
  END,
  counted_to = CASE
    WHEN excluded.decision = 'noop' OR change_log.counted_to IS excluded.counted_to THEN excluded.counted_to
  END,
  counted_for = CASE
    WHEN excluded.decision = 'noop'
      OR change_log.counted_for IS excluded.counted_for THEN excluded.counted_for
  END,
  cost = excluded.cost
