-- like this: inverse_queries UNDO_ATTACH.preview.0
-- like this: inverse_queries UNDO_CASCADE.preview.0
-- like this: inverse_queries UNDO_MEMBER_ADD.preview.0
-- like this: inverse_queries UNDO_MEMBER_CHANGE.preview.0
-- like this: inverse_queries UNDO_RELATION_UPDATE.preview.0
-- like this: inverse_queries UNDO_ROLE_UPDATE.preview.0
-- like this: transfer_queries TRANSFER_DEVICE.preview.0
WITH standing(
  id, role_id, valid_from, valid_until, is_open, has_begun, may_end
) AS MATERIALIZED (
  SELECT standing_2.id,
    standing_2.role_id,
    standing_2.valid_from,
    standing_2.valid_until,
    (ifnull(standing_2.valid_until > :now, true) AND ifnull(standing_2.valid_from <= :now, true)),
    (standing_2.valid_from IS NULL OR standing_2.valid_from < :now),
    iif(
      (
        (SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
        OR EXISTS (
          SELECT 1
          FROM role_closure longer
          WHERE longer.descendant_id = standing_2.role_id
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
                acting.role_id = standing_2.role_id
                AND EXISTS (
                  SELECT 1
                  FROM role self
                  WHERE self.id = standing_2.role_id AND self.self_rights & acting.rights & 8
                )
              )
              OR EXISTS (
                SELECT 1
                FROM role_closure path
                WHERE path.descendant_id = standing_2.role_id
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
            AND own.role_id = standing_2.role_id
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
          WHERE above.descendant_id = standing_2.role_id
        ) acting_above
        WHERE (
          (
            acting_above.role_id = standing_2.role_id
            AND EXISTS (
              SELECT 1
              FROM role self
              WHERE self.id = standing_2.role_id AND self.self_rights & acting_above.rights & 8
            )
          )
          OR EXISTS (
            SELECT 1
            FROM role_closure path
            WHERE path.descendant_id = standing_2.role_id
              AND path.ancestor_id = acting_above.role_id
              AND path.rights & acting_above.rights & 9
          )
        )
      )
    )
  FROM monitors standing_2
  WHERE standing_2.device_id = :deviceId
    AND ifnull(standing_2.valid_until > :now, true)
    AND (
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
summary AS MATERIALIZED (
  SELECT count(*) AS relations,
    coalesce(sum(NOT may_end), 0) AS kept,
    coalesce(sum(may_end AND is_open), 0) AS managed,
    min(id) FILTER (WHERE is_open) AS first_id,
    CASE
      WHEN count(valid_until) FILTER (WHERE is_open) = sum(is_open) THEN max(valid_until) FILTER (WHERE is_open)
    END AS last_until,
    json_group_array(
      json_object('id', id, 'roleId', role_id, 'from', valid_from, 'until', valid_until)
    ) FILTER (WHERE has_begun) AS ended,
    json_group_array(
      json_object('id', id, 'roleId', role_id, 'from', valid_from, 'until', valid_until)
    ) FILTER (WHERE NOT has_begun) AS deleted,
    json_group_array(id) FILTER (WHERE NOT has_begun) AS deleted_ids
  FROM standing
),
back(old_id, id, role_id, valid_from, valid_until) AS MATERIALIZED (
  SELECT old_id,
    CASE WHEN is_new THEN NULL - 1 + sum(is_new) OVER (ORDER BY old_id) ELSE old_id END,
    role_id,
    begins,
    nullif(ends, 9007199254740991)
  FROM (
    SELECT *,
      max(coalesce(valid_from, -9007199254740991), :now) AS begins,
      min(coalesce(valid_until, 9007199254740991), coalesce(last_until, 9007199254740991)) AS ends
    FROM (
      SELECT value ->> 'id' AS old_id,
        CAST(value ->> 'roleId' AS INTEGER) AS role_id,
        'ended' = 'ended' AS is_new,
        value ->> 'from' AS valid_from,
        value ->> 'until' AS valid_until
      FROM json_each((SELECT undone.details -> 'ended' FROM change_log undone WHERE undone.rev = :undoes))
      UNION ALL
      SELECT value ->> 'id' AS old_id,
        CAST(value ->> 'roleId' AS INTEGER) AS role_id,
        'deleted' = 'ended' AS is_new,
        value ->> 'from' AS valid_from,
        value ->> 'until' AS valid_until
      FROM json_each((SELECT undone.details -> 'deleted' FROM change_log undone WHERE undone.rev = :undoes))
    )
    CROSS JOIN summary
  )
  WHERE begins < ends
),
ruled AS MATERIALIZED (
  SELECT *,
    CASE
      WHEN managed = 0
        OR EXISTS (
          SELECT 1
          FROM back
          WHERE NOT iif(
            (
              (SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
              OR EXISTS (
                SELECT 1
                FROM role_closure longer
                WHERE longer.descendant_id = back.role_id
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
                      acting.role_id = back.role_id
                      AND EXISTS (
                        SELECT 1
                        FROM role self
                        WHERE self.id = back.role_id AND self.self_rights & acting.rights & 8
                      )
                    )
                    OR EXISTS (
                      SELECT 1
                      FROM role_closure path
                      WHERE path.descendant_id = back.role_id
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
                  AND own.role_id = back.role_id
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
                WHERE above.descendant_id = back.role_id
              ) acting_above
              WHERE (
                (
                  acting_above.role_id = back.role_id
                  AND EXISTS (
                    SELECT 1
                    FROM role self
                    WHERE self.id = back.role_id AND self.self_rights & acting_above.rights & 8
                  )
                )
                OR EXISTS (
                  SELECT 1
                  FROM role_closure path
                  WHERE path.descendant_id = back.role_id
                    AND path.ancestor_id = acting_above.role_id
                    AND path.rights & acting_above.rights & 8
                )
              )
            )
          )
        ) THEN 'denied'
      WHEN kept > 0 THEN 'cannot_end'
      WHEN (
        SELECT 1
        FROM monitors stored
        WHERE stored.device_id = :deviceId
        LIMIT 1 OFFSET max(0, 300 - (SELECT count(*) FROM back))
      ) IS NOT NULL THEN 'too_many_monitors'
      ELSE 'ok'
    END AS ruling
  FROM summary
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
            AND (undone.effect NOT IN ('compare', 'abandoned') AND undone.kind NOT LIKE '%.dry_run')
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
      WHEN coalesce(
        (
          SELECT max(past_device.rev)
          FROM change_log past_device
          WHERE past_device.device_id = :deviceId
            AND past_device.decision = 'ok'
            AND past_device.kind IN ('device.transfer', 'monitors.add', 'monitors.remove', 'monitors.update')
        ) > :undoneTo,
        false
      ) THEN 'changed_since'
      WHEN ruling = 'ok'
        AND coalesce(
          (
            SELECT counter.count
            FROM throttle counter
            WHERE counter.scope = 'preview' AND counter.key = :payer AND counter.expires_at > :now
          ),
          0
        ) >= 400000 THEN 'too_many_previews'
      ELSE ruling
    END AS decision
  FROM ruled
),
logged AS MATERIALIZED (
  SELECT ('device.transfer') || '.dry_run' AS kind,
    CASE
      WHEN decision IN ('ok', 'noop') THEN (
        SELECT first.role_id
        FROM monitors first
        WHERE first.id = first_id
      )
    END AS parent_id,
    (SELECT role_id FROM back ORDER BY old_id LIMIT 1) AS role_id,
    :deviceId AS device_id,
    CASE decision WHEN 'ok' THEN (SELECT id FROM back ORDER BY old_id LIMIT 1) END AS relation_id,
    CASE decision WHEN 'ok' THEN deleted_ids END AS gone_relation_ids,
    CASEdecision
      WHEN 'ok' THEN json_object(
        'from',
        (SELECT valid_from FROM back ORDER BY old_id LIMIT 1),
        'until',
        (SELECT valid_until FROM back ORDER BY old_id LIMIT 1),
        'made',
        json(
          (
            SELECT json_group_array(
              json_object('id', id, 'roleId', role_id, 'from', valid_from, 'until', valid_until)
            )
            FROM back
          )
        ),
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
          WHERE NOT may_end
          ORDER BY id
          LIMIT -1
        )
      )
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
    WHEN is_merged THEN :payer || ' ' || (:now / 60000) || ' ' || :actorId || ' ' || kind || ' ' || decision || ' ' || CASE
      WHEN (
        SELECT count(*)
        FROM (
          SELECT 1
          FROM change_log crowd
          WHERE crowd.merge_key >= :payer || ' ' || (:now / 60000) || ' '
            AND crowd.merge_key < :payer || ' ' || (:now / 60000) || '!'
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
