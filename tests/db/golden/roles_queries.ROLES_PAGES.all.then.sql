-- nearly the same: roles_queries ROLES_PAGES.listed.then
WITH moment(revision, at, verdict) AS MATERIALIZED (
  SELECT revision,
    at,
    CASE
      WHEN revision > coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'change_log'), 0) THEN 'future'
      WHEN :asOfMs > :now
        AND NOT EXISTS (SELECT 1 FROM change_log moment_row WHERE moment_row.at >= :asOfMs) THEN 'future'
      WHEN revision < coalesce(
        (SELECT CAST(setting.value AS INTEGER) FROM setting WHERE setting.name = 'history_from'), 0
      ) THEN 'before'
      ELSE 'kept'
    END
  FROM (
    SELECT coalesce(
      :asOfRevision,
      (
        SELECT moment_row.rev
        FROM change_log moment_row
        WHERE moment_row.at <= :asOfMs
        ORDER BY moment_row.at DESC, moment_row.rev DESC
        LIMIT 1
      ),
      0
    ) AS revision,
      coalesce(
        :asOfMs,
        (
          SELECT moment_row.at
          FROM change_log moment_row
          WHERE moment_row.rev <= :asOfRevision
          ORDER BY moment_row.rev DESC
          LIMIT 1
        ),
        0
      ) AS at
  )
),
person(user_id) AS MATERIALIZED (
  SELECT coalesce(-:keyId, (SELECT user_account.id FROM user_account WHERE user_account.email = :email), 0)
),
mine(role_id) AS MATERIALIZED (
  SELECT own.role_id
  FROM member own
  WHERE own.user_id = :actorId AND (own.ends_at IS NULL OR own.ends_at > :now)
),
look(share) AS MATERIALIZED (SELECT max(1, min(200, 200 / max(1, count(*)))) FROM mine),
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
    SELECT iif(count(*) > 50000, max(min(id), max(id) - 1), 9223372036854775807)
    FROM (
      SELECT judged.id
      FROM (
        SELECT id, role_id
        FROM (SELECT role_id AS id, role_id FROM candidate)
        WHERE NOT ((SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL)
        ORDER BY id
        LIMIT -1
      ) judged
      CROSS JOIN role_closure step ON step.descendant_id = judged.role_id
      LIMIT 50001
    )
  )
),
asked(role_id) AS MATERIALIZED (
  SELECT candidate.role_id
  FROM candidate
  WHERE candidate.role_id <= (SELECT last_id FROM afforded)
    AND (
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
              AND (acting.ends_at IS NULL OR acting.ends_at > :now)
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
                AND (own.ends_at IS NULL OR own.ends_at > :now)
              UNION ALL
              SELECT above.ancestor_id, many.rights
              FROM role_closure above
              CROSS JOIN member many ON many.user_id = :actorId
                AND many.role_id = above.ancestor_id
                AND (many.ends_at IS NULL OR many.ends_at > :now)
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
              AND (acting.ends_at IS NULL OR acting.ends_at > :now)
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
                AND (own.ends_at IS NULL OR own.ends_at > :now)
              UNION ALL
              SELECT above.ancestor_id, many.rights
              FROM role_closure above
              CROSS JOIN member many ON many.user_id = :actorId
                AND many.role_id = above.ancestor_id
                AND (many.ends_at IS NULL OR many.ends_at > :now)
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
                AND (acting.ends_at IS NULL OR acting.ends_at > :now)
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
                  AND (own.ends_at IS NULL OR own.ends_at > :now)
                UNION ALL
                SELECT above.ancestor_id, many.rights
                FROM role_closure above
                CROSS JOIN member many ON many.user_id = :actorId
                  AND many.role_id = above.ancestor_id
                  AND (many.ends_at IS NULL OR many.ends_at > :now)
                WHERE above.descendant_id = candidate.role_id
              ) acting_above
              WHERE true
            )
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
    (
      SELECT 1
      FROM manages_history scanned
      WHERE scanned.child_id = start.id AND scanned.to_rev > moment.revision
      LIMIT 1 OFFSET 10000
    ) IS NOT NULL,
    moment.revision
  FROM (SELECT role_id AS id FROM asked WHERE (SELECT verdict FROM moment) = 'kept') start
  CROSS JOIN moment
  UNION
  SELECT entering.parent_id, entering.relation_id, entering.child_id, entering.rights, NULL, lineage.revision
  FROM lineage
  CROSS JOIN manages_history entering ON entering.child_id = lineage.role_id
    AND entering.to_rev > lineage.revision
    AND entering.from_rev <= lineage.revision
  WHERE lineage.relation_id IS NULL AND NOT lineage.is_wide
  UNION
  SELECT lineage.role_id,
    NULL,
    NULL,
    NULL,
    (
      SELECT 1
      FROM manages_history scanned
      WHERE scanned.child_id = lineage.role_id AND scanned.to_rev > lineage.revision
      LIMIT 1 OFFSET 10000
    ) IS NOT NULL,
    lineage.revision
  FROM lineage
  WHERE lineage.relation_id IS NOT NULL
  LIMIT 21002
),
extent(is_cut, roles, revision) AS MATERIALIZED (
  SELECT count(relation_id) > 10000 OR coalesce(max(is_wide), 0), count(*) - count(relation_id), max(revision)
  FROM lineage
)
SELECT (
  SELECT json_group_array(
    json_array(
      role.id,
      role.name,
      (
        SELECT past.self_rights
        FROM moment
        CROSS JOIN role_history past ON past.role_id = role.id
          AND past.to_rev > moment.revision
          AND past.from_rev <= moment.revision
      )
    )
  )
  FROM asked
  CROSS JOIN role ON role.id = asked.role_id
  WHERE (SELECT verdict FROM moment) = 'kept'
) AS roles,
  (
    SELECT json_group_array(json_array(held.role_id, held.rights, held.ends_at))
    FROM lineage
    CROSS JOIN member_history held ON held.role_id = lineage.role_id
      AND held.user_id = (SELECT user_id FROM person)
    WHERE lineage.relation_id IS NULL
      AND held.to_rev > (SELECT revision FROM moment)
      AND held.from_rev <= (SELECT revision FROM moment)
      AND (held.ends_at IS NULL OR held.ends_at > (SELECT at FROM moment))
  ) AS held,
  (
    SELECT json_group_array(json_array(relation_id, role_id, child_id, rights))
    FROM (SELECT * FROM lineage WHERE relation_id IS NOT NULL LIMIT 10000)
  ) AS relations,
  nullif(min((SELECT last_id FROM stretch), (SELECT last_id FROM afforded)), 9223372036854775807) AS lookedTo,
  (SELECT is_cut FROM extent) AS isCut,
  (SELECT revision FROM moment) AS momentRevision,
  (SELECT at FROM moment) AS momentMs,
  (SELECT verdict FROM moment) AS momentVerdict,
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
