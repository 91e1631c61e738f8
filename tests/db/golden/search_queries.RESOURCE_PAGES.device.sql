WITH item(key, subject, role_id, device_id, direct, indirect) AS MATERIALIZED (
  SELECT asked.key,
    coalesce(
      asked.value ->> 'principalId',
      (SELECT person.id FROM user_account person WHERE person.email = asked.value ->> 'email'),
      0
    ),
    coalesce(asked.value ->> 'roleId', 0),
    coalesce(
      asked.value ->> 'deviceId',
      (SELECT named.id FROM device named WHERE named.node_id = asked.value ->> 'nodeId'),
      0
    ),
    asked.value ->> 'direct',
    asked.value ->> 'indirect'
  FROM json_each(:items) asked
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
      OR (SELECT count(*) FROM reached) > 50000
      OR (SELECT count(*) FROM reach) > 5000
      OR (
        SELECT count(*)
        FROM (
          SELECT 1
          FROM reach
          CROSS JOIN monitors source ON source.role_id = reach.role_id AND source.device_id > :afterId
          CROSS JOIN device listed ON listed.id = source.device_id
          LIMIT 10001
        )
      ) > 10000
      OR CASE
        WHEN (
          SELECT 1
          FROM member guard_held
          WHERE guard_held.user_id = :actorId
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
  CROSS JOIN monitors source ON source.role_id = reach.role_id AND source.device_id > :afterId
  CROSS JOIN device listed ON listed.id = source.device_id
  WHERE NOT (SELECT is_walk FROM pace)
  UNION
  SELECT id
  FROM (
    SELECT listed.id
    FROM device listed
    WHERE (SELECT is_walk FROM pace)
      AND listed.id > :afterId
      AND listed.id <= (SELECT horizon_id FROM pace)
      AND true
    ORDER BY listed.id
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
  WHERE number <= min(
    (
      SELECT max(10, 20000 / max(1, count(*)))
      FROM (SELECT 1 FROM member guard_counted WHERE guard_counted.user_id = :actorId LIMIT 20000)
    ),
    iif((SELECT subject FROM item) <> :actorId, 50, 9223372036854775807)
  )
    OR key = first_key
),
held(role_id, value) AS MATERIALIZED (
  SELECT role_id,
    (
      SELECT 1 * max(
        (
          (
            acting.role_id = directed.role_id
            AND EXISTS (
              SELECT 1
              FROM role guard_self
              WHERE guard_self.id = directed.role_id AND guard_self.self_rights & acting.rights & 8
            )
          )
          OR EXISTS (
            SELECT 1
            FROM role_closure guard_path
            WHERE guard_path.descendant_id = directed.role_id
              AND guard_path.ancestor_id = acting.role_id
              AND guard_path.rights & acting.rights & 8
          )
        )
        OR EXISTS (
          SELECT 1
          FROM role_closure guard_path
          WHERE guard_path.descendant_id = directed.role_id
            AND guard_path.ancestor_id = acting.role_id
            AND guard_path.rights & acting.rights & 1
        )
      ) + 2 * max(
        (
          (
            (
              acting.role_id = directed.role_id
              AND EXISTS (
                SELECT 1
                FROM role guard_self
                WHERE guard_self.id = directed.role_id AND guard_self.self_rights & acting.rights & 2
              )
            )
            OR EXISTS (
              SELECT 1
              FROM role_closure guard_path
              WHERE guard_path.descendant_id = directed.role_id
                AND guard_path.ancestor_id = acting.role_id
                AND guard_path.rights & acting.rights & 2
            )
          )
          OR EXISTS (
            SELECT 1
            FROM role_closure guard_path
            WHERE guard_path.descendant_id = directed.role_id
              AND guard_path.ancestor_id = acting.role_id
              AND guard_path.rights & acting.rights & 1
          )
        )
      )
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
              FROM (SELECT 1 FROM member guard_counted WHERE guard_counted.user_id = :actorId LIMIT 20000)
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
        (SELECT 1 FROM member guard_held WHERE guard_held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
        OR EXISTS (
          SELECT 1
          FROM role_closure guard_longer
          WHERE guard_longer.descendant_id = held.role_id
          LIMIT 1 OFFSET (SELECT count(*) FROM member guard_shorter WHERE guard_shorter.user_id = :actorId)
        )
      ),
      EXISTS (
        SELECT 1
        FROM (
          SELECT guard_own.role_id, guard_own.rights
          FROM member guard_own
          WHERE guard_own.user_id = :actorId AND (guard_own.ends_at IS NULL OR guard_own.ends_at > :now)
        ) acting
        WHERE (
          (
            acting.role_id = held.role_id
            AND EXISTS (
              SELECT 1
              FROM role guard_self
              WHERE guard_self.id = held.role_id
                AND (item.direct = 0 OR guard_self.self_rights & acting.rights & item.direct)
            )
          )
          OR EXISTS (
            SELECT 1
            FROM role_closure guard_path
            WHERE guard_path.descendant_id = held.role_id
              AND guard_path.ancestor_id = acting.role_id
              AND (item.indirect = 0 OR guard_path.rights & acting.rights & item.indirect)
          )
        )
      ),
      EXISTS (
        SELECT 1
        FROM (
          SELECT guard_own.role_id, guard_own.rights
          FROM member guard_own
          WHERE guard_own.user_id = :actorId
            AND guard_own.role_id = held.role_id
            AND (guard_own.ends_at IS NULL OR guard_own.ends_at > :now)
          UNION ALL
          SELECT guard_above.ancestor_id, guard_many.rights
          FROM role_closure guard_above
          CROSS JOIN member guard_many ON guard_many.user_id = :actorId
            AND guard_many.role_id = guard_above.ancestor_id
            AND (guard_many.ends_at IS NULL OR guard_many.ends_at > :now)
          WHERE guard_above.descendant_id = held.role_id
        ) acting
        WHERE (
          (
            acting.role_id = held.role_id
            AND EXISTS (
              SELECT 1
              FROM role guard_self
              WHERE guard_self.id = held.role_id
                AND (item.direct = 0 OR guard_self.self_rights & acting.rights & item.direct)
            )
          )
          OR EXISTS (
            SELECT 1
            FROM role_closure guard_path
            WHERE guard_path.descendant_id = held.role_id
              AND guard_path.ancestor_id = acting.role_id
              AND (item.indirect = 0 OR guard_path.rights & acting.rights & item.indirect)
          )
        )
      )
    )
    ELSE EXISTS (
      SELECT 1
      FROM (
        SELECT guard_own.role_id, guard_own.rights
        FROM member guard_own
        WHERE guard_own.user_id = item.subject
          AND guard_own.role_id = held.role_id
          AND (guard_own.ends_at IS NULL OR guard_own.ends_at > :now)
        UNION ALL
        SELECT guard_above.ancestor_id, guard_many.rights
        FROM role_closure guard_above
        CROSS JOIN member guard_many ON guard_many.user_id = item.subject
          AND guard_many.role_id = guard_above.ancestor_id
          AND (guard_many.ends_at IS NULL OR guard_many.ends_at > :now)
        WHERE guard_above.descendant_id = held.role_id
      ) acting
      WHERE (
        (
          acting.role_id = held.role_id
          AND EXISTS (
            SELECT 1
            FROM role guard_self
            WHERE guard_self.id = held.role_id
              AND (item.direct = 0 OR guard_self.self_rights & acting.rights & item.direct)
          )
        )
        OR EXISTS (
          SELECT 1
          FROM role_closure guard_path
          WHERE guard_path.descendant_id = held.role_id
            AND guard_path.ancestor_id = acting.role_id
            AND (item.indirect = 0 OR guard_path.rights & acting.rights & item.indirect)
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
          FROM monitors monitoring
          WHERE monitoring.device_id = candidate.id AND +monitoring.role_id IN (SELECT role_id FROM allowed)
        )
        ELSE EXISTS (
          SELECT 1
          FROM monitors monitoring
          WHERE monitoring.device_id = candidate.id
            AND +monitoring.role_id IN (
              SELECT role_id
              FROM held
              WHERE (
                value & 2
                OR (
                  value IS NOT NULL
                  AND EXISTS (
                    SELECT 1
                    FROM role_key guard_asking
                    WHERE guard_asking.id = -:actorId AND guard_asking.asks
                  )
                )
              )
            )
        )
          AND EXISTS (
            SELECT 1
            FROM monitors monitoring
            WHERE monitoring.device_id = candidate.id AND +monitoring.role_id IN (SELECT role_id FROM allowed)
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
