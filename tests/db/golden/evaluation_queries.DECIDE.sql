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
-- like this: evaluation_queries DECIDE_OWN
-- like this: grant_queries FIND_GRANTS.read
-- like this: grant_queries FIND_GRANTS.write
-- like this: search_queries SUBJECT_PAGES.key
-- like this: search_queries SUBJECT_PAGES.user
-- like this: search_queries USERS_WITH_ADDRESSES
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
asked_device(key, device_id) AS MATERIALIZED (
  SELECT item.key, item.device_id
  FROM item
  WHERE item.role_id = 0
  ORDER BY item.key
),
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
  WHERE number <= (
    SELECT max(10, 20000 / max(1, count(*)))
    FROM (SELECT 1 FROM member counted WHERE counted.user_id = :actorId LIMIT 20000)
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
          number > (
            SELECT max(10, 20000 / max(1, count(*)))
            FROM (SELECT 1 FROM member counted WHERE counted.user_id = :actorId LIMIT 20000)
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
decided(key, subject, role_id, device_id, direct, indirect, meets) AS MATERIALIZED (
  SELECT item.*
  FROM item
  WHERE item.key <= coalesce((SELECT last_key FROM looked), item.key)
),
seen(role_id, device_id) AS MATERIALIZED (
  SELECT item.role_id, item.device_id
  FROM (SELECT DISTINCT role_id, device_id FROM decided WHERE subject <> :actorId) item
  WHERE CASE
    WHEN item.role_id = 0 THEN EXISTS (
      SELECT 1
      FROM monitors watching
      WHERE watching.device_id = item.device_id
        AND (ifnull(watching.valid_until > :now, true) AND ifnull(watching.valid_from <= :now, true))
        AND +watching.role_id IN (
          SELECT held.role_id
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
    ELSE (
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
                acting.role_id = item.role_id
                AND EXISTS (
                  SELECT 1
                  FROM role self
                  WHERE self.id = item.role_id AND self.self_rights & acting.rights & 2
                )
              )
              OR EXISTS (
                SELECT 1
                FROM role_closure path
                WHERE path.descendant_id = item.role_id
                  AND path.ancestor_id = acting.role_id
                  AND path.rights & acting.rights & 3
              )
            )
          )
      )
      OR CASE
        WHEN EXISTS (
          SELECT 1
          FROM role_key asking_2
          WHERE asking_2.id = -:actorId AND asking_2.asks
        ) THEN EXISTS (
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
                acting.role_id = item.role_id
                OR EXISTS (
                  SELECT 1
                  FROM role_closure path
                  WHERE path.descendant_id = item.role_id AND path.ancestor_id = acting.role_id
                )
              )
            )
        )
        ELSE false
      END
    )
  END
),
walk(roles) AS MATERIALIZED (
  SELECT count(*)
  FROM (
    SELECT 1
    FROM decided item
    CROSS JOIN role_closure path ON path.descendant_id = item.role_id
    WHERE item.subject <> :actorId AND (item.role_id, item.device_id) IN (SELECT role_id, device_id FROM seen)
    UNION ALL
    SELECT 1
    FROM decided item
    CROSS JOIN monitors watching ON watching.device_id = item.device_id
      AND (ifnull(watching.valid_until > :now, true) AND ifnull(watching.valid_from <= :now, true))
    CROSS JOIN role_closure path ON path.descendant_id = watching.role_id
    WHERE item.subject <> :actorId AND (item.role_id, item.device_id) IN (SELECT role_id, device_id FROM seen)
    LIMIT 500001
  )
)
SELECT (SELECT roles FROM walk) AS walked,
  CASE
    WHEN (SELECT roles FROM walk) <= :maxRoles THEN (
      SELECT json_group_array(decision)
      FROM (
        SELECT CASE
          WHEN item.subject = :actorId THEN CASE
            WHEN NOT (item.role_id = 0) THEN EXISTS (
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
                      acting.role_id = item.role_id
                      AND EXISTS (
                        SELECT 1
                        FROM role self
                        WHERE self.id = item.role_id
                          AND (item.direct = 0 OR self.self_rights & acting.rights & item.direct)
                      )
                    )
                    OR EXISTS (
                      SELECT 1
                      FROM role_closure path
                      WHERE path.descendant_id = item.role_id
                        AND path.ancestor_id = acting.role_id
                        AND (item.indirect = 0 OR path.rights & acting.rights & item.indirect)
                    )
                  )
                )
            )
            WHEN item.direct = 0 THEN EXISTS (
              SELECT 1
              FROM monitors watching
              WHERE watching.device_id = item.device_id
                AND (ifnull(watching.valid_until > :now, true) AND ifnull(watching.valid_from <= :now, true))
                AND +watching.role_id IN (SELECT held.role_id FROM held WHERE value IS NOT NULL)
            )
            ELSE EXISTS (
              SELECT 1
              FROM monitors watching
              WHERE watching.device_id = item.device_id
                AND (ifnull(watching.valid_until > :now, true) AND ifnull(watching.valid_from <= :now, true))
                AND +watching.role_id IN (SELECT held.role_id FROM held WHERE value & 1)
            )
          END
          WHEN (item.role_id, item.device_id) IN (SELECT role_id, device_id FROM seen) THEN (
            SELECT CASE WHEN need IS NULL THEN 0 WHEN need <= item.meets THEN 1 ELSE -need END
            FROM (
              SELECT min(
                (
                  SELECT min(acting_above.needs)
                  FROM (
                    SELECT own.role_id,
                      own.rights,
                      iif(own.needs_from > :now, own.needs_before, own.needs) AS needs
                    FROM member own
                    WHERE own.user_id = item.subject
                      AND own.role_id = target.id
                      AND (own.ends_at IS NULL OR own.ends_at > :now)
                    UNION ALL
                    SELECT above.ancestor_id,
                      many.rights,
                      iif(many.needs_from > :now, many.needs_before, many.needs) AS needs
                    FROM role_closure above
                    CROSS JOIN member many ON many.user_id = item.subject
                      AND many.role_id = above.ancestor_id
                      AND (many.ends_at IS NULL OR many.ends_at > :now)
                    WHERE above.descendant_id = target.id
                  ) acting_above
                  WHERE (
                    (
                      acting_above.role_id = target.id
                      AND EXISTS (
                        SELECT 1
                        FROM role self
                        WHERE self.id = target.id
                          AND (item.direct = 0 OR self.self_rights & acting_above.rights & item.direct)
                      )
                    )
                    OR EXISTS (
                      SELECT 1
                      FROM role_closure path
                      WHERE path.descendant_id = target.id
                        AND path.ancestor_id = acting_above.role_id
                        AND (item.indirect = 0 OR path.rights & acting_above.rights & item.indirect)
                    )
                  )
                )
              ) AS need
              FROM (
                SELECT item.role_id AS id
                WHERE item.role_id > 0
                UNION ALL
                SELECT watching.role_id
                FROM monitors watching
                WHERE watching.device_id = item.device_id
                  AND (
                    ifnull(watching.valid_until > :now, true) AND ifnull(watching.valid_from <= :now, true)
                  )
                UNION ALL
                SELECT 0
                WHERE item.role_id = 0
                  AND NOT EXISTS (
                    SELECT 1
                    FROM monitors other
                    WHERE other.device_id = item.device_id
                      AND (ifnull(other.valid_until > :now, true) AND ifnull(other.valid_from <= :now, true))
                  )
              ) target
            )
          )
          ELSE 0
        END AS decision
        FROM decided item
        ORDER BY item.key
      )
    )
  END AS decisions,
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
