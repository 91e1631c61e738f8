-- like this: device_listing_queries MONITORS_PAGES.device
-- like this: device_listing_queries MONITORS_PAGES.id
-- like this: device_listing_queries MONITORS_PAGES.role
-- like this: listing_queries MANAGED_BY_PAGES.role
-- like this: listing_queries MANAGES_PAGES.child
-- like this: listing_queries MANAGES_PAGES.id
-- like this: listing_queries MEMBER_PAGES.email
-- like this: listing_queries MEMBER_PAGES.externalId
-- like this: listing_queries MEMBER_PAGES.id
-- like this: listing_queries MEMBER_PAGES.user
WITH price(costly) AS MATERIALIZED (
  SELECT CASE
    WHEN CASE
      WHEN (SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
        OR json_array_length(:roleIds) < 2 THEN false
      ELSE (
        SELECT 1
        FROM (SELECT value AS role_id FROM json_each(:roleIds)) judged
        CROSS JOIN role_closure step ON step.descendant_id = judged.role_id
        LIMIT 1 OFFSET 50000
      ) IS NOT NULL
    END THEN 'roleIds'
  END
),
asked_role(id) AS MATERIALIZED (
  SELECT asked.value
  FROM json_each(iif((SELECT costly FROM price) IS NULL, :roleIds, NULL)) asked
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
        AND (
          (acting.ends_at IS NULL OR acting.ends_at > :now)
          AND (
            acting.needs = 0
            OR iif(
              acting.needs_from > :now, acting.needs_before, acting.needs
            ) <= (
              SELECT session.meets
              FROM session
              WHERE session.id = :sessionId
            )
          )
        )
        AND (
          (
            (
              acting.role_id = asked.value
              AND EXISTS (
                SELECT 1
                FROM role self
                WHERE self.id = asked.value AND self.self_rights & acting.rights & 2
              )
            )
            OR EXISTS (
              SELECT 1
              FROM role_closure path
              WHERE path.descendant_id = asked.value
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
          AND own.role_id = asked.value
          AND (
            (own.ends_at IS NULL OR own.ends_at > :now)
            AND (
              own.needs = 0
              OR iif(own.needs_from > :now, own.needs_before, own.needs) <= (
                SELECT session.meets
                FROM session
                WHERE session.id = :sessionId
              )
            )
          )
        UNION ALL
        SELECT above.ancestor_id, many.rights
        FROM role_closure above
        CROSS JOIN member many ON many.user_id = :actorId
          AND many.role_id = above.ancestor_id
          AND (
            (many.ends_at IS NULL OR many.ends_at > :now)
            AND (
              many.needs = 0
              OR iif(many.needs_from > :now, many.needs_before, many.needs) <= (
                SELECT session.meets
                FROM session
                WHERE session.id = :sessionId
              )
            )
          )
        WHERE above.descendant_id = asked.value
      ) acting_above
      WHERE (
        (
          acting_above.role_id = asked.value
          AND EXISTS (
            SELECT 1
            FROM role self
            WHERE self.id = asked.value AND self.self_rights & acting_above.rights & 2
          )
        )
        OR EXISTS (
          SELECT 1
          FROM role_closure path
          WHERE path.descendant_id = asked.value
            AND path.ancestor_id = acting_above.role_id
            AND path.rights & acting_above.rights & 3
        )
      )
    )
  )
),
stretch(last_id) AS MATERIALIZED (
  SELECT coalesce(
    min(
      (
        SELECT next.id
        FROM member next
        WHERE next.role_id = asked_role.id AND next.id > :afterId
        ORDER BY next.id
        LIMIT 1 OFFSET min(:limit, max(10, 50000 / max(1, json_array_length(:roleIds)))) - 1
      )
    ),
    9223372036854775807
  )
  FROM asked_role
)
SELECT page.rows,
  coalesce(page.cut_at, nullif((SELECT last_id FROM stretch), 9223372036854775807)) AS walkedTo,
  (SELECT costly FROM price) AS costly,
  (SELECT seq FROM sqlite_sequence WHERE name = 'change_log') AS revision
FROM (
  SELECT json_group_array(
    json_object(
      'id',
      owned.id,
      'roleId',
      owned.role_id,
      'userId',
      owned.user_id,
      'userEmail',
      person.email,
      'externalId',
      CASE WHEN (owned.given_by IS NULL OR owned.user_id = :actorId) THEN person.external_id END,
      'rights',
      owned.rights,
      'endsAt',
      owned.ends_at,
      'needs',
      owned.needs,
      'lastMetAt',
      owned.met_at,
      'waits',
      (
        person.password_hash IS NULL
        AND person.password_changed_at IS NULL
        AND person.security_version = 0
        AND NOT EXISTS (SELECT 1 FROM session begun WHERE begun.user_id = person.id)
      ),
      'waitingSince',
      CASE
        WHEN (
          person.password_hash IS NULL
          AND person.password_changed_at IS NULL
          AND person.security_version = 0
          AND NOT EXISTS (SELECT 1 FROM session begun WHERE begun.user_id = person.id)
        ) THEN (
          SELECT added.at
          FROM member_history first
          CROSS JOIN change_log added ON added.rev = first.from_rev
          WHERE first.member_id = owned.id
          ORDER BY first.to_rev
          LIMIT 1
        )
      END
    )
  ) FILTER (
    WHERE (
      :waiting IS NULL
      OR (
        person.password_hash IS NULL
        AND person.password_changed_at IS NULL
        AND person.security_version = 0
        AND NOT EXISTS (SELECT 1 FROM session begun WHERE begun.user_id = person.id)
      ) = :waiting
    )
      AND (:endsBefore IS NULL OR owned.ends_at < :endsBefore)
  ) AS rows,
    coalesce(CASE WHEN count(*) = :limit THEN max(owned.id) END, NULL) AS cut_at
  FROM (
    SELECT DISTINCT id
    FROM (
      SELECT candidate.id
      FROM asked_role
      CROSS JOIN member candidate ON candidate.role_id = asked_role.id
        AND candidate.id > :afterId
        AND candidate.id <= (SELECT last_id FROM stretch)
      WHERE candidate.user_id > 0
        AND (candidate.ends_at IS NULL OR candidate.ends_at > :now)
        AND (:ids IS NULL OR candidate.id IN (SELECT value FROM json_each(:ids)))
        AND (:roleIds IS NULL OR candidate.role_id IN (SELECT value FROM json_each(:roleIds)))
        AND (:userIds IS NULL OR candidate.user_id IN (SELECT value FROM json_each(:userIds)))
        AND (
          :emails IS NULL
          OR EXISTS (
            SELECT 1
            FROM user_account named
            WHERE named.id = candidate.user_id AND named.email IN (SELECT value FROM json_each(:emails))
          )
        )
        AND (
          :memberExternalIds IS NULL
          OR (candidate.given_by IS NULL OR candidate.user_id = :actorId)
          AND EXISTS (
            SELECT 1
            FROM user_account identified
            WHERE identified.id = candidate.user_id
              AND identified.external_id IN (SELECT value FROM json_each(:memberExternalIds))
          )
        )
      UNION ALL
      SELECT candidate_2.id
      FROM member candidate_2
      WHERE candidate_2.user_id = :actorId
        AND candidate_2.id > :afterId
        AND (
          (candidate_2.ends_at IS NULL OR candidate_2.ends_at > :now)
          AND (
            candidate_2.needs = 0
            OR iif(
              candidate_2.needs_from > :now, candidate_2.needs_before, candidate_2.needs
            ) <= (
              SELECT session.meets
              FROM session
              WHERE session.id = :sessionId
            )
          )
        )
        AND (:ids IS NULL OR candidate_2.id IN (SELECT value FROM json_each(:ids)))
        AND (:userIds IS NULL OR candidate_2.user_id IN (SELECT value FROM json_each(:userIds)))
        AND (
          :emails IS NULL
          OR EXISTS (
            SELECT 1
            FROM user_account named
            WHERE named.id = candidate_2.user_id AND named.email IN (SELECT value FROM json_each(:emails))
          )
        )
        AND (
          :memberExternalIds IS NULL
          OR (candidate_2.given_by IS NULL OR candidate_2.user_id = :actorId)
          AND EXISTS (
            SELECT 1
            FROM user_account identified
            WHERE identified.id = candidate_2.user_id
              AND identified.external_id IN (SELECT value FROM json_each(:memberExternalIds))
          )
        )
        AND candidate_2.id <= (SELECT last_id FROM stretch)
        AND candidate_2.role_id IN (SELECT value FROM json_each(:roleIds))
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
