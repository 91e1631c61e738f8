-- like this: find_queries FIND_ANYWHERE.device
-- like this: find_queries FIND_ANYWHERE.person
-- like this: find_queries FIND_ANYWHERE.role
-- like this: find_queries FIND_BEGINNING.device
-- like this: find_queries FIND_BEGINNING.role
-- like this: search_queries RESOURCE_PAGES.role
WITH ample(is_many) AS MATERIALIZED (
  SELECT EXISTS (
    SELECT 1
    FROM (
      SELECT tried.role_id AS role_id
      FROM member tried
      WHERE tried.user_id = :actorId
        AND (
          (tried.ends_at IS NULL OR tried.ends_at > :now)
          AND (
            tried.needs = 0
            OR iif(tried.needs_from > :now, tried.needs_before, tried.needs) <= (
              SELECT session.meets
              FROM session
              WHERE session.id = :sessionId
            )
          )
        )
      LIMIT 4
    ) own
    WHERE (
      SELECT 1
      FROM role_closure below
      WHERE below.ancestor_id = own.role_id
      LIMIT 1 OFFSET 5000
    ) IS NOT NULL
  )
),
reached(role_id) AS MATERIALIZED (
  SELECT own_2.role_id
  FROM member own_2
  WHERE own_2.user_id = :actorId
    AND (
      (own_2.ends_at IS NULL OR own_2.ends_at > :now)
      AND (
        own_2.needs = 0
        OR iif(own_2.needs_from > :now, own_2.needs_before, own_2.needs) <= (
          SELECT session.meets
          FROM session
          WHERE session.id = :sessionId
        )
      )
    )
    AND NOT (SELECT is_many FROM ample)
  UNION ALL
  SELECT source.descendant_id
  FROM member mine
  CROSS JOIN role_closure source ON source.ancestor_id = mine.role_id
  WHERE mine.user_id = :actorId
    AND (
      (mine.ends_at IS NULL OR mine.ends_at > :now)
      AND (
        mine.needs = 0
        OR iif(mine.needs_from > :now, mine.needs_before, mine.needs) <= (
          SELECT session.meets
          FROM session
          WHERE session.id = :sessionId
        )
      )
    )
    AND NOT (SELECT is_many FROM ample)
  LIMIT 50001
),
reach(role_id) AS MATERIALIZED (SELECT DISTINCT role_id FROM reached LIMIT 5001),
pace(is_walk, last_id) AS MATERIALIZED (
  SELECT is_walk,
    iif(
      is_walk,
      coalesce(
        (
          SELECT walked.id
          FROM user_account walked
          WHERE walked.id > :afterId
          ORDER BY walked.id
          LIMIT 1 OFFSET 19999
        ),
        9223372036854775807
      ),
      :afterId
    )
  FROM (
    SELECT (SELECT is_many FROM ample)
      OR ((SELECT count(*) FROM reached) > 50000 OR (SELECT count(*) FROM reach) > 5000)
      OR (
        SELECT count(*)
        FROM (
          SELECT 1
          FROM reach
          CROSS JOIN member reached_member ON reached_member.role_id = reach.role_id
            AND reached_member.user_id > 0
          LIMIT 10001
        )
      ) > 10000
      OR CASE
        WHEN (SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL THEN false
        ELSE (
          SELECT 1
          FROM reach judged
          CROSS JOIN role_closure step ON step.descendant_id = judged.role_id
          LIMIT 1 OFFSET 100000
        ) IS NOT NULL
      END AS is_walk
  )
),
judged(id, role_id) AS MATERIALIZED (
  SELECT hit.id, linked.role_id
  FROM user_account hit
  CROSS JOIN member linked ON linked.user_id = hit.id
  WHERE hit.id > :afterId
    AND (
      SELECT (
        :parts IS NULL
        OR EXISTS (SELECT 1 FROM json_each(:parts) part WHERE instr(lower(plain.text), part.value))
      )
        AND (
          :patterns IS NULL
          OR EXISTS (SELECT 1 FROM json_each(:patterns) pattern WHERE plain.text GLOB pattern.value)
        )
      FROM (
        SELECT iif(
          octet_length(hit.email) = length(hit.email),
          hit.email,
          replace(
            replace(
              replace(
                replace(replace(replace(replace(hit.email, 'ß', 'ss'), 'ẞ', 'ss'), 'i̇', 'i'), 'İ', 'i'),
                'İ',
                'i'
              ),
              'ſ',
              's'
            ),
            'K',
            'k'
          )
        ) AS text
      ) plain
    )
    AND hit.id <= (SELECT last_id FROM pace)
  ORDER BY hit.id
  LIMIT (
    :judged / max(1, (SELECT count(*) FROM (SELECT 1 FROM member WHERE member.user_id = :actorId LIMIT 33)))
  ) + 1
),
stretch(end_id) AS MATERIALIZED (
  SELECT min(
    (SELECT last_id FROM pace),
    (
      SELECT iif(count(*) > 50000, max(min(id), max(id) - 1), 9223372036854775807)
      FROM (
        SELECT judged.id
        FROM (
          SELECT id, role_id
          FROM (SELECT id, role_id FROM judged)
          WHERE NOT ((SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL)
          ORDER BY id
          LIMIT -1
        ) judged
        CROSS JOIN role_closure step ON step.descendant_id = judged.role_id
        LIMIT 50001
      )
    ),
    (
      SELECT iif(
        count(*) > (
          :judged / max(
            1, (SELECT count(*) FROM (SELECT 1 FROM member WHERE member.user_id = :actorId LIMIT 33))
          )
        ),
        max(min(id), max(id) - 1),
        9223372036854775807
      )
      FROM judged
    )
  )
),
found(id) AS MATERIALIZED (
  SELECT id
  FROM (
    SELECT DISTINCT id
    FROM (
      SELECT candidate.id AS id
      FROM reach
      CROSS JOIN member reached_member ON reached_member.role_id = reach.role_id
        AND reached_member.user_id > 0
        AND (reached_member.ends_at IS NULL OR reached_member.ends_at > :now)
      CROSS JOIN user_account candidate ON candidate.id = reached_member.user_id
      WHERE NOT (SELECT is_walk FROM pace)
        AND (
          SELECT (
            :parts IS NULL
            OR EXISTS (SELECT 1 FROM json_each(:parts) part WHERE instr(lower(plain.text), part.value))
          )
            AND (
              :patterns IS NULL
              OR EXISTS (SELECT 1 FROM json_each(:patterns) pattern WHERE plain.text GLOB pattern.value)
            )
          FROM (
            SELECT iif(
              octet_length(candidate.email) = length(candidate.email),
              candidate.email,
              replace(
                replace(
                  replace(
                    replace(
                      replace(replace(replace(candidate.email, 'ß', 'ss'), 'ẞ', 'ss'), 'i̇', 'i'), 'İ', 'i'
                    ),
                    'İ',
                    'i'
                  ),
                  'ſ',
                  's'
                ),
                'K',
                'k'
              )
            ) AS text
          ) plain
        )
        AND ((SELECT is_walk FROM pace) OR reach.role_id IN (SELECT role_id FROM reach))
        AND iif(
          (
            (SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
            OR EXISTS (
              SELECT 1
              FROM role_closure longer
              WHERE longer.descendant_id = reach.role_id
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
                    acting.role_id = reach.role_id
                    AND EXISTS (
                      SELECT 1
                      FROM role self
                      WHERE self.id = reach.role_id AND self.self_rights & acting.rights & 2
                    )
                  )
                  OR EXISTS (
                    SELECT 1
                    FROM role_closure path
                    WHERE path.descendant_id = reach.role_id
                      AND path.ancestor_id = acting.role_id
                      AND path.rights & acting.rights & 3
                  )
                )
              )
          ),
          EXISTS (
            SELECT 1
            FROM (
              SELECT own_2.role_id, own_2.rights
              FROM member own_2
              WHERE own_2.user_id = :actorId
                AND own_2.role_id = reach.role_id
                AND (
                  (own_2.ends_at IS NULL OR own_2.ends_at > :now)
                  AND (
                    own_2.needs = 0
                    OR iif(own_2.needs_from > :now, own_2.needs_before, own_2.needs) <= (
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
              WHERE above.descendant_id = reach.role_id
            ) acting_above
            WHERE (
              (
                acting_above.role_id = reach.role_id
                AND EXISTS (
                  SELECT 1
                  FROM role self
                  WHERE self.id = reach.role_id AND self.self_rights & acting_above.rights & 2
                )
              )
              OR EXISTS (
                SELECT 1
                FROM role_closure path
                WHERE path.descendant_id = reach.role_id
                  AND path.ancestor_id = acting_above.role_id
                  AND path.rights & acting_above.rights & 3
              )
            )
          )
        )
    )
    WHERE id > :afterId AND id IS NOT :asId
    ORDER BY id
    LIMIT +:limit
  )
  UNION ALL
  SELECT id
  FROM (
    SELECT hit.id AS id
    FROM user_account hit
    CROSS JOIN user_account found_candidate ON found_candidate.id = hit.id
    WHERE hit.id > :afterId
      AND (
        SELECT (
          :parts IS NULL
          OR EXISTS (SELECT 1 FROM json_each(:parts) part WHERE instr(lower(plain.text), part.value))
        )
          AND (
            :patterns IS NULL
            OR EXISTS (SELECT 1 FROM json_each(:patterns) pattern WHERE plain.text GLOB pattern.value)
          )
        FROM (
          SELECT iif(
            octet_length(hit.email) = length(hit.email),
            hit.email,
            replace(
              replace(
                replace(
                  replace(replace(replace(replace(hit.email, 'ß', 'ss'), 'ẞ', 'ss'), 'i̇', 'i'), 'İ', 'i'),
                  'İ',
                  'i'
                ),
                'ſ',
                's'
              ),
              'K',
              'k'
            )
          ) AS text
        ) plain
      )
      AND hit.id <= (SELECT end_id FROM stretch)
      AND (
        SELECT (
          :parts IS NULL
          OR EXISTS (SELECT 1 FROM json_each(:parts) part WHERE instr(lower(plain.text), part.value))
        )
          AND (
            :patterns IS NULL
            OR EXISTS (SELECT 1 FROM json_each(:patterns) pattern WHERE plain.text GLOB pattern.value)
          )
        FROM (
          SELECT iif(
            octet_length(found_candidate.email) = length(found_candidate.email),
            found_candidate.email,
            replace(
              replace(
                replace(
                  replace(
                    replace(replace(replace(found_candidate.email, 'ß', 'ss'), 'ẞ', 'ss'), 'i̇', 'i'),
                    'İ',
                    'i'
                  ),
                  'İ',
                  'i'
                ),
                'ſ',
                's'
              ),
              'K',
              'k'
            )
          ) AS text
        ) plain
      )
      AND found_candidate.id IS NOT :asId
      AND EXISTS (
        SELECT 1
        FROM (
          SELECT held_by.role_id AS role_id
          FROM member held_by
          WHERE held_by.user_id = found_candidate.id AND (held_by.ends_at IS NULL OR held_by.ends_at > :now)
          ORDER BY held_by.role_id
          LIMIT 500
        ) own
        WHERE ((SELECT is_walk FROM pace) OR own.role_id IN (SELECT role_id FROM reach))
          AND iif(
            (
              (SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
              OR EXISTS (
                SELECT 1
                FROM role_closure longer
                WHERE longer.descendant_id = own.role_id
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
                      acting.role_id = own.role_id
                      AND EXISTS (
                        SELECT 1
                        FROM role self
                        WHERE self.id = own.role_id AND self.self_rights & acting.rights & 2
                      )
                    )
                    OR EXISTS (
                      SELECT 1
                      FROM role_closure path
                      WHERE path.descendant_id = own.role_id
                        AND path.ancestor_id = acting.role_id
                        AND path.rights & acting.rights & 3
                    )
                  )
                )
            ),
            EXISTS (
              SELECT 1
              FROM (
                SELECT own_2.role_id, own_2.rights
                FROM member own_2
                WHERE own_2.user_id = :actorId
                  AND own_2.role_id = own.role_id
                  AND (
                    (own_2.ends_at IS NULL OR own_2.ends_at > :now)
                    AND (
                      own_2.needs = 0
                      OR iif(own_2.needs_from > :now, own_2.needs_before, own_2.needs) <= (
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
                WHERE above.descendant_id = own.role_id
              ) acting_above
              WHERE (
                (
                  acting_above.role_id = own.role_id
                  AND EXISTS (
                    SELECT 1
                    FROM role self
                    WHERE self.id = own.role_id AND self.self_rights & acting_above.rights & 2
                  )
                )
                OR EXISTS (
                  SELECT 1
                  FROM role_closure path
                  WHERE path.descendant_id = own.role_id
                    AND path.ancestor_id = acting_above.role_id
                    AND path.rights & acting_above.rights & 3
                )
              )
            )
          )
      )
    ORDER BY hit.id
    LIMIT +:limit
  )
  UNION ALL
  SELECT exact.id
  FROM user_account exact
  WHERE exact.id = :asId
    AND :afterId < 0
    AND EXISTS (
      SELECT 1
      FROM (
        SELECT held_by.role_id AS role_id
        FROM member held_by
        WHERE held_by.user_id = exact.id AND (held_by.ends_at IS NULL OR held_by.ends_at > :now)
        ORDER BY held_by.role_id
        LIMIT 500
      ) own
      WHERE ((SELECT is_walk FROM pace) OR own.role_id IN (SELECT role_id FROM reach))
        AND iif(
          (
            (SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
            OR EXISTS (
              SELECT 1
              FROM role_closure longer
              WHERE longer.descendant_id = own.role_id
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
                    acting.role_id = own.role_id
                    AND EXISTS (
                      SELECT 1
                      FROM role self
                      WHERE self.id = own.role_id AND self.self_rights & acting.rights & 2
                    )
                  )
                  OR EXISTS (
                    SELECT 1
                    FROM role_closure path
                    WHERE path.descendant_id = own.role_id
                      AND path.ancestor_id = acting.role_id
                      AND path.rights & acting.rights & 3
                  )
                )
              )
          ),
          EXISTS (
            SELECT 1
            FROM (
              SELECT own_2.role_id, own_2.rights
              FROM member own_2
              WHERE own_2.user_id = :actorId
                AND own_2.role_id = own.role_id
                AND (
                  (own_2.ends_at IS NULL OR own_2.ends_at > :now)
                  AND (
                    own_2.needs = 0
                    OR iif(own_2.needs_from > :now, own_2.needs_before, own_2.needs) <= (
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
              WHERE above.descendant_id = own.role_id
            ) acting_above
            WHERE (
              (
                acting_above.role_id = own.role_id
                AND EXISTS (
                  SELECT 1
                  FROM role self
                  WHERE self.id = own.role_id AND self.self_rights & acting_above.rights & 2
                )
              )
              OR EXISTS (
                SELECT 1
                FROM role_closure path
                WHERE path.descendant_id = own.role_id
                  AND path.ancestor_id = acting_above.role_id
                  AND path.rights & acting_above.rights & 3
              )
            )
          )
        )
    )
)
SELECT (
  SELECT json_group_array(
    json_object(
      'id',
      shown_hit.id,
      'userEmail',
      shown_hit.email,
      'roles',
      json(
        (
          SELECT json_group_array(json_object('id', id, 'name', name))
          FROM (
            SELECT shown.id, shown.name
            FROM (
              SELECT held_by.role_id AS role_id
              FROM member held_by
              WHERE held_by.user_id = shown_hit.id AND (held_by.ends_at IS NULL OR held_by.ends_at > :now)
              ORDER BY held_by.role_id
              LIMIT 500
            ) listed
            CROSS JOIN role shown ON shown.id = listed.role_id
            WHERE ((SELECT is_walk FROM pace) OR listed.role_id IN (SELECT role_id FROM reach))
              AND iif(
                (
                  (SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
                  OR EXISTS (
                    SELECT 1
                    FROM role_closure longer
                    WHERE longer.descendant_id = listed.role_id
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
                          acting.role_id = listed.role_id
                          AND EXISTS (
                            SELECT 1
                            FROM role self
                            WHERE self.id = listed.role_id AND self.self_rights & acting.rights & 2
                          )
                        )
                        OR EXISTS (
                          SELECT 1
                          FROM role_closure path
                          WHERE path.descendant_id = listed.role_id
                            AND path.ancestor_id = acting.role_id
                            AND path.rights & acting.rights & 3
                        )
                      )
                    )
                ),
                EXISTS (
                  SELECT 1
                  FROM (
                    SELECT own_2.role_id, own_2.rights
                    FROM member own_2
                    WHERE own_2.user_id = :actorId
                      AND own_2.role_id = listed.role_id
                      AND (
                        (own_2.ends_at IS NULL OR own_2.ends_at > :now)
                        AND (
                          own_2.needs = 0
                          OR iif(own_2.needs_from > :now, own_2.needs_before, own_2.needs) <= (
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
                    WHERE above.descendant_id = listed.role_id
                  ) acting_above
                  WHERE (
                    (
                      acting_above.role_id = listed.role_id
                      AND EXISTS (
                        SELECT 1
                        FROM role self
                        WHERE self.id = listed.role_id AND self.self_rights & acting_above.rights & 2
                      )
                    )
                    OR EXISTS (
                      SELECT 1
                      FROM role_closure path
                      WHERE path.descendant_id = listed.role_id
                        AND path.ancestor_id = acting_above.role_id
                        AND path.rights & acting_above.rights & 3
                    )
                  )
                )
              )
            LIMIT 3
          )
        )
      )
    )
  )
  FROM found
  CROSS JOIN user_account shown_hit ON shown_hit.id = found.id
) AS hits,
  (
    SELECT end_id
    FROM stretch
    WHERE (SELECT is_walk FROM pace) AND end_id < (SELECT max(last.id) FROM user_account last)
  ) AS walkedTo,
  (SELECT seq FROM sqlite_sequence WHERE name = 'change_log') AS revision
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
