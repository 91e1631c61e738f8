-- also manages_queries UPDATE_RELATION.make.0
-- nearly the same: manages_queries UPDATE_RELATION.rehearse.0
WITH verdict AS MATERIALIZED (
  SELECT :parentId AS parent_id,
    existing.child_id,
    existing.id AS relation_id,
    existing.rights AS old_rights,
    CASE
      WHEN existing.id IS NULL THEN 'denied'
      WHEN NOT CASE
        WHEN :rights & ~existing.rights THEN NOT EXISTS (
          SELECT 1
          FROM (
            SELECT :actorId AS id
            UNION ALL
            SELECT guard_made.created_by
            FROM role_key guard_made
            WHERE guard_made.id = -:actorId AND guard_made.created_by IS NOT NULL AND (true)
          ) guard_giver
          WHERE NOT EXISTS (
            SELECT 1
            FROM member acting
            WHERE acting.user_id = guard_giver.id
              AND (acting.ends_at IS NULL OR acting.ends_at > :now)
              AND (
                (
                  (
                    acting.role_id = existing.parent_id
                    AND EXISTS (
                      SELECT 1
                      FROM role guard_self
                      WHERE guard_self.id = existing.parent_id AND guard_self.self_rights & acting.rights & 1
                    )
                  )
                  OR EXISTS (
                    SELECT 1
                    FROM role_closure guard_path
                    WHERE guard_path.descendant_id = existing.parent_id
                      AND guard_path.ancestor_id = acting.role_id
                      AND guard_path.rights & acting.rights & 1
                  )
                )
                AND EXISTS (
                  SELECT 1
                  FROM role_closure guard_path
                  WHERE guard_path.descendant_id = existing.child_id
                    AND guard_path.ancestor_id = acting.role_id
                    AND guard_path.rights & acting.rights & 1
                )
                AND NOT ((:rights & ~coalesce(existing.rights, 0)) & ~acting.rights)
              )
          )
        )
        ELSE EXISTS (
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
                    FROM role guard_self
                    WHERE guard_self.id = existing.parent_id AND guard_self.self_rights & acting.rights & 1
                  )
                )
                OR EXISTS (
                  SELECT 1
                  FROM role_closure guard_path
                  WHERE guard_path.descendant_id = existing.parent_id
                    AND guard_path.ancestor_id = acting.role_id
                    AND guard_path.rights & acting.rights & 1
                )
              )
              OR EXISTS (
                SELECT 1
                FROM role_closure guard_path
                WHERE guard_path.descendant_id = existing.child_id
                  AND guard_path.ancestor_id = acting.role_id
                  AND guard_path.rights & acting.rights & 1
              )
              OR (
                existing.by_password
                AND (
                  acting.role_id = existing.child_id
                  AND EXISTS (
                    SELECT 1
                    FROM role guard_self
                    WHERE guard_self.id = existing.child_id AND guard_self.self_rights & acting.rights & 1
                  )
                )
                AND (
                  EXISTS (
                    SELECT 1
                    FROM manages other
                    WHERE other.child_id = existing.child_id AND other.id <> existing.id
                  )
                  OR EXISTS (SELECT 1 FROM role root WHERE root.id = existing.child_id AND root.is_root)
                )
              )
            )
        )
      END THEN 'denied'
      WHEN existing.rights = :rights THEN 'noop'
      WHEN existing.rights & 1
        AND NOT (:rights & 1)
        AND NOT EXISTS (
          SELECT 1
          FROM manages other
          WHERE other.child_id = existing.child_id AND other.rights & 1 AND other.id <> existing.id
        )
        AND NOT EXISTS (
          SELECT 1
          FROM role root
          WHERE root.id = existing.child_id AND root.is_root
        ) THEN 'unmanaged'
      ELSE 'ok'
    END AS verdict
  FROM (SELECT 1) principal
  LEFT JOIN manages existing ON existing.id = :relationId AND existing.parent_id = :parentId
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
sized AS MATERIALIZED (
  SELECT *,
    CASE
      WHEN verdict = 'ok' THEN 1 + (SELECT count(*) FROM role_closure WHERE descendant_id = parent_id)
    END AS up_size,
    CASE
      WHEN verdict = 'ok' THEN 1 + (SELECT count(*) FROM role_closure WHERE ancestor_id = child_id)
    END AS down_size,
    CASE
      WHEN verdict = 'ok'
        AND old_rights & ~:rights THEN (
          SELECT count(*)
          FROM (
            SELECT 1
            FROM (
              SELECT child_id AS role_id
              UNION ALL
              SELECT descendant_id
              FROM role_closure
              WHERE ancestor_id = child_id
            ) AS reached
            CROSS JOIN manages entering ON entering.child_id = reached.role_id
            LIMIT :maxCost
          )
        )
    END AS entries
  FROM verdict
),
costed AS MATERIALIZED (
  SELECT *,
    up_size * down_size + CASE
      WHEN entries IS NULL THEN 0
      WHEN up_size * entries > :maxCost THEN up_size * entries
      ELSE up_size * (
        entries + (
          SELECT count(*)
          FROM (
            SELECT 1
            FROM (
              SELECT child_id AS role_id
              UNION ALL
              SELECT descendant_id
              FROM role_closure
              WHERE ancestor_id = child_id
            ) AS reached
            CROSS JOIN role_closure below ON below.ancestor_id = reached.role_id
            WHERE EXISTS (
              SELECT 1
              FROM manages entering
              WHERE entering.child_id = reached.role_id
                AND entering.parent_id <> child_id
                AND NOT EXISTS (
                  SELECT 1
                  FROM role_closure inside
                  WHERE inside.descendant_id = entering.parent_id AND inside.ancestor_id = child_id
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
  SELECT *, CASE WHEN verdict = 'ok' AND cost > :maxCost THEN 'too_large' ELSE verdict END AS decision
  FROM costed
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
  new_rights,
  cost,
  blocked_role_id,
  decision,
  effect,
  merge_key
)
SELECT :opId,
  :now,
  :actorId,
  :sessionId,
  'manages.update',
  parent_id,
  CASE
    WHEN decision <> 'denied'
      OR EXISTS (
        SELECT 1
        FROM member acting
        WHERE acting.user_id = :actorId
          AND (acting.ends_at IS NULL OR acting.ends_at > :now)
          AND (
            (
              (
                acting.role_id = :parentId
                AND EXISTS (
                  SELECT 1
                  FROM role guard_self
                  WHERE guard_self.id = :parentId AND (0 = 0 OR guard_self.self_rights & acting.rights & 0)
                )
              )
              OR EXISTS (
                SELECT 1
                FROM role_closure guard_path
                WHERE guard_path.descendant_id = :parentId
                  AND guard_path.ancestor_id = acting.role_id
                  AND (0 = 0 OR guard_path.rights & acting.rights & 0)
              )
            )
          )
      ) THEN child_id
  END,
  CASE
    WHEN decision <> 'denied'
      OR EXISTS (
        SELECT 1
        FROM member acting
        WHERE acting.user_id = :actorId
          AND (acting.ends_at IS NULL OR acting.ends_at > :now)
          AND (
            (
              (
                acting.role_id = :parentId
                AND EXISTS (
                  SELECT 1
                  FROM role guard_self
                  WHERE guard_self.id = :parentId AND (0 = 0 OR guard_self.self_rights & acting.rights & 0)
                )
              )
              OR EXISTS (
                SELECT 1
                FROM role_closure guard_path
                WHERE guard_path.descendant_id = :parentId
                  AND guard_path.ancestor_id = acting.role_id
                  AND (0 = 0 OR guard_path.rights & acting.rights & 0)
              )
            )
          )
      ) THEN relation_id
  END,
  CASE
    WHEN decision <> 'denied'
      OR EXISTS (
        SELECT 1
        FROM member acting
        WHERE acting.user_id = :actorId
          AND (acting.ends_at IS NULL OR acting.ends_at > :now)
          AND (
            (
              (
                acting.role_id = :parentId
                AND EXISTS (
                  SELECT 1
                  FROM role guard_self
                  WHERE guard_self.id = :parentId AND (0 = 0 OR guard_self.self_rights & acting.rights & 0)
                )
              )
              OR EXISTS (
                SELECT 1
                FROM role_closure guard_path
                WHERE guard_path.descendant_id = :parentId
                  AND guard_path.ancestor_id = acting.role_id
                  AND (0 = 0 OR guard_path.rights & acting.rights & 0)
              )
            )
          )
      ) THEN old_rights
  END,
  :rights,
  cost,
  CASE WHEN decision = 'unmanaged' THEN child_id END,
  decision,
  CASE WHEN decision <> 'ok' THEN 'none' WHEN old_rights & ~:rights THEN 'shrink' ELSE 'grow' END,
  CASE
    WHEN decision NOT IN ('ok', 'noop')
      AND NOT false THEN :payer || ' ' || (:now / 60000) || ' ' || :actorId || ' ' || 'manages.update' || ' ' || decision || ' ' || CASE
        WHEN (
          SELECT count(*)
          FROM (
            SELECT 1
            FROM change_log crowd
            WHERE crowd.merge_key >= :payer || ' ' || (:now / 60000) || ' '
              AND crowd.merge_key < :payer || ' ' || (:now / 60000) || '!'
            LIMIT 60
          )
        ) < 60 THEN coalesce(parent_id, '-') || ' ' || coalesce(
          CASE
            WHEN decision <> 'denied'
              OR EXISTS (
                SELECT 1
                FROM member acting
                WHERE acting.user_id = :actorId
                  AND (acting.ends_at IS NULL OR acting.ends_at > :now)
                  AND (
                    (
                      (
                        acting.role_id = :parentId
                        AND EXISTS (
                          SELECT 1
                          FROM role guard_self
                          WHERE guard_self.id = :parentId
                            AND (0 = 0 OR guard_self.self_rights & acting.rights & 0)
                        )
                      )
                      OR EXISTS (
                        SELECT 1
                        FROM role_closure guard_path
                        WHERE guard_path.descendant_id = :parentId
                          AND guard_path.ancestor_id = acting.role_id
                          AND (0 = 0 OR guard_path.rights & acting.rights & 0)
                      )
                    )
                  )
              ) THEN child_id
          END,
          '-'
        ) || ' ' || coalesce(
          CASE
            WHEN decision <> 'denied'
              OR EXISTS (
                SELECT 1
                FROM member acting
                WHERE acting.user_id = :actorId
                  AND (acting.ends_at IS NULL OR acting.ends_at > :now)
                  AND (
                    (
                      (
                        acting.role_id = :parentId
                        AND EXISTS (
                          SELECT 1
                          FROM role guard_self
                          WHERE guard_self.id = :parentId
                            AND (0 = 0 OR guard_self.self_rights & acting.rights & 0)
                        )
                      )
                      OR EXISTS (
                        SELECT 1
                        FROM role_closure guard_path
                        WHERE guard_path.descendant_id = :parentId
                          AND guard_path.ancestor_id = acting.role_id
                          AND (0 = 0 OR guard_path.rights & acting.rights & 0)
                      )
                    )
                  )
              ) THEN relation_id
          END,
          '-'
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
  parent_id = CASE WHEN parent_id IS excluded.parent_id THEN parent_id END,
  role_id = CASE WHEN role_id IS excluded.role_id THEN role_id END,
  relation_id = CASE WHEN relation_id IS excluded.relation_id THEN relation_id END,
  old_rights = CASE WHEN old_rights IS excluded.old_rights THEN old_rights END,
  new_rights = CASE WHEN new_rights IS excluded.new_rights THEN new_rights END,
  cost = excluded.cost,
  blocked_role_id = CASE WHEN blocked_role_id IS excluded.blocked_role_id THEN blocked_role_id END
