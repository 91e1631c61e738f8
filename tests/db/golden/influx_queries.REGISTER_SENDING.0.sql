-- nearly the same: influx_queries REGISTER_SENDING.1
WITH tagged(t, device_id, measurement, tags, tag_set_id) AS MATERIALIZED (
  SELECT given.value ->> 0, device.id, given.value ->> 2, given.value ->> 3, tag_set.id
  FROM (
    SELECT 1
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
      AND NOT EXISTS (
        SELECT 1
        FROM json_each(:grants) granted
        WHERE NOT EXISTS (
          SELECT 1
          FROM device guard_device
          CROSS JOIN monitors guard_watching ON guard_watching.device_id = guard_device.id
            AND guard_watching.role_id = granted.value ->> 1
          CROSS JOIN member acting ON acting.user_id = :actorId
            AND acting.role_id = granted.value ->> 2
            AND (acting.ends_at IS NULL OR acting.ends_at > :now)
          WHERE guard_device.node_id = granted.value ->> 0
            AND (
              (
                (
                  acting.role_id = guard_watching.role_id
                  AND EXISTS (
                    SELECT 1
                    FROM role guard_self
                    WHERE guard_self.id = guard_watching.role_id
                      AND guard_self.self_rights & acting.rights & 8
                  )
                )
                OR EXISTS (
                  SELECT 1
                  FROM role_closure guard_path
                  WHERE guard_path.descendant_id = guard_watching.role_id
                    AND guard_path.ancestor_id = acting.role_id
                    AND guard_path.rights & acting.rights & 8
                )
              )
              OR EXISTS (
                SELECT 1
                FROM role_closure guard_path
                WHERE guard_path.descendant_id = guard_watching.role_id
                  AND guard_path.ancestor_id = acting.role_id
                  AND guard_path.rights & acting.rights & 1
              )
            )
        )
          OR (
            :belowId IS NOT NULL
            AND NOT EXISTS (
              SELECT 1
              FROM device guard_device
              CROSS JOIN monitors guard_watching ON guard_watching.device_id = guard_device.id
                AND guard_watching.role_id = granted.value ->> 3
              WHERE guard_device.node_id = granted.value ->> 0
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
                        WHERE guard_own.user_id = :actorId
                          AND (guard_own.ends_at IS NULL OR guard_own.ends_at > :now)
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
                    guard_watching.role_id = :belowId
                    OR EXISTS (
                      SELECT 1
                      FROM role_closure guard_below
                      WHERE guard_below.descendant_id = guard_watching.role_id
                        AND guard_below.ancestor_id = :belowId
                    )
                  )
                )
            )
          )
      )
  )
  CROSS JOIN (VALUES (:tagSets0), (:tagSets1)) tagSets
  CROSS JOIN json_each(tagSets.column1) given
  CROSS JOIN device ON device.node_id = given.value ->> 1
  LEFT JOIN tag_set ON tag_set.device_id = device.id
    AND tag_set.measurement = given.value ->> 2
    AND tag_set.database = :database
    AND tag_set.retention_policy = :retentionPolicy
    AND tag_set.tags = given.value ->> 3
),
described(
  n, device_id, tag_set_id, field, kind, line, series_id, stored_kind
) AS MATERIALIZED (
  SELECT given.value ->> 0,
    tagged.device_id,
    tagged.tag_set_id,
    given.value ->> 2,
    given.value ->> 3,
    given.value ->> 4,
    series.id,
    series.kind
  FROM (VALUES (:described0)) described
  CROSS JOIN json_each(described.column1) given
  CROSS JOIN tagged ON tagged.t = given.value ->> 1
  LEFT JOIN series ON series.tag_set_id = tagged.tag_set_id AND series.field = given.value ->> 2
),
accepted AS MATERIALIZED (
  SELECT 1
  WHERE EXISTS (SELECT 1 FROM described)
    AND NOT EXISTS (SELECT 1 FROM described WHERE stored_kind IS NOT kind)
),
newest(series_id, day) AS MATERIALIZED (
  SELECT described.series_id, given.value
  FROM accepted
  CROSS JOIN json_each(:lastDays) given
  CROSS JOIN described ON described.n = given.key
)
UPDATE series
SET last_day = newest.day
FROM newest
WHERE series.id = newest.series_id AND coalesce(series.last_day < newest.day, true)
