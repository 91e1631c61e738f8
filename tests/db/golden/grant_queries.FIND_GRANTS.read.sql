-- nearly the same: grant_queries FIND_GRANTS.write
WITH asked_device(key, device_id) AS MATERIALIZED (
  SELECT asked.key, device.id
  FROM json_each(:nodeIds) asked
  CROSS JOIN device ON device.node_id = asked.value
  WHERE asked.key > :afterKey
  ORDER BY asked.key
),
watched(key, device_id, role_id) AS MATERIALIZED (
  SELECT asked_device.key, asked_device.device_id, coalesce(watching.role_id, 0)
  FROM asked_device
  LEFT JOIN monitors watching ON watching.device_id = asked_device.device_id
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
        SELECT acting_side.role_id
        FROM (
          SELECT own.role_id, own.rights
          FROM member own
          WHERE own.user_id = :actorId AND (own.ends_at IS NULL OR own.ends_at > :now)
        ) acting_side
        WHERE (
          acting_side.role_id = directed.role_id
          OR EXISTS (
            SELECT 1
            FROM role_closure path
            WHERE path.descendant_id = directed.role_id AND path.ancestor_id = acting_side.role_id
          )
        )
        LIMIT 1
      ),
      (
        SELECT acting_side.role_id
        FROM (
          SELECT own.role_id, own.rights
          FROM member own
          WHERE own.user_id = :actorId
            AND own.role_id = directed.role_id
            AND (own.ends_at IS NULL OR own.ends_at > :now)
          UNION ALL
          SELECT above.ancestor_id, many.rights
          FROM role_closure above
          CROSS JOIN member many ON many.user_id = :actorId
            AND many.role_id = above.ancestor_id
            AND (many.ends_at IS NULL OR many.ends_at > :now)
          WHERE above.descendant_id = directed.role_id
        ) acting_side
        WHERE true
        LIMIT 1
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
)
SELECT looked.last_key AS lastKey,
  (
    SELECT json_group_array(json_array(key, device_id, role_id, acting_id))
    FROM (
      SELECT watched.key, watched.device_id, min(held.role_id) AS role_id, held.value AS acting_id
      FROM watched
      CROSS JOIN held ON held.role_id = watched.role_id
      WHERE held.value IS NOT NULL AND watched.key <= coalesce(looked.last_key, watched.key)
      GROUP BY watched.key
    )
  ) AS held,
  (
    SELECT json_group_array(json_array(key, role_id))
    FROM (
      SELECT watched.key, min(watched.role_id) AS role_id
      FROM watched
      WHERE :belowId IS NOT NULL
        AND (
          iif(
            (
              (SELECT 1 FROM member held_2 WHERE held_2.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
              OR EXISTS (
                SELECT 1
                FROM role_closure longer
                WHERE longer.descendant_id = :belowId
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
                    acting.role_id = :belowId
                    OR EXISTS (
                      SELECT 1
                      FROM role_closure path
                      WHERE path.descendant_id = :belowId AND path.ancestor_id = acting.role_id
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
                  AND own.role_id = :belowId
                  AND (own.ends_at IS NULL OR own.ends_at > :now)
                UNION ALL
                SELECT above.ancestor_id, many.rights
                FROM role_closure above
                CROSS JOIN member many ON many.user_id = :actorId
                  AND many.role_id = above.ancestor_id
                  AND (many.ends_at IS NULL OR many.ends_at > :now)
                WHERE above.descendant_id = :belowId
              ) acting_above
              WHERE true
            )
          )
          AND (
            watched.role_id = :belowId
            OR EXISTS (
              SELECT 1
              FROM role_closure below
              WHERE below.descendant_id = watched.role_id AND below.ancestor_id = :belowId
            )
          )
        )
        AND watched.key <= coalesce(looked.last_key, watched.key)
      GROUP BY watched.key
    )
  ) AS meant
FROM looked
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
