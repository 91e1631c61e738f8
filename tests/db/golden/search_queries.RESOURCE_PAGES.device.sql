-- like this: device_listing_queries DEVICE_PAGES.ancestor.otherwise
-- like this: device_listing_queries DEVICE_PAGES.ancestor.probe
-- like this: device_listing_queries DEVICE_PAGES.externalId
-- like this: device_listing_queries DEVICE_PAGES.id
-- like this: device_listing_queries DEVICE_PAGES.nodeId
-- like this: device_listing_queries DEVICE_PAGES.none
-- like this: device_listing_queries DEVICE_PAGES.role
-- like this: device_listing_queries DEVICE_UPDATE_PAGES.ancestor.otherwise
-- like this: device_listing_queries DEVICE_UPDATE_PAGES.ancestor.probe
-- like this: device_listing_queries DEVICE_UPDATE_PAGES.externalId
-- like this: device_listing_queries DEVICE_UPDATE_PAGES.id
-- like this: device_listing_queries DEVICE_UPDATE_PAGES.nodeId
-- like this: device_listing_queries DEVICE_UPDATE_PAGES.none
-- like this: device_listing_queries DEVICE_UPDATE_PAGES.role
-- like this: device_listing_queries ENDED_DEVICE_PAGES.ancestor.otherwise
-- like this: device_listing_queries ENDED_DEVICE_PAGES.ancestor.probe
-- like this: device_listing_queries ENDED_DEVICE_PAGES.externalId
-- like this: device_listing_queries ENDED_DEVICE_PAGES.id
-- like this: device_listing_queries ENDED_DEVICE_PAGES.nodeId
-- like this: device_listing_queries ENDED_DEVICE_PAGES.none
-- like this: device_listing_queries ENDED_DEVICE_PAGES.role
-- like this: evaluation_queries DECIDE
-- like this: grant_queries FIND_GRANTS.past
-- like this: grant_queries FIND_GRANTS.read
-- like this: grant_queries FIND_GRANTS.write
-- like this: search_queries USERS_WITH_ADDRESSES
WITH item(key, subject, role_id, device_id, direct, indirect, meets) AS MATERIALIZED (
  SELECT asked.key,
    coalesce(
      asked.value ->> 'principalId',
      (SELECT user_account.id FROM user_account WHERE user_account.email = asked.value ->> 'email'),
      0
    ),
    coalesce(asked.value ->> 'roleId', 0),
    coalesce(
      asked.value ->> 'deviceId',
      (SELECT max(newest.id) FROM device newest WHERE newest.node_id = asked.value ->> 'nodeId'),
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
          FROM device walked
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
          CROSS JOIN monitors source ON source.role_id = reach.role_id
            AND source.device_id > :afterId
            AND (ifnull(source.valid_until > :now, true) AND ifnull(source.valid_from <= :now, true))
          CROSS JOIN device listed ON listed.id = source.device_id
          LIMIT 10001
        )
      ) > 10000
      OR CASE
        WHEN (
          SELECT 1
          FROM member held_2
          WHERE held_2.user_id = :actorId
          LIMIT 1 OFFSET 32
        ) IS NULL THEN false
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
  CROSS JOIN monitors source ON source.role_id = reach.role_id
    AND source.device_id > :afterId
    AND (ifnull(source.valid_until > :now, true) AND ifnull(source.valid_from <= :now, true))
  CROSS JOIN device listed ON listed.id = source.device_id
  WHERE NOT (SELECT is_walk FROM pace)
  UNION
  SELECT id
  FROM (
    SELECT walked.id
    FROM device walked
    WHERE (SELECT is_walk FROM pace)
      AND walked.id > :afterId
      AND walked.id <= (SELECT horizon_id FROM pace)
      AND true
    ORDER BY walked.id
    LIMIT 2000
  )
  ORDER BY 1
  LIMIT 2000
),
asked_device(key, device_id) AS MATERIALIZED (SELECT id, id FROM candidate ORDER BY id),
watched(key, device_id, role_id) AS MATERIALIZED (
  SELECT asked_device.key, asked_device.device_id, coalesce(watching.role_id, 0)
  FROM asked_device
  LEFT JOIN monitors watching ON watching.device_id = asked_device.device_id
    AND (ifnull(watching.valid_until > :now, true) AND ifnull(watching.valid_from <= :now, true))
  WHERE true
  LIMIT 5001
),
asking(role_id, key, number, first_key, last_key, relations) AS MATERIALIZED (
  SELECT role_id,
    key,
    row_number() OVER (ORDER BY key),
    min(key) OVER (),
    max(last_key) OVER (),
    sum(relations) OVER ()
  FROM (
    SELECT role_id, min(key) AS key, max(key) AS last_key, count(*) AS relations
    FROM watched
    GROUP BY role_id
  )
),
directed(role_id, from_memberships) AS MATERIALIZED (
  SELECT role_id,
    (
      (SELECT 1 FROM member held_2 WHERE held_2.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
      OR EXISTS (
        SELECT 1
        FROM role_closure longer
        WHERE longer.descendant_id = asking.role_id
        LIMIT 1 OFFSET (SELECT count(*) FROM member shorter WHERE shorter.user_id = :actorId)
      )
    )
  FROM asking
  WHERE number <= min(
    (
      SELECT max(10, 20000 / max(1, count(*)))
      FROM (SELECT 1 FROM member counted WHERE counted.user_id = :actorId LIMIT 20000)
    ),
    iif((SELECT subject FROM item) <> :actorId, 50, 9223372036854775807)
  )
    OR key = first_key
),
held(role_id, value) AS MATERIALIZED (
  SELECT role_id,
    iif(
      directed.from_memberships,
      (
        SELECT 1 * max(
          (
            (
              acting_side.role_id = directed.role_id
              AND EXISTS (
                SELECT 1
                FROM role self
                WHERE self.id = directed.role_id AND self.self_rights & acting_side.rights & 8
              )
            )
            OR EXISTS (
              SELECT 1
              FROM role_closure path
              WHERE path.descendant_id = directed.role_id
                AND path.ancestor_id = acting_side.role_id
                AND path.rights & acting_side.rights & 9
            )
          )
        ) + 2 * max(
          (
            (
              acting_side.role_id = directed.role_id
              AND EXISTS (
                SELECT 1
                FROM role self
                WHERE self.id = directed.role_id AND self.self_rights & acting_side.rights & 2
              )
            )
            OR EXISTS (
              SELECT 1
              FROM role_closure path
              WHERE path.descendant_id = directed.role_id
                AND path.ancestor_id = acting_side.role_id
                AND path.rights & acting_side.rights & 3
            )
          )
        )
        FROM (
          SELECT own.role_id, own.rights
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
        ) acting_side
        WHERE (
          acting_side.role_id = directed.role_id
          OR EXISTS (
            SELECT 1
            FROM role_closure path
            WHERE path.descendant_id = directed.role_id AND path.ancestor_id = acting_side.role_id
          )
        )
      ),
      (
        SELECT 1 * max(
          (
            (
              acting_side.role_id = directed.role_id
              AND EXISTS (
                SELECT 1
                FROM role self
                WHERE self.id = directed.role_id AND self.self_rights & acting_side.rights & 8
              )
            )
            OR EXISTS (
              SELECT 1
              FROM role_closure path
              WHERE path.descendant_id = directed.role_id
                AND path.ancestor_id = acting_side.role_id
                AND path.rights & acting_side.rights & 9
            )
          )
        ) + 2 * max(
          (
            (
              acting_side.role_id = directed.role_id
              AND EXISTS (
                SELECT 1
                FROM role self
                WHERE self.id = directed.role_id AND self.self_rights & acting_side.rights & 2
              )
            )
            OR EXISTS (
              SELECT 1
              FROM role_closure path
              WHERE path.descendant_id = directed.role_id
                AND path.ancestor_id = acting_side.role_id
                AND path.rights & acting_side.rights & 3
            )
          )
        )
        FROM (
          SELECT own.role_id, own.rights
          FROM member own
          WHERE own.user_id = :actorId
            AND own.role_id = directed.role_id
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
          WHERE above.descendant_id = directed.role_id
        ) acting_side
        WHERE true
      )
    )
  FROM directed
),
looked(last_key) AS MATERIALIZED (
  SELECT nullif(
    min(
      min(
        iif(relations > 5000, max(first_key, last_key - 1), 9223372036854775807),
        iif(
          number > min(
            (
              SELECT max(10, 20000 / max(1, count(*)))
              FROM (SELECT 1 FROM member counted WHERE counted.user_id = :actorId LIMIT 20000)
            ),
            iif((SELECT subject FROM item) <> :actorId, 50, 9223372036854775807)
          )
          AND key > first_key,
          key - 1,
          9223372036854775807
        )
      )
    ),
    9223372036854775807
  )
  FROM asking
),
allowed(role_id) AS MATERIALIZED (
  SELECT held.role_id
  FROM item
  CROSS JOIN held
  WHERE CASE
    WHEN item.subject = :actorId THEN iif(
      (
        (SELECT 1 FROM member held_2 WHERE held_2.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
        OR EXISTS (
          SELECT 1
          FROM role_closure longer
          WHERE longer.descendant_id = held.role_id
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
                acting.role_id = held.role_id
                AND EXISTS (
                  SELECT 1
                  FROM role self
                  WHERE self.id = held.role_id
                    AND (item.direct = 0 OR self.self_rights & acting.rights & item.direct)
                )
              )
              OR EXISTS (
                SELECT 1
                FROM role_closure path
                WHERE path.descendant_id = held.role_id
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
            AND own.role_id = held.role_id
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
          WHERE above.descendant_id = held.role_id
        ) acting_above
        WHERE (
          (
            acting_above.role_id = held.role_id
            AND EXISTS (
              SELECT 1
              FROM role self
              WHERE self.id = held.role_id
                AND (item.direct = 0 OR self.self_rights & acting_above.rights & item.direct)
            )
          )
          OR EXISTS (
            SELECT 1
            FROM role_closure path
            WHERE path.descendant_id = held.role_id
              AND path.ancestor_id = acting_above.role_id
              AND (item.indirect = 0 OR path.rights & acting_above.rights & item.indirect)
          )
        )
      )
    )
    ELSE EXISTS (
      SELECT 1
      FROM (
        SELECT own.role_id, own.rights
        FROM member own
        WHERE own.user_id = item.subject
          AND own.role_id = held.role_id
          AND (
            (
              (own.ends_at IS NULL OR own.ends_at > :now)
              AND (
                own.user_id < 0 OR EXISTS (SELECT 1 FROM user_account held_by WHERE held_by.id = own.user_id)
              )
            )
            AND iif(own.needs_from > :now, own.needs_before, own.needs) <= item.meets
          )
        UNION ALL
        SELECT above.ancestor_id, many.rights
        FROM role_closure above
        CROSS JOIN member many ON many.user_id = item.subject
          AND many.role_id = above.ancestor_id
          AND (
            (
              (many.ends_at IS NULL OR many.ends_at > :now)
              AND (
                many.user_id < 0
                OR EXISTS (SELECT 1 FROM user_account held_by WHERE held_by.id = many.user_id)
              )
            )
            AND iif(many.needs_from > :now, many.needs_before, many.needs) <= item.meets
          )
        WHERE above.descendant_id = held.role_id
      ) acting_above
      WHERE (
        (
          acting_above.role_id = held.role_id
          AND EXISTS (
            SELECT 1
            FROM role self
            WHERE self.id = held.role_id
              AND (item.direct = 0 OR self.self_rights & acting_above.rights & item.direct)
          )
        )
        OR EXISTS (
          SELECT 1
          FROM role_closure path
          WHERE path.descendant_id = held.role_id
            AND path.ancestor_id = acting_above.role_id
            AND (item.indirect = 0 OR path.rights & acting_above.rights & item.indirect)
        )
      )
    )
  END
)
SELECT page.rows,
  (SELECT seq FROM sqlite_sequence WHERE name = 'change_log') AS revision,
  coalesce(
    page.cut_at,
    CASE
      WHEN (SELECT is_walk FROM pace)
        AND (SELECT horizon_id FROM pace) < (SELECT max(device.id) FROM device) THEN (SELECT horizon_id FROM pace)
    END
  ) AS walkedTo
FROM (
  SELECT json_group_array(json_object('id', found.id)) AS rows,
    nullif(
      min(
        coalesce((SELECT last_key FROM looked), 9223372036854775807),
        (SELECT iif(count(*) = 2000, max(id), 9223372036854775807) FROM candidate)
      ),
      9223372036854775807
    ) AS cut_at
  FROM (
    SELECT candidate.id
    FROM item
    CROSS JOIN candidate
    WHERE candidate.id <= coalesce((SELECT last_key FROM looked), 9223372036854775807)
      AND CASE
        WHEN item.subject = :actorId THEN EXISTS (
          SELECT 1
          FROM monitors watching
          WHERE watching.device_id = candidate.id
            AND (ifnull(watching.valid_until > :now, true) AND ifnull(watching.valid_from <= :now, true))
            AND +watching.role_id IN (SELECT role_id FROM allowed)
        )
        ELSE EXISTS (
          SELECT 1
          FROM monitors watching
          WHERE watching.device_id = candidate.id
            AND (ifnull(watching.valid_until > :now, true) AND ifnull(watching.valid_from <= :now, true))
            AND +watching.role_id IN (
              SELECT role_id
              FROM held
              WHERE (
                value & 2
                OR (
                  value IS NOT NULL
                  AND EXISTS (SELECT 1 FROM role_key asking_2 WHERE asking_2.id = -:actorId AND asking_2.asks)
                )
              )
            )
        )
          AND EXISTS (
            SELECT 1
            FROM monitors watching
            WHERE watching.device_id = candidate.id
              AND (ifnull(watching.valid_until > :now, true) AND ifnull(watching.valid_from <= :now, true))
              AND +watching.role_id IN (SELECT role_id FROM allowed)
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
