-- like this: grant_queries GRANT_PAGES.role
-- like this: left_queries ACCESS_LEFT
-- like this: roles_queries ROLES_PAGES.all.then
WITH person(user_id) AS MATERIALIZED (
  SELECT coalesce(
    -:keyId, :userId, (SELECT user_account.id FROM user_account WHERE user_account.email = :email), 0
  )
),
mine(role_id) AS MATERIALIZED (
  SELECT own.role_id
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
),
look(share) AS MATERIALIZED (SELECT max(1, min(2000, 2000 / max(1, count(*)))) FROM mine),
stretch(last_id) AS MATERIALIZED (
  SELECT coalesce(
    min(
      (
        SELECT later.descendant_id
        FROM role_closure later
        WHERE later.ancestor_id = mine.role_id AND later.descendant_id > :afterId
        ORDER BY later.descendant_id
        LIMIT 1 OFFSET (SELECT share FROM look) - 1
      )
    ),
    9223372036854775807
  )
  FROM mine
),
candidate(role_id) AS MATERIALIZED (
  SELECT role_id
  FROM mine
  WHERE role_id > :afterId AND role_id <= (SELECT last_id FROM stretch)
  UNION
  SELECT below.descendant_id
  FROM mine
  CROSS JOIN role_closure below ON below.ancestor_id = mine.role_id
    AND below.descendant_id > :afterId
    AND below.descendant_id <= (SELECT last_id FROM stretch)
  ORDER BY 1
),
afforded(last_id) AS MATERIALIZED (
  SELECT (
    SELECT iif(count(*) > 25000, max(min(id), max(id) - 1), 9223372036854775807)
    FROM (
      SELECT judged.id
      FROM (
        SELECT id, role_id
        FROM (SELECT role_id AS id, role_id FROM candidate)
        WHERE true
        ORDER BY id
        LIMIT -1
      ) judged
      CROSS JOIN role_closure step ON step.descendant_id = judged.role_id
      LIMIT 25001
    )
  )
),
judged(role_id, reads_members, manages_role) AS MATERIALIZED (
  SELECT candidate.role_id,
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
    ),
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
                  WHERE self.id = candidate.role_id AND self.self_rights & acting.rights & 1
                )
              )
              OR EXISTS (
                SELECT 1
                FROM role_closure path
                WHERE path.descendant_id = candidate.role_id
                  AND path.ancestor_id = acting.role_id
                  AND path.rights & acting.rights & 1
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
              WHERE self.id = candidate.role_id AND self.self_rights & acting_above.rights & 1
            )
          )
          OR EXISTS (
            SELECT 1
            FROM role_closure path
            WHERE path.descendant_id = candidate.role_id
              AND path.ancestor_id = acting_above.role_id
              AND path.rights & acting_above.rights & 1
          )
        )
      )
    )
  FROM candidate
  WHERE candidate.role_id <= (SELECT last_id FROM afforded)
),
stood AS MATERIALIZED (
  SELECT judged.role_id, iif(given.user_id > 0, 0, 1) AS kind, given.id AS id, given.given_via AS via
  FROM judged
  CROSS JOIN member given ON given.given_by = (SELECT user_id FROM person) AND given.role_id = judged.role_id
  WHERE judged.reads_members
    AND (given.ends_at IS NULL OR given.ends_at > :now)
    AND (:kinds >> iif(given.user_id > 0, 0, 1) & 1)
  UNION ALL
  SELECT judged.role_id, 2, own.id, own.password_set_via
  FROM judged
  CROSS JOIN role own ON own.id = judged.role_id
  WHERE judged.manages_role
    AND :actorId > 0
    AND own.password_set_by = (SELECT user_id FROM person)
    AND own.password_rights IS NOT NULL
    AND (:kinds >> 2 & 1)
  UNION ALL
  SELECT judged.role_id, 3, upper.id, upper.given_via
  FROM judged
  CROSS JOIN manages upper ON upper.given_by = (SELECT user_id FROM person)
    AND upper.child_id = judged.role_id
  WHERE judged.manages_role AND (:kinds >> 3 & 1)
  UNION ALL
  SELECT judged.role_id, 3, lower.id, lower.given_via
  FROM judged
  CROSS JOIN manages lower ON lower.given_by = (SELECT user_id FROM person)
    AND lower.parent_id = judged.role_id
  WHERE judged.manages_role
    AND (:kinds >> 3 & 1)
    AND NOT iif(
      (
        (SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
        OR EXISTS (
          SELECT 1
          FROM role_closure longer
          WHERE longer.descendant_id = lower.child_id
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
                acting.role_id = lower.child_id
                AND EXISTS (
                  SELECT 1
                  FROM role self
                  WHERE self.id = lower.child_id AND self.self_rights & acting.rights & 1
                )
              )
              OR EXISTS (
                SELECT 1
                FROM role_closure path
                WHERE path.descendant_id = lower.child_id
                  AND path.ancestor_id = acting.role_id
                  AND path.rights & acting.rights & 1
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
            AND own_2.role_id = lower.child_id
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
          WHERE above.descendant_id = lower.child_id
        ) acting_above
        WHERE (
          (
            acting_above.role_id = lower.child_id
            AND EXISTS (
              SELECT 1
              FROM role self
              WHERE self.id = lower.child_id AND self.self_rights & acting_above.rights & 1
            )
          )
          OR EXISTS (
            SELECT 1
            FROM role_closure path
            WHERE path.descendant_id = lower.child_id
              AND path.ancestor_id = acting_above.role_id
              AND path.rights & acting_above.rights & 1
          )
        )
      )
    )
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
  FROM (SELECT DISTINCT via AS role_id FROM stood WHERE :email IS NOT NULL) asked
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
thing AS MATERIALIZED (
  SELECT *
  FROM stood
  WHERE (stood.role_id, stood.kind, stood.id) > (:afterRole, :afterKind, :afterGrant)
    AND CASE
      WHEN :email IS NULL THEN true
      ELSE CASE
        WHEN (SELECT user_id FROM person) = :actorId THEN true
        WHEN stood.via IS NULL THEN EXISTS (
          SELECT 1
          FROM (
            SELECT own.role_id, own.rights
            FROM member own
            WHERE own.user_id = (SELECT user_id FROM person)
              AND own.role_id = stood.role_id
              AND (own.ends_at IS NULL OR own.ends_at > :now)
            UNION ALL
            SELECT above.ancestor_id, many.rights
            FROM role_closure above
            CROSS JOIN member many ON many.user_id = (SELECT user_id FROM person)
              AND many.role_id = above.ancestor_id
              AND (many.ends_at IS NULL OR many.ends_at > :now)
            WHERE above.descendant_id = stood.role_id
          ) acting_above
          WHERE true
        )
        ELSE stood.via IN (
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
    END
  ORDER BY role_id, kind, id
  LIMIT 101
)
SELECT (
  SELECT json_group_array(
    json_object(
      'kind',
      thing.kind,
      'id',
      thing.id,
      'place',
      thing.role_id,
      'roleId',
      coalesce(relation.child_id, thing.role_id),
      'parentRoleId',
      CASE
        WHEN iif(
          (
            (SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
            OR EXISTS (
              SELECT 1
              FROM role_closure longer
              WHERE longer.descendant_id = relation.parent_id
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
                  acting.role_id = relation.parent_id
                  OR EXISTS (
                    SELECT 1
                    FROM role_closure path
                    WHERE path.descendant_id = relation.parent_id AND path.ancestor_id = acting.role_id
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
                AND own_2.role_id = relation.parent_id
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
              WHERE above.descendant_id = relation.parent_id
            ) acting_above
            WHERE true
          )
        ) THEN relation.parent_id
      END,
      'userEmail',
      user.email,
      'name',
      key.name,
      'rights',
      coalesce(given.rights, own.password_rights, relation.rights),
      'endsAt',
      given.ends_at,
      'at',
      coalesce(key.created_at, own.password_set_at),
      'viaRoleId',
      CASE
        WHEN iif(
          (
            (SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
            OR EXISTS (
              SELECT 1
              FROM role_closure longer
              WHERE longer.descendant_id = thing.via
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
                  acting.role_id = thing.via
                  OR EXISTS (
                    SELECT 1
                    FROM role_closure path
                    WHERE path.descendant_id = thing.via AND path.ancestor_id = acting.role_id
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
                AND own_2.role_id = thing.via
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
              WHERE above.descendant_id = thing.via
            ) acting_above
            WHERE true
          )
        ) THEN thing.via
      END
    )
  )
  FROM thing
  LEFT JOIN member given ON thing.kind IN (0, 1) AND given.id = thing.id
  LEFT JOIN user_account user ON user.id = given.user_id
  LEFT JOIN role_key key ON thing.kind = 1 AND key.id = thing.id
  LEFT JOIN role own ON thing.kind = 2 AND own.id = thing.id
  LEFT JOIN manages relation ON thing.kind = 3 AND relation.id = thing.id
) AS grants,
  nullif(min((SELECT last_id FROM stretch), (SELECT last_id FROM afforded)), 9223372036854775807) AS lookedTo,
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
