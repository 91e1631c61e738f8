-- like this: affected_queries READABLE_ROLES
-- like this: device_listing_queries MONITORS_PAGES.none
-- like this: listing_queries MANAGED_BY_PAGES.none
-- like this: listing_queries MANAGES_PAGES.none
-- like this: listing_queries MEMBER_PAGES.none
-- like this: listing_queries ROLE_PAGES.externalId
-- like this: listing_queries ROLE_PAGES.name
-- like this: listing_queries ROLE_PAGES.namePrefix
-- like this: search_queries RESOURCE_PAGES.device
WITH item(key, subject, role_id, device_id, direct, indirect, meets) AS MATERIALIZED (
  SELECT asked.key,
    coalesce(
      asked.value ->> 'principalId',
      (
        SELECT user_account.id
        FROM user_account
        WHERE user_account.email = iif(
          json_type(asked.value, '$.email') = 'array',
          (
            SELECT spelling.value
            FROM json_each(asked.value, '$.email') spelling
            WHERE EXISTS (SELECT 1 FROM user_account bearer WHERE bearer.email = spelling.value)
            ORDER BY spelling.key
            LIMIT 1
          ),
          asked.value ->> 'email'
        )
      ),
      0
    ),
    coalesce(asked.value ->> 'roleId', 0),
    coalesce(
      asked.value ->> 'deviceId',
      (
        SELECT max(newest.id)
        FROM device newest
        WHERE newest.node_id = iif(
          json_type(asked.value, '$.nodeId') = 'array',
          (
            SELECT spelling.value
            FROM json_each(asked.value ->> 'nodeId') spelling
            WHERE EXISTS (SELECT 1 FROM device bearer WHERE bearer.node_id = spelling.value)
            ORDER BY spelling.key
            LIMIT 1
          ),
          asked.value ->> 'nodeId'
        )
      ),
      0
    ),
    asked.value ->> 'direct',
    asked.value ->> 'indirect',
    asked.value ->> 'meets'
  FROM json_each(:items) asked
),
reached(role_id) AS MATERIALIZED (
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
          FROM role walked
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
          CROSS JOIN role listed ON listed.id = reach.role_id AND listed.id > :afterId
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
candidate(id) AS MATERIALIZED (
  SELECT listed.id
  FROM reach
  CROSS JOIN role listed ON listed.id = reach.role_id AND listed.id > :afterId
  WHERE NOT (SELECT is_walk FROM pace)
  UNION
  SELECT id
  FROM (
    SELECT walked.id
    FROM role walked
    WHERE (SELECT is_walk FROM pace)
      AND walked.id > :afterId
      AND walked.id <= (SELECT horizon_id FROM pace)
      AND walked.id <= (SELECT last_id FROM walk_end)
      AND iif(
        (
          (SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
          OR EXISTS (
            SELECT 1
            FROM role_closure longer
            WHERE longer.descendant_id = walked.id
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
                acting.role_id = walked.id
                OR EXISTS (
                  SELECT 1
                  FROM role_closure path
                  WHERE path.descendant_id = walked.id AND path.ancestor_id = acting.role_id
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
              AND own.role_id = walked.id
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
            WHERE above.descendant_id = walked.id
          ) acting_above
          WHERE true
        )
      )
    ORDER BY walked.id
    LIMIT 2000
  )
  ORDER BY 1
  LIMIT 2000
),
walk_end(last_id) AS MATERIALIZED (
  SELECT (
    SELECT iif(count(*) > 50000, max(min(id), max(id) - 1), 9223372036854775807)
    FROM (
      SELECT judged.id
      FROM (
        SELECT id, role_id
        FROM (
          SELECT walked.id, walked.id AS role_id
          FROM role walked
          WHERE (SELECT is_walk FROM pace)
            AND walked.id > :afterId
            AND walked.id <= (SELECT horizon_id FROM pace)
        )
        WHERE NOT ((SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL)
        ORDER BY id
        LIMIT -1
      ) judged
      CROSS JOIN role_closure step ON step.descendant_id = judged.role_id
      LIMIT 50001
    )
  )
),
afforded(last_id) AS MATERIALIZED (
  SELECT min(
    last_id,
    (
      SELECT iif(count(*) > 50000, max(min(id), max(id) - 1), 9223372036854775807)
      FROM (
        SELECT judged.id
        FROM (
          SELECT id, role_id
          FROM (SELECT id, id AS role_id FROM candidate)
          WHERE (
            NOT ((SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL)
            OR (SELECT subject FROM item) <> :actorId
          )
          ORDER BY id
          LIMIT -1
        ) judged
        CROSS JOIN role_closure step ON step.descendant_id = judged.role_id
        LIMIT 50001
      )
    )
  )
  FROM walk_end
)
SELECT page.rows,
  (SELECT seq FROM sqlite_sequence WHERE name = 'change_log') AS revision,
  coalesce(
    page.cut_at,
    CASE
      WHEN (SELECT is_walk FROM pace)
        AND (SELECT horizon_id FROM pace) < (SELECT max(role.id) FROM role) THEN (SELECT horizon_id FROM pace)
    END
  ) AS walkedTo
FROM (
  SELECT json_group_array(json_object('id', found.id)) AS rows,
    nullif(
      min(
        (SELECT last_id FROM afforded),
        (SELECT iif(count(*) = 2000, max(id), 9223372036854775807) FROM candidate)
      ),
      9223372036854775807
    ) AS cut_at
  FROM (
    SELECT candidate.id
    FROM item
    CROSS JOIN candidate
    WHERE candidate.id <= (SELECT last_id FROM afforded)
      AND CASE
        WHEN item.subject = :actorId THEN iif(
          (
            (SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
            OR EXISTS (
              SELECT 1
              FROM role_closure longer
              WHERE longer.descendant_id = candidate.id
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
                    acting.role_id = candidate.id
                    AND EXISTS (
                      SELECT 1
                      FROM role self
                      WHERE self.id = candidate.id
                        AND (item.direct = 0 OR self.self_rights & acting.rights & item.direct)
                    )
                  )
                  OR EXISTS (
                    SELECT 1
                    FROM role_closure path
                    WHERE path.descendant_id = candidate.id
                      AND path.ancestor_id = acting.role_id
                      AND (item.indirect = 0 OR path.rights & acting.rights & item.indirect)
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
                AND own.role_id = candidate.id
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
              WHERE above.descendant_id = candidate.id
            ) acting_above
            WHERE (
              (
                acting_above.role_id = candidate.id
                AND EXISTS (
                  SELECT 1
                  FROM role self
                  WHERE self.id = candidate.id
                    AND (item.direct = 0 OR self.self_rights & acting_above.rights & item.direct)
                )
              )
              OR EXISTS (
                SELECT 1
                FROM role_closure path
                WHERE path.descendant_id = candidate.id
                  AND path.ancestor_id = acting_above.role_id
                  AND (item.indirect = 0 OR path.rights & acting_above.rights & item.indirect)
              )
            )
          )
        )
        ELSE (
          iif(
            (
              (SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
              OR EXISTS (
                SELECT 1
                FROM role_closure longer
                WHERE longer.descendant_id = candidate.id
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
                      acting.role_id = candidate.id
                      AND EXISTS (
                        SELECT 1
                        FROM role self
                        WHERE self.id = candidate.id AND self.self_rights & acting.rights & 2
                      )
                    )
                    OR EXISTS (
                      SELECT 1
                      FROM role_closure path
                      WHERE path.descendant_id = candidate.id
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
                  AND own.role_id = candidate.id
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
                WHERE above.descendant_id = candidate.id
              ) acting_above
              WHERE (
                (
                  acting_above.role_id = candidate.id
                  AND EXISTS (
                    SELECT 1
                    FROM role self
                    WHERE self.id = candidate.id AND self.self_rights & acting_above.rights & 2
                  )
                )
                OR EXISTS (
                  SELECT 1
                  FROM role_closure path
                  WHERE path.descendant_id = candidate.id
                    AND path.ancestor_id = acting_above.role_id
                    AND path.rights & acting_above.rights & 3
                )
              )
            )
          )
          OR (
            EXISTS (SELECT 1 FROM role_key asking WHERE asking.id = -:actorId AND asking.asks)
            AND iif(
              (
                (SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
                OR EXISTS (
                  SELECT 1
                  FROM role_closure longer
                  WHERE longer.descendant_id = candidate.id
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
                      acting.role_id = candidate.id
                      OR EXISTS (
                        SELECT 1
                        FROM role_closure path
                        WHERE path.descendant_id = candidate.id AND path.ancestor_id = acting.role_id
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
                    AND own.role_id = candidate.id
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
                  WHERE above.descendant_id = candidate.id
                ) acting_above
                WHERE true
              )
            )
          )
        )
          AND EXISTS (
            SELECT 1
            FROM (
              SELECT own.role_id, own.rights
              FROM member own
              WHERE own.user_id = item.subject
                AND own.role_id = candidate.id
                AND (
                  (own.ends_at IS NULL OR own.ends_at > :now)
                  AND iif(own.needs_from > :now, own.needs_before, own.needs) <= item.meets
                )
              UNION ALL
              SELECT above.ancestor_id, many.rights
              FROM role_closure above
              CROSS JOIN member many ON many.user_id = item.subject
                AND many.role_id = above.ancestor_id
                AND (
                  (many.ends_at IS NULL OR many.ends_at > :now)
                  AND iif(many.needs_from > :now, many.needs_before, many.needs) <= item.meets
                )
              WHERE above.descendant_id = candidate.id
            ) acting_above
            WHERE (
              (
                acting_above.role_id = candidate.id
                AND EXISTS (
                  SELECT 1
                  FROM role self
                  WHERE self.id = candidate.id
                    AND (item.direct = 0 OR self.self_rights & acting_above.rights & item.direct)
                )
              )
              OR EXISTS (
                SELECT 1
                FROM role_closure path
                WHERE path.descendant_id = candidate.id
                  AND path.ancestor_id = acting_above.role_id
                  AND (item.indirect = 0 OR path.rights & acting_above.rights & item.indirect)
              )
            )
          )
      END
    ORDER BY candidate.id
    LIMIT +:limit
  ) found
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
