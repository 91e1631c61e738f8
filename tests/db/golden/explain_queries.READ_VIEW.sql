WITH RECURSIVE guard_named(role_id) AS MATERIALIZED (SELECT DISTINCT value FROM json_each(:roleIds)),
guard_above(role_id) AS MATERIALIZED (
  SELECT role_id
  FROM guard_named
  WHERE NOT ((SELECT 1 FROM member guard_held WHERE guard_held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL)
  UNION
  SELECT guard_up.parent_id
  FROM guard_above
  CROSS JOIN manages guard_up ON guard_up.child_id = guard_above.role_id
),
guard_entering(parent_id, child_id) AS MATERIALIZED (
  SELECT guard_entered.parent_id, guard_entered.child_id
  FROM guard_above
  CROSS JOIN manages guard_entered ON guard_entered.child_id = guard_above.role_id
),
guard_reached(role_id) AS MATERIALIZED (
  SELECT guard_own.role_id
  FROM guard_above
  CROSS JOIN member guard_own ON guard_own.user_id = :actorId
    AND guard_own.role_id = guard_above.role_id
    AND (guard_own.ends_at IS NULL OR guard_own.ends_at > :now)
  UNION
  SELECT guard_entering.child_id
  FROM guard_reached
  CROSS JOIN guard_entering ON guard_entering.parent_id = guard_reached.role_id
),
seen(role_id) AS MATERIALIZED (
  SELECT role_id
  FROM guard_named
  WHERE iif(
    (SELECT 1 FROM member guard_held WHERE guard_held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL,
    EXISTS (
      SELECT 1
      FROM member acting
      WHERE acting.user_id = :actorId
        AND (acting.ends_at IS NULL OR acting.ends_at > :now)
        AND (
          (
            (
              acting.role_id = guard_named.role_id
              AND EXISTS (
                SELECT 1
                FROM role guard_self
                WHERE guard_self.id = guard_named.role_id
                  AND (0 = 0 OR guard_self.self_rights & acting.rights & 0)
              )
            )
            OR EXISTS (
              SELECT 1
              FROM role_closure guard_path
              WHERE guard_path.descendant_id = guard_named.role_id
                AND guard_path.ancestor_id = acting.role_id
                AND (0 = 0 OR guard_path.rights & acting.rights & 0)
            )
          )
        )
    ),
    role_id IN (SELECT role_id FROM guard_reached)
  )
)
SELECT (
  SELECT json_group_array(json_array(role.id, role.name))
  FROM seen
  CROSS JOIN role ON role.id = seen.role_id
) AS roles,
  (
    SELECT json_group_array(widened.id)
    FROM json_each(:relationIds) lost
    CROSS JOIN manages widened ON widened.id = lost.value
    WHERE NOT EXISTS (
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
                acting.role_id = widened.parent_id
                AND EXISTS (
                  SELECT 1
                  FROM role guard_self
                  WHERE guard_self.id = widened.parent_id AND guard_self.self_rights & acting.rights & 1
                )
              )
              OR EXISTS (
                SELECT 1
                FROM role_closure guard_path
                WHERE guard_path.descendant_id = widened.parent_id
                  AND guard_path.ancestor_id = acting.role_id
                  AND guard_path.rights & acting.rights & 1
              )
            )
            AND EXISTS (
              SELECT 1
              FROM role_closure guard_path
              WHERE guard_path.descendant_id = widened.child_id
                AND guard_path.ancestor_id = acting.role_id
                AND guard_path.rights & acting.rights & 1
            )
            AND NOT ((:right & ~widened.rights) & ~acting.rights)
          )
      )
    )
  ) AS relationIds,
  EXISTS (
    SELECT 1
    FROM role widened
    WHERE widened.id = :roleId
      AND NOT EXISTS (
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
              EXISTS (
                SELECT 1
                FROM role_closure guard_path
                WHERE guard_path.descendant_id = widened.id
                  AND guard_path.ancestor_id = acting.role_id
                  AND guard_path.rights & acting.rights & 1
              )
              AND NOT ((:right & ~widened.self_rights) & ~acting.rights)
            )
        )
      )
  ) AS mayWidenRole,
  EXISTS (
    SELECT 1
    FROM member widened
    WHERE widened.id = :memberId
      AND widened.user_id > 0
      AND (widened.ends_at IS NULL OR widened.ends_at > :now)
      AND :actorId > 0
      AND EXISTS (
        SELECT 1
        FROM member acting
        WHERE acting.user_id = :actorId
          AND (acting.ends_at IS NULL OR acting.ends_at > :now)
          AND (
            (
              (
                (
                  (
                    acting.role_id = widened.role_id
                    AND EXISTS (
                      SELECT 1
                      FROM role guard_self
                      WHERE guard_self.id = widened.role_id AND guard_self.self_rights & acting.rights & 2
                    )
                  )
                  OR EXISTS (
                    SELECT 1
                    FROM role_closure guard_path
                    WHERE guard_path.descendant_id = widened.role_id
                      AND guard_path.ancestor_id = acting.role_id
                      AND guard_path.rights & acting.rights & 2
                  )
                )
                OR EXISTS (
                  SELECT 1
                  FROM role_closure guard_path
                  WHERE guard_path.descendant_id = widened.role_id
                    AND guard_path.ancestor_id = acting.role_id
                    AND guard_path.rights & acting.rights & 1
                )
              )
            )
            AND (
              NOT ((widened.rights | :right) & ~acting.rights)
              AND (acting.ends_at IS NULL OR coalesce(widened.ends_at <= acting.ends_at, false))
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
              (
                acting.role_id = :memberRoleId
                AND EXISTS (
                  SELECT 1
                  FROM role guard_self
                  WHERE guard_self.id = :memberRoleId AND guard_self.self_rights & acting.rights & 2
                )
              )
              OR EXISTS (
                SELECT 1
                FROM role_closure guard_path
                WHERE guard_path.descendant_id = :memberRoleId
                  AND guard_path.ancestor_id = acting.role_id
                  AND guard_path.rights & acting.rights & 2
              )
            )
            OR EXISTS (
              SELECT 1
              FROM role_closure guard_path
              WHERE guard_path.descendant_id = :memberRoleId
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
                acting.role_id = :memberRoleId
                AND EXISTS (
                  SELECT 1
                  FROM role guard_self
                  WHERE guard_self.id = :memberRoleId
                    AND (0 = 0 OR guard_self.self_rights & acting.rights & 0)
                )
              )
              OR EXISTS (
                SELECT 1
                FROM role_closure guard_path
                WHERE guard_path.descendant_id = :memberRoleId
                  AND guard_path.ancestor_id = acting.role_id
                  AND (0 = 0 OR guard_path.rights & acting.rights & 0)
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
