-- nearly the same: device_listing_queries DEVICE_PAGES.nodeId
-- nearly the same: device_listing_queries DEVICE_PAGES.role
-- nearly the same: device_listing_queries DEVICE_PAGES.none
WITH seen_role(id) AS MATERIALIZED (
  SELECT asked.value
  FROM json_each(:roleIds) asked
  WHERE (
    EXISTS (
      SELECT 1
      FROM member guard_direct
      WHERE guard_direct.user_id = :actorId
        AND guard_direct.role_id = asked.value
        AND (guard_direct.ends_at IS NULL OR guard_direct.ends_at > :now)
    )
    OR EXISTS (
      SELECT guard_path.rights & guard_few.rights AS guard_rights
      FROM member guard_few
      CROSS JOIN role_closure guard_path ON guard_path.descendant_id = asked.value
        AND guard_path.ancestor_id = guard_few.role_id
      WHERE guard_few.user_id = iif(
        (SELECT 1 FROM member guard_count WHERE guard_count.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
        OR EXISTS (
          SELECT 1
          FROM role_closure guard_longer
          WHERE guard_longer.descendant_id = asked.value
          LIMIT 1 OFFSET (SELECT count(*) FROM member guard_shorter WHERE guard_shorter.user_id = :actorId)
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
        (SELECT 1 FROM member guard_count WHERE guard_count.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
        OR EXISTS (
          SELECT 1
          FROM role_closure guard_longer
          WHERE guard_longer.descendant_id = asked.value
          LIMIT 1 OFFSET (SELECT count(*) FROM member guard_shorter WHERE guard_shorter.user_id = :actorId)
        ),
        NULL,
        asked.value
      )
    )
  )
)
SELECT page.rows,
  coalesce(page.cut_at, NULL) AS walkedTo,
  (SELECT seq FROM sqlite_sequence WHERE name = 'change_log') AS revision
FROM (
  SELECT json_group_array(
    json_object(
      'id',
      sized.id,
      'properties',
      json(sized.properties),
      'updatedAt',
      sized.updated_at,
      'monitorManagement',
      EXISTS (
        SELECT 1
        FROM monitors guard_monitors
        WHERE guard_monitors.device_id = sized.id
          AND EXISTS (
            SELECT 1
            FROM (
              SELECT guard_few.role_id, guard_few.rights
              FROM member guard_few
              WHERE guard_few.user_id = iif(
                (
                  SELECT 1
                  FROM member guard_count
                  WHERE guard_count.user_id = :actorId
                  LIMIT 1 OFFSET 32
                ) IS NULL
                OR EXISTS (
                  SELECT 1
                  FROM role_closure guard_longer
                  WHERE guard_longer.descendant_id = guard_monitors.role_id
                  LIMIT 1 OFFSET (
                    SELECT count(*)
                    FROM member guard_shorter
                    WHERE guard_shorter.user_id = :actorId
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
                    SELECT 1
                    FROM member guard_count
                    WHERE guard_count.user_id = :actorId
                    LIMIT 1 OFFSET 32
                  ) IS NULL
                  OR EXISTS (
                    SELECT 1
                    FROM role_closure guard_longer
                    WHERE guard_longer.descendant_id = guard_monitors.role_id
                    LIMIT 1 OFFSET (
                      SELECT count(*)
                      FROM member guard_shorter
                      WHERE guard_shorter.user_id = :actorId
                    )
                  ),
                  NULL,
                  guard_monitors.role_id
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
                  SELECT 1
                  FROM member guard_count
                  WHERE guard_count.user_id = :actorId
                  LIMIT 1 OFFSET 32
                ) IS NULL
                OR EXISTS (
                  SELECT 1
                  FROM role_closure guard_longer
                  WHERE guard_longer.descendant_id = guard_monitors.role_id
                  LIMIT 1 OFFSET (
                    SELECT count(*)
                    FROM member guard_shorter
                    WHERE guard_shorter.user_id = :actorId
                  )
                ),
                NULL,
                guard_monitors.role_id
              )
            ) acting
            WHERE (
              (
                acting.role_id = guard_monitors.role_id
                AND EXISTS (
                  SELECT 1
                  FROM role guard_self
                  WHERE guard_self.id = guard_monitors.role_id AND guard_self.self_rights & acting.rights & 8
                )
              )
              OR EXISTS (
                SELECT 1
                FROM role_closure guard_path
                WHERE guard_path.descendant_id = guard_monitors.role_id
                  AND guard_path.ancestor_id = acting.role_id
                  AND guard_path.rights & acting.rights & 8
              )
            )
              OR EXISTS (
                SELECT 1
                FROM role_closure guard_path
                WHERE guard_path.descendant_id = guard_monitors.role_id
                  AND guard_path.ancestor_id = acting.role_id
                  AND guard_path.rights & acting.rights & 1
              )
          )
      )
    )
  ) FILTER (WHERE sized.bytes <= 196608) AS rows,
    CASE WHEN max(sized.bytes) > 196608 THEN max(sized.id) FILTER (WHERE sized.bytes <= 196608) END AS cut_at
  FROM (
    SELECT device.id,
      device.properties,
      device.updated_at,
      sum(octet_length(device.properties)) OVER (ORDER BY device.id) AS bytes
    FROM (
      SELECT DISTINCT id
      FROM (
        SELECT candidate.id
        FROM json_each(:ids) asked
        CROSS JOIN device candidate ON candidate.id = asked.value
        WHERE candidate.id > :afterId
          AND (:nodeIds IS NULL OR candidate.node_id IN (SELECT value FROM json_each(:nodeIds)))
          AND EXISTS (
            SELECT 1
            FROM monitors guard_monitors
            WHERE guard_monitors.device_id = candidate.id
              AND (
                EXISTS (
                  SELECT 1
                  FROM member guard_direct
                  WHERE guard_direct.user_id = :actorId
                    AND guard_direct.role_id = guard_monitors.role_id
                    AND (guard_direct.ends_at IS NULL OR guard_direct.ends_at > :now)
                )
                OR EXISTS (
                  SELECT guard_path.rights & guard_few.rights AS guard_rights
                  FROM member guard_few
                  CROSS JOIN role_closure guard_path ON guard_path.descendant_id = guard_monitors.role_id
                    AND guard_path.ancestor_id = guard_few.role_id
                  WHERE guard_few.user_id = iif(
                    (
                      SELECT 1
                      FROM member guard_count
                      WHERE guard_count.user_id = :actorId
                      LIMIT 1 OFFSET 32
                    ) IS NULL
                    OR EXISTS (
                      SELECT 1
                      FROM role_closure guard_longer
                      WHERE guard_longer.descendant_id = guard_monitors.role_id
                      LIMIT 1 OFFSET (
                        SELECT count(*)
                        FROM member guard_shorter
                        WHERE guard_shorter.user_id = :actorId
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
                      SELECT 1
                      FROM member guard_count
                      WHERE guard_count.user_id = :actorId
                      LIMIT 1 OFFSET 32
                    ) IS NULL
                    OR EXISTS (
                      SELECT 1
                      FROM role_closure guard_longer
                      WHERE guard_longer.descendant_id = guard_monitors.role_id
                      LIMIT 1 OFFSET (
                        SELECT count(*)
                        FROM member guard_shorter
                        WHERE guard_shorter.user_id = :actorId
                      )
                    ),
                    NULL,
                    guard_monitors.role_id
                  )
                )
              )
          )
          AND (
            :roleIds IS NULL
            OR EXISTS (
              SELECT 1
              FROM monitors watching
              WHERE watching.device_id = candidate.id AND +watching.role_id IN (SELECT id FROM seen_role)
            )
          )
      )
      ORDER BY id
      LIMIT :limit
    ) candidates
    CROSS JOIN device ON device.id = candidates.id
  ) sized
) page
WHERE (
  EXISTS (
    SELECT 1
    FROM session guard_session
    WHERE guard_session.id = :sessionId
      AND guard_session.user_id = :actorId
      AND guard_session.ended_at IS NULL
      AND guard_session.idle_until > :now
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
