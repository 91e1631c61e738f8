-- also listing_queries ROLE_PAGES.id
-- nearly the same: listing_queries ROLE_PAGES.fewIds.probe
WITH afforded(last_id) AS MATERIALIZED (
  SELECT (
    SELECT iif(count(*) > 50000, max(min(id), max(id) - 1), 9223372036854775807)
    FROM (
      SELECT judged.id
      FROM (
        SELECT id, role_id
        FROM (SELECT value AS id, value AS role_id FROM json_each(:ids) WHERE value > :afterId)
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
)
SELECT page.rows,
  coalesce(page.cut_at, NULL) AS walkedTo,
  (SELECT seq FROM sqlite_sequence WHERE name = 'change_log') AS revision
FROM (
  SELECT json_group_array(
    json_object('id', seen.id, 'name', seen.name, 'selfRights', seen.self_rights, 'userRights', seen.rights)
  ) AS rows,
    nullif((SELECT last_id FROM afforded), 9223372036854775807) AS cut_at
  FROM (
    SELECT *
    FROM (
      SELECT role.id,
        role.name,
        role.self_rights,
        (
          SELECT (
            max(guard_rights & 1) | max(guard_rights & 2) | max(guard_rights & 4) | max(guard_rights & 8) | max(guard_rights & 16) | max(guard_rights & 32)
          )
          FROM (
            SELECT guard_self.self_rights & guard_direct.rights AS guard_rights
            FROM member guard_direct
            CROSS JOIN role guard_self ON guard_self.id = guard_direct.role_id
            WHERE guard_direct.user_id = :actorId
              AND guard_direct.role_id = role.id
              AND (guard_direct.ends_at IS NULL OR guard_direct.ends_at > :now)
            UNION ALL
            SELECT guard_path.rights & guard_few.rights AS guard_rights
            FROM member guard_few
            CROSS JOIN role_closure guard_path ON guard_path.descendant_id = role.id
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
                  WHERE guard_longer.descendant_id = role.id
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
                  WHERE guard_longer.descendant_id = role.id
                  LIMIT 1 OFFSET (
                    SELECT count(*)
                    FROM member guard_shorter
                    WHERE guard_shorter.user_id = :actorId
                  )
                )
              ),
              NULL,
              role.id
            )
          )
        ) AS rights
      FROM json_each(:ids) asked
      CROSS JOIN role ON role.id = asked.value
      WHERE role.id > :afterId AND role.id <= (SELECT last_id FROM afforded)
      LIMIT -1
    )
    WHERE rights IS NOT NULL
    ORDER BY id
    LIMIT +:limit
  ) seen
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
