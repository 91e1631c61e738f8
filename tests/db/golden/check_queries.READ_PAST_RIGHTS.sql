WITH RECURSIVE moment(revision, at, verdict) AS MATERIALIZED (
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
price(costly) AS MATERIALIZED (
  SELECT CASE
    WHEN CASE
      WHEN (SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
        OR json_array_length(:roleIds) < 2 THEN false
      ELSE (
        SELECT 1
        FROM (SELECT value AS role_id FROM json_each(:roleIds)) judged
        CROSS JOIN role_closure step ON step.descendant_id = judged.role_id
        LIMIT 1 OFFSET 50000
      ) IS NOT NULL
    END THEN 'roleIds'
  END
),
asked(id) AS MATERIALIZED (
  SELECT DISTINCT listed.value
  FROM json_each(iif((SELECT costly FROM price) IS NULL, :roleIds, NULL)) listed
  WHERE iif(
    (
      (SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
      OR EXISTS (
        SELECT 1
        FROM role_closure longer
        WHERE longer.descendant_id = listed.value
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
            acting.role_id = listed.value
            OR EXISTS (
              SELECT 1
              FROM role_closure path
              WHERE path.descendant_id = listed.value AND path.ancestor_id = acting.role_id
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
          AND own.role_id = listed.value
          AND (own.ends_at IS NULL OR own.ends_at > :now)
        UNION ALL
        SELECT above.ancestor_id, many.rights
        FROM role_closure above
        CROSS JOIN member many ON many.user_id = :actorId
          AND many.role_id = above.ancestor_id
          AND (many.ends_at IS NULL OR many.ends_at > :now)
        WHERE above.descendant_id = listed.value
      ) acting_above
      WHERE true
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
  FROM (
    SELECT asked.id
    FROM asked
    WHERE (SELECT verdict FROM moment) = 'kept'
      AND EXISTS (
        SELECT 1
        FROM member_history mine
        WHERE mine.user_id = :actorId
          AND mine.to_rev > (SELECT revision FROM moment)
          AND mine.from_rev <= (SELECT revision FROM moment)
          AND (mine.ends_at IS NULL OR mine.ends_at > (SELECT at FROM moment))
      )
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
)
SELECT (SELECT costly FROM price) AS costly,
  (SELECT revision FROM moment) AS momentRevision,
  (SELECT at FROM moment) AS momentMs,
  (SELECT verdict FROM moment) AS momentVerdict,
  (SELECT seq FROM sqlite_sequence WHERE name = 'change_log') AS revision,
  (SELECT is_cut FROM extent) AS isCut,
  (
    SELECT json_group_array(json_array(relation_id, role_id, child_id, rights))
    FROM (SELECT * FROM lineage WHERE relation_id IS NOT NULL LIMIT 10000)
  ) AS relations,
  (
    SELECT json_group_array(json_array(mine.role_id, mine.rights))
    FROM lineage
    CROSS JOIN member_history mine ON mine.role_id = lineage.role_id AND mine.user_id = :actorId
    WHERE lineage.relation_id IS NULL
      AND mine.to_rev > (SELECT revision FROM moment)
      AND mine.from_rev <= (SELECT revision FROM moment)
      AND (mine.ends_at IS NULL OR mine.ends_at > (SELECT at FROM moment))
  ) AS held,
  (
    SELECT json_group_array(
      json_array(
        asked.id,
        (
          SELECT past.self_rights
          FROM moment
          CROSS JOIN role_history past ON past.role_id = asked.id
            AND past.to_rev > moment.revision
            AND past.from_rev <= moment.revision
        )
      )
    )
    FROM asked
    WHERE (SELECT verdict FROM moment) = 'kept'
  ) AS selfRights
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
