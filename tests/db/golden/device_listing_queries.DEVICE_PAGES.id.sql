-- nearly the same: device_listing_queries DEVICE_PAGES.nodeId
-- nearly the same: device_listing_queries DEVICE_PAGES.role
-- nearly the same: device_listing_queries DEVICE_PAGES.none
WITH asked_device(key, device_id) AS MATERIALIZED (
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
        FROM monitors watching
        WHERE watching.device_id = sized.id
          AND +watching.role_id IN (SELECT held.role_id FROM held WHERE value)
          AND true
      )
    )
  ) FILTER (WHERE sized.bytes <= 196608) AS rows,
    coalesce(
      CASE WHEN max(sized.bytes) > 196608 THEN max(sized.id) FILTER (WHERE sized.bytes <= 196608) END,
      (SELECT last_key FROM looked)
    ) AS cut_at
  FROM (
    SELECT device.id,
      device.properties,
      device.updated_at,
      sum(octet_length(device.properties)) OVER (ORDER BY device.id) AS bytes
    FROM (
      SELECT asked_device.key AS id
      FROM asked_device
      WHERE asked_device.key <= coalesce((SELECT last_key FROM looked), asked_device.key)
        AND (
          false
          OR EXISTS (
            SELECT 1
            FROM monitors watching
            WHERE watching.device_id = asked_device.key
              AND +watching.role_id IN (SELECT held.role_id FROM held WHERE value IS NOT NULL)
              AND (:roleIds IS NULL OR watching.role_id IN (SELECT value FROM json_each(:roleIds)))
          )
        )
      ORDER BY asked_device.key
      LIMIT +:limit
    ) candidates
    CROSS JOIN device ON device.id = candidates.id
  ) sized
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
