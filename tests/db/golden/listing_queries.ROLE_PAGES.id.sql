SELECT page.*, (SELECT seq FROM sqlite_sequence WHERE name = 'change_log') AS revision
FROM session guard_session
LEFT JOIN (
  SELECT role.id,
    role.name,
    role.self_rights AS selfRights,
    (
      SELECT (
        max(guard_rights & 1) | max(guard_rights & 2) | max(guard_rights & 4) | max(guard_rights & 8) | max(guard_rights & 16) | max(guard_rights & 32)
      )
      FROM (
        SELECT guard_self.self_rights AS guard_rights
        FROM member guard_direct
        CROSS JOIN role guard_self ON guard_self.id = guard_direct.role_id
        WHERE guard_direct.user_id = :actorId AND guard_direct.role_id = role.id
        UNION ALL
        SELECT guard_path.rights
        FROM member guard_member
        CROSS JOIN role_closure guard_path ON guard_path.descendant_id = role.id
          AND guard_path.ancestor_id = guard_member.role_id
        WHERE guard_member.user_id = :actorId
      )
    ) AS userRights
  FROM (
    SELECT DISTINCT id
    FROM (
      SELECT asked.value AS id
      FROM json_each(:ids) asked
      CROSS JOIN role candidate ON candidate.id = asked.value
      WHERE asked.value > :afterId
        AND (:names IS NULL OR candidate.name IN (SELECT value FROM json_each(:names)))
        AND (
          EXISTS (
            SELECT 1
            FROM member guard_direct
            WHERE guard_direct.user_id = :actorId AND guard_direct.role_id = asked.value
          )
          OR EXISTS (
            SELECT 1
            FROM member guard_member
            CROSS JOIN role_closure guard_path ON guard_path.descendant_id = asked.value
              AND guard_path.ancestor_id = guard_member.role_id
            WHERE guard_member.user_id = :actorId
          )
        )
        AND (
          :ancestorIds IS NULL
          OR EXISTS (
            SELECT 1
            FROM json_each(:ancestorIds) above
            CROSS JOIN role_closure below ON below.descendant_id = asked.value
              AND below.ancestor_id = above.value
            WHERE (
              EXISTS (
                SELECT 1
                FROM member guard_direct
                WHERE guard_direct.user_id = :actorId AND guard_direct.role_id = above.value
              )
              OR EXISTS (
                SELECT 1
                FROM member guard_member
                CROSS JOIN role_closure guard_path ON guard_path.descendant_id = above.value
                  AND guard_path.ancestor_id = guard_member.role_id
                WHERE guard_member.user_id = :actorId
              )
            )
          )
        )
    )
    ORDER BY id
    LIMIT :limit
  ) candidates
  CROSS JOIN role ON role.id = candidates.id
  ORDER BY role.id
) page ON true
WHERE guard_session.id = :sessionId
  AND guard_session.user_id = :actorId
  AND guard_session.ended_at IS NULL
  AND guard_session.idle_until > :now
ORDER BY page.id
