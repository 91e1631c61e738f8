-- nearly the same: listing_queries ROLE_PAGES.name
-- nearly the same: listing_queries ROLE_PAGES.namePrefix
-- nearly the same: listing_queries ROLE_PAGES.ancestor
WITH price(costly) AS MATERIALIZED (
  SELECT CASE
    WHEN CASE
      WHEN (SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
        OR json_array_length(:ancestorIds) < 2 THEN false
      ELSE (
        SELECT 1
        FROM (SELECT value AS role_id FROM json_each(:ancestorIds)) judged
        CROSS JOIN role_closure step ON step.descendant_id = judged.role_id
        LIMIT 1 OFFSET 50000
      ) IS NOT NULL
    END THEN 'ancestorIds'
  END
),
seen_ancestor(role_id) AS MATERIALIZED (
  SELECT asked.value
  FROM json_each(iif((SELECT costly FROM price) IS NULL, :ancestorIds, NULL)) asked
  WHERE iif(
    (
      (SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
      OR EXISTS (
        SELECT 1
        FROM role_closure longer
        WHERE longer.descendant_id = asked.value
        LIMIT 1 OFFSET (SELECT count(*) FROM member shorter WHERE shorter.user_id = :actorId)
      )
    ),
    EXISTS (
      SELECT 1
      FROM member acting
      WHERE acting.user_id = :actorId
        AND (acting.ends_at IS NULL OR acting.ends_at > :now)
        AND (
          (
            acting.role_id = asked.value
            OR EXISTS (
              SELECT 1
              FROM role_closure path
              WHERE path.descendant_id = asked.value AND path.ancestor_id = acting.role_id
            )
          )
        )
    ),
    EXISTS (
      SELECT 1
      FROM (
        SELECT own.role_id, own.rights
        FROM member own
        WHERE own.user_id = :actorId
          AND own.role_id = asked.value
          AND (own.ends_at IS NULL OR own.ends_at > :now)
        UNION ALL
        SELECT above.ancestor_id, many.rights
        FROM role_closure above
        CROSS JOIN member many ON many.user_id = :actorId
          AND many.role_id = above.ancestor_id
          AND (many.ends_at IS NULL OR many.ends_at > :now)
        WHERE above.descendant_id = asked.value
      ) acting_above
      WHERE true
    )
  )
),
listed(id) AS MATERIALIZED (
  SELECT role.id
  FROM json_each(:ids) asked
  CROSS JOIN role ON role.id = asked.value
  WHERE role.id > :afterId
    AND (:names IS NULL OR role.name IN (SELECT value FROM json_each(:names)))
    AND (:pattern IS NULL OR +role.name GLOB +:pattern)
    AND iif(
      (SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL,
      EXISTS (
        SELECT 1
        FROM member acting
        WHERE acting.user_id = :actorId
          AND (acting.ends_at IS NULL OR acting.ends_at > :now)
          AND (
            (
              acting.role_id = role.id
              OR EXISTS (
                SELECT 1
                FROM role_closure path
                WHERE path.descendant_id = role.id AND path.ancestor_id = acting.role_id
              )
            )
          )
      ),
      true
    )
),
afforded(last_id) AS MATERIALIZED (
  SELECT (
    SELECT iif(count(*) > 50000, max(min(id), max(id) - 1), 9223372036854775807)
    FROM (
      SELECT judged.id
      FROM (
        SELECT id, role_id
        FROM (SELECT id, id AS role_id FROM listed)
        WHERE (
          NOT ((SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL)
          OR :ancestorIds IS NOT NULL
        )
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
  (SELECT costly FROM price) AS costly,
  (SELECT seq FROM sqlite_sequence WHERE name = 'change_log') AS revision
FROM (
  SELECT json_group_array(
    json_object(
      'id',
      role.id,
      'name',
      role.name,
      'selfRights',
      role.self_rights,
      'userRights',
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
      )
    )
  ) AS rows,
    nullif((SELECT last_id FROM afforded), 9223372036854775807) AS cut_at
  FROM (
    SELECT listed.id
    FROM listed
    WHERE listed.id <= (SELECT last_id FROM afforded)
      AND iif(
        (
          (SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
          OR EXISTS (
            SELECT 1
            FROM role_closure longer
            WHERE longer.descendant_id = listed.id
            LIMIT 1 OFFSET (SELECT count(*) FROM member shorter WHERE shorter.user_id = :actorId)
          )
        ),
        EXISTS (
          SELECT 1
          FROM member acting
          WHERE acting.user_id = :actorId
            AND (acting.ends_at IS NULL OR acting.ends_at > :now)
            AND (
              (
                acting.role_id = listed.id
                OR EXISTS (
                  SELECT 1
                  FROM role_closure path
                  WHERE path.descendant_id = listed.id AND path.ancestor_id = acting.role_id
                )
              )
            )
        ),
        EXISTS (
          SELECT 1
          FROM (
            SELECT own.role_id, own.rights
            FROM member own
            WHERE own.user_id = :actorId
              AND own.role_id = listed.id
              AND (own.ends_at IS NULL OR own.ends_at > :now)
            UNION ALL
            SELECT above.ancestor_id, many.rights
            FROM role_closure above
            CROSS JOIN member many ON many.user_id = :actorId
              AND many.role_id = above.ancestor_id
              AND (many.ends_at IS NULL OR many.ends_at > :now)
            WHERE above.descendant_id = listed.id
          ) acting_above
          WHERE true
        )
      )
      AND (
        :ancestorIds IS NULL
        OR EXISTS (
          SELECT 1
          FROM role_closure below
          WHERE below.descendant_id = listed.id AND +below.ancestor_id IN (SELECT role_id FROM seen_ancestor)
        )
      )
    ORDER BY listed.id
    LIMIT +:limit
  ) candidates
  CROSS JOIN role ON role.id = candidates.id
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
