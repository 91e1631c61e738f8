WITH verdict AS MATERIALIZED (
  SELECT :parentId AS parent_id,
    existing.id AS relation_id,
    existing.child_id,
    existing.rights,
    existing.id IS NOT NULL
    AND (
      EXISTS (
        SELECT 1
        FROM member acting
        WHERE acting.user_id = :actorId
          AND (acting.ends_at IS NULL OR acting.ends_at > :now)
          AND (
            (
              (
                acting.role_id = existing.parent_id
                AND EXISTS (
                  SELECT 1
                  FROM role self
                  WHERE self.id = existing.parent_id AND self.self_rights & acting.rights & 1
                )
              )
              OR EXISTS (
                SELECT 1
                FROM role_closure path
                WHERE path.descendant_id = existing.parent_id
                  AND path.ancestor_id = acting.role_id
                  AND path.rights & acting.rights & 1
              )
            )
            OR EXISTS (
              SELECT 1
              FROM role_closure path
              WHERE path.descendant_id = existing.child_id
                AND path.ancestor_id = acting.role_id
                AND path.rights & acting.rights & 1
            )
          )
      )
      OR (
        existing.by_password
        AND (
          EXISTS (
            SELECT 1
            FROM manages other
            WHERE other.child_id = existing.child_id AND other.id <> existing.id
          )
          OR EXISTS (SELECT 1 FROM role root WHERE root.id = existing.child_id AND root.is_root)
        )
        AND NOT EXISTS (
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
                  acting.role_id = existing.child_id
                  AND EXISTS (
                    SELECT 1
                    FROM role self
                    WHERE self.id = existing.child_id AND self.self_rights & acting.rights & 1
                  )
                )
              )
          )
        )
      )
    ) AS allowed
  FROM (SELECT 1) principal
  LEFT JOIN manages existing ON existing.id = :relationId AND existing.parent_id = :parentId
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
sized AS MATERIALIZED (
  SELECT *,
    CASE
      WHEN allowed THEN 1 + (
        SELECT count(*)
        FROM role_closure above
        WHERE above.descendant_id = verdict.parent_id
      )
    END AS up_size,
    CASE
      WHEN allowed THEN 1 + (
        SELECT count(*)
        FROM role_closure below
        WHERE below.ancestor_id = verdict.child_id
      )
    END AS down_size,
    CASE
      WHEN allowed
        AND true THEN (
          SELECT count(*)
          FROM (
            SELECT 1
            FROM (
              SELECT verdict.child_id AS role_id
              UNION ALL
              SELECT below.descendant_id
              FROM role_closure below
              WHERE below.ancestor_id = verdict.child_id
            ) AS reached
            CROSS JOIN manages entering ON entering.child_id = reached.role_id
            LIMIT +:maxCost
          )
        )
    END AS incoming
  FROM verdict
),
costed AS MATERIALIZED (
  SELECT *,
    up_size * down_size + CASE
      WHEN incoming IS NULL THEN 0
      WHEN up_size * incoming > :maxCost THEN up_size * incoming
      ELSE up_size * (
        incoming + (
          SELECT count(*)
          FROM (
            SELECT 1
            FROM (
              SELECT sized.child_id AS role_id
              UNION ALL
              SELECT below_2.descendant_id
              FROM role_closure below_2
              WHERE below_2.ancestor_id = sized.child_id
            ) AS reached
            CROSS JOIN role_closure below ON below.ancestor_id = reached.role_id
            WHERE EXISTS (
              SELECT 1
              FROM manages entering
              WHERE entering.child_id = reached.role_id
                AND entering.parent_id <> sized.child_id
                AND NOT EXISTS (
                  SELECT 1
                  FROM role_closure inside
                  WHERE inside.descendant_id = entering.parent_id AND inside.ancestor_id = sized.child_id
                )
            )
            LIMIT 4 * :maxCost
          )
        ) / 4
      )
    END AS cost
  FROM sized
),
decided AS MATERIALIZED (
  SELECT *, CASE WHEN NOT allowed THEN 'denied' WHEN cost > :maxCost THEN 'too_large' ELSE 'ok' END AS ruling
  FROM costed
),
judged AS MATERIALIZED (SELECT *, ruling AS decision FROM decided),
logged AS MATERIALIZED (
  SELECT 'manages.delete' AS kind,
    :parentId AS parent_id,
    CASE
      WHEN decision <> 'denied'
        OR EXISTS (
          SELECT 1
          FROM member acting
          WHERE acting.user_id = :actorId
            AND (acting.ends_at IS NULL OR acting.ends_at > :now)
            AND (
              (
                acting.role_id = :parentId
                OR EXISTS (
                  SELECT 1
                  FROM role_closure path
                  WHERE path.descendant_id = :parentId AND path.ancestor_id = acting.role_id
                )
              )
            )
        ) THEN child_id
    END AS role_id,
    CASE
      WHEN decision <> 'denied'
        OR EXISTS (
          SELECT 1
          FROM member acting
          WHERE acting.user_id = :actorId
            AND (acting.ends_at IS NULL OR acting.ends_at > :now)
            AND (
              (
                acting.role_id = :parentId
                OR EXISTS (
                  SELECT 1
                  FROM role_closure path
                  WHERE path.descendant_id = :parentId AND path.ancestor_id = acting.role_id
                )
              )
            )
        ) THEN relation_id
    END AS relation_id,
    CASE
      WHEN decision <> 'denied'
        OR EXISTS (
          SELECT 1
          FROM member acting
          WHERE acting.user_id = :actorId
            AND (acting.ends_at IS NULL OR acting.ends_at > :now)
            AND (
              (
                acting.role_id = :parentId
                OR EXISTS (
                  SELECT 1
                  FROM role_closure path
                  WHERE path.descendant_id = :parentId AND path.ancestor_id = acting.role_id
                )
              )
            )
        ) THEN rights
    END AS old_rights,
    CASE WHEN allowed THEN cost END AS cost,
    decision,
    CASE decision WHEN 'ok' THEN 'delete' ELSE 'none' END AS effect,
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
  parent_id,
  role_id,
  relation_id,
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
  logged.parent_id,
  logged.role_id,
  logged.relation_id,
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
      ) < 60 THEN coalesce(parent_id, '-') || ' ' || coalesce(role_id, '-') || ' ' || coalesce(relation_id, '-')
      ELSE ''
    END
  END
FROM logged
WHERE true ON CONFLICT (merge_key)
WHERE merge_key IS NOT NULL DO UPDATE
SET op_id = excluded.op_id,
  session_id = excluded.session_id,
  attempts = change_log.attempts + 1,
  parent_id = CASE
    WHEN excluded.decision = 'noop' OR change_log.parent_id IS excluded.parent_id THEN excluded.parent_id
  END,
  role_id = CASE
    WHEN excluded.decision = 'noop' OR change_log.role_id IS excluded.role_id THEN excluded.role_id
  END,
  relation_id = CASE
    WHEN excluded.decision = 'noop'
      OR change_log.relation_id IS excluded.relation_id THEN excluded.relation_id
  END,
  old_rights = CASE
    WHEN excluded.decision = 'noop' OR change_log.old_rights IS excluded.old_rights THEN excluded.old_rights
  END,
  cost = excluded.cost
