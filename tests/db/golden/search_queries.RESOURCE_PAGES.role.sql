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
      OR (SELECT count(*) FROM reached) > 50000
      OR (SELECT count(*) FROM reach) > 5000
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
  CROSS JOIN role listed ON listed.id = reach.role_id AND listed.id > :afterId
  WHERE NOT (SELECT is_walk FROM pace)
  UNION
  SELECT id
  FROM (
    SELECT listed.id
    FROM role listed
    WHERE (SELECT is_walk FROM pace)
      AND listed.id > :afterId
      AND listed.id <= (SELECT horizon_id FROM pace)
      AND listed.id <= (SELECT last_id FROM walk_end)
      AND (
        EXISTS (
          SELECT 1
          FROM member guard_direct
          WHERE guard_direct.user_id = :actorId
            AND guard_direct.role_id = listed.id
            AND (guard_direct.ends_at IS NULL OR guard_direct.ends_at > :now)
        )
        OR iif(
          (
            (SELECT 1 FROM member guard_held WHERE guard_held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
            OR EXISTS (
              SELECT 1
              FROM role_closure guard_longer
              WHERE guard_longer.descendant_id = listed.id
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
            CROSS JOIN role_closure guard_path ON guard_path.descendant_id = listed.id
              AND guard_path.ancestor_id = guard_own.role_id
            WHERE guard_own.user_id = :actorId AND (guard_own.ends_at IS NULL OR guard_own.ends_at > :now)
          ),
          EXISTS (
            SELECT guard_path.rights & guard_own.rights AS guard_rights
            FROM role_closure guard_path
            CROSS JOIN member guard_own ON guard_own.user_id = :actorId
              AND guard_own.role_id = guard_path.ancestor_id
              AND (guard_own.ends_at IS NULL OR guard_own.ends_at > :now)
            WHERE guard_path.descendant_id = listed.id
          )
        )
      )
    ORDER BY listed.id
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
        WHERE NOT (
          (SELECT 1 FROM member guard_held WHERE guard_held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
        )
        ORDER BY id
        LIMIT -1
      ) judged
      CROSS JOIN role_closure guard_step ON guard_step.descendant_id = judged.role_id
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
            NOT (
              (SELECT 1 FROM member guard_held WHERE guard_held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
            )
            OR (SELECT subject FROM item) <> :actorId
          )
          ORDER BY id
          LIMIT -1
        ) judged
        CROSS JOIN role_closure guard_step ON guard_step.descendant_id = judged.role_id
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
            (SELECT 1 FROM member guard_held WHERE guard_held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
            OR EXISTS (
              SELECT 1
              FROM role_closure guard_longer
              WHERE guard_longer.descendant_id = candidate.id
              LIMIT 1 OFFSET (
                SELECT count(*)
                FROM member guard_shorter
                WHERE guard_shorter.user_id = :actorId
              )
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
                acting.role_id = candidate.id
                AND EXISTS (
                  SELECT 1
                  FROM role guard_self
                  WHERE guard_self.id = candidate.id
                    AND (item.direct = 0 OR guard_self.self_rights & acting.rights & item.direct)
                )
              )
              OR EXISTS (
                SELECT 1
                FROM role_closure guard_path
                WHERE guard_path.descendant_id = candidate.id
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
                AND guard_own.role_id = candidate.id
                AND (guard_own.ends_at IS NULL OR guard_own.ends_at > :now)
              UNION ALL
              SELECT guard_above.ancestor_id, guard_many.rights
              FROM role_closure guard_above
              CROSS JOIN member guard_many ON guard_many.user_id = :actorId
                AND guard_many.role_id = guard_above.ancestor_id
                AND (guard_many.ends_at IS NULL OR guard_many.ends_at > :now)
              WHERE guard_above.descendant_id = candidate.id
            ) acting
            WHERE (
              (
                acting.role_id = candidate.id
                AND EXISTS (
                  SELECT 1
                  FROM role guard_self
                  WHERE guard_self.id = candidate.id
                    AND (item.direct = 0 OR guard_self.self_rights & acting.rights & item.direct)
                )
              )
              OR EXISTS (
                SELECT 1
                FROM role_closure guard_path
                WHERE guard_path.descendant_id = candidate.id
                  AND guard_path.ancestor_id = acting.role_id
                  AND (item.indirect = 0 OR guard_path.rights & acting.rights & item.indirect)
              )
            )
          )
        )
        ELSE (
          iif(
            (
              (SELECT 1 FROM member guard_held WHERE guard_held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
              OR EXISTS (
                SELECT 1
                FROM role_closure guard_longer
                WHERE guard_longer.descendant_id = candidate.id
                LIMIT 1 OFFSET (
                  SELECT count(*)
                  FROM member guard_shorter
                  WHERE guard_shorter.user_id = :actorId
                )
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
                  (
                    acting.role_id = candidate.id
                    AND EXISTS (
                      SELECT 1
                      FROM role guard_self
                      WHERE guard_self.id = candidate.id AND guard_self.self_rights & acting.rights & 2
                    )
                  )
                  OR EXISTS (
                    SELECT 1
                    FROM role_closure guard_path
                    WHERE guard_path.descendant_id = candidate.id
                      AND guard_path.ancestor_id = acting.role_id
                      AND guard_path.rights & acting.rights & 2
                  )
                )
                OR EXISTS (
                  SELECT 1
                  FROM role_closure guard_path
                  WHERE guard_path.descendant_id = candidate.id
                    AND guard_path.ancestor_id = acting.role_id
                    AND guard_path.rights & acting.rights & 1
                )
              )
            ),
            EXISTS (
              SELECT 1
              FROM (
                SELECT guard_own.role_id, guard_own.rights
                FROM member guard_own
                WHERE guard_own.user_id = :actorId
                  AND guard_own.role_id = candidate.id
                  AND (guard_own.ends_at IS NULL OR guard_own.ends_at > :now)
                UNION ALL
                SELECT guard_above.ancestor_id, guard_many.rights
                FROM role_closure guard_above
                CROSS JOIN member guard_many ON guard_many.user_id = :actorId
                  AND guard_many.role_id = guard_above.ancestor_id
                  AND (guard_many.ends_at IS NULL OR guard_many.ends_at > :now)
                WHERE guard_above.descendant_id = candidate.id
              ) acting
              WHERE (
                (
                  (
                    acting.role_id = candidate.id
                    AND EXISTS (
                      SELECT 1
                      FROM role guard_self
                      WHERE guard_self.id = candidate.id AND guard_self.self_rights & acting.rights & 2
                    )
                  )
                  OR EXISTS (
                    SELECT 1
                    FROM role_closure guard_path
                    WHERE guard_path.descendant_id = candidate.id
                      AND guard_path.ancestor_id = acting.role_id
                      AND guard_path.rights & acting.rights & 2
                  )
                )
                OR EXISTS (
                  SELECT 1
                  FROM role_closure guard_path
                  WHERE guard_path.descendant_id = candidate.id
                    AND guard_path.ancestor_id = acting.role_id
                    AND guard_path.rights & acting.rights & 1
                )
              )
            )
          )
          OR (
            EXISTS (
              SELECT 1
              FROM role_key guard_asking
              WHERE guard_asking.id = -:actorId AND guard_asking.asks
            )
            AND (
              EXISTS (
                SELECT 1
                FROM member guard_direct
                WHERE guard_direct.user_id = :actorId
                  AND guard_direct.role_id = candidate.id
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
                    WHERE guard_longer.descendant_id = candidate.id
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
                  CROSS JOIN role_closure guard_path ON guard_path.descendant_id = candidate.id
                    AND guard_path.ancestor_id = guard_own.role_id
                  WHERE guard_own.user_id = :actorId
                    AND (guard_own.ends_at IS NULL OR guard_own.ends_at > :now)
                ),
                EXISTS (
                  SELECT guard_path.rights & guard_own.rights AS guard_rights
                  FROM role_closure guard_path
                  CROSS JOIN member guard_own ON guard_own.user_id = :actorId
                    AND guard_own.role_id = guard_path.ancestor_id
                    AND (guard_own.ends_at IS NULL OR guard_own.ends_at > :now)
                  WHERE guard_path.descendant_id = candidate.id
                )
              )
            )
          )
        )
          AND EXISTS (
            SELECT 1
            FROM (
              SELECT guard_own.role_id, guard_own.rights
              FROM member guard_own
              WHERE guard_own.user_id = item.subject
                AND guard_own.role_id = candidate.id
                AND (guard_own.ends_at IS NULL OR guard_own.ends_at > :now)
              UNION ALL
              SELECT guard_above.ancestor_id, guard_many.rights
              FROM role_closure guard_above
              CROSS JOIN member guard_many ON guard_many.user_id = item.subject
                AND guard_many.role_id = guard_above.ancestor_id
                AND (guard_many.ends_at IS NULL OR guard_many.ends_at > :now)
              WHERE guard_above.descendant_id = candidate.id
            ) acting
            WHERE (
              (
                acting.role_id = candidate.id
                AND EXISTS (
                  SELECT 1
                  FROM role guard_self
                  WHERE guard_self.id = candidate.id
                    AND (item.direct = 0 OR guard_self.self_rights & acting.rights & item.direct)
                )
              )
              OR EXISTS (
                SELECT 1
                FROM role_closure guard_path
                WHERE guard_path.descendant_id = candidate.id
                  AND guard_path.ancestor_id = acting.role_id
                  AND (item.indirect = 0 OR guard_path.rights & acting.rights & item.indirect)
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
