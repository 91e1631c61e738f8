-- nearly the same: device_listing_queries DEVICE_UPDATE_PAGES.nodeId
-- nearly the same: device_listing_queries DEVICE_UPDATE_PAGES.role
WITH named(key, device_id) AS MATERIALIZED (
  SELECT DISTINCT id, id
  FROM (
    SELECT candidate.id
    FROM json_each(:ids) asked
    CROSS JOIN device candidate ON candidate.id = asked.value
    WHERE candidate.id > :afterId
      AND (:nodeIds IS NULL OR candidate.node_id IN (SELECT value FROM json_each(:nodeIds)))
  )
  ORDER BY id
  LIMIT iif(false, :limit, -1)
),
of_first(roles) AS MATERIALIZED (
  SELECT count(*)
  FROM monitors
  WHERE device_id = (SELECT device_id FROM named ORDER BY key LIMIT 1)
),
watched(key, device_id, role_id) AS MATERIALIZED (
  SELECT named.key, named.device_id, watching.role_id
  FROM named
  CROSS JOIN monitors watching ON watching.device_id = named.device_id
  WHERE NOT (false)
  LIMIT (SELECT max(roles, 20000) FROM of_first) + 1
),
asking(role_id, key) AS MATERIALIZED (
  SELECT role_id, min(key)
  FROM watched
  GROUP BY role_id
  ORDER BY min(key)
  LIMIT (
    SELECT max(
      roles,
      (
        SELECT max(10, 20000 / max(1, count(*)))
        FROM (SELECT 1 FROM member guard_counted WHERE guard_counted.user_id = :actorId LIMIT 20000)
      )
    )
    FROM of_first
  ) + 1
),
directed(role_id, is_from) AS MATERIALIZED (
  SELECT role_id,
    (SELECT 1 FROM member guard_count WHERE guard_count.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
    OR EXISTS (
      SELECT 1
      FROM role_closure guard_longer
      WHERE guard_longer.descendant_id = role_id
      LIMIT 1 OFFSET (SELECT count(*) FROM member guard_shorter WHERE guard_shorter.user_id = :actorId)
    )
  FROM asking
),
held(role_id, value) AS MATERIALIZED (
  SELECT role_id,
    (
      SELECT max(
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
  SELECT min(key) - 1
  FROM (
    SELECT iif(count(*) > (SELECT max(roles, 20000) FROM of_first), max(key), NULL) AS key
    FROM watched
    UNION ALL
    SELECT iif(
      count(*) > (
        SELECT max(
          roles,
          (
            SELECT max(10, 20000 / max(1, count(*)))
            FROM (SELECT 1 FROM member guard_counted WHERE guard_counted.user_id = :actorId LIMIT 20000)
          )
        )
        FROM of_first
      ),
      max(key),
      NULL
    )
    FROM asking
  )
)
SELECT page.rows,
  coalesce(page.cut_at, NULL) AS walkedTo,
  (SELECT seq FROM sqlite_sequence WHERE name = 'change_log') AS revision
FROM (
  SELECT json_group_array(
    json_object(
      'id', device.id, 'lastUpdate', strftime('%Y-%m-%dT%H:%M:%fZ', device.updated_at / 1000.0, 'unixepoch')
    )
  ) AS rows,
    (SELECT last_key FROM looked) AS cut_at
  FROM (
    SELECT named.key AS id
    FROM named
    WHERE named.key <= coalesce((SELECT last_key FROM looked), named.key)
      AND (
        false
        OR EXISTS (
          SELECT 1
          FROM monitors watching
          WHERE watching.device_id = named.key
            AND +watching.role_id IN (SELECT role_id FROM held WHERE value IS NOT NULL)
            AND (:roleIds IS NULL OR watching.role_id IN (SELECT value FROM json_each(:roleIds)))
        )
      )
    ORDER BY named.key
    LIMIT :limit
  ) candidates
  CROSS JOIN device ON device.id = candidates.id
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
