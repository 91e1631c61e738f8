-- like this: point_write_queries WRITE_POINTS.both.0
-- like this: point_write_queries WRITE_POINTS.both.2
-- like this: point_write_queries WRITE_POINTS.both.3
-- like this: point_write_queries WRITE_POINTS.points.0
-- like this: point_write_queries WRITE_POINTS.points.1
-- like this: point_write_queries WRITE_POINTS.recent.0
-- like this: point_write_queries WRITE_POINTS.recent.1
-- like this: point_write_queries WRITE_POINTS.recent.2
-- like this: register_queries REGISTER_SENDING.0
-- like this: register_queries REGISTER_SENDING.1
-- like this: write_queries FIND_CROWDED
-- like this: write_queries FIND_SERIES
-- like this: write_queries REGISTER_SERIES.0
-- like this: write_queries REGISTER_SERIES.1
WITH accepted AS MATERIALIZED (
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
    AND :deletedSeries = coalesce(
      (
        SELECT CAST(deletions.value AS INTEGER)
        FROM setting deletions
        WHERE deletions.name = 'deleted_series'
      ),
      0
    )
    AND (
      :revision = coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'change_log'), 0)
      AND NOT EXISTS (
        SELECT 1
        FROM json_each(:actingIds) acting
        WHERE NOT EXISTS (
          SELECT 1
          FROM member own
          WHERE own.user_id = :actorId
            AND own.role_id = acting.value
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
        )
      )
      AND (
        :belowId IS NULL
        OR iif(
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
            FROM member acting_2
            WHERE acting_2.user_id = :actorId
              AND (
                (acting_2.ends_at IS NULL OR acting_2.ends_at > :now)
                AND (
                  acting_2.needs = 0
                  OR iif(
                    acting_2.needs_from > :now, acting_2.needs_before, acting_2.needs
                  ) <= (
                    SELECT session.meets
                    FROM session
                    WHERE session.id = :sessionId
                  )
                )
              )
              AND (
                (
                  acting_2.role_id = :belowId
                  OR EXISTS (
                    SELECT 1
                    FROM role_closure path
                    WHERE path.descendant_id = :belowId AND path.ancestor_id = acting_2.role_id
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
      )
      OR NOT EXISTS (
        SELECT 1
        FROM json_each(:grants) granted
        WHERE NOT EXISTS (
          SELECT 1
          FROM monitors watching
          CROSS JOIN member acting_2 ON acting_2.user_id = :actorId
            AND acting_2.role_id = granted.value ->> 1
            AND (
              (acting_2.ends_at IS NULL OR acting_2.ends_at > :now)
              AND (
                acting_2.needs = 0
                OR iif(
                  acting_2.needs_from > :now, acting_2.needs_before, acting_2.needs
                ) <= (
                  SELECT session.meets
                  FROM session
                  WHERE session.id = :sessionId
                )
              )
            )
          WHERE watching.id = granted.value ->> 6
            AND watching.device_id = granted.value ->> 3
            AND watching.role_id = granted.value ->> 0
            AND (
              coalesce(watching.valid_from, -9007199254740991) <= coalesce(granted.value ->> 4, -9007199254740991)
              AND coalesce(granted.value ->> 5, 9007199254740991) <= coalesce(watching.valid_until, 9007199254740991)
            )
            AND (
              granted.value ->> 7
              OR (ifnull(watching.valid_until > :now, true) AND ifnull(watching.valid_from <= :now, true))
            )
            AND (
              (
                acting_2.role_id = watching.role_id
                AND EXISTS (
                  SELECT 1
                  FROM role self
                  WHERE self.id = watching.role_id AND self.self_rights & acting_2.rights & 8
                )
              )
              OR EXISTS (
                SELECT 1
                FROM role_closure path
                WHERE path.descendant_id = watching.role_id
                  AND path.ancestor_id = acting_2.role_id
                  AND path.rights & acting_2.rights & 9
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
                      FROM member acting_2
                      WHERE acting_2.user_id = :actorId
                        AND (
                          (acting_2.ends_at IS NULL OR acting_2.ends_at > :now)
                          AND (
                            acting_2.needs = 0
                            OR iif(
                              acting_2.needs_from > :now, acting_2.needs_before, acting_2.needs
                            ) <= (
                              SELECT session.meets
                              FROM session
                              WHERE session.id = :sessionId
                            )
                          )
                        )
                        AND (
                          (
                            acting_2.role_id = :belowId
                            OR EXISTS (
                              SELECT 1
                              FROM role_closure path
                              WHERE path.descendant_id = :belowId AND path.ancestor_id = acting_2.role_id
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
),
taken AS MATERIALIZED (
  SELECT 1
  FROM accepted
  WHERE (
    :openFrom = -1
    OR :openFrom = coalesce(
      (SELECT carry_state.hour + (carry_state.phase > 0) FROM carry_state WHERE carry_state.id = 1), -1
    )
  )
    AND NOT EXISTS (
      SELECT 1
      FROM json_each(:seriesIds) written
      CROSS JOIN counted_series counted ON counted.series_id = written.value
      CROSS JOIN root_points own ON own.root_id = counted.root_id AND own.bytes >= :mostBytes
    )
)
SELECT CASE WHEN changes() > 0 THEN 1 ELSE EXISTS (SELECT 1 FROM taken) END AS accepted,
  CASE
    WHEN changes() = 0 THEN EXISTS (
      SELECT 1
      FROM json_each(:seriesIds) written
      CROSS JOIN counted_series counted ON counted.series_id = written.value
      CROSS JOIN root_points own ON own.root_id = counted.root_id AND own.bytes >= :mostBytes
    )
    ELSE 0
  END AS isFull,
  coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'change_log'), 0) AS revision,
  coalesce(
    (SELECT CAST(deletions.value AS INTEGER) FROM setting deletions WHERE deletions.name = 'deleted_series'),
    0
  ) AS deletedSeries,
  coalesce(
    (SELECT carry_state.hour + (carry_state.phase > 0) FROM carry_state WHERE carry_state.id = 1), -1
  ) AS openFrom,
  coalesce((SELECT carry_state.hour + 1 FROM carry_state WHERE carry_state.id = 1), -1) AS openUntil
