-- like this: ending_queries END_ACCESS.make.4
-- like this: ending_queries END_ACCESS.preview.4
WITH place(role_id) AS MATERIALIZED (
  SELECT (item.value ->> 1)
  FROM json_each((SELECT head.details FROM change_log head WHERE head.op_id = :opId), '$.living') item
  UNION
  SELECT item.value
  FROM json_each((SELECT head.details FROM change_log head WHERE head.op_id = :opId), '$.set') item
  UNION
  SELECT (item.value ->> 1)
  FROM json_each((SELECT head.details FROM change_log head WHERE head.op_id = :opId), '$.inTrash') item
),
extent(is_cut) AS MATERIALIZED (
  SELECT CASE
    WHEN (SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL THEN false
    ELSE (
      SELECT 1
      FROM place judged
      CROSS JOIN role_closure step ON step.descendant_id = judged.role_id
      LIMIT 1 OFFSET 100000
    ) IS NOT NULL
  END
),
judged(role_id, via, password_via, through) AS MATERIALIZED (
  SELECT place.role_id,
    iif(
      (
        (SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
        OR EXISTS (
          SELECT 1
          FROM role_closure longer
          WHERE longer.descendant_id = place.role_id
          LIMIT 1 OFFSET (SELECT count(*) FROM member shorter WHERE shorter.user_id = :actorId)
        )
      ),
      (
        SELECT min(acting_side.role_id)
        FROM (
          SELECT own.role_id, own.rights
          FROM member own
          WHERE own.user_id = :actorId
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
        ) acting_side
        WHERE (
          (
            acting_side.role_id = place.role_id
            AND EXISTS (
              SELECT 1
              FROM role self
              WHERE self.id = place.role_id AND self.self_rights & acting_side.rights & 2
            )
          )
          OR EXISTS (
            SELECT 1
            FROM role_closure path
            WHERE path.descendant_id = place.role_id
              AND path.ancestor_id = acting_side.role_id
              AND path.rights & acting_side.rights & 3
          )
        )
      ),
      (
        SELECT min(acting_side.role_id)
        FROM (
          SELECT own.role_id, own.rights
          FROM member own
          WHERE own.user_id = :actorId
            AND own.role_id = place.role_id
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
          WHERE above.descendant_id = place.role_id
        ) acting_side
        WHERE (
          (
            acting_side.role_id = place.role_id
            AND EXISTS (
              SELECT 1
              FROM role self
              WHERE self.id = place.role_id AND self.self_rights & acting_side.rights & 2
            )
          )
          OR EXISTS (
            SELECT 1
            FROM role_closure path
            WHERE path.descendant_id = place.role_id
              AND path.ancestor_id = acting_side.role_id
              AND path.rights & acting_side.rights & 3
          )
        )
      )
    ),
    CASE
      WHEN place.role_id IN (
        SELECT value
        FROM json_each((SELECT head.details FROM change_log head WHERE head.op_id = :opId), '$.set') item
      ) THEN iif(
        (
          (SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
          OR EXISTS (
            SELECT 1
            FROM role_closure longer
            WHERE longer.descendant_id = place.role_id
            LIMIT 1 OFFSET (SELECT count(*) FROM member shorter WHERE shorter.user_id = :actorId)
          )
        ),
        (
          SELECT min(acting_side.role_id)
          FROM (
            SELECT own.role_id, own.rights
            FROM member own
            WHERE own.user_id = :actorId
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
          ) acting_side
          WHERE (
            (
              acting_side.role_id = place.role_id
              AND EXISTS (
                SELECT 1
                FROM role self
                WHERE self.id = place.role_id AND self.self_rights & acting_side.rights & 1
              )
            )
            OR EXISTS (
              SELECT 1
              FROM role_closure path
              WHERE path.descendant_id = place.role_id
                AND path.ancestor_id = acting_side.role_id
                AND path.rights & acting_side.rights & 1
            )
          )
        ),
        (
          SELECT min(acting_side.role_id)
          FROM (
            SELECT own.role_id, own.rights
            FROM member own
            WHERE own.user_id = :actorId
              AND own.role_id = place.role_id
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
            WHERE above.descendant_id = place.role_id
          ) acting_side
          WHERE (
            (
              acting_side.role_id = place.role_id
              AND EXISTS (
                SELECT 1
                FROM role self
                WHERE self.id = place.role_id AND self.self_rights & acting_side.rights & 1
              )
            )
            OR EXISTS (
              SELECT 1
              FROM role_closure path
              WHERE path.descendant_id = place.role_id
                AND path.ancestor_id = acting_side.role_id
                AND path.rights & acting_side.rights & 1
            )
          )
        )
      )
    END,
    CASE
      WHEN place.role_id IN (
        SELECT value
        FROM json_each((SELECT head.details FROM change_log head WHERE head.op_id = :opId), '$.set') item
      ) THEN coalesce(
        iif(
          (
            (SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
            OR EXISTS (
              SELECT 1
              FROM role_closure longer
              WHERE longer.descendant_id = place.role_id
              LIMIT 1 OFFSET (SELECT count(*) FROM member shorter WHERE shorter.user_id = :actorId)
            )
          ),
          (
            SELECT min(acting_side.role_id)
            FROM (
              SELECT own.role_id, own.rights
              FROM member own
              WHERE own.user_id = :actorId
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
            ) acting_side
            WHERE EXISTS (
              SELECT 1
              FROM role_closure path
              WHERE path.descendant_id = place.role_id
                AND path.ancestor_id = acting_side.role_id
                AND path.rights & acting_side.rights & 1
            )
          ),
          (
            SELECT min(acting_side.role_id)
            FROM (
              SELECT own.role_id, own.rights
              FROM member own
              WHERE own.user_id = :actorId
                AND own.role_id = place.role_id
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
              WHERE above.descendant_id = place.role_id
            ) acting_side
            WHERE EXISTS (
              SELECT 1
              FROM role_closure path
              WHERE path.descendant_id = place.role_id
                AND path.ancestor_id = acting_side.role_id
                AND path.rights & acting_side.rights & 1
            )
          )
        ),
        place.role_id
      )
    END
  FROM place
  WHERE NOT (SELECT is_cut FROM extent)
),
ending AS MATERIALIZED (
  SELECT json_array(held.id, held.role_id, held.user_id, judged.via, held.rights, held.ends_at) AS text
  FROM json_each((SELECT head.details FROM change_log head WHERE head.op_id = :opId), '$.living') item
  CROSS JOIN judged ON judged.role_id = (item.value ->> 1)
  CROSS JOIN member held ON held.id = (item.value ->> 0)
  WHERE judged.via IS NOT NULL
  ORDER BY (item.value ->> 0)
),
ending_in_trash AS MATERIALIZED (
  SELECT json_array(
    lying.member_id, lying.role_id, lying.user_id, judged.via, lying.rights, lying.ends_at
  ) AS text
  FROM json_each((SELECT head.details FROM change_log head WHERE head.op_id = :opId), '$.inTrash') item
  CROSS JOIN judged ON judged.role_id = (item.value ->> 1)
  CROSS JOIN member_history lying ON lying.member_id = (item.value ->> 0)
    AND lying.to_rev = (
      SELECT max(latest.to_rev)
      FROM member_history latest
      WHERE latest.member_id = (item.value ->> 0)
    )
  WHERE judged.via IS NOT NULL
  ORDER BY (item.value ->> 0)
),
ending_password AS MATERIALIZED (
  SELECT json_array(role_id, password_via, through, coalesce(secured.password_rights, 0)) AS text
  FROM judged
  CROSS JOIN role secured ON secured.id = judged.role_id
  WHERE password_via IS NOT NULL
  ORDER BY role_id
),
known(role_id) AS MATERIALIZED (
  SELECT CASEheld.user_id
    WHEN (SELECT head.details ->> '$.person' FROM change_log head WHERE head.op_id = :opId) THEN held.role_id
    ELSE held.given_via
  END
  FROM json_each((SELECT head.details FROM change_log head WHERE head.op_id = :opId), '$.living') item
  CROSS JOIN judged ON judged.role_id = (item.value ->> 1) AND judged.via IS NOT NULL
  CROSS JOIN member held ON held.id = (item.value ->> 0)
  WHERE held.user_id = (SELECT head.details ->> '$.person' FROM change_log head WHERE head.op_id = :opId)
    OR held.user_id < 0
    AND held.given_by = (SELECT head.details ->> '$.person' FROM change_log head WHERE head.op_id = :opId)
  UNION ALL
  SELECT secured.password_set_via
  FROM judged
  CROSS JOIN role secured ON secured.id = judged.role_id
  WHERE password_via IS NOT NULL
    AND secured.password_set_by = (
      SELECT head.details ->> '$.person'
      FROM change_log head
      WHERE head.op_id = :opId
    )
)
UPDATE change_log
SET details = json_set(
  change_log.details,
  '$.members',
  json((SELECT json_group_array(json(text)) FROM ending)),
  '$.trashed',
  json((SELECT json_group_array(json(text)) FROM ending_in_trash)),
  '$.passwords',
  json((SELECT json_group_array(json(text)) FROM ending_password)),
  '$.known',
  (SELECT min(role_id) FROM known),
  '$.isCut',
  (SELECT is_cut FROM extent),
  '$.things',
  iif(
    (SELECT is_cut FROM extent),
    change_log.details ->> '$.things',
    (SELECT count(*) FROM ending) + (SELECT count(*) FROM ending_in_trash) + (SELECT count(*) FROM ending_password)
  )
)
WHERE change_log.op_id = :opId
  AND change_log.effect IN ('write')
  AND NOT coalesce(change_log.details ->> '$.isCut', false)
