SELECT (
  SELECT json_group_array(json_array(seen.id, seen.name))
  FROM json_each(:roleIds) shown
  CROSS JOIN role seen ON seen.id = shown.value
  WHERE (
    EXISTS (
      SELECT 1
      FROM member guard_direct
      WHERE guard_direct.user_id = :actorId
        AND guard_direct.role_id = seen.id
        AND (guard_direct.ends_at IS NULL OR guard_direct.ends_at > :now)
    )
    OR EXISTS (
      SELECT guard_path.rights & guard_few.rights AS guard_rights
      FROM member guard_few
      CROSS JOIN role_closure guard_path ON guard_path.descendant_id = seen.id
        AND guard_path.ancestor_id = guard_few.role_id
      WHERE guard_few.user_id = iif(
        (SELECT 1 FROM member guard_count WHERE guard_count.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL,
        :actorId,
        NULL
      )
        AND (guard_few.ends_at IS NULL OR guard_few.ends_at > :now)
      UNION ALL
      SELECT guard_path.rights & guard_many.rights
      FROM role_closure guard_path
      CROSS JOIN member guard_many ON guard_many.user_id = :actorId
        AND guard_many.role_id = guard_path.ancestor_id
        AND (guard_many.ends_at IS NULL OR guard_many.ends_at > :now)
      WHERE guard_path.descendant_id = iif(
        (SELECT 1 FROM member guard_count WHERE guard_count.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL,
        NULL,
        seen.id
      )
    )
  )
) AS roles,
  (
    SELECT json_group_array(widened.id)
    FROM json_each(:relationIds) lost
    CROSS JOIN manages widened ON widened.id = lost.value
    WHERE EXISTS (
      SELECT 1
      FROM member acting
      WHERE acting.user_id = :actorId
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
  ) AS relationIds,
  EXISTS (
    SELECT 1
    FROM role widened
    WHERE widened.id = :roleId
      AND EXISTS (
        SELECT 1
        FROM member acting
        WHERE acting.user_id = :actorId
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
    OR CASE
      WHEN EXISTS (
        SELECT 1
        FROM role_key guard_asking
        WHERE guard_asking.id = -:actorId AND guard_asking.asks
      ) THEN (
        EXISTS (
          SELECT 1
          FROM member guard_direct
          WHERE guard_direct.user_id = :actorId
            AND guard_direct.role_id = :memberRoleId
            AND (guard_direct.ends_at IS NULL OR guard_direct.ends_at > :now)
        )
        OR EXISTS (
          SELECT guard_path.rights & guard_few.rights AS guard_rights
          FROM member guard_few
          CROSS JOIN role_closure guard_path ON guard_path.descendant_id = :memberRoleId
            AND guard_path.ancestor_id = guard_few.role_id
          WHERE guard_few.user_id = iif(
            (SELECT 1 FROM member guard_count WHERE guard_count.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL,
            :actorId,
            NULL
          )
            AND (guard_few.ends_at IS NULL OR guard_few.ends_at > :now)
          UNION ALL
          SELECT guard_path.rights & guard_many.rights
          FROM role_closure guard_path
          CROSS JOIN member guard_many ON guard_many.user_id = :actorId
            AND guard_many.role_id = guard_path.ancestor_id
            AND (guard_many.ends_at IS NULL OR guard_many.ends_at > :now)
          WHERE guard_path.descendant_id = iif(
            (SELECT 1 FROM member guard_count WHERE guard_count.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL,
            NULL,
            :memberRoleId
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
