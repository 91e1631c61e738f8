WITH reached(role_id) AS MATERIALIZED (
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
          FROM monitors walked
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
          CROSS JOIN monitors candidate ON candidate.id IN (
            SELECT of_role.id
            FROM monitors of_role
            WHERE of_role.role_id = reach.role_id
              AND of_role.id > :afterId
              AND (:ids IS NULL OR of_role.id IN (SELECT value FROM json_each(:ids)))
              AND (:roleIds IS NULL OR of_role.role_id IN (SELECT value FROM json_each(:roleIds)))
              AND (:deviceIds IS NULL OR of_role.device_id IN (SELECT value FROM json_each(:deviceIds)))
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
  FROM monitors candidate
  WHERE (SELECT is_walk FROM pace)
    AND candidate.id > :afterId
    AND candidate.id <= (SELECT horizon_id FROM pace)
    AND (:ids IS NULL OR candidate.id IN (SELECT value FROM json_each(:ids)))
    AND (:roleIds IS NULL OR candidate.role_id IN (SELECT value FROM json_each(:roleIds)))
    AND (:deviceIds IS NULL OR candidate.device_id IN (SELECT value FROM json_each(:deviceIds)))
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
        AND (acting.ends_at IS NULL OR acting.ends_at > :now)
        AND (
          (
            acting.role_id = judged.role_id
            OR EXISTS (
              SELECT 1
              FROM role_closure path
              WHERE path.descendant_id = judged.role_id AND path.ancestor_id = acting.role_id
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
      WHERE true
    )
  )
)
SELECT page.rows,
  (SELECT seq FROM sqlite_sequence WHERE name = 'change_log') AS revision,
  coalesce(
    page.cut_at,
    CASE
      WHEN (SELECT is_walk FROM pace)
        AND (SELECT horizon_id FROM pace) < (SELECT max(monitors.id) FROM monitors) THEN (SELECT horizon_id FROM pace)
    END
  ) AS walkedTo
FROM (
  SELECT json_group_array(
    json_object('id', owned.id, 'roleId', owned.role_id, 'deviceId', owned.device_id)
  ) AS rows,
    nullif((SELECT last_id FROM afforded), 9223372036854775807) AS cut_at
  FROM (
    SELECT DISTINCT id
    FROM (
      SELECT candidate.id
      FROM reach
      CROSS JOIN monitors candidate ON candidate.id IN (
        SELECT of_role.id
        FROM monitors of_role
        WHERE of_role.role_id = reach.role_id
          AND of_role.id > :afterId
          AND (:ids IS NULL OR of_role.id IN (SELECT value FROM json_each(:ids)))
          AND (:roleIds IS NULL OR of_role.role_id IN (SELECT value FROM json_each(:roleIds)))
          AND (:deviceIds IS NULL OR of_role.device_id IN (SELECT value FROM json_each(:deviceIds)))
        ORDER BY of_role.id
        LIMIT +:limit
      )
      WHERE NOT (SELECT is_walk FROM pace)
        AND (:ids IS NULL OR candidate.id IN (SELECT value FROM json_each(:ids)))
        AND (:roleIds IS NULL OR candidate.role_id IN (SELECT value FROM json_each(:roleIds)))
        AND (:deviceIds IS NULL OR candidate.device_id IN (SELECT value FROM json_each(:deviceIds)))
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
              AND (acting.ends_at IS NULL OR acting.ends_at > :now)
              AND (
                (
                  acting.role_id = reach.role_id
                  OR EXISTS (
                    SELECT 1
                    FROM role_closure path
                    WHERE path.descendant_id = reach.role_id AND path.ancestor_id = acting.role_id
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
                AND (own.ends_at IS NULL OR own.ends_at > :now)
              UNION ALL
              SELECT above.ancestor_id, many.rights
              FROM role_closure above
              CROSS JOIN member many ON many.user_id = :actorId
                AND many.role_id = above.ancestor_id
                AND (many.ends_at IS NULL OR many.ends_at > :now)
              WHERE above.descendant_id = reach.role_id
            ) acting_above
            WHERE true
          )
        )
      UNION ALL
      SELECT candidate_2.id
      FROM passed
      CROSS JOIN monitors candidate_2 ON candidate_2.id = passed.id
      WHERE passed.id <= (SELECT last_id FROM afforded)
        AND (false OR candidate_2.role_id IN (SELECT role_id FROM readable_role))
      UNION ALL
      SELECT candidate_3.id
      FROM monitors candidate_3
      WHERE candidate_3.id = NULL AND NOT (SELECT is_walk FROM pace)
    )
    ORDER BY id
    LIMIT +:limit
  ) candidates
  CROSS JOIN monitors owned ON owned.id = candidates.id
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
