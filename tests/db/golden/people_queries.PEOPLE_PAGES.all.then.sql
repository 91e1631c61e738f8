-- like this: check_queries READ_PAST_RIGHTS
-- like this: explain_queries READ_LINEAGE.actor.then
-- like this: explain_queries READ_LINEAGE.administrator.then
-- like this: past_queries READ_PAST_AROUND
-- like this: people_queries ADMINISTRATOR_PEOPLE_PAGES.then
-- like this: people_queries PEOPLE_PAGES.all.now
-- like this: people_queries PEOPLE_PAGES.email.now
-- like this: people_queries PEOPLE_PAGES.email.then
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
asked(role_id) AS MATERIALIZED (
  SELECT given.role_id
  FROM (SELECT :roleId AS role_id) given
  WHERE (
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
              acting.role_id = given.role_id
              AND EXISTS (
                SELECT 1
                FROM role self
                WHERE self.id = given.role_id AND self.self_rights & acting.rights & 2
              )
            )
            OR EXISTS (
              SELECT 1
              FROM role_closure path
              WHERE path.descendant_id = given.role_id
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
              acting.role_id = given.role_id
              OR EXISTS (
                SELECT 1
                FROM role_closure path
                WHERE path.descendant_id = given.role_id AND path.ancestor_id = acting.role_id
              )
            )
          )
      )
      ELSE false
    END
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
  FROM (
    SELECT :roleId AS id
    WHERE (SELECT verdict FROM moment) = 'kept' AND EXISTS (SELECT 1 FROM asked)
  ) start
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
),
reach(role_id, bit, revision) AS MATERIALIZED (
  SELECT CAST(:roleId AS INTEGER), bit.value, extent.revision
  FROM extent
  CROSS JOIN json_each('[1,2,4,8,16,32,64]') bit
  WHERE extent.roles AND NOT extent.is_cut
  UNION
  SELECT entering.parent_id, reach.bit, reach.revision
  FROM reach
  CROSS JOIN manages_history entering ON entering.child_id = reach.role_id
    AND entering.to_rev > reach.revision
    AND entering.from_rev <= reach.revision
    AND (entering.rights | 64) & reach.bit
),
reached(role_id, rights) AS MATERIALIZED (
  SELECT role_id,
    CASErole_id
      WHEN :roleId THEN (
        SELECT past.self_rights
        FROM moment
        CROSS JOIN role_history past ON past.role_id = :roleId
          AND past.to_rev > moment.revision
          AND past.from_rev <= moment.revision
      )
      ELSE sum(bit) & 63
    END AS rights
  FROM reach
  GROUP BY role_id HAVING rights IS NOT NULL
),
staffed(role_id, rights, is_key, low, high) AS MATERIALIZED (
  SELECT reached.role_id, reached.rights, side.is_key, side.low, side.high
  FROM reached
  CROSS JOIN (
    SELECT 0 AS is_key, :afterId AS low, 9223372036854775807 AS high
    UNION ALL
    SELECT 1 AS is_key, -9223372036854775807 AS low, min(0, 100000000000000 - :afterId) - 1 AS high
  ) side
  WHERE EXISTS (
    SELECT 1
    FROM member_history later
    WHERE later.role_id = reached.role_id AND later.user_id > side.low AND later.user_id <= side.high
  )
),
look(share) AS MATERIALIZED (
  SELECT max(1, iif(:rights = 0, min(:limit + 1, 20000 / max(1, count(*))), 5000 / max(1, count(*))))
  FROM staffed
),
stretch(role_id, rights, low, high, last_place) AS MATERIALIZED (
  SELECT role_id,
    rights,
    iif(is_key, 100000000000000 - last_place - 1, low),
    iif(is_key, high, last_place),
    last_place
  FROM (
    SELECT role_id,
      rights,
      is_key,
      low,
      high,
      coalesce(min(share_end) OVER (), 9223372036854775807) AS last_place
    FROM (
      SELECT *,
        CASEis_key
          WHEN 0 THEN (
            SELECT later.user_id
            FROM member_history later
            WHERE later.role_id = staffed.role_id
              AND later.user_id > staffed.low
              AND later.user_id <= staffed.high
            ORDER BY later.user_id
            LIMIT 1 OFFSET (SELECT share FROM look) - 1
          )
          WHEN 1 THEN (
            SELECT 100000000000000 - later.user_id
            FROM member_history later
            WHERE later.role_id = staffed.role_id
              AND later.user_id > staffed.low
              AND later.user_id <= staffed.high
            ORDER BY later.user_id DESC
            LIMIT 1 OFFSET (SELECT share FROM look) - 1
          )
        END AS share_end
      FROM staffed
    )
  )
),
granted(place, user_id, role_id, rights, ends_at) AS (
  SELECT iif(held.user_id > 0, held.user_id, 100000000000000 - held.user_id),
    held.user_id,
    held.role_id,
    stretch.rights & held.rights,
    held.ends_at
  FROM stretch
  CROSS JOIN member_history held ON held.role_id = stretch.role_id
    AND held.user_id > stretch.low
    AND held.user_id <= stretch.high
  WHERE held.to_rev > (SELECT revision FROM moment)
    AND held.from_rev <= (SELECT revision FROM moment)
    AND (held.ends_at IS NULL OR held.ends_at > (SELECT at FROM moment))
),
page(place, user_id, rights, is_direct, ends_at, role_ids) AS MATERIALIZED (
  SELECT place,
    user_id,
    (
      max(rights & 1) | max(rights & 2) | max(rights & 4) | max(rights & 8) | max(rights & 16) | max(rights & 32)
    ),
    max(role_id = :roleId),
    CASE WHEN count(*) = count(ends_at) THEN max(ends_at) END,
    json_group_array(role_id) FILTER (WHERE role_id <> :roleId)
  FROM granted
  GROUP BY place HAVING (
    max(rights & 1) | max(rights & 2) | max(rights & 4) | max(rights & 8) | max(rights & 16) | max(rights & 32)
  ) & :rights = :rights
  ORDER BY place
  LIMIT +:limit + 1
)
SELECT (
  SELECT json_group_array(
    json_object(
      'place',
      page.place,
      'userEmail',
      account.email,
      'keyName',
      coalesce(keyed.name, gone.name),
      'rights',
      page.rights,
      'isDirect',
      page.is_direct,
      'endsAt',
      page.ends_at,
      'roleIds',
      json(page.role_ids)
    )
  )
  FROM page
  LEFT JOIN user_account account ON account.id = page.user_id
  LEFT JOIN role_key keyed ON keyed.id = -page.user_id
  LEFT JOIN deleted_key gone ON gone.id = -page.user_id
) AS rows,
  CASE
    WHEN (
      SELECT 1
      FROM member held
      WHERE held.user_id = :actorId
      LIMIT 1 OFFSET 32
    ) IS NULL THEN (
      SELECT json_group_array(json_array(listed.role_id, named.name))
      FROM (
        SELECT met.role_id
        FROM (
          SELECT DISTINCT CAST(through.value AS INTEGER) AS role_id
          FROM page
          CROSS JOIN json_each(page.role_ids) through
        ) met
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
                acting.role_id = met.role_id
                OR EXISTS (
                  SELECT 1
                  FROM role_closure path
                  WHERE path.descendant_id = met.role_id AND path.ancestor_id = acting.role_id
                )
              )
            )
        )
      ) listed
      LEFT JOIN role named ON named.id = listed.role_id
    )
  END AS seenRoles,
  (SELECT nullif(max(last_place), 9223372036854775807) FROM stretch) AS lookedTo,
  0 AS isCostly,
  (
    SELECT (
      SELECT begun.at
      FROM moment
      CROSS JOIN change_log begun ON begun.rev = (
        SELECT first.from_rev
        FROM role_history first
        WHERE first.role_id = asked.role_id
        ORDER BY first.to_rev
        LIMIT 1
      )
      WHERE begun.rev > moment.revision AND begun.kind NOT IN ('role.create', 'role.bootstrap')
    )
    FROM asked
  ) AS roleFromMs,
  (SELECT is_cut FROM extent) AS isCut,
  (SELECT revision FROM moment) AS momentRevision,
  (SELECT at FROM moment) AS momentMs,
  (SELECT verdict FROM moment) AS momentVerdict,
  (
    SELECT begun.at
    FROM change_log begun
    WHERE begun.rev = (SELECT CAST(setting.value AS INTEGER) FROM setting WHERE setting.name = 'history_from')
  ) AS keptFromMs,
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
