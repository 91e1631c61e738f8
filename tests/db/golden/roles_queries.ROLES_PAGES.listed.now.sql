-- like this: left_queries ACCESS_LEFT
-- like this: roles_queries ROLES_PAGES.all.now
-- like this: roles_queries ROLES_PAGES.all.then
-- like this: roles_queries ROLES_PAGES.listed.then
WITH person(user_id) AS MATERIALIZED (
  SELECT coalesce(
    -:keyId, :userId, (SELECT user_account.id FROM user_account WHERE user_account.email = :email), 0
  )
),
stretch(last_id) AS MATERIALIZED (SELECT 9223372036854775807),
candidate(role_id) AS MATERIALIZED (
  SELECT DISTINCT listed.value
  FROM json_each(:roleIds) listed
  WHERE listed.value > :afterId
  ORDER BY 1
),
afforded(last_id) AS MATERIALIZED (
  SELECT (
    SELECT iif(count(*) > 50000, max(min(id), max(id) - 1), 9223372036854775807)
    FROM (
      SELECT judged.id
      FROM (
        SELECT id, role_id
        FROM (
          SELECT candidate.role_id AS id, candidate.role_id
          FROM candidate
          WHERE CASE
            WHEN (
              SELECT 1
              FROM member held
              WHERE held.user_id = :actorId
              LIMIT 1 OFFSET 32
            ) IS NULL THEN (
              (
                (SELECT user_id FROM person) = :actorId
                AND iif(
                  (
                    (SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
                    OR EXISTS (
                      SELECT 1
                      FROM role_closure longer
                      WHERE longer.descendant_id = candidate.role_id
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
                          acting.role_id = candidate.role_id
                          OR EXISTS (
                            SELECT 1
                            FROM role_closure path
                            WHERE path.descendant_id = candidate.role_id AND path.ancestor_id = acting.role_id
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
                        AND own.role_id = candidate.role_id
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
                      WHERE above.descendant_id = candidate.role_id
                    ) acting_above
                    WHERE true
                  )
                )
              )
              OR (
                iif(
                  (
                    (SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
                    OR EXISTS (
                      SELECT 1
                      FROM role_closure longer
                      WHERE longer.descendant_id = candidate.role_id
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
                            acting.role_id = candidate.role_id
                            AND EXISTS (
                              SELECT 1
                              FROM role self
                              WHERE self.id = candidate.role_id AND self.self_rights & acting.rights & 2
                            )
                          )
                          OR EXISTS (
                            SELECT 1
                            FROM role_closure path
                            WHERE path.descendant_id = candidate.role_id
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
                        AND own.role_id = candidate.role_id
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
                      WHERE above.descendant_id = candidate.role_id
                    ) acting_above
                    WHERE (
                      (
                        acting_above.role_id = candidate.role_id
                        AND EXISTS (
                          SELECT 1
                          FROM role self
                          WHERE self.id = candidate.role_id AND self.self_rights & acting_above.rights & 2
                        )
                      )
                      OR EXISTS (
                        SELECT 1
                        FROM role_closure path
                        WHERE path.descendant_id = candidate.role_id
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
                        WHERE longer.descendant_id = candidate.role_id
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
                            acting.role_id = candidate.role_id
                            OR EXISTS (
                              SELECT 1
                              FROM role_closure path
                              WHERE path.descendant_id = candidate.role_id
                                AND path.ancestor_id = acting.role_id
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
                          AND own.role_id = candidate.role_id
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
                        WHERE above.descendant_id = candidate.role_id
                      ) acting_above
                      WHERE true
                    )
                  )
                )
              )
            )
            ELSE true
          END
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
page(role_id, rights) AS MATERIALIZED (
  SELECT role_id, rights
  FROM (
    SELECT candidate.role_id,
      CASE
        WHEN (
          (
            (SELECT user_id FROM person) = :actorId
            AND iif(
              (
                (SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
                OR EXISTS (
                  SELECT 1
                  FROM role_closure longer
                  WHERE longer.descendant_id = candidate.role_id
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
                      acting.role_id = candidate.role_id
                      OR EXISTS (
                        SELECT 1
                        FROM role_closure path
                        WHERE path.descendant_id = candidate.role_id AND path.ancestor_id = acting.role_id
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
                    AND own.role_id = candidate.role_id
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
                  WHERE above.descendant_id = candidate.role_id
                ) acting_above
                WHERE true
              )
            )
          )
          OR (
            iif(
              (
                (SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
                OR EXISTS (
                  SELECT 1
                  FROM role_closure longer
                  WHERE longer.descendant_id = candidate.role_id
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
                        acting.role_id = candidate.role_id
                        AND EXISTS (
                          SELECT 1
                          FROM role self
                          WHERE self.id = candidate.role_id AND self.self_rights & acting.rights & 2
                        )
                      )
                      OR EXISTS (
                        SELECT 1
                        FROM role_closure path
                        WHERE path.descendant_id = candidate.role_id
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
                    AND own.role_id = candidate.role_id
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
                  WHERE above.descendant_id = candidate.role_id
                ) acting_above
                WHERE (
                  (
                    acting_above.role_id = candidate.role_id
                    AND EXISTS (
                      SELECT 1
                      FROM role self
                      WHERE self.id = candidate.role_id AND self.self_rights & acting_above.rights & 2
                    )
                  )
                  OR EXISTS (
                    SELECT 1
                    FROM role_closure path
                    WHERE path.descendant_id = candidate.role_id
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
                    WHERE longer.descendant_id = candidate.role_id
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
                        acting.role_id = candidate.role_id
                        OR EXISTS (
                          SELECT 1
                          FROM role_closure path
                          WHERE path.descendant_id = candidate.role_id AND path.ancestor_id = acting.role_id
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
                      AND own.role_id = candidate.role_id
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
                    WHERE above.descendant_id = candidate.role_id
                  ) acting_above
                  WHERE true
                )
              )
            )
          )
        ) THEN (
          SELECT (
            max(rights & 1) | max(rights & 2) | max(rights & 4) | max(rights & 8) | max(rights & 16) | max(rights & 32)
          )
          FROM (
            SELECT self.self_rights & held.rights AS rights, held.ends_at
            FROM member held
            CROSS JOIN role self ON self.id = held.role_id
            WHERE held.user_id = (SELECT user_id FROM person)
              AND held.role_id = candidate.role_id
              AND (
                (held.ends_at IS NULL OR held.ends_at > :now)
                AND (
                  held.user_id < 0
                  OR EXISTS (SELECT 1 FROM user_account held_by WHERE held_by.id = held.user_id)
                )
              )
            UNION ALL
            SELECT path.rights & held.rights, held.ends_at
            FROM role_closure path
            CROSS JOIN member held ON held.user_id = (SELECT user_id FROM person)
              AND held.role_id = path.ancestor_id
            WHERE path.descendant_id = candidate.role_id
              AND (
                (held.ends_at IS NULL OR held.ends_at > :now)
                AND (
                  held.user_id < 0
                  OR EXISTS (SELECT 1 FROM user_account held_by WHERE held_by.id = held.user_id)
                )
              )
          )
        )
      END AS rights
    FROM candidate
    WHERE candidate.role_id <= (SELECT last_id FROM afforded)
    LIMIT -1
  )
  WHERE rights & :rights = :rights
  ORDER BY role_id
  LIMIT +:limit + 1
)
SELECT (
  SELECT json_group_array(
    json_object(
      'roleId',
      role.id,
      'name',
      role.name,
      'rights',
      page.rights,
      'isDirect',
      EXISTS (
        SELECT 1
        FROM member held
        WHERE held.user_id = (SELECT user_id FROM person)
          AND held.role_id = role.id
          AND (
            (held.ends_at IS NULL OR held.ends_at > :now)
            AND (
              held.user_id < 0 OR EXISTS (SELECT 1 FROM user_account held_by WHERE held_by.id = held.user_id)
            )
          )
      ),
      'endsAt',
      (
        SELECT CASE WHEN count(*) = count(ends_at) THEN max(ends_at) END
        FROM (
          SELECT self.self_rights & held.rights AS rights, held.ends_at
          FROM member held
          CROSS JOIN role self ON self.id = held.role_id
          WHERE held.user_id = (SELECT user_id FROM person)
            AND held.role_id = role.id
            AND (
              (held.ends_at IS NULL OR held.ends_at > :now)
              AND (
                held.user_id < 0
                OR EXISTS (SELECT 1 FROM user_account held_by WHERE held_by.id = held.user_id)
              )
            )
          UNION ALL
          SELECT path.rights & held.rights, held.ends_at
          FROM role_closure path
          CROSS JOIN member held ON held.user_id = (SELECT user_id FROM person)
            AND held.role_id = path.ancestor_id
          WHERE path.descendant_id = role.id
            AND (
              (held.ends_at IS NULL OR held.ends_at > :now)
              AND (
                held.user_id < 0
                OR EXISTS (SELECT 1 FROM user_account held_by WHERE held_by.id = held.user_id)
              )
            )
        )
      )
    )
  )
  FROM page
  CROSS JOIN role ON role.id = page.role_id
) AS rows,
  nullif(min((SELECT last_id FROM stretch), (SELECT last_id FROM afforded)), 9223372036854775807) AS lookedTo,
  (SELECT user_id FROM person) AS principalId,
  (
    SELECT user_account.email
    FROM user_account
    WHERE user_account.id = (SELECT user_id FROM person)
  ) AS userEmail,
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
