-- like this: affected_queries READABLE_ROLES
-- like this: change_log_queries CHANGE_PAGES.all
-- like this: grant_queries GRANT_PAGES.all
-- like this: grant_queries GRANT_PAGES.role
-- like this: key_queries KEY_PAGE
WITH bounds(passed_rev, begin_rev, last_rev) AS MATERIALIZED (
  SELECT min(:after, latest),
    max(
      :after,
      coalesce((SELECT min(change_log.rev) FROM change_log WHERE change_log.rev > :after) - 1, 0),
      CASE
        WHEN :from IS NULL THEN 0
        ELSE coalesce(
          (
            SELECT change_log.rev
            FROM change_log
            WHERE change_log.at >= :from
            ORDER BY change_log.at, change_log.rev
            LIMIT 1
          ) - 1,
          latest
        )
      END
    ),
    CASE
      WHEN :to IS NULL THEN latest
      ELSE coalesce(
        (
          SELECT change_log.rev
          FROM change_log
          WHERE change_log.at <= :to
          ORDER BY change_log.at DESC, change_log.rev DESC
          LIMIT 1
        ),
        0
      )
    END
  FROM (SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'change_log'), 0) AS latest)
),
asked(role_id) AS MATERIALIZED (
  SELECT CASE
    WHEN (
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
              acting.role_id = :roleId
              OR EXISTS (
                SELECT 1
                FROM role_closure path
                WHERE path.descendant_id = :roleId AND path.ancestor_id = acting.role_id
              )
            )
          )
      )
      OR (
        WITH RECURSIVE place(role_id, parent_id) AS (
          SELECT :roleId,
            CAST(
              coalesce(
                (
                  SELECT deletion.parent_id
                  FROM change_log deletion
                  WHERE deletion.rev = (
                    SELECT max(past.to_rev)
                    FROM role_history past
                    WHERE past.role_id = :roleId
                  )
                ),
                0
              ) AS INTEGER
            )
          UNION
          SELECT place.parent_id,
            CAST(
              coalesce(
                (
                  SELECT deletion.parent_id
                  FROM change_log deletion
                  WHERE deletion.rev = (
                    SELECT max(past.to_rev)
                    FROM role_history past
                    WHERE past.role_id = place.parent_id
                  )
                ),
                0
              ) AS INTEGER
            )
          FROM place
          WHERE place.parent_id <> 0
          LIMIT 10000
        )
        SELECT place.role_id
        FROM place
        WHERE CASEplace.parent_id
          WHEN 0 THEN (
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
                    (
                      acting.role_id = place.role_id
                      AND EXISTS (
                        SELECT 1
                        FROM role self
                        WHERE self.id = place.role_id AND self.self_rights & acting.rights & 2
                      )
                    )
                    OR EXISTS (
                      SELECT 1
                      FROM role_closure path
                      WHERE path.descendant_id = place.role_id
                        AND path.ancestor_id = acting.role_id
                        AND path.rights & acting.rights & 3
                    )
                  )
                )
            )
            OR CASE
              WHEN EXISTS (
                SELECT 1
                FROM role_key asking
                WHERE asking.id = -:actorId AND asking.asks
              ) THEN EXISTS (
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
                      acting.role_id = place.role_id
                      OR EXISTS (
                        SELECT 1
                        FROM role_closure path
                        WHERE path.descendant_id = place.role_id AND path.ancestor_id = acting.role_id
                      )
                    )
                  )
              )
              ELSE false
            END
          )
          ELSE false
        END
      ) IS NOT NULL
    ) THEN :roleId
  END
),
most(rows) AS MATERIALIZED (
  SELECT iif(
    (SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL,
    min(
      2000,
      20000 / max(1, (SELECT count(*) FROM (SELECT 1 FROM member WHERE member.user_id = :actorId LIMIT 33)))
    ),
    100
  )
),
found(rev) AS MATERIALIZED (
  SELECT rev
  FROM (
    SELECT rev
    FROM (
      SELECT change_log.rev
      FROM change_log
      WHERE change_log.role_id = (SELECT role_id FROM asked)
        AND change_log.rev > (SELECT begin_rev FROM bounds)
      ORDER BY change_log.rev
      LIMIT (SELECT rows FROM most)
    )
    UNION
    SELECT rev
    FROM (
      SELECT change_log.rev
      FROM change_log
      WHERE change_log.parent_id = (SELECT role_id FROM asked)
        AND change_log.rev > (SELECT begin_rev FROM bounds)
      ORDER BY change_log.rev
      LIMIT (SELECT rows FROM most)
    )
  )
  ORDER BY rev
  LIMIT (SELECT rows FROM most)
),
span(end_rev) AS MATERIALIZED (
  SELECT min(last_rev, iif(found_rows < most.rows, last_rev, found_to))
  FROM bounds
  CROSS JOIN most
  CROSS JOIN (SELECT count(*) AS found_rows, max(rev) AS found_to FROM found)
),
looked AS MATERIALIZED (
  SELECT change.rev,
    change.role_id,
    change.parent_id,
    change.via_role_id,
    change.actor_id,
    change.subject_id,
    CASE WHEN change.kind LIKE 'key.%' THEN change.relation_id END AS of_key_id,
    CASE WHEN change.kind = 'access.end' THEN change.details ->> 'known' END AS known_id,
    octet_length(coalesce(change.gone_role_ids, '')) + octet_length(coalesce(change.gone_device_ids, '')) + octet_length(coalesce(change.gone_relation_ids, '')) AS bytes
  FROM found
  CROSS JOIN change_log change ON change.rev = found.rev
  WHERE change.rev <= (SELECT last_rev FROM bounds)
    AND change.effect NOT IN ('compare', 'abandoned', 'part')
    AND change.kind NOT LIKE '%.dry_run'
    AND (:kind IS NULL OR change.kind = :kind)
    AND (:decision IS NULL OR change.decision = :decision)
    AND (:from IS NULL OR change.at >= :from)
    AND (:to IS NULL OR change.at <= :to)
),
fallen(role_id, parent_id) AS MATERIALIZED (
  SELECT role_id,
    CAST(
      coalesce(
        (
          SELECT deletion.parent_id
          FROM change_log deletion
          WHERE deletion.rev = (
            SELECT max(past.to_rev)
            FROM role_history past
            WHERE past.role_id = asked.role_id
          )
        ),
        0
      ) AS INTEGER
    )
  FROM (
    SELECT DISTINCT CAST(place.value AS INTEGER) AS role_id
    FROM looked
    CROSS JOIN json_each(
      json_array(looked.role_id, looked.parent_id, looked.known_id, looked.via_role_id)
    ) place
  ) asked
  WHERE role_id <> 0
  UNION
  SELECT fallen.parent_id,
    CAST(
      coalesce(
        (
          SELECT deletion.parent_id
          FROM change_log deletion
          WHERE deletion.rev = (
            SELECT max(past.to_rev)
            FROM role_history past
            WHERE past.role_id = fallen.parent_id
          )
        ),
        0
      ) AS INTEGER
    )
  FROM fallen
  WHERE fallen.parent_id <> 0
  LIMIT 100000
),
standing(role_id, place_id) AS MATERIALIZED (
  SELECT 0, 0
  UNION
  SELECT fallen.role_id, iif(standing.role_id = 0, fallen.role_id, standing.place_id)
  FROM standing
  CROSS JOIN fallen ON fallen.parent_id = standing.role_id
),
about(role_id, seen_role_id) AS MATERIALIZED (
  SELECT role_id, place_id
  FROM standing
  WHERE (
    iif(
      (
        (SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
        OR EXISTS (
          SELECT 1
          FROM role_closure longer
          WHERE longer.descendant_id = standing.place_id
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
              (
                acting.role_id = standing.place_id
                AND EXISTS (
                  SELECT 1
                  FROM role self
                  WHERE self.id = standing.place_id AND self.self_rights & acting.rights & 2
                )
              )
              OR EXISTS (
                SELECT 1
                FROM role_closure path
                WHERE path.descendant_id = standing.place_id
                  AND path.ancestor_id = acting.role_id
                  AND path.rights & acting.rights & 3
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
            AND own.role_id = standing.place_id
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
          WHERE above.descendant_id = standing.place_id
        ) acting_above
        WHERE (
          (
            acting_above.role_id = standing.place_id
            AND EXISTS (
              SELECT 1
              FROM role self
              WHERE self.id = standing.place_id AND self.self_rights & acting_above.rights & 2
            )
          )
          OR EXISTS (
            SELECT 1
            FROM role_closure path
            WHERE path.descendant_id = standing.place_id
              AND path.ancestor_id = acting_above.role_id
              AND path.rights & acting_above.rights & 3
          )
        )
      )
    )
    OR (
      EXISTS (SELECT 1 FROM role_key asking WHERE asking.id = -:actorId AND asking.asks)
      AND iif(
        (
          (SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
          OR EXISTS (
            SELECT 1
            FROM role_closure longer
            WHERE longer.descendant_id = standing.place_id
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
                acting.role_id = standing.place_id
                OR EXISTS (
                  SELECT 1
                  FROM role_closure path
                  WHERE path.descendant_id = standing.place_id AND path.ancestor_id = acting.role_id
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
              AND own.role_id = standing.place_id
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
            WHERE above.descendant_id = standing.place_id
          ) acting_above
          WHERE true
        )
      )
    )
  )
),
seen AS MATERIALIZED (
  SELECT looked.*,
    max(seen_role_id) FILTER (WHERE of.key = 0) AS by_role_id,
    max(seen_role_id) FILTER (WHERE of.key = 1) AS by_parent_id,
    max(of.key = 2) AS knows_subject
  FROM looked
  CROSS JOIN (SELECT 0 AS key UNION ALL SELECT 1 UNION ALL SELECT 2) of
  CROSS JOIN about ON about.role_id = CASEof.key
    WHEN 0 THEN looked.role_id
    WHEN 1 THEN looked.parent_id
    ELSE looked.known_id
  END
  GROUP BY looked.rev HAVING by_role_id IS NOT NULL OR by_parent_id IS NOT NULL
),
found_to(rev) AS MATERIALIZED (
  SELECT (
    SELECT iif(count(*) > 50000, max(min(id), max(id) - 1), 9223372036854775807)
    FROM (
      SELECT judged.id
      FROM (
        SELECT id, role_id
        FROM (
          SELECT seen.rev AS id, place.value AS role_id
          FROM seen
          CROSS JOIN json_each(
            json_array(
              seen.by_role_id,
              seen.by_parent_id,
              CASE
                WHEN NOT (
                  (SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
                ) THEN seen.via_role_id
              END
            )
          ) place
        )
        WHERE true
        ORDER BY id
        LIMIT -1
      ) judged
      CROSS JOIN role_closure step ON step.descendant_id = judged.role_id
      LIMIT 50001
    )
  )
),
picked AS (
  SELECT *, count(*) OVER () AS picked_count, sum(bytes) OVER (ORDER BY rev) - bytes AS bytes_before
  FROM (
    SELECT *
    FROM (
      SELECT rev,
        actor_id,
        subject_id,
        role_id AS about_role_id,
        parent_id AS about_parent_id,
        via_role_id,
        bytes,
        by_role_id AS role_id,
        by_parent_id AS parent_id,
        knows_subject
      FROM seen
      WHERE rev <= (SELECT rev FROM found_to)
        AND (:byActorId IS NULL OR actor_id = :byActorId)
        AND (:keyId IS NULL OR actor_id = -:keyId OR of_key_id = :keyId)
    )
    WHERE :actorEmail IS NULL
      OR (
        actor_id = (SELECT user_account.id FROM user_account WHERE user_account.email = :actorEmail)
        AND CASE
          WHEN actor_id = :actorId THEN true
          WHEN via_role_id IS NULL THEN EXISTS (
            SELECT 1
            FROM (SELECT role_id AS id UNION ALL SELECT parent_id) place
            WHERE iif(
              (SELECT 1 FROM member counted WHERE counted.user_id = actor_id LIMIT 1 OFFSET 32) IS NULL,
              EXISTS (
                SELECT 1
                FROM member acting
                WHERE acting.user_id = actor_id
                  AND (
                    (acting.ends_at IS NULL OR acting.ends_at > :now)
                    AND (
                      acting.user_id < 0
                      OR EXISTS (SELECT 1 FROM user_account held_by WHERE held_by.id = acting.user_id)
                    )
                  )
                  AND (
                    (
                      acting.role_id = place.id
                      OR EXISTS (
                        SELECT 1
                        FROM role_closure path
                        WHERE path.descendant_id = place.id AND path.ancestor_id = acting.role_id
                      )
                    )
                  )
              ),
              EXISTS (
                SELECT 1
                FROM (
                  SELECT own.role_id, own.rights
                  FROM member own
                  WHERE own.user_id = actor_id
                    AND own.role_id = place.id
                    AND (
                      (own.ends_at IS NULL OR own.ends_at > :now)
                      AND (
                        own.user_id < 0
                        OR EXISTS (SELECT 1 FROM user_account held_by WHERE held_by.id = own.user_id)
                      )
                    )
                  UNION ALL
                  SELECT above.ancestor_id, many.rights
                  FROM role_closure above
                  CROSS JOIN member many ON many.user_id = actor_id
                    AND many.role_id = above.ancestor_id
                    AND (
                      (many.ends_at IS NULL OR many.ends_at > :now)
                      AND (
                        many.user_id < 0
                        OR EXISTS (SELECT 1 FROM user_account held_by WHERE held_by.id = many.user_id)
                      )
                    )
                  WHERE above.descendant_id = place.id
                ) acting_above
                WHERE true
              )
            )
          )
          ELSE via_role_id IN (
            SELECT role_id
            FROM standing
            WHERE iif(
              (
                (SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
                OR EXISTS (
                  SELECT 1
                  FROM role_closure longer
                  WHERE longer.descendant_id = standing.place_id
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
                      acting.role_id = standing.place_id
                      OR EXISTS (
                        SELECT 1
                        FROM role_closure path
                        WHERE path.descendant_id = standing.place_id AND path.ancestor_id = acting.role_id
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
                    AND own.role_id = standing.place_id
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
                  WHERE above.descendant_id = standing.place_id
                ) acting_above
                WHERE true
              )
            )
          )
        END
      )
    ORDER BY rev
    LIMIT +:limit
  )
),
question AS (
  SELECT *,
    row_number() OVER (PARTITION BY person_id, role_id, parent_id ORDER BY rev) AS person_turn,
    row_number() OVER (PARTITION BY place_id ORDER BY rev) AS place_turn
  FROM (
    SELECT asked.*, standing.place_id
    FROM (
      SELECT rev,
        picked_count,
        role_id,
        parent_id,
        knows_subject,
        of,
        CASEof
          WHEN 'parent' THEN subject_id
          WHEN 'role' THEN iif(via_role_id IS NULL, actor_id, NULL)
        END AS person_id,
        CASEof
          WHEN 'role' THEN about_role_id
          WHEN 'parent' THEN about_parent_id
          ELSE via_role_id
        END AS about_id,
        CASE of WHEN 'role' THEN role_id WHEN 'parent' THEN parent_id END AS seen_id
      FROM picked
      CROSS JOIN (SELECT 'role' AS of UNION ALL SELECT 'parent' UNION ALL SELECT 'via')
      WHERE bytes_before <= 3000000
    ) asked
    LEFT JOIN standing ON standing.role_id = asked.about_id
  )
),
answer AS (
  SELECT rev,
    picked_count,
    role_id,
    knows_subject,
    of,
    max(is_seen) OVER (PARTITION BY place_id) AS is_seen,
    max(is_shown) OVER (PARTITION BY person_id, role_id, parent_id) AS is_shown
  FROM (
    SELECT *,
      CASE
        WHEN place_turn = 1 THEN iif(
          seen_id IS NOT NULL,
          true,
          iif(
            (
              (SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
              OR EXISTS (
                SELECT 1
                FROM role_closure longer
                WHERE longer.descendant_id = question.place_id
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
                    acting.role_id = question.place_id
                    OR EXISTS (
                      SELECT 1
                      FROM role_closure path
                      WHERE path.descendant_id = question.place_id AND path.ancestor_id = acting.role_id
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
                  AND own.role_id = question.place_id
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
                WHERE above.descendant_id = question.place_id
              ) acting_above
              WHERE true
            )
          )
        )
      END AS is_seen,
      CASE
        WHEN person_turn = 1 THEN iif(
          person_id = :actorId,
          true,
          EXISTS (
            SELECT 1
            FROM (SELECT role_id AS id UNION ALL SELECT parent_id) place
            WHERE iif(
              (SELECT 1 FROM member counted WHERE counted.user_id = person_id LIMIT 1 OFFSET 32) IS NULL,
              EXISTS (
                SELECT 1
                FROM member acting
                WHERE acting.user_id = person_id
                  AND (
                    (acting.ends_at IS NULL OR acting.ends_at > :now)
                    AND (
                      acting.user_id < 0
                      OR EXISTS (SELECT 1 FROM user_account held_by WHERE held_by.id = acting.user_id)
                    )
                  )
                  AND (
                    (
                      acting.role_id = place.id
                      OR EXISTS (
                        SELECT 1
                        FROM role_closure path
                        WHERE path.descendant_id = place.id AND path.ancestor_id = acting.role_id
                      )
                    )
                  )
              ),
              EXISTS (
                SELECT 1
                FROM (
                  SELECT own.role_id, own.rights
                  FROM member own
                  WHERE own.user_id = person_id
                    AND own.role_id = place.id
                    AND (
                      (own.ends_at IS NULL OR own.ends_at > :now)
                      AND (
                        own.user_id < 0
                        OR EXISTS (SELECT 1 FROM user_account held_by WHERE held_by.id = own.user_id)
                      )
                    )
                  UNION ALL
                  SELECT above.ancestor_id, many.rights
                  FROM role_closure above
                  CROSS JOIN member many ON many.user_id = person_id
                    AND many.role_id = above.ancestor_id
                    AND (
                      (many.ends_at IS NULL OR many.ends_at > :now)
                      AND (
                        many.user_id < 0
                        OR EXISTS (SELECT 1 FROM user_account held_by WHERE held_by.id = many.user_id)
                      )
                    )
                  WHERE above.descendant_id = place.id
                ) acting_above
                WHERE true
              )
            )
          )
        )
      END AS is_shown
    FROM question
  )
),
shown AS (
  SELECT rev,
    picked_count,
    role_id,
    max(is_seen) FILTER (WHERE of = 'role') AS sees_role,
    max(is_seen) FILTER (WHERE of = 'parent') AS sees_parent,
    max(is_seen) FILTER (WHERE of = 'via') AS sees_via,
    max(is_shown) FILTER (WHERE of = 'role') AS shows_actor,
    max(is_shown) FILTER (WHERE of = 'parent')
    OR max(knows_subject) AS shows_subject
  FROM answer
  GROUP BY rev
)
SELECT changes,
  CASE
    WHEN is_cut THEN shown_to
    ELSE max(bounds.passed_rev, min(span.end_rev, found_to.rev))
  END AS nextRevision,
  NOT is_cut
  AND min(span.end_rev, found_to.rev) = bounds.last_rev AS isEnd,
  (SELECT seq FROM sqlite_sequence WHERE name = 'change_log') AS revision
FROM (
  SELECT json_group_array(
    json_object(
      'revision',
      change.rev,
      'at',
      change.at,
      'actorId',
      change.actor_id,
      'showsActor',
      coalesce((change.actor_id = :actorId OR shown.sees_via OR shown.shows_actor), 0),
      'actorName',
      CASE
        WHEN (
          change.actor_id = :actorId OR shown.sees_via OR shown.shows_actor
        ) THEN iif(
          change.actor_id > 0,
          (SELECT user_account.email FROM user_account WHERE user_account.id = change.actor_id),
          coalesce(
            (SELECT role_key.name FROM role_key WHERE role_key.id = -change.actor_id),
            (SELECT deleted_key.name FROM deleted_key WHERE deleted_key.id = -change.actor_id)
          )
        )
      END,
      'viaRoleId',
      CASE WHEN shown.sees_via THEN change.via_role_id END,
      'viaRoleName',
      CASE
        WHEN shown.sees_via THEN coalesce(
          (
            SELECT CASE WHEN named.from_rev <= change.rev THEN named.name END
            FROM role_history named
            WHERE named.role_id = change.via_role_id AND named.to_rev > change.rev
            ORDER BY named.to_rev
            LIMIT 1
          ),
          (
            SELECT last.name
            FROM role_history last
            WHERE last.role_id = change.via_role_id AND last.to_rev = change.rev
          )
        )
      END,
      'kind',
      change.kind,
      'decision',
      change.decision,
      'roleId',
      CASE WHEN shown.sees_role THEN change.role_id END,
      'roleName',
      CASE
        WHEN shown.sees_role THEN coalesce(
          (
            SELECT CASE WHEN named.from_rev <= change.rev THEN named.name END
            FROM role_history named
            WHERE named.role_id = change.role_id AND named.to_rev > change.rev
            ORDER BY named.to_rev
            LIMIT 1
          ),
          (
            SELECT last.name
            FROM role_history last
            WHERE last.role_id = change.role_id AND last.to_rev = change.rev
          )
        )
      END,
      'oldName',
      CASE
        WHEN (
          change.kind = 'role.update'
          AND shown.sees_role
          AND change.details ->> 'name' <> change.details ->> 'oldName'
        ) THEN change.details ->> 'oldName'
      END,
      'newName',
      CASE
        WHEN (
          change.kind = 'role.update'
          AND shown.sees_role
          AND change.details ->> 'name' <> change.details ->> 'oldName'
        ) THEN change.details ->> 'name'
      END,
      'parentRoleId',
      CASE WHEN shown.sees_parent THEN change.parent_id END,
      'parentRoleName',
      CASE
        WHEN shown.sees_parent THEN coalesce(
          (
            SELECT CASE WHEN named.from_rev <= change.rev THEN named.name END
            FROM role_history named
            WHERE named.role_id = change.parent_id AND named.to_rev > change.rev
            ORDER BY named.to_rev
            LIMIT 1
          ),
          (
            SELECT last.name
            FROM role_history last
            WHERE last.role_id = change.parent_id AND last.to_rev = change.rev
          )
        )
      END,
      'managesId',
      CASE WHEN (change.kind LIKE 'manages.%' OR change.kind = 'role.create') THEN change.relation_id END,
      'memberEmail',
      CASE
        WHEN (change.kind LIKE 'member.%' OR change.kind = 'access.end')
          AND (
            shown.shows_subject
            OR (
              change.decision IN ('ok', 'noop')
              AND change.kind LIKE 'member.%'
              AND shown.role_id = change.role_id
            )
          ) THEN (
            SELECT user_account.email
            FROM user_account
            WHERE user_account.id = change.subject_id
          )
      END,
      'oldFrom',
      CASE
        WHEN (
          change.kind LIKE 'member.%'
          OR ((change.kind LIKE 'monitors.%' OR change.kind = 'device.transfer') AND shown.sees_role)
        ) THEN change.details ->> 'oldFrom'
      END,
      'oldUntil',
      CASE
        WHEN (
          change.kind LIKE 'member.%'
          OR ((change.kind LIKE 'monitors.%' OR change.kind = 'device.transfer') AND shown.sees_role)
        ) THEN change.details ->> 'oldUntil'
      END,
      'from',
      CASE
        WHEN (
          change.kind LIKE 'member.%'
          OR ((change.kind LIKE 'monitors.%' OR change.kind = 'device.transfer') AND shown.sees_role)
        ) THEN change.details ->> 'from'
      END,
      'until',
      CASE
        WHEN (
          change.kind LIKE 'member.%'
          OR ((change.kind LIKE 'monitors.%' OR change.kind = 'device.transfer') AND shown.sees_role)
        ) THEN change.details ->> 'until'
      END,
      'keyId',
      CASE WHEN change.kind LIKE 'key.%' THEN change.relation_id END,
      'keyName',
      CASE
        WHEN change.kind LIKE 'key.%' THEN coalesce(
          (SELECT role_key.name FROM role_key WHERE role_key.id = change.relation_id),
          (SELECT deleted_key.name FROM deleted_key WHERE deleted_key.id = change.relation_id)
        )
      END,
      'deviceId',
      change.device_id,
      'nodeId',
      CASE
        WHEN change.decision IN ('ok', 'noop') THEN coalesce(
          change.details ->> 'nodeId',
          (SELECT device.node_id FROM device WHERE device.id = change.device_id),
          (SELECT gone_device.node_id FROM gone_device WHERE gone_device.device_id = change.device_id)
        )
      END,
      'devices',
      CASE
        WHEN change.kind IN ('device.transfer', 'monitors.end')
          AND change.decision IN ('ok', 'noop') THEN nullif(json_array_length(change.details -> 'devices'), 0)
      END,
      'deviceIds',
      json(
        coalesce(
          CASE
            WHEN change.kind IN ('device.transfer', 'monitors.end')
              AND change.decision IN ('ok', 'noop') THEN change.details -> 'devices'
          END,
          '[]'
        )
      ),
      'oldRights',
      change.old_rights,
      'newRights',
      change.new_rights,
      'oldDemand',
      json(
        CASE
          WHEN change.kind = 'role.authentication_policy' AND shown.sees_role THEN change.details -> 'old'
        END
      ),
      'newDemand',
      json(
        CASE
          WHEN change.kind = 'role.authentication_policy' AND shown.sees_role THEN change.details -> 'new'
        END
      ),
      'undoes',
      change.undoes,
      'importRun',
      CASE WHEN change.session_id LIKE 'import:%' THEN substr(change.session_id, 8) END,
      'deletedNodeIds',
      json(coalesce(change.gone_role_ids, '[]')),
      'deletedDeviceIds',
      json(coalesce(change.gone_device_ids, '[]')),
      'deletedRelationIds',
      json(
        coalesce(
          change.gone_relation_ids,
          CASE
            WHEN change.kind IN ('member.remove', 'key.delete')
              AND change.decision = 'ok' THEN json_array(change.relation_id)
          END,
          '[]'
        )
      )
    )
  ) AS changes,
    max(shown.rev) AS shown_to,
    coalesce(max(picked_count) = :limit OR max(picked_count) > count(*), false) AS is_cut
  FROM shown
  CROSS JOIN change_log change ON change.rev = shown.rev
)
CROSS JOIN bounds
CROSS JOIN span
CROSS JOIN found_to
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
