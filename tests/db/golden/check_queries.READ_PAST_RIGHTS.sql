WITH RECURSIVE moment(revision, at, verdict) AS MATERIALIZED (
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
price(costly) AS MATERIALIZED (
  SELECT CASE
    WHEN CASE
      WHEN (SELECT 1 FROM member guard_held WHERE guard_held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
        OR json_array_length(:roleIds) < 2 THEN false
      ELSE (
        SELECT 1
        FROM (SELECT value AS role_id FROM json_each(:roleIds)) judged
        CROSS JOIN role_closure guard_step ON guard_step.descendant_id = judged.role_id
        LIMIT 1 OFFSET 50000
      ) IS NOT NULL
    END THEN 'roleIds'
  END
),
asked(id) AS MATERIALIZED (
  SELECT DISTINCT listed.value
  FROM json_each(iif((SELECT costly FROM price) IS NULL, :roleIds, NULL)) listed
  WHERE (
    EXISTS (
      SELECT 1
      FROM member guard_direct
      WHERE guard_direct.user_id = :actorId
        AND guard_direct.role_id = listed.value
        AND (guard_direct.ends_at IS NULL OR guard_direct.ends_at > :now)
    )
    OR iif(
      (
        (SELECT 1 FROM member guard_held WHERE guard_held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
        OR EXISTS (
          SELECT 1
          FROM role_closure guard_longer
          WHERE guard_longer.descendant_id = listed.value
          LIMIT 1 OFFSET (SELECT count(*) FROM member guard_shorter WHERE guard_shorter.user_id = :actorId)
        )
      ),
      EXISTS (
        SELECT guard_path.rights & guard_own.rights AS guard_rights
        FROM member guard_own
        CROSS JOIN role_closure guard_path ON guard_path.descendant_id = listed.value
          AND guard_path.ancestor_id = guard_own.role_id
        WHERE guard_own.user_id = :actorId AND (guard_own.ends_at IS NULL OR guard_own.ends_at > :now)
      ),
      EXISTS (
        SELECT guard_path.rights & guard_own.rights AS guard_rights
        FROM role_closure guard_path
        CROSS JOIN member guard_own ON guard_own.user_id = :actorId
          AND guard_own.role_id = guard_path.ancestor_id
          AND (guard_own.ends_at IS NULL OR guard_own.ends_at > :now)
        WHERE guard_path.descendant_id = listed.value
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
          SELECT then_role.self_rights
          FROM moment
          CROSS JOIN role_history then_role ON then_role.role_id = asked.id
            AND then_role.to_rev > moment.revision
            AND then_role.from_rev <= moment.revision
        )
      )
    )
    FROM asked
    WHERE (SELECT verdict FROM moment) = 'kept'
  ) AS selfRights
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
