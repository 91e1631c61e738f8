-- like this: explain_queries READ_LINEAGE.actor.now
-- like this: explain_queries READ_VIEW
-- like this: listing_queries ROLE_PAGES.ancestor
-- like this: listing_queries ROLE_PAGES.idAndMore
-- like this: listing_queries ROLE_PAGES.none
-- like this: neighbourhood_queries READ_NEIGHBOURHOOD
-- like this: past_queries READ_SEEN_THEN
WITH RECURSIVE person(user_id) AS MATERIALIZED (
  SELECT coalesce(
    -:keyId, :userId, (SELECT user_account.id FROM user_account WHERE user_account.email = :email), 0
  )
),
focus(role_id) AS MATERIALIZED (
  SELECT :roleId
  WHERE EXISTS (
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
),
lineage(role_id, relation_id, child_id, rights, is_wide, revision) AS MATERIALIZED (
  SELECT start.id,
    NULL,
    NULL,
    NULL,
    (SELECT 1 FROM manages scanned WHERE scanned.child_id = start.id LIMIT 1 OFFSET 2000) IS NOT NULL,
    NULL
  FROM (SELECT role_id AS id FROM focus) start
  UNION
  SELECT entering.parent_id, entering.id, entering.child_id, entering.rights, NULL, lineage.revision
  FROM lineage
  CROSS JOIN manages entering ON entering.child_id = lineage.role_id
  WHERE lineage.relation_id IS NULL AND NOT lineage.is_wide
  UNION
  SELECT lineage.role_id,
    NULL,
    NULL,
    NULL,
    (SELECT 1 FROM manages scanned WHERE scanned.child_id = lineage.role_id LIMIT 1 OFFSET 2000) IS NOT NULL,
    lineage.revision
  FROM lineage
  WHERE lineage.relation_id IS NOT NULL
  LIMIT 5002
),
extent(is_cut, roles, revision) AS MATERIALIZED (
  SELECT count(relation_id) > 2000 OR coalesce(max(is_wide), 0), count(*) - count(relation_id), max(revision)
  FROM lineage
),
met(place, role_id) AS MATERIALIZED (
  SELECT row_number() OVER (), role_id
  FROM lineage
  WHERE relation_id IS NULL
),
lower(place, role_id, rights) AS MATERIALIZED (
  SELECT leaving.id, leaving.child_id, leaving.rights
  FROM focus
  CROSS JOIN manages leaving ON leaving.parent_id = focus.role_id AND leaving.id > :afterId
  ORDER BY leaving.id
  LIMIT +:limit + 1
),
joining(id, parent_id, child_id, rights) AS MATERIALIZED (
  SELECT entering.id, entering.parent_id, entering.child_id, entering.rights
  FROM lower
  CROSS JOIN manages entering ON entering.child_id = lower.role_id AND entering.parent_id <> :roleId
  LIMIT 1001
),
seen_from(role_id) AS MATERIALIZED (
  SELECT role_id
  FROM met
  WHERE place > 1
  UNION
  SELECT parent_id
  FROM joining
),
seen_above(role_id) AS MATERIALIZED (
  SELECT role_id
  FROM seen_from
  WHERE NOT ((SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL)
  UNION
  SELECT up.parent_id
  FROM seen_above
  CROSS JOIN manages up ON up.child_id = seen_above.role_id
),
seen_entering(parent_id, child_id) AS MATERIALIZED (
  SELECT entered.parent_id, entered.child_id
  FROM seen_above
  CROSS JOIN manages entered ON entered.child_id = seen_above.role_id
),
seen_reached(role_id) AS MATERIALIZED (
  SELECT own.role_id
  FROM seen_above
  CROSS JOIN member own ON own.user_id = :actorId
    AND own.role_id = seen_above.role_id
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
  UNION
  SELECT seen_entering.child_id
  FROM seen_reached
  CROSS JOIN seen_entering ON seen_entering.parent_id = seen_reached.role_id
),
seen(role_id) AS MATERIALIZED (
  SELECT role_id
  FROM seen_from
  WHERE iif(
    (SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL,
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
            acting.role_id = seen_from.role_id
            OR EXISTS (
              SELECT 1
              FROM role_closure path
              WHERE path.descendant_id = seen_from.role_id AND path.ancestor_id = acting.role_id
            )
          )
        )
    ),
    role_id IN (SELECT role_id FROM seen_reached)
  )
),
upper(place, role_id) AS MATERIALIZED (
  SELECT place, role_id
  FROM met
  WHERE place = 1 OR role_id IN (SELECT role_id FROM seen)
  ORDER BY place
  LIMIT 102
),
afforded(last_above, last_below) AS MATERIALIZED (
  SELECT (
    SELECT iif(count(*) > 25000, max(min(id), max(id) - 1), 9223372036854775807)
    FROM (
      SELECT judged.id
      FROM (
        SELECT id, role_id
        FROM (SELECT place AS id, role_id FROM upper)
        WHERE true
        ORDER BY id
        LIMIT -1
      ) judged
      CROSS JOIN role_closure step ON step.descendant_id = judged.role_id
      LIMIT 25001
    )
  ),
    (
      SELECT iif(count(*) > 25000, max(min(id), max(id) - 1), 9223372036854775807)
      FROM (
        SELECT judged.id
        FROM (
          SELECT id, role_id
          FROM (SELECT place AS id, role_id FROM lower)
          WHERE true
          ORDER BY id
          LIMIT -1
        ) judged
        CROSS JOIN role_closure step ON step.descendant_id = judged.role_id
        LIMIT 25001
      )
    )
),
near(role_id, place, is_below, may_ask) AS MATERIALIZED (
  SELECT role_id,
    place,
    is_below,
    (
      (
        (SELECT user_id FROM person) = :actorId
        AND iif(
          (
            (SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
            OR EXISTS (
              SELECT 1
              FROM role_closure longer
              WHERE longer.descendant_id = shown.role_id
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
                  acting.role_id = shown.role_id
                  OR EXISTS (
                    SELECT 1
                    FROM role_closure path
                    WHERE path.descendant_id = shown.role_id AND path.ancestor_id = acting.role_id
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
                AND own.role_id = shown.role_id
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
              WHERE above.descendant_id = shown.role_id
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
              WHERE longer.descendant_id = shown.role_id
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
                    acting.role_id = shown.role_id
                    AND EXISTS (
                      SELECT 1
                      FROM role self
                      WHERE self.id = shown.role_id AND self.self_rights & acting.rights & 2
                    )
                  )
                  OR EXISTS (
                    SELECT 1
                    FROM role_closure path
                    WHERE path.descendant_id = shown.role_id
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
                AND own.role_id = shown.role_id
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
              WHERE above.descendant_id = shown.role_id
            ) acting_above
            WHERE (
              (
                acting_above.role_id = shown.role_id
                AND EXISTS (
                  SELECT 1
                  FROM role self
                  WHERE self.id = shown.role_id AND self.self_rights & acting_above.rights & 2
                )
              )
              OR EXISTS (
                SELECT 1
                FROM role_closure path
                WHERE path.descendant_id = shown.role_id
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
                WHERE longer.descendant_id = shown.role_id
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
                    acting.role_id = shown.role_id
                    OR EXISTS (
                      SELECT 1
                      FROM role_closure path
                      WHERE path.descendant_id = shown.role_id AND path.ancestor_id = acting.role_id
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
                  AND own.role_id = shown.role_id
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
                WHERE above.descendant_id = shown.role_id
              ) acting_above
              WHERE true
            )
          )
        )
      )
    )
  FROM (
    SELECT role_id, place, false AS is_below
    FROM upper
    UNION ALL
    SELECT role_id, place, true
    FROM lower
  ) shown
  CROSS JOIN afforded ON place <= iif(is_below, last_below, last_above)
)
SELECT (
  SELECT json_group_array(
    json_object(
      'id',
      role.id,
      'name',
      role.name,
      'selfRights',
      role.self_rights,
      'externalId',
      role.external_id,
      'userRights',
      iif(
        (
          (SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
          OR EXISTS (
            SELECT 1
            FROM role_closure longer
            WHERE longer.descendant_id = role.id
            LIMIT 1 OFFSET (SELECT count(*) FROM member shorter WHERE shorter.user_id = :actorId)
          )
        ),
        (
          SELECT (
            max(path_rights & 1) | max(path_rights & 2) | max(path_rights & 4) | max(path_rights & 8) | max(path_rights & 16) | max(path_rights & 32)
          ) | max(path_rights & 64)
          FROM (
            SELECT self.self_rights & direct.rights AS path_rights
            FROM member direct
            CROSS JOIN role self ON self.id = direct.role_id
            WHERE direct.user_id = :actorId
              AND direct.role_id = role.id
              AND (
                (direct.ends_at IS NULL OR direct.ends_at > :now)
                AND (
                  direct.needs = 0
                  OR iif(
                    direct.needs_from > :now, direct.needs_before, direct.needs
                  ) <= (
                    SELECT session.meets
                    FROM session
                    WHERE session.id = :sessionId
                  )
                )
              )
            UNION ALL
            SELECT (path_rights) | ((path_rights) & 1) * 64
            FROM (
              SELECT path.rights & own.rights AS path_rights
              FROM member own
              CROSS JOIN role_closure path ON path.descendant_id = role.id AND path.ancestor_id = own.role_id
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
            )
          )
        ),
        (
          SELECT (
            max(path_rights & 1) | max(path_rights & 2) | max(path_rights & 4) | max(path_rights & 8) | max(path_rights & 16) | max(path_rights & 32)
          ) | max(path_rights & 64)
          FROM (
            SELECT self.self_rights & direct.rights AS path_rights
            FROM member direct
            CROSS JOIN role self ON self.id = direct.role_id
            WHERE direct.user_id = :actorId
              AND direct.role_id = role.id
              AND (
                (direct.ends_at IS NULL OR direct.ends_at > :now)
                AND (
                  direct.needs = 0
                  OR iif(
                    direct.needs_from > :now, direct.needs_before, direct.needs
                  ) <= (
                    SELECT session.meets
                    FROM session
                    WHERE session.id = :sessionId
                  )
                )
              )
            UNION ALL
            SELECT (path_rights) | ((path_rights) & 1) * 64
            FROM (
              SELECT path.rights & own.rights AS path_rights
              FROM role_closure path
              CROSS JOIN member own ON own.user_id = :actorId
                AND own.role_id = path.ancestor_id
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
              WHERE path.descendant_id = role.id
            )
          )
        )
      ),
      'isBelow',
      near.is_below,
      'place',
      near.place,
      'children',
      (SELECT count(*) FROM (SELECT 1 FROM manages leaving WHERE leaving.parent_id = role.id LIMIT +2000)),
      'descendants',
      (SELECT count(*) FROM (SELECT 1 FROM role_closure below WHERE below.ancestor_id = role.id LIMIT +2000)),
      'isOwn',
      EXISTS (
        SELECT 1
        FROM member own
        WHERE own.user_id = :actorId
          AND own.role_id = role.id
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
      'mayAsk',
      near.may_ask,
      'access',
      json(
        CASE
          WHEN near.may_ask THEN (
            SELECT CASE
              WHEN count(*) > 0 THEN json_array(
                (
                  max(rights & 1) | max(rights & 2) | max(rights & 4) | max(rights & 8) | max(rights & 16) | max(rights & 32)
                ),
                CASE WHEN count(*) = count(ends_at) THEN max(ends_at) END
              )
            END
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
        END
      ),
      'isMember',
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
      )
    )
  )
  FROM near
  CROSS JOIN role ON role.id = near.role_id
) AS roles,
  (
    SELECT json_group_array(
      json_object('id', id, 'parentRoleId', parent_id, 'childRoleId', child_id, 'rights', rights)
    )
    FROM (
      SELECT *
      FROM (
        SELECT place AS id, :roleId AS parent_id, role_id AS child_id, rights
        FROM lower
        UNION ALL
        SELECT relation_id, role_id, child_id, rights
        FROM lineage
        WHERE relation_id IS NOT NULL AND child_id IN (SELECT role_id FROM upper)
        UNION ALL
        SELECT id, parent_id, child_id, rights
        FROM joining
      )
      WHERE parent_id = :roleId OR parent_id IN (SELECT role_id FROM seen)
      LIMIT 1001
    )
  ) AS manages,
  (SELECT nullif(last_above, 9223372036854775807) FROM afforded) AS lastAbove,
  (SELECT nullif(last_below, 9223372036854775807) FROM afforded) AS lastBelow,
  (SELECT is_cut FROM extent) AS isWalkCut,
  (SELECT count(*) FROM joining) > 1000 AS areParentsCut,
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
