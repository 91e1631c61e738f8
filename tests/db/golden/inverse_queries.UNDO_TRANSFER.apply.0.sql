-- like this: inverse_queries UNDO_CASCADE.apply.0
-- like this: inverse_queries UNDO_CASCADE.make.0
-- like this: inverse_queries UNDO_TRANSFER.make.0
-- like this: inverse_queries UNDO_TRANSFER.preview.0
-- like this: manages_queries MOVE_RELATION.apply.0
-- like this: manages_queries MOVE_RELATION.make.0
-- like this: transfer_queries PREVIEW_TRANSFER.keyed.0
-- like this: transfer_queries PREVIEW_TRANSFER.keyless.0
-- like this: transfer_queries TRANSFER_DEVICES.keyed.0
-- like this: transfer_queries TRANSFER_DEVICES.keyless.0
WITH asked(n, device_id) AS MATERIALIZED (
  SELECT min(key), CAST(value AS INTEGER)
  FROM json_each(:deviceIds)
  GROUP BY value
),
taken(
  id, device_id, role_id, valid_from, valid_until, is_open, has_begun
) AS MATERIALIZED (
  SELECT found_relation.id,
    found_relation.device_id,
    found_relation.role_id,
    found_relation.valid_from,
    found_relation.valid_until,
    (ifnull(found_relation.valid_until > :now, true) AND ifnull(found_relation.valid_from <= :now, true)),
    (found_relation.valid_from IS NULL OR found_relation.valid_from < :now)
  FROM asked
  CROSS JOIN monitors found_relation ON found_relation.device_id = asked.device_id
    AND ifnull(found_relation.valid_until > :now, true)
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
  ORDER BY asked.device_id
  LIMIT 1000 + 1
),
ender(role_id, may_end) AS MATERIALIZED (
  SELECT place.role_id,
    iif(
      (
        (SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
        OR EXISTS (
          SELECT 1
          FROM role_closure longer
          WHERE longer.descendant_id = place.role_id
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
                acting.role_id = place.role_id
                AND EXISTS (
                  SELECT 1
                  FROM role self
                  WHERE self.id = place.role_id AND self.self_rights & acting.rights & 8
                )
              )
              OR EXISTS (
                SELECT 1
                FROM role_closure path
                WHERE path.descendant_id = place.role_id
                  AND path.ancestor_id = acting.role_id
                  AND path.rights & acting.rights & 9
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
            AND own.role_id = place.role_id
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
          WHERE above.descendant_id = place.role_id
        ) acting_above
        WHERE (
          (
            acting_above.role_id = place.role_id
            AND EXISTS (
              SELECT 1
              FROM role self
              WHERE self.id = place.role_id AND self.self_rights & acting_above.rights & 8
            )
          )
          OR EXISTS (
            SELECT 1
            FROM role_closure path
            WHERE path.descendant_id = place.role_id
              AND path.ancestor_id = acting_above.role_id
              AND path.rights & acting_above.rights & 9
          )
        )
      )
    )
  FROM (SELECT DISTINCT role_id FROM taken) place
),
standing AS MATERIALIZED (
  SELECT taken.*, ender.may_end
  FROM taken
  CROSS JOIN ender ON ender.role_id = taken.role_id
),
summary AS MATERIALIZED (
  SELECT min(asked.n) AS n,
    asked.device_id,
    count(id) AS relations,
    coalesce(sum(NOT may_end), 0) AS kept,
    coalesce(sum(may_end AND is_open), 0) AS managed,
    min(id) FILTER (WHERE is_open) AS first_id,
    CASE
      WHEN count(valid_until) FILTER (WHERE is_open) = sum(is_open) THEN max(valid_until) FILTER (WHERE is_open)
    END AS last_until,
    min(role_id) AS only_role_id,
    min(is_open) AS is_open,
    min(id) AS only_id,
    min(valid_from) AS only_from,
    sum(count(id)) OVER () AS total,
    max(max(standing.device_id)) OVER () AS last_taken
  FROM asked
  LEFT JOIN standing ON standing.device_id = asked.device_id
  GROUP BY asked.device_id
),
back(old_id, id, role_id, device_id, valid_from, valid_until) AS MATERIALIZED (
  SELECT old_id,
    CASE
      WHEN is_new THEN (
        SELECT id_sequence.last_id + 1
        FROM id_sequence
        WHERE id_sequence.name = 'relation'
      ) - 1 + sum(is_new) OVER (ORDER BY old_id)
      ELSE old_id
    END,
    role_id,
    device_id,
    begins,
    nullif(ends, 9007199254740991)
  FROM (
    SELECT *,
      max(coalesce(valid_from, -9007199254740991), :now) AS begins,
      min(coalesce(valid_until, 9007199254740991), coalesce(last_until, 9007199254740991)) AS ends
    FROM (
      SELECT value ->> 'id' AS old_id,
        CAST(value ->> 'roleId' AS INTEGER) AS role_id,
        CAST(coalesce(value ->> 'deviceId', undone_device_id) AS INTEGER) AS of_device_id,
        'ended' = 'ended' AS is_new,
        value ->> 'from' AS valid_from,
        value ->> 'until' AS valid_until
      FROM (
        SELECT undone.device_id AS undone_device_id, undone.details AS undone_details
        FROM change_log undone
        WHERE undone.rev = :undoes
      )
      CROSS JOIN json_each(undone_details -> 'ended')
      UNION ALL
      SELECT value ->> 'id' AS old_id,
        CAST(value ->> 'roleId' AS INTEGER) AS role_id,
        CAST(coalesce(value ->> 'deviceId', undone_device_id) AS INTEGER) AS of_device_id,
        'deleted' = 'ended' AS is_new,
        value ->> 'from' AS valid_from,
        value ->> 'until' AS valid_until
      FROM (
        SELECT undone.device_id AS undone_device_id, undone.details AS undone_details
        FROM change_log undone
        WHERE undone.rev = :undoes
      )
      CROSS JOIN json_each(undone_details -> 'deleted')
    )
    CROSS JOIN summary ON summary.device_id = of_device_id
  )
  WHERE begins < ends
),
receiver(role_id, may) AS MATERIALIZED (
  SELECT place.role_id,
    iif(
      (
        (SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
        OR EXISTS (
          SELECT 1
          FROM role_closure longer
          WHERE longer.descendant_id = place.role_id
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
                acting.role_id = place.role_id
                AND EXISTS (
                  SELECT 1
                  FROM role self
                  WHERE self.id = place.role_id AND self.self_rights & acting.rights & 8
                )
              )
              OR EXISTS (
                SELECT 1
                FROM role_closure path
                WHERE path.descendant_id = place.role_id
                  AND path.ancestor_id = acting.role_id
                  AND path.rights & acting.rights & 8
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
            AND own.role_id = place.role_id
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
          WHERE above.descendant_id = place.role_id
        ) acting_above
        WHERE (
          (
            acting_above.role_id = place.role_id
            AND EXISTS (
              SELECT 1
              FROM role self
              WHERE self.id = place.role_id AND self.self_rights & acting_above.rights & 8
            )
          )
          OR EXISTS (
            SELECT 1
            FROM role_closure path
            WHERE path.descendant_id = place.role_id
              AND path.ancestor_id = acting_above.role_id
              AND path.rights & acting_above.rights & 8
          )
        )
      )
    )
  FROM (
    SELECT role_id
    FROM (
      SELECT value ->> 'id' AS old_id,
        CAST(value ->> 'roleId' AS INTEGER) AS role_id,
        CAST(coalesce(value ->> 'deviceId', undone_device_id) AS INTEGER) AS of_device_id,
        'ended' = 'ended' AS is_new,
        value ->> 'from' AS valid_from,
        value ->> 'until' AS valid_until
      FROM (
        SELECT undone.device_id AS undone_device_id, undone.details AS undone_details
        FROM change_log undone
        WHERE undone.rev = :undoes
      )
      CROSS JOIN json_each(undone_details -> 'ended')
    )
    UNION
    SELECT role_id
    FROM (
      SELECT value ->> 'id' AS old_id,
        CAST(value ->> 'roleId' AS INTEGER) AS role_id,
        CAST(coalesce(value ->> 'deviceId', undone_device_id) AS INTEGER) AS of_device_id,
        'deleted' = 'ended' AS is_new,
        value ->> 'from' AS valid_from,
        value ->> 'until' AS valid_until
      FROM (
        SELECT undone.device_id AS undone_device_id, undone.details AS undone_details
        FROM change_log undone
        WHERE undone.rev = :undoes
      )
      CROSS JOIN json_each(undone_details -> 'deleted')
    )
  ) place
),
returned AS MATERIALIZED (
  SELECT device_id, count(*) AS returns, min(may) AS may_receive
  FROM back
  CROSS JOIN receiver ON receiver.role_id = back.role_id
  GROUP BY device_id
),
judged AS MATERIALIZED (
  SELECT *,
    CASE
      WHEN (managed = 0 AND NOT (total > 1000 AND summary.device_id >= last_taken))
        OR may_receive = 0 THEN 'denied'
      WHEN kept > 0 THEN 'cannot_end'
      WHEN (
        SELECT count(*)
        FROM monitors stored
        WHERE stored.device_id = summary.device_id
      ) + coalesce(returns, 0) > 300 THEN 'too_many_monitors'
      ELSE 'ok'
    END AS verdict
  FROM summary
  LEFT JOIN (
    SELECT device_id AS returned_id, returns, may_receive
    FROM returned
  ) returned ON returned_id = summary.device_id
),
worst AS MATERIALIZED (
  SELECT *
  FROM judged
  ORDER BY CASEverdict
    WHEN 'denied' THEN 0
    WHEN 'cannot_end' THEN 1
    WHEN 'too_many_monitors' THEN 2
    WHEN 'ok' THEN 3
    ELSE 4
  END,
    n
  LIMIT 1
),
lists AS MATERIALIZED (
  SELECT json_group_array(
    json_object('id', id, 'roleId', role_id, 'deviceId', device_id, 'from', valid_from, 'until', valid_until)
  ) FILTER (WHERE has_begun) AS ended,
    json_group_array(
      json_object(
        'id', id, 'roleId', role_id, 'deviceId', device_id, 'from', valid_from, 'until', valid_until
      )
    ) FILTER (WHERE NOT has_begun) AS deleted,
    json_group_array(id) FILTER (WHERE NOT has_begun) AS deleted_ids,
    json_group_array(DISTINCT device_id) FILTER (WHERE json_array_length(:deviceIds) > 1) AS parts
  FROM (
    SELECT standing.*
    FROM standing
    CROSS JOIN judged ON judged.device_id = standing.device_id
    WHERE judged.verdict = 'ok'
    ORDER BY standing.id
  )
),
begun AS MATERIALIZED (
  SELECT json_group_array(
    json_object('id', id, 'roleId', role_id, 'deviceId', device_id, 'from', valid_from, 'until', valid_until)
  ) AS made,
    json_group_array(DISTINCT device_id) FILTER (
      WHERE json_array_length(:deviceIds) > 1 AND role_id = first_role_id
    ) AS devices
  FROM (SELECT *, first_value(role_id) OVER (ORDER BY old_id) AS first_role_id FROM back ORDER BY old_id)
),
acted AS MATERIALIZED (
  SELECT acting.role_id,
    own.is_root,
    substr(acting.chain, 1, instr(acting.chain || '/', '/') - 1) AS branch,
    min(acting.role_id) OVER () AS oldest_role_id
  FROM member acting
  CROSS JOIN role own ON own.id = acting.role_id
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
          acting.role_id = (SELECT min(role_id) FROM receiver WHERE may)
          AND EXISTS (
            SELECT 1
            FROM role self
            WHERE self.id = (SELECT min(role_id) FROM receiver WHERE may)
              AND self.self_rights & acting.rights & 8
          )
        )
        OR EXISTS (
          SELECT 1
          FROM role_closure path
          WHERE path.descendant_id = (SELECT min(role_id) FROM receiver WHERE may)
            AND path.ancestor_id = acting.role_id
            AND path.rights & acting.rights & 8
        )
      )
    )
  ORDER BY own.is_root DESC, acting.role_id
  LIMIT 1
),
ruled AS MATERIALIZED (
  SELECT worst.*,
    lists.*,
    begun.*,
    CASE WHEN total > 1000 AND verdict <> 'denied' THEN 'too_many_monitors' ELSE verdict END AS ruling
  FROM worst
  CROSS JOIN lists
  CROSS JOIN begun
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
),
owing AS MATERIALIZED (
  SELECT acted.is_root,
    acted.branch,
    CASE
      WHEN acted.is_root THEN acted.role_id
      ELSE (
        SELECT above.ancestor_id
        FROM role_closure above
        CROSS JOIN role root ON root.id = above.ancestor_id AND root.is_root
        WHERE above.descendant_id = acted.role_id AND above.rights & 1
        ORDER BY above.ancestor_id
        LIMIT 1
      )
    END AS counted_to
  FROM ruled
  CROSS JOIN acted
  WHERE ruling = 'ok'
),
paying AS MATERIALIZED (
  SELECT is_root,
    counted_to,
    CASE
      WHEN NOT is_root THEN iif(
        substr(branch, 1, instr(branch, ':') - 1) = counted_to || '',
        branch,
        'root ' || substr(branch, 1, instr(branch, ':') - 1)
      )
    END AS counted_for
  FROM owing
),
decided AS MATERIALIZED (
  SELECT ruled.*,
    counted_to,
    counted_for,
    max(
      iif(
        ifnull(whole.free_at > :now + 3 * (:latestFreeAt - :now) + 60000, false), 0, whole.free_at
      ) - (
        :latestFreeAt - iif(counted_for IS NULL, 0, (:latestFreeAt - :now) / 8)
      ),
      coalesce(
        iif(ifnull(own.free_at > :now + 3 * (:latestFreeAt - :now) + 60000, false), 0, own.free_at), 0
      ) - :latestFreeAt
    ) AS wait_ms,
    CASE
      WHEN NOT (:actorId > 0)
        OR NOT EXISTS (
          SELECT 1
          FROM change_log undone
          WHERE undone.rev = :undoes
            AND undone.decision = 'ok'
            AND undone.rev > coalesce(
              (SELECT CAST(setting.value AS INTEGER) FROM setting WHERE setting.name = 'history_from'), 0
            )
            AND (undone.effect NOT IN ('compare', 'abandoned', 'part') AND undone.kind NOT LIKE '%.dry_run')
            AND (
              (
                WITH RECURSIVE place(role_id, parent_id) AS (
                  SELECT undone.role_id,
                    CAST(
                      coalesce(
                        (
                          SELECT deletion.parent_id
                          FROM change_log deletion
                          WHERE deletion.rev = (
                            SELECT max(past.to_rev)
                            FROM role_history past
                            WHERE past.role_id = undone.role_id
                          )
                        ),
                        0
                      ) AS INTEGER
                    )
                  UNION
                  SELECT place.parent_id,
                    CAST(
                      coalesce(
                        (
                          SELECT deletion.parent_id
                          FROM change_log deletion
                          WHERE deletion.rev = (
                            SELECT max(past.to_rev)
                            FROM role_history past
                            WHERE past.role_id = place.parent_id
                          )
                        ),
                        0
                      ) AS INTEGER
                    )
                  FROM place
                  WHERE place.parent_id <> 0
                  LIMIT 10000
                )
                SELECT place.role_id
                FROM place
                WHERE CASEplace.parent_id
                  WHEN 0 THEN EXISTS (
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
                            acting.role_id = place.role_id
                            AND EXISTS (
                              SELECT 1
                              FROM role self
                              WHERE self.id = place.role_id AND self.self_rights & acting.rights & 2
                            )
                          )
                          OR EXISTS (
                            SELECT 1
                            FROM role_closure path
                            WHERE path.descendant_id = place.role_id
                              AND path.ancestor_id = acting.role_id
                              AND path.rights & acting.rights & 3
                          )
                        )
                      )
                  )
                  ELSE false
                END
              ) IS NOT NULL
              OR (
                WITH RECURSIVE place(role_id, parent_id) AS (
                  SELECT undone.parent_id,
                    CAST(
                      coalesce(
                        (
                          SELECT deletion.parent_id
                          FROM change_log deletion
                          WHERE deletion.rev = (
                            SELECT max(past.to_rev)
                            FROM role_history past
                            WHERE past.role_id = undone.parent_id
                          )
                        ),
                        0
                      ) AS INTEGER
                    )
                  UNION
                  SELECT place.parent_id,
                    CAST(
                      coalesce(
                        (
                          SELECT deletion.parent_id
                          FROM change_log deletion
                          WHERE deletion.rev = (
                            SELECT max(past.to_rev)
                            FROM role_history past
                            WHERE past.role_id = place.parent_id
                          )
                        ),
                        0
                      ) AS INTEGER
                    )
                  FROM place
                  WHERE place.parent_id <> 0
                  LIMIT 10000
                )
                SELECT place.role_id
                FROM place
                WHERE CASEplace.parent_id
                  WHEN 0 THEN EXISTS (
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
                            acting.role_id = place.role_id
                            AND EXISTS (
                              SELECT 1
                              FROM role self
                              WHERE self.id = place.role_id AND self.self_rights & acting.rights & 2
                            )
                          )
                          OR EXISTS (
                            SELECT 1
                            FROM role_closure path
                            WHERE path.descendant_id = place.role_id
                              AND path.ancestor_id = acting.role_id
                              AND path.rights & acting.rights & 3
                          )
                        )
                      )
                  )
                  ELSE false
                END
              ) IS NOT NULL
            )
        ) THEN 'denied'
      WHEN false THEN 'changed_since'
      WHEN ruling = 'denied' THEN 'denied'
      WHEN EXISTS (
        SELECT 1
        FROM json_each(:deviceIds) moved
        WHERE coalesce(
          (
            SELECT max(past_device.rev)
            FROM change_log past_device
            WHERE past_device.device_id = moved.value
              AND past_device.decision = 'ok'
              AND past_device.kind IN (
                'device.transfer', 'monitors.add', 'monitors.remove', 'monitors.update'
              )
          ) > :undoneTo,
          false
        )
      ) THEN 'changed_since'
      WHEN ruling <> 'ok' THEN ruling
      WHEN (
        iif(
          ifnull(whole.free_at > :now + 3 * (:latestFreeAt - :now) + 60000, false), 0, whole.free_at
        ) > (
          :latestFreeAt - iif(counted_for IS NULL, 0, (:latestFreeAt - :now) / 8)
        )
        OR iif(
          ifnull(own.free_at > :now + 3 * (:latestFreeAt - :now) + 60000, false), 0, own.free_at
        ) > :latestFreeAt
      ) THEN 'too_much_stored'
      ELSE ruling
    END AS decision
  FROM ruled
  LEFT JOIN paying ON true
  LEFT JOIN root_usage whole ON whole.root_id = counted_to AND whole.branch = ''
  LEFT JOIN root_usage own ON own.root_id = counted_to AND own.branch = counted_for
)
INSERT INTO change_log (
  op_id,
  at,
  actor_id,
  session_id,
  kind,
  parent_id,
  role_id,
  device_id,
  relation_id,
  gone_relation_ids,
  details,
  undoes,
  via_role_id,
  counted_to,
  counted_for,
  cost,
  decision,
  effect
)
SELECT :opId,
  :now,
  :actorId,
  :sessionId,
  'device.transfer',
  CASE
    WHEN decision IN ('ok', 'noop')
      AND NOT json_array_length(:deviceIds) > 1 THEN (
        SELECT first.role_id
        FROM monitors first
        WHERE first.id = first_id
      )
  END,
  made ->> '$[0].roleId',
  CASE
    WHEN json_array_length(:deviceIds) > 1 AND (decision IN ('ok', 'noop') OR decision <> verdict) THEN NULL
    ELSE device_id
  END,
  CASE decision WHEN 'ok' THEN made ->> '$[0].id' END,
  CASE WHEN decision = 'ok' AND NOT json_array_length(:deviceIds) > 1 THEN deleted_ids END,
  CASEdecision
    WHEN 'ok' THEN json_object(
      'from',
      made ->> '$[0].from',
      'until',
      made ->> '$[0].until',
      'devices',
      json(devices),
      'made',
      json(made),
      'parts',
      json(parts),
      'ended',
      json(ended),
      'deleted',
      json(deleted)
    )
    WHEN 'cannot_end' THEN (
      SELECT json_object(
        'monitors',
        json_object(
          'first',
          json(json_group_array(json_object('id', id, 'roleId', role_id)) FILTER (WHERE is_seen)),
          'hidden',
          count(*) - coalesce(sum(is_seen), 0)
        )
      )
      FROM (
        SELECT id,
          role_id,
          iif(
            (
              (SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
              OR EXISTS (
                SELECT 1
                FROM role_closure longer
                WHERE longer.descendant_id = standing.role_id
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
                    acting.role_id = standing.role_id
                    OR EXISTS (
                      SELECT 1
                      FROM role_closure path
                      WHERE path.descendant_id = standing.role_id AND path.ancestor_id = acting.role_id
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
                  AND own.role_id = standing.role_id
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
                WHERE above.descendant_id = standing.role_id
              ) acting_above
              WHERE true
            )
          ) AS is_seen
        FROM standing
        WHERE NOT may_end AND standing.device_id = decided.device_id
        ORDER BY id
        LIMIT -1
      )
    )
    ELSE '{}'
  END,
  :undoes,
  CASE WHEN decision IN ('ok', 'noop') THEN (SELECT oldest_role_id FROM acted) END,
  counted_to,
  counted_for,
  CASE WHEN decision = 'too_much_stored' THEN wait_ms / 1000.0 ELSE NULL END,
  decision,
  CASE decision WHEN 'ok' THEN 'write' ELSE 'none' END
FROM decided
WHERE true
