-- also listing_queries ROLE_PAGES.id
-- nearly the same: listing_queries ROLE_PAGES.fewIds.probe
WITH afforded(last_id) AS MATERIALIZED (
  SELECT (
    SELECT iif(count(*) > 50000, max(min(id), max(id) - 1), 9223372036854775807)
    FROM (
      SELECT judged.id
      FROM (
        SELECT id, role_id
        FROM (SELECT value AS id, value AS role_id FROM json_each(:ids) WHERE value > :afterId)
        WHERE NOT ((SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL)
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
    json_object('id', seen.id, 'name', seen.name, 'selfRights', seen.self_rights, 'userRights', seen.rights)
  ) AS rows,
    nullif((SELECT last_id FROM afforded), 9223372036854775807) AS cut_at
  FROM (
    SELECT *
    FROM (
      SELECT role.id,
        role.name,
        role.self_rights,
        iif(
          (
            (SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
            OR EXISTS (
              SELECT 1
              FROM role_closure longer
              WHERE longer.descendant_id = role.id
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
                AND direct.role_id = role.id
                AND (direct.ends_at IS NULL OR direct.ends_at > :now)
              UNION ALL
              SELECT path.rights & own.rights AS path_rights
              FROM member own
              CROSS JOIN role_closure path ON path.descendant_id = role.id AND path.ancestor_id = own.role_id
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
                AND direct.role_id = role.id
                AND (direct.ends_at IS NULL OR direct.ends_at > :now)
              UNION ALL
              SELECT path.rights & own.rights AS path_rights
              FROM role_closure path
              CROSS JOIN member own ON own.user_id = :actorId
                AND own.role_id = path.ancestor_id
                AND (own.ends_at IS NULL OR own.ends_at > :now)
              WHERE path.descendant_id = role.id
            )
          )
        ) AS rights
      FROM json_each(:ids) asked
      CROSS JOIN role ON role.id = asked.value
      WHERE role.id > :afterId AND role.id <= (SELECT last_id FROM afforded)
      LIMIT -1
    )
    WHERE rights IS NOT NULL
    ORDER BY id
    LIMIT +:limit
  ) seen
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
