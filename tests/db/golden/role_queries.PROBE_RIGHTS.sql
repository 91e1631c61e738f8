SELECT iif(
  (SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL,
  (
    SELECT json_group_array(rights)
    FROM (
      SELECT coalesce(
        iif(
          (
            (SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
            OR EXISTS (
              SELECT 1
              FROM role_closure longer
              WHERE longer.descendant_id = asked.value
              LIMIT 1 OFFSET (SELECT count(*) FROM member shorter WHERE shorter.user_id = :actorId)
            )
          ),
          (
            SELECT (
              max(path_rights & 1) | max(path_rights & 2) | max(path_rights & 4) | max(path_rights & 8) | max(path_rights & 16) | max(path_rights & 32)
            )
            FROM (
              SELECT self.self_rights & direct.rights AS path_rights
              FROM member direct
              CROSS JOIN role self ON self.id = direct.role_id
              WHERE direct.user_id = :actorId
                AND direct.role_id = asked.value
                AND (direct.ends_at IS NULL OR direct.ends_at > :now)
              UNION ALL
              SELECT path.rights & own.rights AS path_rights
              FROM member own
              CROSS JOIN role_closure path ON path.descendant_id = asked.value
                AND path.ancestor_id = own.role_id
              WHERE own.user_id = :actorId AND (own.ends_at IS NULL OR own.ends_at > :now)
            )
          ),
          (
            SELECT (
              max(path_rights & 1) | max(path_rights & 2) | max(path_rights & 4) | max(path_rights & 8) | max(path_rights & 16) | max(path_rights & 32)
            )
            FROM (
              SELECT self.self_rights & direct.rights AS path_rights
              FROM member direct
              CROSS JOIN role self ON self.id = direct.role_id
              WHERE direct.user_id = :actorId
                AND direct.role_id = asked.value
                AND (direct.ends_at IS NULL OR direct.ends_at > :now)
              UNION ALL
              SELECT path.rights & own.rights AS path_rights
              FROM role_closure path
              CROSS JOIN member own ON own.user_id = :actorId
                AND own.role_id = path.ancestor_id
                AND (own.ends_at IS NULL OR own.ends_at > :now)
              WHERE path.descendant_id = asked.value
            )
          )
        ),
        0
      ) AS rights
      FROM json_each(:roleIds) asked
      ORDER BY asked.key
    )
  ),
  NULL
) AS rights,
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
