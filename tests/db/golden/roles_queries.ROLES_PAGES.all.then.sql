-- nearly the same: roles_queries ROLES_PAGES.listed.then
WITH moment(revision, at, verdict) AS MATERIALIZED (
  SELECT revision,
    at,
    CASE
      WHEN revision > coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'change_log'), 0) THEN 'future'
      WHEN :asOfMs > :now
        AND NOT EXISTS (SELECT 1 FROM change_log moment_row WHERE moment_row.at >= :asOfMs) THEN 'future'
      WHEN revision < coalesce(
        (SELECT CAST(value AS INTEGER) FROM setting WHERE name = 'history_from'), 0
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
  SELECT coalesce(-:keyId, (SELECT account.id FROM user_account account WHERE account.email = :email), 0)
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
        WHERE NOT (
          (SELECT 1 FROM member guard_held WHERE guard_held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
        )
        ORDER BY id
        LIMIT -1
      ) judged
      CROSS JOIN role_closure guard_step ON guard_step.descendant_id = judged.role_id
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
        AND (
          EXISTS (
            SELECT 1
            FROM member guard_direct
            WHERE guard_direct.user_id = :actorId
              AND guard_direct.role_id = candidate.role_id
              AND (guard_direct.ends_at IS NULL OR guard_direct.ends_at > :now)
          )
          OR iif(
            (
              (SELECT 1 FROM member guard_held WHERE guard_held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
              OR EXISTS (
                SELECT 1
                FROM role_closure guard_longer
                WHERE guard_longer.descendant_id = candidate.role_id
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
              CROSS JOIN role_closure guard_path ON guard_path.descendant_id = candidate.role_id
                AND guard_path.ancestor_id = guard_own.role_id
              WHERE guard_own.user_id = :actorId AND (guard_own.ends_at IS NULL OR guard_own.ends_at > :now)
            ),
            EXISTS (
              SELECT guard_path.rights & guard_own.rights AS guard_rights
              FROM role_closure guard_path
              CROSS JOIN member guard_own ON guard_own.user_id = :actorId
                AND guard_own.role_id = guard_path.ancestor_id
                AND (guard_own.ends_at IS NULL OR guard_own.ends_at > :now)
              WHERE guard_path.descendant_id = candidate.role_id
            )
          )
        )
      )
      OR (
        iif(
          (
            (SELECT 1 FROM member guard_held WHERE guard_held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
            OR EXISTS (
              SELECT 1
              FROM role_closure guard_longer
              WHERE guard_longer.descendant_id = candidate.role_id
              LIMIT 1 OFFSET (
                SELECT count(*)
                FROM member guard_shorter
                WHERE guard_shorter.user_id = :actorId
              )
            )
          ),
          EXISTS (
            SELECT 1
            FROM (
              SELECT guard_own.role_id, guard_own.rights
              FROM member guard_own
              WHERE guard_own.user_id = :actorId AND (guard_own.ends_at IS NULL OR guard_own.ends_at > :now)
            ) acting
            WHERE (
              (
                (
                  acting.role_id = candidate.role_id
                  AND EXISTS (
                    SELECT 1
                    FROM role guard_self
                    WHERE guard_self.id = candidate.role_id AND guard_self.self_rights & acting.rights & 2
                  )
                )
                OR EXISTS (
                  SELECT 1
                  FROM role_closure guard_path
                  WHERE guard_path.descendant_id = candidate.role_id
                    AND guard_path.ancestor_id = acting.role_id
                    AND guard_path.rights & acting.rights & 2
                )
              )
              OR EXISTS (
                SELECT 1
                FROM role_closure guard_path
                WHERE guard_path.descendant_id = candidate.role_id
                  AND guard_path.ancestor_id = acting.role_id
                  AND guard_path.rights & acting.rights & 1
              )
            )
          ),
          EXISTS (
            SELECT 1
            FROM (
              SELECT guard_own.role_id, guard_own.rights
              FROM member guard_own
              WHERE guard_own.user_id = :actorId
                AND guard_own.role_id = candidate.role_id
                AND (guard_own.ends_at IS NULL OR guard_own.ends_at > :now)
              UNION ALL
              SELECT guard_above.ancestor_id, guard_many.rights
              FROM role_closure guard_above
              CROSS JOIN member guard_many ON guard_many.user_id = :actorId
                AND guard_many.role_id = guard_above.ancestor_id
                AND (guard_many.ends_at IS NULL OR guard_many.ends_at > :now)
              WHERE guard_above.descendant_id = candidate.role_id
            ) acting
            WHERE (
              (
                (
                  acting.role_id = candidate.role_id
                  AND EXISTS (
                    SELECT 1
                    FROM role guard_self
                    WHERE guard_self.id = candidate.role_id AND guard_self.self_rights & acting.rights & 2
                  )
                )
                OR EXISTS (
                  SELECT 1
                  FROM role_closure guard_path
                  WHERE guard_path.descendant_id = candidate.role_id
                    AND guard_path.ancestor_id = acting.role_id
                    AND guard_path.rights & acting.rights & 2
                )
              )
              OR EXISTS (
                SELECT 1
                FROM role_closure guard_path
                WHERE guard_path.descendant_id = candidate.role_id
                  AND guard_path.ancestor_id = acting.role_id
                  AND guard_path.rights & acting.rights & 1
              )
            )
          )
        )
        OR (
          EXISTS (SELECT 1 FROM role_key guard_asking WHERE guard_asking.id = -:actorId AND guard_asking.asks)
          AND (
            EXISTS (
              SELECT 1
              FROM member guard_direct
              WHERE guard_direct.user_id = :actorId
                AND guard_direct.role_id = candidate.role_id
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
                  WHERE guard_longer.descendant_id = candidate.role_id
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
                CROSS JOIN role_closure guard_path ON guard_path.descendant_id = candidate.role_id
                  AND guard_path.ancestor_id = guard_own.role_id
                WHERE guard_own.user_id = :actorId AND (guard_own.ends_at IS NULL OR guard_own.ends_at > :now)
              ),
              EXISTS (
                SELECT guard_path.rights & guard_own.rights AS guard_rights
                FROM role_closure guard_path
                CROSS JOIN member guard_own ON guard_own.user_id = :actorId
                  AND guard_own.role_id = guard_path.ancestor_id
                  AND (guard_own.ends_at IS NULL OR guard_own.ends_at > :now)
                WHERE guard_path.descendant_id = candidate.role_id
              )
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
        SELECT then_role.self_rights
        FROM moment
        CROSS JOIN role_history then_role ON then_role.role_id = role.id
          AND then_role.to_rev > moment.revision
          AND then_role.from_rev <= moment.revision
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
