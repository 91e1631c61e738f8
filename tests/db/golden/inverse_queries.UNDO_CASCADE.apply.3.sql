-- like this: inverse_queries UNDO_CASCADE.make.2
-- like this: inverse_queries UNDO_CASCADE.preview.2
-- like this: inverse_queries UNDO_CASCADE_BY_ADMINISTRATOR.2
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
deleted(at) AS MATERIALIZED (SELECT deletion.at FROM change_log deletion WHERE deletion.rev = :undoes),
judged(id, role_id, device_id, ends, has_past, verdict) AS MATERIALIZED (
  SELECT lost.monitors_id,
    lost.role_id,
    lost.device_id,
    coalesce(lost.valid_until, 9007199254740991),
    kept.id IS NOT NULL
    AND coalesce(lost.valid_from, -9007199254740991) < deleted.at,
    CASE
      WHEN kept.id IS NULL THEN 'deleted'
      WHEN coalesce(lost.valid_until, 9007199254740991) <= deleted.at
        OR (
          CASE
            WHEN EXISTS (
              SELECT 1
              FROM monitors holding
              WHERE holding.device_id = lost.device_id AND ifnull(holding.valid_until > deleted.at, true)
            ) THEN false
            WHEN EXISTS (
              SELECT 1
              FROM change_log later
              WHERE later.device_id = lost.device_id
                AND later.rev > :undoes
                AND later.decision = 'ok'
                AND later.kind <> 'monitors.remove'
                AND later.kind IN ('device.transfer', 'monitors.add', 'monitors.remove', 'monitors.update')
            ) THEN false
            ELSE NOT EXISTS (
              SELECT 1
              FROM deleted_monitors lost_2
              WHERE lost_2.device_id = lost.device_id
                AND lost_2.rev > :undoes
                AND ifnull(lost_2.valid_until > deleted.at, true)
            )
          END
          AND (
            kept.id = (SELECT max(newest.id) FROM device newest WHERE newest.node_id = kept.node_id)
            AND NOT EXISTS (
              SELECT 1
              FROM gone_device
              WHERE gone_device.node_id = kept.node_id
                AND CASE
                  WHEN gone_device.purge_at > :now THEN gone_device.role_id IS NOT lost.role_id
                    AND NOT (
                      NOT EXISTS (
                        SELECT 1
                        FROM monitors last
                        WHERE last.device_id = gone_device.device_id
                          AND (
                            last.valid_until IS NULL
                            OR last.valid_until > (2 * gone_device.gone_at - gone_device.purge_at)
                          )
                      )
                      AND NOT EXISTS (
                        SELECT 1
                        FROM deleted_monitors lost_last
                        CROSS JOIN change_log deletion_of_last ON deletion_of_last.rev = lost_last.rev
                        WHERE lost_last.device_id = gone_device.device_id
                          AND (
                            lost_last.valid_until IS NULL
                            OR lost_last.valid_until > (2 * gone_device.gone_at - gone_device.purge_at)
                          )
                          AND deletion_of_last.at > (2 * gone_device.gone_at - gone_device.purge_at)
                      )
                    )
                  ELSE gone_device.has_points
                END
            )
          )
        ) THEN 'whole'
      WHEN coalesce(lost.valid_until, 9007199254740991) <= :now THEN 'ended'
      WHEN NOT EXISTS (
        SELECT 1
        FROM monitors watching
        WHERE watching.device_id = lost.device_id
          AND (ifnull(watching.valid_until > :now, true) AND ifnull(watching.valid_from <= :now, true))
          AND coalesce(watching.valid_from, -9007199254740991) < deleted.at
          AND coalesce(lost.valid_until, 9007199254740991) <= coalesce(watching.valid_until, 9007199254740991)
          AND EXISTS (
            SELECT 1
            FROM candidate
            WHERE (candidate.upper_rights & reach.rights & candidate.rights) & 8
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
      ) THEN 'unmanaged'
      WHEN max(coalesce(lost.valid_from, -9007199254740991), deleted.at) >= :now THEN 'whole'
      ELSE 'interrupted'
    END
  FROM deleted
  CROSS JOIN deleted_monitors lost
  CROSS JOIN reach ON reach.role_id = lost.role_id
  LEFT JOIN device kept ON kept.id = lost.device_id
  WHERE lost.rev = :undoes
    AND (
      kept.id IS NOT NULL
      OR lost.device_id NOT IN (
        SELECT value
        FROM json_each((SELECT undone.gone_device_ids FROM change_log undone WHERE undone.rev = :undoes))
      )
    )
),
fitted(id, role_id, device_id, has_past, verdict) AS MATERIALIZED (
  SELECT id, role_id, device_id, has_past AND fits, iif(fits, verdict, 'full')
  FROM (
    SELECT judged.*,
      sum(
        iif(verdict = 'whole', 1, has_past + (verdict = 'interrupted'))
      ) OVER (PARTITION BY device_id ORDER BY id) + (
        SELECT count(*)
        FROM monitors counted
        WHERE counted.device_id = judged.device_id AND true
      ) <= 200
      AND sum(ends > :now AND verdict IN ('whole', 'interrupted')) OVER (PARTITION BY device_id ORDER BY id) + (
        SELECT count(*)
        FROM monitors counted
        WHERE counted.device_id = judged.device_id AND ifnull(counted.valid_until > :now, true)
      ) <= 100 AS fits
    FROM judged
  )
),
noted(
  device_ids, monitors_ids, shortened, interrupted, monitors
) AS MATERIALIZED (
  SELECT (SELECT json_group_array(id) FROM back),
    (
      SELECT json_group_array(id)
      FROM (
        SELECT lost.monitors_id AS id
        FROM deleted_monitors lost
        WHERE lost.rev = :undoes AND lost.device_id IN (SELECT id FROM back)
        UNION ALL
        SELECT id
        FROM fitted
        WHERE verdict = 'whole'
      )
    ),
    (
      SELECT json_group_array(
        json_object(
          'id',
          id,
          'roleId',
          role_id,
          'deviceId',
          device_id,
          'reason',
          verdict,
          'until',
          iif(has_past, deleted.at, NULL)
        )
      )
      FROM fitted
      CROSS JOIN deleted
      WHERE verdict <> 'whole'
    ),
    (SELECT count(*) FROM fitted WHERE verdict = 'interrupted'),
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
    '$.shortened',
    json(shortened),
    '$.restored.devices',
    json_array_length(device_ids),
    '$.restored.monitors',
    interrupted + json_array_length(monitors_ids),
    '$.leftOut.devices',
    json_array_length(
      (SELECT undone.gone_device_ids FROM change_log undone WHERE undone.rev = :undoes)
    ) - json_array_length(device_ids),
    '$.leftOut.monitors',
    monitors - interrupted - json_array_length(monitors_ids)
  )
  FROM noted
)
WHERE change_log.op_id = :opId AND change_log.effect IN ('restore')
