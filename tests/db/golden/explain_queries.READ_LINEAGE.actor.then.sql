-- nearly the same: explain_queries READ_LINEAGE.administrator.then
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
subject(id) AS MATERIALIZED (
  SELECT CASE
    WHEN :subjectEmail IS NULL THEN :subjectId
    ELSE (SELECT user_account.id FROM user_account WHERE user_account.email = :subjectEmail)
  END
),
asked(is_permitted) AS MATERIALIZED (
  SELECT coalesce(subject.id = :actorId, false)
    OR (
      EXISTS (
        SELECT 1
        FROM member acting
        WHERE acting.user_id = :actorId
          AND (acting.ends_at IS NULL OR acting.ends_at > :now)
          AND (
            (
              (
                acting.role_id = :roleId
                AND EXISTS (
                  SELECT 1
                  FROM role self
                  WHERE self.id = :roleId AND self.self_rights & acting.rights & 2
                )
              )
              OR EXISTS (
                SELECT 1
                FROM role_closure path
                WHERE path.descendant_id = :roleId
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
            AND (acting.ends_at IS NULL OR acting.ends_at > :now)
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
        ELSE false
      END
    )
  FROM subject
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
    WHERE CASE
      WHEN (SELECT verdict FROM moment) = 'kept'
        AND EXISTS (
          SELECT :roleId AS id
          WHERE (SELECT is_permitted FROM asked)
            AND EXISTS (
              SELECT 1
              FROM member acting
              WHERE acting.user_id = :actorId
                AND (acting.ends_at IS NULL OR acting.ends_at > :now)
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
        ) THEN EXISTS (
          SELECT 1
          FROM member_history held
          WHERE held.user_id = (SELECT id FROM subject)
            AND held.to_rev > (SELECT revision FROM moment)
            AND held.from_rev <= (SELECT revision FROM moment)
            AND (held.ends_at IS NULL OR held.ends_at > (SELECT at FROM moment))
        )
    END
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
SELECT (SELECT id FROM subject) = :actorId AS isOwn,
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
    SELECT json_group_array(
      json_object('id', held.member_id, 'roleId', held.role_id, 'rights', held.rights, 'endsAt', held.ends_at)
    )
    FROM lineage
    CROSS JOIN member_history held ON held.role_id = lineage.role_id
      AND held.user_id = (SELECT id FROM subject)
    WHERE lineage.relation_id IS NULL
      AND held.to_rev > (SELECT revision FROM moment)
      AND held.from_rev <= (SELECT revision FROM moment)
      AND (held.ends_at IS NULL OR held.ends_at > (SELECT at FROM moment))
  ) AS memberships,
  CASE
    WHEN EXISTS (SELECT 1 FROM lineage) THEN (
      SELECT past.self_rights
      FROM moment
      CROSS JOIN role_history past ON past.role_id = :roleId
        AND past.to_rev > moment.revision
        AND past.from_rev <= moment.revision
    )
  END AS selfRights
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
