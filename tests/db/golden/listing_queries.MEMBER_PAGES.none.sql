-- like this: device_listing_queries MONITORS_PAGES.device
-- like this: device_listing_queries MONITORS_PAGES.id
-- like this: device_listing_queries MONITORS_PAGES.none
-- like this: device_listing_queries MONITORS_PAGES.role
-- like this: listing_queries MANAGED_BY_PAGES.none
-- like this: listing_queries MANAGED_BY_PAGES.role
-- like this: listing_queries MANAGES_PAGES.child
-- like this: listing_queries MANAGES_PAGES.id
-- like this: listing_queries MANAGES_PAGES.none
-- like this: listing_queries MEMBER_PAGES.email
-- like this: listing_queries MEMBER_PAGES.externalId
-- like this: listing_queries MEMBER_PAGES.id
-- like this: listing_queries MEMBER_PAGES.role
-- like this: listing_queries MEMBER_PAGES.user
-- like this: listing_queries ROLE_PAGES.externalId
-- like this: listing_queries ROLE_PAGES.name
-- like this: listing_queries ROLE_PAGES.namePrefix
WITH reached(role_id) AS MATERIALIZED (
  SELECT own.role_id
  FROM member own
  WHERE own.user_id = :actorId
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
    AND NOT false
  UNION ALL
  SELECT source.descendant_id
  FROM member mine
  CROSS JOIN role_closure source ON source.ancestor_id = mine.role_id
  WHERE mine.user_id = :actorId
    AND (
      (mine.ends_at IS NULL OR mine.ends_at > :now)
      AND (
        mine.needs = 0
        OR iif(mine.needs_from > :now, mine.needs_before, mine.needs) <= (
          SELECT session.meets
          FROM session
          WHERE session.id = :sessionId
        )
      )
    )
    AND NOT false
  LIMIT 50001
),
reach(role_id) AS MATERIALIZED (SELECT DISTINCT role_id FROM reached LIMIT 5001),
pace(is_walk, horizon_id) AS MATERIALIZED (
  SELECT is_walk,
    CASE
      WHEN false THEN 9223372036854775807
      WHEN is_walk THEN coalesce(
        (
          SELECT walked.id
          FROM member walked
          WHERE walked.id > :afterId
          ORDER BY walked.id
          LIMIT 1 OFFSET 20000 / max(
            1, (SELECT count(*) FROM (SELECT 1 FROM member WHERE member.user_id = :actorId LIMIT 33))
          ) - 1
        ),
        9223372036854775807
      )
      ELSE :afterId
    END
  FROM (
    SELECT false
      OR ((SELECT count(*) FROM reached) > 50000 OR (SELECT count(*) FROM reach) > 5000)
      OR (
        SELECT count(*)
        FROM (
          SELECT 1
          FROM reach
          CROSS JOIN member candidate ON candidate.id IN (
            SELECT of_role.id
            FROM member of_role
            WHERE of_role.role_id = reach.role_id
              AND of_role.id > :afterId
              AND of_role.user_id > 0
              AND (of_role.ends_at IS NULL OR of_role.ends_at > :now)
              AND (:ids IS NULL OR of_role.id IN (SELECT value FROM json_each(:ids)))
              AND (:roleIds IS NULL OR of_role.role_id IN (SELECT value FROM json_each(:roleIds)))
              AND (:userIds IS NULL OR of_role.user_id IN (SELECT value FROM json_each(:userIds)))
              AND (
                :emails IS NULL
                OR EXISTS (
                  SELECT 1
                  FROM user_account named
                  WHERE named.id = of_role.user_id AND named.email IN (SELECT value FROM json_each(:emails))
                )
              )
              AND (
                :memberExternalIds IS NULL
                OR (of_role.given_by IS NULL OR of_role.user_id = :actorId)
                AND EXISTS (
                  SELECT 1
                  FROM user_account identified
                  WHERE identified.id = of_role.user_id
                    AND identified.external_id IN (SELECT value FROM json_each(:memberExternalIds))
                )
              )
            ORDER BY of_role.id
            LIMIT +:limit
          )
          LIMIT 10001
        )
      ) > 10000
      OR CASE
        WHEN (SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL THEN false
        ELSE (
          SELECT 1
          FROM reach judged
          CROSS JOIN role_closure step ON step.descendant_id = judged.role_id
          LIMIT 1 OFFSET 100000
        ) IS NOT NULL
      END AS is_walk
  )
),
passed(id, role_id) AS MATERIALIZED (
  SELECT candidate.id, candidate.role_id
  FROM member candidate
  WHERE (SELECT is_walk FROM pace)
    AND candidate.id > :afterId
    AND candidate.id <= (SELECT horizon_id FROM pace)
    AND candidate.user_id > 0
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
  ORDER BY candidate.id
  LIMIT max(1000, 2 * :limit)
),
afforded(last_id) AS MATERIALIZED (
  SELECT min(
    (
      SELECT iif(count(*) > 50000, max(min(id), max(id) - 1), 9223372036854775807)
      FROM (
        SELECT judged.id
        FROM (
          SELECT id, role_id
          FROM (SELECT min(id) AS id, role_id FROM passed GROUP BY role_id)
          WHERE NOT ((SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL)
          ORDER BY id
          LIMIT -1
        ) judged
        CROSS JOIN role_closure step ON step.descendant_id = judged.role_id
        LIMIT 50001
      )
    ),
    (SELECT iif(count(*) = max(1000, 2 * :limit), max(id), 9223372036854775807) FROM passed)
  )
),
readable_role(role_id) AS MATERIALIZED (
  SELECT judged.role_id
  FROM (SELECT DISTINCT role_id FROM passed WHERE id <= (SELECT last_id FROM afforded) LIMIT -1) judged
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
  (SELECT seq FROM sqlite_sequence WHERE name = 'change_log') AS revision,
  coalesce(
    page.cut_at,
    CASE
      WHEN (SELECT is_walk FROM pace)
        AND (SELECT horizon_id FROM pace) < (SELECT max(member.id) FROM member) THEN (SELECT horizon_id FROM pace)
    END
  ) AS walkedTo
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
    coalesce(
      CASE WHEN count(*) = :limit THEN max(owned.id) END,
      nullif((SELECT last_id FROM afforded), 9223372036854775807)
    ) AS cut_at
  FROM (
    SELECT DISTINCT id
    FROM (
      SELECT candidate.id
      FROM reach
      CROSS JOIN member candidate ON candidate.id IN (
        SELECT of_role.id
        FROM member of_role
        WHERE of_role.role_id = reach.role_id
          AND of_role.id > :afterId
          AND of_role.user_id > 0
          AND (of_role.ends_at IS NULL OR of_role.ends_at > :now)
          AND (:ids IS NULL OR of_role.id IN (SELECT value FROM json_each(:ids)))
          AND (:roleIds IS NULL OR of_role.role_id IN (SELECT value FROM json_each(:roleIds)))
          AND (:userIds IS NULL OR of_role.user_id IN (SELECT value FROM json_each(:userIds)))
          AND (
            :emails IS NULL
            OR EXISTS (
              SELECT 1
              FROM user_account named
              WHERE named.id = of_role.user_id AND named.email IN (SELECT value FROM json_each(:emails))
            )
          )
          AND (
            :memberExternalIds IS NULL
            OR (of_role.given_by IS NULL OR of_role.user_id = :actorId)
            AND EXISTS (
              SELECT 1
              FROM user_account identified
              WHERE identified.id = of_role.user_id
                AND identified.external_id IN (SELECT value FROM json_each(:memberExternalIds))
            )
          )
        ORDER BY of_role.id
        LIMIT +:limit
      )
      WHERE NOT (SELECT is_walk FROM pace)
        AND candidate.user_id > 0
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
        AND iif(
          (
            (SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
            OR EXISTS (
              SELECT 1
              FROM role_closure longer
              WHERE longer.descendant_id = reach.role_id
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
                    acting.role_id = reach.role_id
                    AND EXISTS (
                      SELECT 1
                      FROM role self
                      WHERE self.id = reach.role_id AND self.self_rights & acting.rights & 2
                    )
                  )
                  OR EXISTS (
                    SELECT 1
                    FROM role_closure path
                    WHERE path.descendant_id = reach.role_id
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
                AND own.role_id = reach.role_id
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
              WHERE above.descendant_id = reach.role_id
            ) acting_above
            WHERE (
              (
                acting_above.role_id = reach.role_id
                AND EXISTS (
                  SELECT 1
                  FROM role self
                  WHERE self.id = reach.role_id AND self.self_rights & acting_above.rights & 2
                )
              )
              OR EXISTS (
                SELECT 1
                FROM role_closure path
                WHERE path.descendant_id = reach.role_id
                  AND path.ancestor_id = acting_above.role_id
                  AND path.rights & acting_above.rights & 3
              )
            )
          )
        )
      UNION ALL
      SELECT candidate_2.id
      FROM passed
      CROSS JOIN member candidate_2 ON candidate_2.id = passed.id
      WHERE passed.id <= (SELECT last_id FROM afforded)
        AND (
          (
            candidate_2.user_id = :actorId
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
          )
          OR candidate_2.role_id IN (SELECT role_id FROM readable_role)
        )
      UNION ALL
      SELECT candidate_3.id
      FROM member candidate_3
      WHERE candidate_3.user_id = :actorId
        AND candidate_3.id > :afterId
        AND (
          (candidate_3.ends_at IS NULL OR candidate_3.ends_at > :now)
          AND (
            candidate_3.needs = 0
            OR iif(
              candidate_3.needs_from > :now, candidate_3.needs_before, candidate_3.needs
            ) <= (
              SELECT session.meets
              FROM session
              WHERE session.id = :sessionId
            )
          )
        )
        AND (:ids IS NULL OR candidate_3.id IN (SELECT value FROM json_each(:ids)))
        AND (:userIds IS NULL OR candidate_3.user_id IN (SELECT value FROM json_each(:userIds)))
        AND (
          :emails IS NULL
          OR EXISTS (
            SELECT 1
            FROM user_account named
            WHERE named.id = candidate_3.user_id AND named.email IN (SELECT value FROM json_each(:emails))
          )
        )
        AND (
          :memberExternalIds IS NULL
          OR (candidate_3.given_by IS NULL OR candidate_3.user_id = :actorId)
          AND EXISTS (
            SELECT 1
            FROM user_account identified
            WHERE identified.id = candidate_3.user_id
              AND identified.external_id IN (SELECT value FROM json_each(:memberExternalIds))
          )
        )
        AND NOT (SELECT is_walk FROM pace)
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
