-- nearly the same: explain_queries READ_LINEAGE.actor.then
WITH RECURSIVE subject(id) AS MATERIALIZED (
  SELECT CASE
    WHEN :subjectEmail IS NULL THEN :subjectId
    ELSE (SELECT user_account.id FROM user_account WHERE user_account.email = :subjectEmail)
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
      OR CASE
        WHEN EXISTS (
          SELECT 1
          FROM role_key asking
          WHERE asking.id = -:actorId AND asking.asks
        ) THEN EXISTS (
          SELECT 1
          FROM member acting
          WHERE acting.user_id = :actorId
            AND (acting.ends_at IS NULL OR acting.ends_at > :now)
            AND (
              (
                acting.role_id = :roleId
                OR EXISTS (
                  SELECT 1
                  FROM role_closure path
                  WHERE path.descendant_id = :roleId AND path.ancestor_id = acting.role_id
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
              acting.role_id = :roleId
              OR EXISTS (
                SELECT 1
                FROM role_closure path
                WHERE path.descendant_id = :roleId AND path.ancestor_id = acting.role_id
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
        SELECT own.role_id, own.rights
        FROM member own
        WHERE own.user_id = (SELECT id FROM subject)
          AND own.role_id = :roleId
          AND (own.ends_at IS NULL OR own.ends_at > :now)
        UNION ALL
        SELECT above.ancestor_id, many.rights
        FROM role_closure above
        CROSS JOIN member many ON many.user_id = (SELECT id FROM subject)
          AND many.role_id = above.ancestor_id
          AND (many.ends_at IS NULL OR many.ends_at > :now)
        WHERE above.descendant_id = :roleId
      ) acting_above
      WHERE (
        (
          acting_above.role_id = :roleId
          AND EXISTS (
            SELECT 1
            FROM role self
            WHERE self.id = :roleId AND (:right = 0 OR self.self_rights & acting_above.rights & :right)
          )
        )
        OR EXISTS (
          SELECT 1
          FROM role_closure path
          WHERE path.descendant_id = :roleId
            AND path.ancestor_id = acting_above.role_id
            AND (:right = 0 OR path.rights & acting_above.rights & :right)
        )
      )
    )
  END AS isAllowed,
  CASE
    WHEN EXISTS (SELECT 1 FROM lineage) THEN (SELECT role.self_rights FROM role WHERE role.id = :roleId)
  END AS selfRights
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
