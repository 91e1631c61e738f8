WITH asked_device(key, device_id) AS MATERIALIZED (
  SELECT DISTINCT id, id
  FROM (
    SELECT source.device_id AS id
    FROM reach
    CROSS JOIN monitors source ON source.role_id = reach.role_id
      AND source.device_id > :afterId
      AND source.device_id <= coalesce(
        (
          SELECT furthest.device_id
          FROM monitors furthest
          WHERE furthest.role_id = reach.role_id AND furthest.device_id > :afterId
          ORDER BY furthest.device_id
          LIMIT 1 OFFSET :limit - 1
        ),
        9223372036854775807
      )
    WHERE NOT (SELECT is_walk FROM pace)
    UNION ALL
    SELECT candidate.id
    FROM device candidate
    WHERE (SELECT is_walk FROM pace)
      AND candidate.id > :afterId
      AND candidate.id <= (SELECT horizon_id FROM pace)
  )
  ORDER BY id
  LIMIT iif(NOT (SELECT is_walk FROM pace), :limit, -1)
),
watched(key, device_id, role_id) AS MATERIALIZED (
  SELECT asked_device.key, asked_device.device_id, coalesce(watching.role_id, 0)
  FROM asked_device
  LEFT JOIN monitors watching ON watching.device_id = asked_device.device_id
  WHERE NOT (NOT (SELECT is_walk FROM pace))
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
        SELECT max(
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
        )
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
      ),
      (
        SELECT max(
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
        )
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
reached(role_id) AS MATERIALIZED (
  SELECT own.role_id
  FROM member own
  WHERE own.user_id = :actorId AND (own.ends_at IS NULL OR own.ends_at > :now) AND NOT false
  UNION ALL
  SELECT source.descendant_id
  FROM member mine
  CROSS JOIN role_closure source ON source.ancestor_id = mine.role_id
  WHERE mine.user_id = :actorId AND (mine.ends_at IS NULL OR mine.ends_at > :now) AND NOT false
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
            AND source.device_id <= coalesce(
              (
                SELECT furthest.device_id
                FROM monitors furthest
                WHERE furthest.role_id = reach.role_id AND furthest.device_id > :afterId
                ORDER BY furthest.device_id
                LIMIT 1 OFFSET :limit - 1
              ),
              9223372036854775807
            )
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
  SELECT json_group_array(
    json_object(
      'id', device.id, 'lastUpdate', strftime('%Y-%m-%dT%H:%M:%fZ', device.updated_at / 1000.0, 'unixepoch')
    )
  ) AS rows,
    (SELECT last_key FROM looked) AS cut_at
  FROM (
    SELECT asked_device.key AS id
    FROM asked_device
    WHERE asked_device.key <= coalesce((SELECT last_key FROM looked), asked_device.key)
      AND (
        NOT (SELECT is_walk FROM pace)
        OR EXISTS (
          SELECT 1
          FROM monitors watching
          WHERE watching.device_id = asked_device.key
            AND +watching.role_id IN (SELECT held.role_id FROM held WHERE value IS NOT NULL)
            AND true
        )
      )
    ORDER BY asked_device.key
    LIMIT +:limit
  ) candidates
  CROSS JOIN device ON device.id = candidates.id
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
