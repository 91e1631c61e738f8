WITH RECURSIVE seen_from(role_id) AS MATERIALIZED (SELECT DISTINCT value FROM json_each(:roleIds)),
seen_above(role_id) AS MATERIALIZED (
  SELECT role_id
  FROM seen_from
  WHERE NOT ((SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL)
  UNION
  SELECT up.parent_id
  FROM seen_above
  CROSS JOIN manages up ON up.child_id = seen_above.role_id
),
seen_entering(parent_id, child_id) AS MATERIALIZED (
  SELECT entered.parent_id, entered.child_id
  FROM seen_above
  CROSS JOIN manages entered ON entered.child_id = seen_above.role_id
),
seen_reached(role_id) AS MATERIALIZED (
  SELECT own.role_id
  FROM seen_above
  CROSS JOIN member own ON own.user_id = :actorId
    AND own.role_id = seen_above.role_id
    AND (own.ends_at IS NULL OR own.ends_at > :now)
  UNION
  SELECT seen_entering.child_id
  FROM seen_reached
  CROSS JOIN seen_entering ON seen_entering.parent_id = seen_reached.role_id
),
seen(role_id) AS MATERIALIZED (
  SELECT role_id
  FROM seen_from
  WHERE iif(
    (SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL,
    EXISTS (
      SELECT 1
      FROM member acting
      WHERE acting.user_id = :actorId
        AND (acting.ends_at IS NULL OR acting.ends_at > :now)
        AND (
          (
            acting.role_id = seen_from.role_id
            OR EXISTS (
              SELECT 1
              FROM role_closure path
              WHERE path.descendant_id = seen_from.role_id AND path.ancestor_id = acting.role_id
            )
          )
        )
    ),
    role_id IN (SELECT role_id FROM seen_reached)
  )
)
SELECT (
  SELECT json_group_array(json_array(role.id, role.name))
  FROM seen
  CROSS JOIN role ON role.id = seen.role_id
) AS roles,
  (
    SELECT json_group_array(relation.id)
    FROM json_each(:relationIds) lost
    CROSS JOIN manages relation ON relation.id = lost.value
    WHERE NOT EXISTS (
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
                acting.role_id = relation.parent_id
                AND EXISTS (
                  SELECT 1
                  FROM role self
                  WHERE self.id = relation.parent_id AND self.self_rights & acting.rights & 1
                )
              )
              OR EXISTS (
                SELECT 1
                FROM role_closure path
                WHERE path.descendant_id = relation.parent_id
                  AND path.ancestor_id = acting.role_id
                  AND path.rights & acting.rights & 1
              )
            )
            AND EXISTS (
              SELECT 1
              FROM role_closure path
              WHERE path.descendant_id = relation.child_id
                AND path.ancestor_id = acting.role_id
                AND path.rights & acting.rights & 1
            )
            AND NOT ((:right & ~relation.rights) & ~acting.rights)
          )
      )
    )
  ) AS relationIds,
  EXISTS (
    SELECT 1
    FROM role self
    WHERE self.id = :roleId
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
              EXISTS (
                SELECT 1
                FROM role_closure path
                WHERE path.descendant_id = self.id
                  AND path.ancestor_id = acting.role_id
                  AND path.rights & acting.rights & 1
              )
              AND NOT ((:right & ~self.self_rights) & ~acting.rights)
            )
        )
      )
  ) AS mayWidenRole,
  EXISTS (
    SELECT 1
    FROM member membership
    WHERE membership.id = :memberId
      AND membership.user_id > 0
      AND (membership.ends_at IS NULL OR membership.ends_at > :now)
      AND :actorId > 0
      AND EXISTS (
        SELECT 1
        FROM member acting
        WHERE acting.user_id = :actorId
          AND (acting.ends_at IS NULL OR acting.ends_at > :now)
          AND (
            (
              (
                acting.role_id = membership.role_id
                AND EXISTS (
                  SELECT 1
                  FROM role self
                  WHERE self.id = membership.role_id AND self.self_rights & acting.rights & 2
                )
              )
              OR EXISTS (
                SELECT 1
                FROM role_closure path
                WHERE path.descendant_id = membership.role_id
                  AND path.ancestor_id = acting.role_id
                  AND path.rights & acting.rights & 3
              )
            )
            AND (
              NOT ((membership.rights | :right) & ~acting.rights)
              AND (acting.ends_at IS NULL OR coalesce(membership.ends_at <= acting.ends_at, false))
            )
          )
      )
  ) AS mayWidenMember,
  :memberRoleId IS NOT NULL
  AND (
    EXISTS (
      SELECT 1
      FROM member acting
      WHERE acting.user_id = :actorId
        AND (acting.ends_at IS NULL OR acting.ends_at > :now)
        AND (
          (
            (
              acting.role_id = :memberRoleId
              AND EXISTS (
                SELECT 1
                FROM role self
                WHERE self.id = :memberRoleId AND self.self_rights & acting.rights & 2
              )
            )
            OR EXISTS (
              SELECT 1
              FROM role_closure path
              WHERE path.descendant_id = :memberRoleId
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
              acting.role_id = :memberRoleId
              OR EXISTS (
                SELECT 1
                FROM role_closure path
                WHERE path.descendant_id = :memberRoleId AND path.ancestor_id = acting.role_id
              )
            )
          )
      )
      ELSE false
    END
  ) AS seesMember,
  (SELECT seq FROM sqlite_sequence WHERE name = 'change_log') AS revision
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
