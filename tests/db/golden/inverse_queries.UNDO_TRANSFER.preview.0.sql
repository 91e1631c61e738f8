-- like this: inverse_queries READ_LATER
-- like this: inverse_queries UNDO_ATTACH.preview.0
-- like this: inverse_queries UNDO_CASCADE.preview.0
-- like this: key_queries CREATE_KEY.preview.0
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
    CASE WHEN is_new THEN NULL - 1 + sum(is_new) OVER (ORDER BY old_id) ELSE old_id END,
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
decided AS MATERIALIZED (
  SELECT *,
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
      ELSE ruling
    END AS decision
  FROM ruled
),
logged AS MATERIALIZED (
  SELECT ('device.transfer') || '.dry_run' AS kind,
    CASE
      WHEN decision IN ('ok', 'noop')
        AND NOT json_array_length(:deviceIds) > 1 THEN (
          SELECT first.role_id
          FROM monitors first
          WHERE first.id = first_id
        )
    END AS parent_id,
    made ->> '$[0].roleId' AS role_id,
    CASE
      WHEN json_array_length(:deviceIds) > 1 AND (decision IN ('ok', 'noop') OR decision <> verdict) THEN NULL
      ELSE device_id
    END AS device_id,
    CASE decision WHEN 'ok' THEN made ->> '$[0].id' END AS relation_id,
    CASE
      WHEN decision = 'ok' AND NOT json_array_length(:deviceIds) > 1 THEN deleted_ids
    END AS gone_relation_ids,
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
    END AS details,
    :undoes AS undoes,
    decision,
    CASE decision WHEN 'ok' THEN 'none' ELSE 'none' END AS effect,
    true AS is_merged
  FROM decided
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
  decision,
  effect,
  merge_key
)
SELECT :opId,
  :now,
  :actorId,
  :sessionId,
  logged.kind,
  logged.parent_id,
  logged.role_id,
  logged.device_id,
  logged.relation_id,
  logged.gone_relation_ids,
  logged.details,
  logged.undoes,
  logged.decision,
  logged.effect,
  CASE
    WHEN is_merged THEN :branch || ' ' || (:now / 60000) || ' ' || :actorId || ' ' || kind || ' ' || decision || ' ' || CASE
      WHEN (
        SELECT count(*)
        FROM (
          SELECT 1
          FROM change_log crowd
          WHERE crowd.merge_key >= :branch || ' ' || (:now / 60000) || ' '
            AND crowd.merge_key < :branch || ' ' || (:now / 60000) || '!'
          LIMIT 60
        )
      ) < 60 THEN coalesce(parent_id, '-') || ' ' || coalesce(role_id, '-') || ' ' || coalesce(relation_id, '-') || ' ' || coalesce(device_id, '-')
      ELSE ''
    END
  END
FROM logged
WHERE true ON CONFLICT (merge_key)
WHERE merge_key IS NOT NULL DO UPDATE
SET op_id = excluded.op_id,
  session_id = excluded.session_id,
  attempts = change_log.attempts + 1,
  parent_id = excluded.parent_id,
  role_id = excluded.role_id,
  device_id = excluded.device_id,
  relation_id = excluded.relation_id,
  gone_relation_ids = excluded.gone_relation_ids,
  details = excluded.details,
  undoes = excluded.undoes,
  decision = excluded.decision,
  effect = excluded.effect
