WITH price(costly) AS MATERIALIZED (
  SELECT CASE
    WHEN CASE
      WHEN (SELECT 1 FROM member guard_held WHERE guard_held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
        OR json_array_length(:roleIds) < 2 THEN false
      ELSE (
        SELECT 1
        FROM (SELECT value AS role_id FROM json_each(:roleIds)) judged
        CROSS JOIN role_closure guard_step ON guard_step.descendant_id = judged.role_id
        LIMIT 1 OFFSET 50000
      ) IS NOT NULL
    END THEN 'roleIds'
  END
),
asked_role(id) AS MATERIALIZED (
  SELECT asked.value
  FROM json_each(iif((SELECT costly FROM price) IS NULL, :roleIds, NULL)) asked
  WHERE EXISTS (
    SELECT 1
    FROM (
      SELECT guard_few.role_id, guard_few.rights
      FROM member guard_few
      WHERE guard_few.user_id = iif(
        (
          (SELECT 1 FROM member guard_held WHERE guard_held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
          OR EXISTS (
            SELECT 1
            FROM role_closure guard_longer
            WHERE guard_longer.descendant_id = asked.value
            LIMIT 1 OFFSET (SELECT count(*) FROM member guard_shorter WHERE guard_shorter.user_id = :actorId)
          )
        ),
        :actorId,
        NULL
      )
        AND (guard_few.ends_at IS NULL OR guard_few.ends_at > :now)
      UNION ALL
      SELECT guard_own.role_id, guard_own.rights
      FROM member guard_own
      WHERE guard_own.user_id = :actorId
        AND guard_own.role_id = iif(
          (
            (SELECT 1 FROM member guard_held WHERE guard_held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
            OR EXISTS (
              SELECT 1
              FROM role_closure guard_longer
              WHERE guard_longer.descendant_id = asked.value
              LIMIT 1 OFFSET (
                SELECT count(*)
                FROM member guard_shorter
                WHERE guard_shorter.user_id = :actorId
              )
            )
          ),
          NULL,
          asked.value
        )
        AND (guard_own.ends_at IS NULL OR guard_own.ends_at > :now)
      UNION ALL
      SELECT guard_above.ancestor_id, guard_many.rights
      FROM role_closure guard_above
      CROSS JOIN member guard_many ON guard_many.user_id = :actorId
        AND guard_many.role_id = guard_above.ancestor_id
        AND (guard_many.ends_at IS NULL OR guard_many.ends_at > :now)
      WHERE guard_above.descendant_id = iif(
        (
          (SELECT 1 FROM member guard_held WHERE guard_held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
          OR EXISTS (
            SELECT 1
            FROM role_closure guard_longer
            WHERE guard_longer.descendant_id = asked.value
            LIMIT 1 OFFSET (SELECT count(*) FROM member guard_shorter WHERE guard_shorter.user_id = :actorId)
          )
        ),
        NULL,
        asked.value
      )
    ) acting
    WHERE (
      (
        (
          acting.role_id = asked.value
          AND EXISTS (
            SELECT 1
            FROM role guard_self
            WHERE guard_self.id = asked.value AND guard_self.self_rights & acting.rights & 2
          )
        )
        OR EXISTS (
          SELECT 1
          FROM role_closure guard_path
          WHERE guard_path.descendant_id = asked.value
            AND guard_path.ancestor_id = acting.role_id
            AND guard_path.rights & acting.rights & 2
        )
      )
      OR EXISTS (
        SELECT 1
        FROM role_closure guard_path
        WHERE guard_path.descendant_id = asked.value
          AND guard_path.ancestor_id = acting.role_id
          AND guard_path.rights & acting.rights & 1
      )
    )
  )
),
stretch(last_id) AS MATERIALIZED (
  SELECT coalesce(
    min(
      (
        SELECT next.id
        FROM member next
        WHERE next.role_id = asked_role.id AND next.id > :afterId
        ORDER BY next.id
        LIMIT 1 OFFSET min(:limit, max(10, 50000 / max(1, json_array_length(:roleIds)))) - 1
      )
    ),
    9223372036854775807
  )
  FROM asked_role
)
SELECT page.rows,
  coalesce(page.cut_at, nullif((SELECT last_id FROM stretch), 9223372036854775807)) AS walkedTo,
  (SELECT costly FROM price) AS costly,
  (SELECT seq FROM sqlite_sequence WHERE name = 'change_log') AS revision
FROM (
  SELECT json_group_array(
    json_object(
      'id',
      owned.id,
      'roleId',
      owned.role_id,
      'userEmail',
      person.email,
      'rights',
      owned.rights,
      'endsAt',
      owned.ends_at
    )
  ) AS rows,
    NULL AS cut_at
  FROM (
    SELECT DISTINCT id
    FROM (
      SELECT candidate.id
      FROM asked_role
      CROSS JOIN member candidate ON candidate.role_id = asked_role.id
        AND candidate.id > :afterId
        AND candidate.id <= (SELECT last_id FROM stretch)
      WHERE candidate.user_id > 0
        AND (candidate.ends_at IS NULL OR candidate.ends_at > :now)
        AND (:ids IS NULL OR candidate.id IN (SELECT value FROM json_each(:ids)))
        AND (:roleIds IS NULL OR candidate.role_id IN (SELECT value FROM json_each(:roleIds)))
        AND (
          :emails IS NULL
          OR EXISTS (
            SELECT 1
            FROM user_account named
            WHERE named.id = candidate.user_id AND named.email IN (SELECT value FROM json_each(:emails))
          )
        )
      UNION ALL
      SELECT candidate.id
      FROM member candidate
      WHERE candidate.user_id = :actorId
        AND candidate.id > :afterId
        AND (candidate.ends_at IS NULL OR candidate.ends_at > :now)
        AND (:ids IS NULL OR candidate.id IN (SELECT value FROM json_each(:ids)))
        AND (
          :emails IS NULL
          OR EXISTS (
            SELECT 1
            FROM user_account named
            WHERE named.id = candidate.user_id AND named.email IN (SELECT value FROM json_each(:emails))
          )
        )
        AND candidate.id <= (SELECT last_id FROM stretch)
        AND candidate.role_id IN (SELECT value FROM json_each(:roleIds))
    )
    ORDER BY id
    LIMIT +:limit
  ) candidates
  CROSS JOIN member owned ON owned.id = candidates.id
  CROSS JOIN user_account person ON person.id = owned.user_id
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
