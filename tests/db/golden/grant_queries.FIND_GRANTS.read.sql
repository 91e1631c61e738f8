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
directed(role_id, is_from) AS MATERIALIZED (
  SELECT role_id,
    (
      (SELECT 1 FROM member guard_held WHERE guard_held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
      OR EXISTS (
        SELECT 1
        FROM role_closure guard_longer
        WHERE guard_longer.descendant_id = role_id
        LIMIT 1 OFFSET (SELECT count(*) FROM member guard_shorter WHERE guard_shorter.user_id = :actorId)
      )
    )
  FROM asking
  WHERE number <= (
    SELECT max(10, 20000 / max(1, count(*)))
    FROM (SELECT 1 FROM member guard_counted WHERE guard_counted.user_id = :actorId LIMIT 20000)
  )
    OR key = first_key
),
held(role_id, value) AS MATERIALIZED (
  SELECT role_id,
    (
      SELECT acting.role_id
      FROM (
        SELECT guard_few.role_id, guard_few.rights
        FROM member guard_few
        WHERE guard_few.user_id = iif(directed.is_from, :actorId, NULL)
          AND (guard_few.ends_at IS NULL OR guard_few.ends_at > :now)
        UNION ALL
        SELECT guard_own.role_id, guard_own.rights
        FROM member guard_own
        WHERE guard_own.user_id = :actorId
          AND guard_own.role_id = iif(directed.is_from, NULL, directed.role_id)
          AND (guard_own.ends_at IS NULL OR guard_own.ends_at > :now)
        UNION ALL
        SELECT guard_above.ancestor_id, guard_many.rights
        FROM role_closure guard_above
        CROSS JOIN member guard_many ON guard_many.user_id = :actorId
          AND guard_many.role_id = guard_above.ancestor_id
          AND (guard_many.ends_at IS NULL OR guard_many.ends_at > :now)
        WHERE guard_above.descendant_id = iif(directed.is_from, NULL, directed.role_id)
      ) acting
      WHERE (
        (
          acting.role_id = directed.role_id
          AND EXISTS (
            SELECT 1
            FROM role guard_self
            WHERE guard_self.id = directed.role_id AND (0 = 0 OR guard_self.self_rights & acting.rights & 0)
          )
        )
        OR EXISTS (
          SELECT 1
          FROM role_closure guard_path
          WHERE guard_path.descendant_id = directed.role_id
            AND guard_path.ancestor_id = acting.role_id
            AND (0 = 0 OR guard_path.rights & acting.rights & 0)
        )
      )
      LIMIT 1
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
            FROM (SELECT 1 FROM member guard_counted WHERE guard_counted.user_id = :actorId LIMIT 20000)
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
          (
            EXISTS (
              SELECT 1
              FROM member guard_direct
              WHERE guard_direct.user_id = :actorId
                AND guard_direct.role_id = :belowId
                AND (guard_direct.ends_at IS NULL OR guard_direct.ends_at > :now)
            )
            OR iif(
              (
                (
                  SELECT 1
                  FROM member guard_held
                  WHERE guard_held.user_id = :actorId
                  LIMIT 1 OFFSET 32
                ) IS NULL
                OR EXISTS (
                  SELECT 1
                  FROM role_closure guard_longer
                  WHERE guard_longer.descendant_id = :belowId
                  LIMIT 1 OFFSET (
                    SELECT count(*)
                    FROM member guard_shorter
                    WHERE guard_shorter.user_id = :actorId
                  )
                )
              ),
              EXISTS (
                SELECT guard_path.rights & guard_own.rights AS guard_rights
                FROM member guard_own
                CROSS JOIN role_closure guard_path ON guard_path.descendant_id = :belowId
                  AND guard_path.ancestor_id = guard_own.role_id
                WHERE guard_own.user_id = :actorId AND (guard_own.ends_at IS NULL OR guard_own.ends_at > :now)
              ),
              EXISTS (
                SELECT guard_path.rights & guard_own.rights AS guard_rights
                FROM role_closure guard_path
                CROSS JOIN member guard_own ON guard_own.user_id = :actorId
                  AND guard_own.role_id = guard_path.ancestor_id
                  AND (guard_own.ends_at IS NULL OR guard_own.ends_at > :now)
                WHERE guard_path.descendant_id = :belowId
              )
            )
          )
          AND (
            watched.role_id = :belowId
            OR EXISTS (
              SELECT 1
              FROM role_closure guard_below
              WHERE guard_below.descendant_id = watched.role_id AND guard_below.ancestor_id = :belowId
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
    FROM session guard_live
    WHERE guard_live.id = :sessionId
      AND guard_live.user_id = :actorId
      AND guard_live.ended_at IS NULL
      AND guard_live.idle_until > :now
  )
  OR EXISTS (
    SELECT 1
    FROM role_key guard_key
    CROSS JOIN member guard_keyed ON guard_keyed.id = guard_key.id
    WHERE guard_key.id = -:actorId
      AND guard_key.secret_mac = :sessionId
      AND (guard_keyed.ends_at IS NULL OR guard_keyed.ends_at > :now)
  )
)
