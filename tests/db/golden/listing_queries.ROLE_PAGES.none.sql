WITH mine(role_id, rights) AS MATERIALIZED (
  SELECT own.role_id, own.rights
  FROM member own
  WHERE own.user_id = :actorId AND (own.ends_at IS NULL OR own.ends_at > :now)
),
stretch(last_id) AS MATERIALIZED (
  SELECT coalesce(
    min(
      (
        SELECT later.descendant_id
        FROM role_closure later
        WHERE later.ancestor_id = mine.role_id AND later.descendant_id > :afterId
        ORDER BY later.descendant_id
        LIMIT 1 OFFSET (SELECT max(1, min(:limit, 50000 / max(1, count(*)))) FROM mine) - 1
      )
    ),
    9223372036854775807
  )
  FROM mine
),
held(id, least, most) AS MATERIALIZED (
  SELECT id, min(rights), max(rights)
  FROM (
    SELECT self.id, self.self_rights & mine.rights AS rights
    FROM mine
    CROSS JOIN role self ON self.id = mine.role_id
    WHERE mine.role_id > :afterId AND mine.role_id <= (SELECT last_id FROM stretch)
    UNION ALL
    SELECT source.descendant_id, source.rights & mine.rights
    FROM mine
    CROSS JOIN role_closure source ON source.ancestor_id = mine.role_id
      AND source.descendant_id > :afterId
      AND source.descendant_id <= (SELECT last_id FROM stretch)
  )
  GROUP BY id
  ORDER BY id
  LIMIT +:limit
),
afforded(last_id) AS MATERIALIZED (
  SELECT (
    SELECT iif(count(*) > 50000, max(min(id), max(id) - 1), 9223372036854775807)
    FROM (
      SELECT judged.id
      FROM (
        SELECT id, role_id
        FROM (SELECT id, id AS role_id FROM held WHERE least <> most)
        WHERE NOT ((SELECT 1 FROM member held_2 WHERE held_2.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL)
        ORDER BY id
        LIMIT -1
      ) judged
      CROSS JOIN role_closure step ON step.descendant_id = judged.role_id
      LIMIT 50001
    )
  )
)
SELECT page.rows,
  coalesce(page.cut_at, NULL) AS walkedTo,
  (SELECT seq FROM sqlite_sequence WHERE name = 'change_log') AS revision
FROM (
  SELECT json_group_array(
    json_object('id', role.id, 'name', role.name, 'selfRights', role.self_rights, 'userRights', held.rights)
  ) AS rows,
    nullif(min((SELECT last_id FROM stretch), (SELECT last_id FROM afforded)), 9223372036854775807) AS cut_at
  FROM (
    SELECT id,
      CASEleast
        WHEN most THEN least
        ELSE iif(
          (
            (SELECT 1 FROM member held_2 WHERE held_2.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
            OR EXISTS (
              SELECT 1
              FROM role_closure longer
              WHERE longer.descendant_id = held.id
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
                AND direct.role_id = held.id
                AND (direct.ends_at IS NULL OR direct.ends_at > :now)
              UNION ALL
              SELECT path.rights & own.rights AS path_rights
              FROM member own
              CROSS JOIN role_closure path ON path.descendant_id = held.id AND path.ancestor_id = own.role_id
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
                AND direct.role_id = held.id
                AND (direct.ends_at IS NULL OR direct.ends_at > :now)
              UNION ALL
              SELECT path.rights & own.rights AS path_rights
              FROM role_closure path
              CROSS JOIN member own ON own.user_id = :actorId
                AND own.role_id = path.ancestor_id
                AND (own.ends_at IS NULL OR own.ends_at > :now)
              WHERE path.descendant_id = held.id
            )
          )
        )
      END AS rights
    FROM held
    WHERE id <= (SELECT last_id FROM afforded)
  ) held
  CROSS JOIN role ON role.id = held.id
) page
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
