-- like this: influx_queries REGISTER_SENDING.0
-- like this: influx_queries REGISTER_SENDING.1
-- like this: write_queries FIND_CROWDED
-- like this: write_queries REGISTER_SERIES.1
-- like this: write_queries WRITE_POINTS.0
WITH tagged(t, device_id, measurement, tags, tag_set_id) AS MATERIALIZED (
  SELECT given.value ->> 0, named.id, given.value ->> 2, given.value ->> 3, known.id
  FROM (
    SELECT 1
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
      AND NOT EXISTS (
        SELECT 1
        FROM json_each(:grants) granted
        WHERE NOT EXISTS (
          SELECT 1
          FROM monitors watching
          CROSS JOIN member acting ON acting.user_id = :actorId
            AND acting.role_id = granted.value ->> 1
            AND (
              (acting.ends_at IS NULL OR acting.ends_at > :now)
              AND (
                acting.needs = 0
                OR iif(
                  acting.needs_from > :now, acting.needs_before, acting.needs
                ) <= (
                  SELECT session.meets
                  FROM session
                  WHERE session.id = :sessionId
                )
              )
            )
          WHERE watching.device_id = granted.value ->> 3
            AND watching.role_id = granted.value ->> 0
            AND (
              coalesce(watching.valid_from, -9007199254740991) <= coalesce(granted.value ->> 4, -9007199254740991)
              AND coalesce(granted.value ->> 5, 9007199254740991) <= coalesce(watching.valid_until, 9007199254740991)
            )
            AND (ifnull(watching.valid_until > :now, true) AND ifnull(watching.valid_from <= :now, true))
            AND (
              (
                acting.role_id = watching.role_id
                AND EXISTS (
                  SELECT 1
                  FROM role self
                  WHERE self.id = watching.role_id AND self.self_rights & acting.rights & 8
                )
              )
              OR EXISTS (
                SELECT 1
                FROM role_closure path
                WHERE path.descendant_id = watching.role_id
                  AND path.ancestor_id = acting.role_id
                  AND path.rights & acting.rights & 9
              )
            )
        )
          OR (
            :belowId IS NOT NULL
            AND NOT EXISTS (
              SELECT 1
              FROM monitors watching
              WHERE watching.device_id = granted.value ->> 3
                AND watching.role_id = granted.value ->> 2
                AND (ifnull(watching.valid_until > :now, true) AND ifnull(watching.valid_from <= :now, true))
                AND (
                  iif(
                    (
                      (SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
                      OR EXISTS (
                        SELECT 1
                        FROM role_closure longer
                        WHERE longer.descendant_id = :belowId
                        LIMIT 1 OFFSET (SELECT count(*) FROM member shorter WHERE shorter.user_id = :actorId)
                      )
                    ),
                    EXISTS (
                      SELECT 1
                      FROM member acting
                      WHERE acting.user_id = :actorId
                        AND (
                          (acting.ends_at IS NULL OR acting.ends_at > :now)
                          AND (
                            acting.needs = 0
                            OR iif(
                              acting.needs_from > :now, acting.needs_before, acting.needs
                            ) <= (
                              SELECT session.meets
                              FROM session
                              WHERE session.id = :sessionId
                            )
                          )
                        )
                        AND (
                          (
                            acting.role_id = :belowId
                            OR EXISTS (
                              SELECT 1
                              FROM role_closure path
                              WHERE path.descendant_id = :belowId AND path.ancestor_id = acting.role_id
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
                          AND own.role_id = :belowId
                          AND (
                            (own.ends_at IS NULL OR own.ends_at > :now)
                            AND (
                              own.needs = 0
                              OR iif(own.needs_from > :now, own.needs_before, own.needs) <= (
                                SELECT session.meets
                                FROM session
                                WHERE session.id = :sessionId
                              )
                            )
                          )
                        UNION ALL
                        SELECT above.ancestor_id, many.rights
                        FROM role_closure above
                        CROSS JOIN member many ON many.user_id = :actorId
                          AND many.role_id = above.ancestor_id
                          AND (
                            (many.ends_at IS NULL OR many.ends_at > :now)
                            AND (
                              many.needs = 0
                              OR iif(many.needs_from > :now, many.needs_before, many.needs) <= (
                                SELECT session.meets
                                FROM session
                                WHERE session.id = :sessionId
                              )
                            )
                          )
                        WHERE above.descendant_id = :belowId
                      ) acting_above
                      WHERE true
                    )
                  )
                  AND (
                    watching.role_id = :belowId
                    OR EXISTS (
                      SELECT 1
                      FROM role_closure below
                      WHERE below.descendant_id = watching.role_id AND below.ancestor_id = :belowId
                    )
                  )
                )
            )
          )
      )
  )
  CROSS JOIN (VALUES (:tagSets0), (:tagSets1)) part
  CROSS JOIN json_each(part.column1) given
  CROSS JOIN device named ON named.id = (
    SELECT max(newest.id)
    FROM device newest
    WHERE newest.node_id = given.value ->> 1
  )
  LEFT JOIN tag_set known ON known.device_id = named.id
    AND known.measurement = given.value ->> 2
    AND known.database = :database
    AND known.retention_policy = :retentionPolicy
    AND known.tags = given.value ->> 3
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
    found.id,
    found.kind
  FROM (VALUES (:described0)) part
  CROSS JOIN json_each(part.column1) given
  CROSS JOIN tagged ON tagged.t = given.value ->> 1
  LEFT JOIN series found ON found.tag_set_id = tagged.tag_set_id AND found.field = given.value ->> 2
),
fits AS MATERIALIZED (
  SELECT 1
  WHERE NOT EXISTS (
    SELECT 1
    FROM described
    WHERE series_id IS NULL
    GROUP BY device_id HAVING count(*) + (
      SELECT count(*)
      FROM (
        SELECT 1
        FROM tag_set owned
        CROSS JOIN series held ON held.tag_set_id = owned.id
        WHERE owned.device_id = described.device_id
        LIMIT 10000
      )
    ) > 10000
  )
)
INSERT INTO tag_set (device_id, measurement, database, retention_policy, tags)
SELECT tagged.device_id, tagged.measurement, :database, :retentionPolicy, tagged.tags
FROM fits
CROSS JOIN tagged
WHERE tagged.tag_set_id IS NULL
