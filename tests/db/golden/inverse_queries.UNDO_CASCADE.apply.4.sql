-- like this: inverse_queries UNDO_CASCADE.make.3
-- like this: inverse_queries UNDO_CASCADE.preview.2
WITH link(parent_id, child_id, rights) AS MATERIALIZED (
  SELECT inside_link.parent_id, inside_link.child_id, inside_link.rights
  FROM json_each((SELECT undone.gone_relation_ids FROM change_log undone WHERE undone.rev = :undoes)) listed
  CROSS JOIN manages_history inside_link ON inside_link.relation_id = listed.value
    AND inside_link.to_rev = :undoes
  WHERE EXISTS (
    SELECT 1
    FROM change_log restoring
    WHERE restoring.op_id = :opId AND restoring.effect IN ('restore')
  )
    AND inside_link.relation_id <> :relationId
    AND inside_link.child_id IN (
      SELECT value
      FROM json_each((SELECT undone.gone_role_ids FROM change_log undone WHERE undone.rev = :undoes))
    )
),
reached(role_id, rights) AS (
  SELECT CAST(:childId AS INTEGER), 63
  WHERE EXISTS (
    SELECT 1
    FROM change_log restoring
    WHERE restoring.op_id = :opId AND restoring.effect IN ('restore')
  )
  UNION
  SELECT link.child_id, reached.rights & link.rights
  FROM reached
  CROSS JOIN link ON link.parent_id = reached.role_id
),
reach(role_id, rights) AS MATERIALIZED (
  SELECT role_id,
    (
      max(rights & 1) | max(rights & 2) | max(rights & 4) | max(rights & 8) | max(rights & 16) | max(rights & 32)
    ) & :rights
  FROM reached
  GROUP BY role_id
),
candidate(role_id, rights, ends_at, upper_rights) AS MATERIALIZED (
  SELECT own.role_id, own.rights, own.ends_at, 63
  FROM member own
  WHERE own.user_id = :actorId
    AND own.role_id = :parentId
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
  SELECT many.role_id, many.rights, many.ends_at, above.rights
  FROM role_closure above
  CROSS JOIN member many ON many.user_id = :actorId AND many.role_id = above.ancestor_id
  WHERE above.descendant_id = :parentId
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
),
back(id) AS MATERIALIZED (
  SELECT gone.device_id
  FROM json_each((SELECT undone.gone_device_ids FROM change_log undone WHERE undone.rev = :undoes)) listed
  CROSS JOIN gone_device gone ON gone.device_id = listed.value
  WHERE (
    gone.rev = :undoes
    AND gone.purge_at > :now
    AND gone.properties IS NOT NULL
    AND NOT EXISTS (
      SELECT 1
      FROM device other
      WHERE other.node_id = gone.node_id
        AND NOT (
          NOT EXISTS (
            SELECT 1
            FROM monitors last
            WHERE last.device_id = other.id AND (last.valid_until IS NULL OR last.valid_until > :now)
          )
          AND NOT EXISTS (
            SELECT 1
            FROM deleted_monitors lost_last
            CROSS JOIN change_log deletion_of_last ON deletion_of_last.rev = lost_last.rev
            WHERE lost_last.device_id = other.id
              AND (lost_last.valid_until IS NULL OR lost_last.valid_until > :now)
              AND deletion_of_last.at > :now
          )
        )
    )
  )
),
noted(device_ids, monitors_ids, monitors) AS MATERIALIZED (
  SELECT (SELECT json_group_array(id) FROM back),
    (
      SELECT json_group_array(id)
      FROM (
        SELECT lost.monitors_id AS id
        FROM deleted_monitors lost
        WHERE lost.rev = :undoes AND lost.device_id IN (SELECT id FROM back)
        UNION ALL
        SELECT id
        FROM (
          SELECT lost_2.monitors_id AS id,
            row_number() OVER (PARTITION BY lost_2.device_id ORDER BY lost_2.monitors_id) AS turn,
            (
              SELECT count(*)
              FROM monitors counted
              WHERE counted.device_id = lost_2.device_id AND true
            ) AS periods,
            (
              SELECT count(*)
              FROM monitors counted
              WHERE counted.device_id = lost_2.device_id AND ifnull(counted.valid_until > :now, true)
            ) AS standing
          FROM deleted_monitors lost_2
          CROSS JOIN device survivor ON survivor.id = lost_2.device_id
          CROSS JOIN reach ON reach.role_id = lost_2.role_id
          WHERE lost_2.rev = :undoes
            AND (
              NOT ifnull(lost_2.valid_until > :now, true)
              OR survivor.id = (
                SELECT max(newest.id)
                FROM device newest
                WHERE newest.node_id = survivor.node_id
              )
              AND (
                NOT EXISTS (
                  SELECT 1
                  FROM monitors standing
                  WHERE standing.device_id = lost_2.device_id AND ifnull(standing.valid_until > :now, true)
                )
                OR EXISTS (
                  SELECT 1
                  FROM candidate
                  WHERE (candidate.upper_rights & reach.rights & candidate.rights) & 8
                    AND EXISTS (
                      SELECT 1
                      FROM monitors watching
                      WHERE watching.device_id = lost_2.device_id
                        AND (
                          ifnull(watching.valid_until > :now, true)
                          AND ifnull(watching.valid_from <= :now, true)
                        )
                        AND (
                          coalesce(watching.valid_from, -9007199254740991) <= coalesce(lost_2.valid_from, -9007199254740991)
                          AND coalesce(lost_2.valid_until, 9007199254740991) <= coalesce(watching.valid_until, 9007199254740991)
                        )
                        AND (
                          (
                            candidate.role_id = watching.role_id
                            AND EXISTS (
                              SELECT 1
                              FROM role self
                              WHERE self.id = watching.role_id AND self.self_rights & candidate.rights & 8
                            )
                          )
                          OR EXISTS (
                            SELECT 1
                            FROM role_closure path
                            WHERE path.descendant_id = watching.role_id
                              AND path.ancestor_id = candidate.role_id
                              AND path.rights & candidate.rights & 8
                          )
                        )
                    )
                )
              )
            )
        )
        WHERE turn + standing <= 100 AND turn + periods <= 200
      )
    ),
    (SELECT count(*) FROM deleted_monitors each WHERE each.rev = :undoes)
)
UPDATE change_log
SET details = (
  SELECT json_set(
    change_log.details,
    '$.deviceIds',
    json(device_ids),
    '$.monitorsIds',
    json(monitors_ids),
    '$.restored.devices',
    json_array_length(device_ids),
    '$.restored.monitors',
    json_array_length(monitors_ids),
    '$.leftOut.devices',
    json_array_length(
      (SELECT undone.gone_device_ids FROM change_log undone WHERE undone.rev = :undoes)
    ) - json_array_length(device_ids),
    '$.leftOut.monitors',
    monitors - json_array_length(monitors_ids)
  )
  FROM noted
)
WHERE change_log.op_id = :opId AND change_log.effect IN ('restore')
