-- nearly the same: explain_queries READ_LINEAGE.administrator.now
WITH RECURSIVE subject(id) AS MATERIALIZED (
  SELECT CASE
    WHEN :subjectEmail IS NULL THEN :subjectId
    ELSE (SELECT id FROM user_account WHERE email = :subjectEmail)
  END
),
asked(is_permitted) AS MATERIALIZED (
  SELECT coalesce(subject.id = :actorId, false)
    OR (
      EXISTS (
        SELECT 1
        FROM member acting
        WHERE acting.user_id = :actorId
          AND (acting.ends_at IS NULL OR acting.ends_at > :now)
          AND (
            (
              (
                (
                  acting.role_id = :roleId
                  AND EXISTS (
                    SELECT 1
                    FROM role guard_self
                    WHERE guard_self.id = :roleId AND guard_self.self_rights & acting.rights & 2
                  )
                )
                OR EXISTS (
                  SELECT 1
                  FROM role_closure guard_path
                  WHERE guard_path.descendant_id = :roleId
                    AND guard_path.ancestor_id = acting.role_id
                    AND guard_path.rights & acting.rights & 2
                )
              )
              OR EXISTS (
                SELECT 1
                FROM role_closure guard_path
                WHERE guard_path.descendant_id = :roleId
                  AND guard_path.ancestor_id = acting.role_id
                  AND guard_path.rights & acting.rights & 1
              )
            )
          )
      )
      OR CASE
        WHEN EXISTS (
          SELECT 1
          FROM role_key guard_asking
          WHERE guard_asking.id = -:actorId AND guard_asking.asks
        ) THEN EXISTS (
          SELECT 1
          FROM member acting
          WHERE acting.user_id = :actorId
            AND (acting.ends_at IS NULL OR acting.ends_at > :now)
            AND (
              (
                (
                  acting.role_id = :roleId
                  AND EXISTS (
                    SELECT 1
                    FROM role guard_self
                    WHERE guard_self.id = :roleId AND (0 = 0 OR guard_self.self_rights & acting.rights & 0)
                  )
                )
                OR EXISTS (
                  SELECT 1
                  FROM role_closure guard_path
                  WHERE guard_path.descendant_id = :roleId
                    AND guard_path.ancestor_id = acting.role_id
                    AND (0 = 0 OR guard_path.rights & acting.rights & 0)
                )
              )
            )
        )
        ELSE false
      END
    )
  FROM subject
),
lineage(role_id, relation_id, child_id, rights, is_wide, revision) AS MATERIALIZED (
  SELECT start.id,
    NULL,
    NULL,
    NULL,
    (SELECT 1 FROM manages scanned WHERE scanned.child_id = start.id LIMIT 1 OFFSET 10000) IS NOT NULL,
    NULL
  FROM (
    SELECT :roleId AS id
    WHERE (SELECT is_permitted FROM asked)
      AND EXISTS (
        SELECT 1
        FROM member acting
        WHERE acting.user_id = :actorId
          AND (acting.ends_at IS NULL OR acting.ends_at > :now)
          AND (
            (
              (
                acting.role_id = :roleId
                AND EXISTS (
                  SELECT 1
                  FROM role guard_self
                  WHERE guard_self.id = :roleId AND (0 = 0 OR guard_self.self_rights & acting.rights & 0)
                )
              )
              OR EXISTS (
                SELECT 1
                FROM role_closure guard_path
                WHERE guard_path.descendant_id = :roleId
                  AND guard_path.ancestor_id = acting.role_id
                  AND (0 = 0 OR guard_path.rights & acting.rights & 0)
              )
            )
          )
      )
  ) start
  UNION
  SELECT entering.parent_id, entering.id, entering.child_id, entering.rights, NULL, lineage.revision
  FROM lineage
  CROSS JOIN manages entering ON entering.child_id = lineage.role_id
  WHERE lineage.relation_id IS NULL AND NOT lineage.is_wide
  UNION
  SELECT lineage.role_id,
    NULL,
    NULL,
    NULL,
    (SELECT 1 FROM manages scanned WHERE scanned.child_id = lineage.role_id LIMIT 1 OFFSET 10000) IS NOT NULL,
    lineage.revision
  FROM lineage
  WHERE lineage.relation_id IS NOT NULL
  LIMIT 21002
),
extent(is_cut, roles, revision) AS MATERIALIZED (
  SELECT count(relation_id) > 10000 OR coalesce(max(is_wide), 0), count(*) - count(relation_id), max(revision)
  FROM lineage
)
SELECT (SELECT id FROM subject) = :actorId AS isOwn,
  (SELECT seq FROM sqlite_sequence WHERE name = 'change_log') AS revision,
  (SELECT is_cut FROM extent) AS isCut,
  (
    SELECT json_group_array(json_array(relation_id, role_id, child_id, rights))
    FROM (SELECT * FROM lineage WHERE relation_id IS NOT NULL LIMIT 10000)
  ) AS relations,
  (
    SELECT json_group_array(
      json_object('id', held.id, 'roleId', held.role_id, 'rights', held.rights, 'endsAt', held.ends_at)
    )
    FROM lineage
    CROSS JOIN member held ON held.role_id = lineage.role_id AND held.user_id = (SELECT id FROM subject)
    WHERE lineage.relation_id IS NULL AND (held.ends_at IS NULL OR held.ends_at > :now)
  ) AS memberships,
  CASE
    WHEN EXISTS (SELECT 1 FROM lineage) THEN EXISTS (
      SELECT 1
      FROM (
        SELECT guard_own.role_id, guard_own.rights
        FROM member guard_own
        WHERE guard_own.user_id = (SELECT id FROM subject)
          AND guard_own.role_id = :roleId
          AND (guard_own.ends_at IS NULL OR guard_own.ends_at > :now)
        UNION ALL
        SELECT guard_above.ancestor_id, guard_many.rights
        FROM role_closure guard_above
        CROSS JOIN member guard_many ON guard_many.user_id = (SELECT id FROM subject)
          AND guard_many.role_id = guard_above.ancestor_id
          AND (guard_many.ends_at IS NULL OR guard_many.ends_at > :now)
        WHERE guard_above.descendant_id = :roleId
      ) acting
      WHERE (
        (
          acting.role_id = :roleId
          AND EXISTS (
            SELECT 1
            FROM role guard_self
            WHERE guard_self.id = :roleId AND (:right = 0 OR guard_self.self_rights & acting.rights & :right)
          )
        )
        OR EXISTS (
          SELECT 1
          FROM role_closure guard_path
          WHERE guard_path.descendant_id = :roleId
            AND guard_path.ancestor_id = acting.role_id
            AND (:right = 0 OR guard_path.rights & acting.rights & :right)
        )
      )
    )
  END AS isAllowed,
  CASE
    WHEN EXISTS (SELECT 1 FROM lineage) THEN (SELECT self_rights FROM role WHERE id = :roleId)
  END AS selfRights
WHERE (
  EXISTS (
    SELECT 1
    FROM session guard_live
    WHERE guard_live.id = :sessionId
      AND guard_live.user_id = :actorId
      AND guard_live.ended_at IS NULL
      AND guard_live.idle_until > :now
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
