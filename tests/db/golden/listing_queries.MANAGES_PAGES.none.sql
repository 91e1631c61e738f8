WITH reached(role_id) AS MATERIALIZED (
  SELECT mine.role_id
  FROM member mine
  WHERE mine.user_id = :actorId AND (mine.ends_at IS NULL OR mine.ends_at > :now) AND NOT false
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
          FROM manages walked
          WHERE walked.id > :afterId
          ORDER BY walked.id
          LIMIT 1 OFFSET 20000 / max(
            1, (SELECT count(*) FROM (SELECT 1 FROM member WHERE user_id = :actorId LIMIT 33))
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
          CROSS JOIN manages candidate ON candidate.id IN (
            SELECT own_row.id
            FROM manages own_row
            WHERE own_row.parent_id = reach.role_id
              AND own_row.id > :afterId
              AND (:ids IS NULL OR own_row.id IN (SELECT value FROM json_each(:ids)))
              AND (:roleIds IS NULL OR own_row.parent_id IN (SELECT value FROM json_each(:roleIds)))
              AND (:childIds IS NULL OR own_row.child_id IN (SELECT value FROM json_each(:childIds)))
            ORDER BY own_row.id
            LIMIT +:limit
          )
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
          CROSS JOIN role_closure guard_step ON guard_step.descendant_id = judged.role_id
          LIMIT 1 OFFSET 100000
        ) IS NOT NULL
      END AS is_walk
  )
),
passed(id, role_id) AS MATERIALIZED (
  SELECT candidate.id, candidate.parent_id
  FROM manages candidate
  WHERE (SELECT is_walk FROM pace)
    AND candidate.id > :afterId
    AND candidate.id <= (SELECT horizon_id FROM pace)
    AND (:ids IS NULL OR candidate.id IN (SELECT value FROM json_each(:ids)))
    AND (:roleIds IS NULL OR candidate.parent_id IN (SELECT value FROM json_each(:roleIds)))
    AND (:childIds IS NULL OR candidate.child_id IN (SELECT value FROM json_each(:childIds)))
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
          WHERE NOT (
            (SELECT 1 FROM member guard_held WHERE guard_held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
          )
          ORDER BY id
          LIMIT -1
        ) judged
        CROSS JOIN role_closure guard_step ON guard_step.descendant_id = judged.role_id
        LIMIT 50001
      )
    ),
    (SELECT iif(count(*) = max(1000, 2 * :limit), max(id), 9223372036854775807) FROM passed)
  )
),
readable_role(role_id) AS MATERIALIZED (
  SELECT judged.role_id
  FROM (SELECT DISTINCT role_id FROM passed WHERE id <= (SELECT last_id FROM afforded) LIMIT -1) judged
  WHERE (
    EXISTS (
      SELECT 1
      FROM member guard_direct
      WHERE guard_direct.user_id = :actorId
        AND guard_direct.role_id = judged.role_id
        AND (guard_direct.ends_at IS NULL OR guard_direct.ends_at > :now)
    )
    OR EXISTS (
      SELECT guard_path.rights & guard_few.rights AS guard_rights
      FROM member guard_few
      CROSS JOIN role_closure guard_path ON guard_path.descendant_id = judged.role_id
        AND guard_path.ancestor_id = guard_few.role_id
      WHERE guard_few.user_id = iif(
        (
          (SELECT 1 FROM member guard_held WHERE guard_held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
          OR EXISTS (
            SELECT 1
            FROM role_closure guard_longer
            WHERE guard_longer.descendant_id = judged.role_id
            LIMIT 1 OFFSET (SELECT count(*) FROM member guard_shorter WHERE guard_shorter.user_id = :actorId)
          )
        ),
        :actorId,
        NULL
      )
        AND (guard_few.ends_at IS NULL OR guard_few.ends_at > :now)
      UNION ALL
      SELECT guard_path.rights & guard_many.rights
      FROM role_closure guard_path
      CROSS JOIN member guard_many ON guard_many.user_id = :actorId
        AND guard_many.role_id = guard_path.ancestor_id
        AND (guard_many.ends_at IS NULL OR guard_many.ends_at > :now)
      WHERE guard_path.descendant_id = iif(
        (
          (SELECT 1 FROM member guard_held WHERE guard_held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
          OR EXISTS (
            SELECT 1
            FROM role_closure guard_longer
            WHERE guard_longer.descendant_id = judged.role_id
            LIMIT 1 OFFSET (SELECT count(*) FROM member guard_shorter WHERE guard_shorter.user_id = :actorId)
          )
        ),
        NULL,
        judged.role_id
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
        AND (SELECT horizon_id FROM pace) < (SELECT max(id) FROM manages) THEN (SELECT horizon_id FROM pace)
    END
  ) AS walkedTo
FROM (
  SELECT json_group_array(
    json_object(
      'id', owned.id, 'parentRoleId', owned.parent_id, 'childRoleId', owned.child_id, 'rights', owned.rights
    )
  ) AS rows,
    nullif((SELECT last_id FROM afforded), 9223372036854775807) AS cut_at
  FROM (
    SELECT DISTINCT id
    FROM (
      SELECT candidate.id
      FROM reach
      CROSS JOIN manages candidate ON candidate.id IN (
        SELECT own_row.id
        FROM manages own_row
        WHERE own_row.parent_id = reach.role_id
          AND own_row.id > :afterId
          AND (:ids IS NULL OR own_row.id IN (SELECT value FROM json_each(:ids)))
          AND (:roleIds IS NULL OR own_row.parent_id IN (SELECT value FROM json_each(:roleIds)))
          AND (:childIds IS NULL OR own_row.child_id IN (SELECT value FROM json_each(:childIds)))
        ORDER BY own_row.id
        LIMIT +:limit
      )
      WHERE NOT (SELECT is_walk FROM pace)
        AND (:ids IS NULL OR candidate.id IN (SELECT value FROM json_each(:ids)))
        AND (:roleIds IS NULL OR candidate.parent_id IN (SELECT value FROM json_each(:roleIds)))
        AND (:childIds IS NULL OR candidate.child_id IN (SELECT value FROM json_each(:childIds)))
        AND (
          EXISTS (
            SELECT 1
            FROM member guard_direct
            WHERE guard_direct.user_id = :actorId
              AND guard_direct.role_id = reach.role_id
              AND (guard_direct.ends_at IS NULL OR guard_direct.ends_at > :now)
          )
          OR EXISTS (
            SELECT guard_path.rights & guard_few.rights AS guard_rights
            FROM member guard_few
            CROSS JOIN role_closure guard_path ON guard_path.descendant_id = reach.role_id
              AND guard_path.ancestor_id = guard_few.role_id
            WHERE guard_few.user_id = iif(
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
                  WHERE guard_longer.descendant_id = reach.role_id
                  LIMIT 1 OFFSET (
                    SELECT count(*)
                    FROM member guard_shorter
                    WHERE guard_shorter.user_id = :actorId
                  )
                )
              ),
              :actorId,
              NULL
            )
              AND (guard_few.ends_at IS NULL OR guard_few.ends_at > :now)
            UNION ALL
            SELECT guard_path.rights & guard_many.rights
            FROM role_closure guard_path
            CROSS JOIN member guard_many ON guard_many.user_id = :actorId
              AND guard_many.role_id = guard_path.ancestor_id
              AND (guard_many.ends_at IS NULL OR guard_many.ends_at > :now)
            WHERE guard_path.descendant_id = iif(
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
                  WHERE guard_longer.descendant_id = reach.role_id
                  LIMIT 1 OFFSET (
                    SELECT count(*)
                    FROM member guard_shorter
                    WHERE guard_shorter.user_id = :actorId
                  )
                )
              ),
              NULL,
              reach.role_id
            )
          )
        )
      UNION ALL
      SELECT candidate.id
      FROM passed
      CROSS JOIN manages candidate ON candidate.id = passed.id
      WHERE passed.id <= (SELECT last_id FROM afforded)
        AND (false OR candidate.parent_id IN (SELECT role_id FROM readable_role))
      UNION ALL
      SELECT candidate.id
      FROM manages candidate
      WHERE candidate.id = NULL AND NOT (SELECT is_walk FROM pace)
    )
    ORDER BY id
    LIMIT +:limit
  ) candidates
  CROSS JOIN manages owned ON owned.id = candidates.id
) page
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
