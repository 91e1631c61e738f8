-- nearly the same: listing_queries MEMBER_PAGES.email
-- nearly the same: listing_queries MEMBER_PAGES.role
-- nearly the same: listing_queries MEMBER_PAGES.none
WITH price(costly) AS MATERIALIZED (
  SELECT CASE
    WHEN json_array_length(:ids) > 1
      AND (
        SELECT 1
        FROM json_each(:ids) asked
        CROSS JOIN member candidate ON candidate.id = asked.value
        LIMIT 1 OFFSET 50000
      ) IS NOT NULL THEN 'ids'
  END
),
listed(id, role_id) AS MATERIALIZED (
  SELECT candidate.id, candidate.role_id
  FROM json_each(iif((SELECT costly FROM price) IS NULL, :ids, NULL)) asked
  CROSS JOIN member candidate ON candidate.id = asked.value
  WHERE candidate.id > :afterId
    AND candidate.user_id > 0
    AND (candidate.ends_at IS NULL OR candidate.ends_at > :now)
    AND (:ids IS NULL OR candidate.id IN (SELECT value FROM json_each(:ids)))
    AND (:roleIds IS NULL OR candidate.role_id IN (SELECT value FROM json_each(:roleIds)))
    AND (
      :emails IS NULL
      OR EXISTS (
        SELECT 1
        FROM user_account named
        WHERE named.id = candidate.user_id AND named.email IN (SELECT value FROM json_each(:emails))
      )
    )
  ORDER BY 1
  LIMIT 2000
),
afforded(last_id) AS MATERIALIZED (
  SELECT min(
    (
      SELECT iif(count(*) > 50000, max(min(id), max(id) - 1), 9223372036854775807)
      FROM (
        SELECT judged.id
        FROM (
          SELECT id, role_id
          FROM (SELECT min(id) AS id, role_id FROM listed GROUP BY role_id)
          WHERE NOT ((SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL)
          ORDER BY id
          LIMIT -1
        ) judged
        CROSS JOIN role_closure step ON step.descendant_id = judged.role_id
        LIMIT 50001
      )
    ),
    (SELECT iif(count(*) = 2000, max(id), 9223372036854775807) FROM listed)
  )
),
readable_role(role_id) AS MATERIALIZED (
  SELECT judged.role_id
  FROM (SELECT DISTINCT role_id FROM listed WHERE id <= (SELECT last_id FROM afforded) LIMIT -1) judged
  WHERE iif(
    (
      (SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
      OR EXISTS (
        SELECT 1
        FROM role_closure longer
        WHERE longer.descendant_id = judged.role_id
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
            (
              acting.role_id = judged.role_id
              AND EXISTS (
                SELECT 1
                FROM role self
                WHERE self.id = judged.role_id AND self.self_rights & acting.rights & 2
              )
            )
            OR EXISTS (
              SELECT 1
              FROM role_closure path
              WHERE path.descendant_id = judged.role_id
                AND path.ancestor_id = acting.role_id
                AND path.rights & acting.rights & 3
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
          AND own.role_id = judged.role_id
          AND (own.ends_at IS NULL OR own.ends_at > :now)
        UNION ALL
        SELECT above.ancestor_id, many.rights
        FROM role_closure above
        CROSS JOIN member many ON many.user_id = :actorId
          AND many.role_id = above.ancestor_id
          AND (many.ends_at IS NULL OR many.ends_at > :now)
        WHERE above.descendant_id = judged.role_id
      ) acting_above
      WHERE (
        (
          acting_above.role_id = judged.role_id
          AND EXISTS (
            SELECT 1
            FROM role self
            WHERE self.id = judged.role_id AND self.self_rights & acting_above.rights & 2
          )
        )
        OR EXISTS (
          SELECT 1
          FROM role_closure path
          WHERE path.descendant_id = judged.role_id
            AND path.ancestor_id = acting_above.role_id
            AND path.rights & acting_above.rights & 3
        )
      )
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
      owned.id,
      'roleId',
      owned.role_id,
      'userEmail',
      person.email,
      'rights',
      owned.rights,
      'endsAt',
      owned.ends_at
    )
  ) AS rows,
    nullif((SELECT last_id FROM afforded), 9223372036854775807) AS cut_at
  FROM (
    SELECT DISTINCT id
    FROM (
      SELECT candidate.id
      FROM listed
      CROSS JOIN member candidate ON candidate.id = listed.id
      WHERE listed.id <= (SELECT last_id FROM afforded)
        AND (candidate.user_id = :actorId OR candidate.role_id IN (SELECT role_id FROM readable_role))
    )
    ORDER BY id
    LIMIT +:limit
  ) candidates
  CROSS JOIN member owned ON owned.id = candidates.id
  CROSS JOIN user_account person ON person.id = owned.user_id
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
