-- like this: adoption_queries ADOPT_KEY.apply.0
-- like this: adoption_queries ADOPT_KEY.make.0
-- like this: demand_queries SET_DEMAND.apply.0
-- like this: demand_queries SET_DEMAND.make.0
-- like this: device_queries CREATE_DEVICE.keyed.0
-- like this: device_queries CREATE_DEVICE.keyed.7
-- like this: device_queries CREATE_DEVICE.keyless.0
-- like this: device_queries CREATE_DEVICE.keyless.6
-- like this: device_queries CREATE_DEVICES.keyed.0
-- like this: device_queries CREATE_DEVICES.keyless.0
-- like this: device_queries PREVIEW_CREATION.keyed.0
-- like this: device_queries UPDATE_DEVICE.legacy.0
-- like this: device_queries UPDATE_DEVICE.replace.0
-- like this: ending_queries END_ACCESS.apply.0
-- like this: ending_queries END_ACCESS.make.0
-- like this: inverse_queries UNDO_ATTACH.apply.0
-- like this: inverse_queries UNDO_ATTACH.make.0
-- like this: inverse_queries UNDO_ATTACH.preview.0
-- like this: inverse_queries UNDO_DETACH.make.0
-- like this: inverse_queries UNDO_DETACH.preview.0
-- like this: inverse_queries UNDO_DEVICE_DELETION.apply.0
-- like this: inverse_queries UNDO_DEVICE_DELETION.make.0
-- like this: inverse_queries UNDO_DEVICE_DELETION.preview.0
-- like this: inverse_queries UNDO_PERIOD.apply.0
-- like this: inverse_queries UNDO_PERIOD.make.0
-- like this: inverse_queries UNDO_PERIOD.preview.0
-- like this: key_queries CREATE_KEY.apply.0
-- like this: key_queries CREATE_KEY.make.0
-- like this: monitors_queries PUT_MONITORS.apply.0
-- like this: monitors_queries PUT_MONITORS.make.0
-- like this: monitors_queries PUT_MONITORS.preview.0
-- like this: role_password_queries SET_ROLE_PASSWORD.0
WITH giver AS MATERIALIZED (
  SELECT watching.valid_from, watching.valid_until
  FROM monitors watching
  WHERE watching.device_id = :deviceId
    AND (ifnull(watching.valid_until > :now, true) AND ifnull(watching.valid_from <= :now, true))
    AND iif(
      (
        (SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
        OR EXISTS (
          SELECT 1
          FROM role_closure longer
          WHERE longer.descendant_id = watching.role_id
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
                acting.role_id = watching.role_id
                AND EXISTS (
                  SELECT 1
                  FROM role self
                  WHERE self.id = watching.role_id AND self.self_rights & acting.rights & 8
                )
              )
              OR EXISTS (
                SELECT 1
                FROM role_closure path
                WHERE path.descendant_id = watching.role_id
                  AND path.ancestor_id = acting.role_id
                  AND path.rights & acting.rights & 8
              )
            )
            AND (
              (
                acting.role_id = :roleId
                AND EXISTS (
                  SELECT 1
                  FROM role self
                  WHERE self.id = :roleId AND self.self_rights & acting.rights & 8
                )
              )
              OR EXISTS (
                SELECT 1
                FROM role_closure path
                WHERE path.descendant_id = :roleId
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
            AND own.role_id = watching.role_id
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
          WHERE above.descendant_id = watching.role_id
        ) acting_above
        WHERE (
          (
            acting_above.role_id = watching.role_id
            AND EXISTS (
              SELECT 1
              FROM role self
              WHERE self.id = watching.role_id AND self.self_rights & acting_above.rights & 8
            )
          )
          OR EXISTS (
            SELECT 1
            FROM role_closure path
            WHERE path.descendant_id = watching.role_id
              AND path.ancestor_id = acting_above.role_id
              AND path.rights & acting_above.rights & 8
          )
        )
          AND (
            (
              acting_above.role_id = :roleId
              AND EXISTS (
                SELECT 1
                FROM role self
                WHERE self.id = :roleId AND self.self_rights & acting_above.rights & 8
              )
            )
            OR EXISTS (
              SELECT 1
              FROM role_closure path
              WHERE path.descendant_id = :roleId
                AND path.ancestor_id = acting_above.role_id
                AND path.rights & acting_above.rights & 8
            )
          )
      )
    )
),
best AS MATERIALIZED (
  SELECT giver.valid_from, giver.valid_until
  FROM giver
  WHERE (NOT :setsFrom OR coalesce(giver.valid_from, -9007199254740991) <= coalesce(:from, -9007199254740991))
    AND (
      NOT :setsUntil OR coalesce(:until, 9007199254740991) <= coalesce(giver.valid_until, 9007199254740991)
    )
  ORDER BY coalesce(giver.valid_until, 9007199254740991) DESC, coalesce(giver.valid_from, -9007199254740991)
  LIMIT 1
),
planned AS MATERIALIZED (
  SELECT existing.id AS relation_id,
    existing.valid_from AS old_from,
    existing.valid_until AS old_until,
    CASE
      WHEN :setsFrom THEN :from
      WHEN existing.id IS NOT NULL THEN existing.valid_from
      ELSE (SELECT valid_from FROM best)
    END AS new_from,
    CASE
      WHEN :setsUntil THEN :until
      WHEN existing.id IS NOT NULL THEN existing.valid_until
      ELSE (SELECT valid_until FROM best)
    END AS new_until
  FROM (SELECT 1) principal
  LEFT JOIN monitors existing ON existing.id = (
    SELECT of_pair.id
    FROM monitors of_pair
    WHERE of_pair.device_id = :deviceId
      AND of_pair.role_id = :roleId
      AND (
        of_pair.id = :relationId OR (ifnull(of_pair.valid_until > :now, true) AND ifnull(:until > :now, true))
      )
    LIMIT 1
  )
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
          acting.role_id = :roleId
          AND EXISTS (
            SELECT 1
            FROM role self
            WHERE self.id = :roleId AND self.self_rights & acting.rights & 8
          )
        )
        OR EXISTS (
          SELECT 1
          FROM role_closure path
          WHERE path.descendant_id = :roleId
            AND path.ancestor_id = acting.role_id
            AND path.rights & acting.rights & 8
        )
      )
    )
  ORDER BY own.is_root DESC, acting.role_id
  LIMIT 1
),
ruled AS MATERIALIZED (
  SELECT *,
    relation_id IS NULL AS is_new,
    CASE
      WHEN NOT EXISTS (SELECT 1 FROM giver)
        AND NOT (
          NOT (
            relation_id IS NULL
            OR coalesce(old_until, 9007199254740991) < coalesce(new_until, 9007199254740991)
          )
          AND (:setsFrom OR :setsUntil)
          AND EXISTS (
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
                    acting.role_id = :roleId
                    AND EXISTS (
                      SELECT 1
                      FROM role self
                      WHERE self.id = :roleId AND self.self_rights & acting.rights & 8
                    )
                  )
                  OR EXISTS (
                    SELECT 1
                    FROM role_closure path
                    WHERE path.descendant_id = :roleId
                      AND path.ancestor_id = acting.role_id
                      AND path.rights & acting.rights & 9
                  )
                )
              )
          )
        )
        AND NOT (
          :retired
          AND EXISTS (
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
                    acting.role_id = :roleId
                    AND EXISTS (
                      SELECT 1
                      FROM role self
                      WHERE self.id = :roleId AND self.self_rights & acting.rights & 8
                    )
                  )
                  OR EXISTS (
                    SELECT 1
                    FROM role_closure path
                    WHERE path.descendant_id = :roleId
                      AND path.ancestor_id = acting.role_id
                      AND path.rights & acting.rights & 9
                  )
                )
              )
          )
          AND CASE
            WHEN EXISTS (
              SELECT 1
              FROM monitors holding
              WHERE holding.device_id = :deviceId
                AND ifnull(
                  holding.valid_until > (SELECT undone.at FROM change_log undone WHERE undone.rev = :undoes),
                  true
                )
            ) THEN false
            WHEN EXISTS (
              SELECT 1
              FROM change_log later
              WHERE later.device_id = :deviceId
                AND later.rev > :undoes
                AND later.decision = 'ok'
                AND later.kind <> 'monitors.remove'
                AND later.kind IN ('device.transfer', 'monitors.add', 'monitors.remove', 'monitors.update')
            ) THEN false
            ELSE NOT EXISTS (
              SELECT 1
              FROM deleted_monitors lost
              WHERE lost.device_id = :deviceId
                AND lost.rev > :undoes
                AND ifnull(
                  lost.valid_until > (SELECT undone.at FROM change_log undone WHERE undone.rev = :undoes),
                  true
                )
            )
          END
          AND EXISTS (
            SELECT 1
            FROM device self
            WHERE self.id = :deviceId
              AND (
                self.id = (SELECT max(newest.id) FROM device newest WHERE newest.node_id = self.node_id)
                AND NOT EXISTS (
                  SELECT 1
                  FROM gone_device
                  WHERE gone_device.node_id = self.node_id
                    AND CASE
                      WHEN gone_device.purge_at > :now THEN gone_device.role_id IS NOT :roleId
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
          )
        ) THEN 'denied'
      WHEN NOT NOT EXISTS (
        SELECT 1
        FROM role_key made
        WHERE made.id = -:actorId
          AND made.created_by IS NOT NULL
          AND (
            (
              relation_id IS NULL
              OR coalesce(old_until, 9007199254740991) < coalesce(new_until, 9007199254740991)
            )
          )
          AND NOT EXISTS (
            SELECT 1
            FROM monitors watching
            WHERE watching.device_id = :deviceId
              AND (ifnull(watching.valid_until > :now, true) AND ifnull(watching.valid_from <= :now, true))
              AND true
              AND EXISTS (
                SELECT 1
                FROM (
                  SELECT own.role_id, own.rights
                  FROM member own
                  WHERE own.user_id = made.created_by
                    AND own.role_id = watching.role_id
                    AND (
                      (own.ends_at IS NULL OR own.ends_at > :now)
                      AND (
                        own.user_id < 0
                        OR EXISTS (SELECT 1 FROM user_account held_by WHERE held_by.id = own.user_id)
                      )
                    )
                  UNION ALL
                  SELECT above.ancestor_id, many.rights
                  FROM role_closure above
                  CROSS JOIN member many ON many.user_id = made.created_by
                    AND many.role_id = above.ancestor_id
                    AND (
                      (many.ends_at IS NULL OR many.ends_at > :now)
                      AND (
                        many.user_id < 0
                        OR EXISTS (SELECT 1 FROM user_account held_by WHERE held_by.id = many.user_id)
                      )
                    )
                  WHERE above.descendant_id = watching.role_id
                ) acting_above
                WHERE (
                  (
                    acting_above.role_id = watching.role_id
                    AND EXISTS (
                      SELECT 1
                      FROM role self
                      WHERE self.id = watching.role_id AND self.self_rights & acting_above.rights & 8
                    )
                  )
                  OR EXISTS (
                    SELECT 1
                    FROM role_closure path
                    WHERE path.descendant_id = watching.role_id
                      AND path.ancestor_id = acting_above.role_id
                      AND path.rights & acting_above.rights & 8
                  )
                )
                  AND (
                    (
                      acting_above.role_id = :roleId
                      AND EXISTS (
                        SELECT 1
                        FROM role self
                        WHERE self.id = :roleId AND self.self_rights & acting_above.rights & 8
                      )
                    )
                    OR EXISTS (
                      SELECT 1
                      FROM role_closure path
                      WHERE path.descendant_id = :roleId
                        AND path.ancestor_id = acting_above.role_id
                        AND path.rights & acting_above.rights & 8
                    )
                  )
              )
          )
      ) THEN 'denied'
      WHEN relation_id IS NOT NULL
        AND coalesce(new_from, -9007199254740991) < coalesce(old_from, -9007199254740991) THEN 'period_begins_earlier'
      WHEN coalesce(new_from, -9007199254740991) >= coalesce(new_until, 9007199254740991) THEN 'period_empty'
      WHEN relation_id IS NOT NULL AND new_from IS old_from AND new_until IS old_until THEN 'noop'
      WHEN (
        relation_id IS NULL OR coalesce(old_until, 9007199254740991) < coalesce(new_until, 9007199254740991)
      )
        AND NOT (
          :retired
          AND EXISTS (
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
                    acting.role_id = :roleId
                    AND EXISTS (
                      SELECT 1
                      FROM role self
                      WHERE self.id = :roleId AND self.self_rights & acting.rights & 8
                    )
                  )
                  OR EXISTS (
                    SELECT 1
                    FROM role_closure path
                    WHERE path.descendant_id = :roleId
                      AND path.ancestor_id = acting.role_id
                      AND path.rights & acting.rights & 9
                  )
                )
              )
          )
          AND CASE
            WHEN EXISTS (
              SELECT 1
              FROM monitors holding
              WHERE holding.device_id = :deviceId
                AND ifnull(
                  holding.valid_until > (SELECT undone.at FROM change_log undone WHERE undone.rev = :undoes),
                  true
                )
            ) THEN false
            WHEN EXISTS (
              SELECT 1
              FROM change_log later
              WHERE later.device_id = :deviceId
                AND later.rev > :undoes
                AND later.decision = 'ok'
                AND later.kind <> 'monitors.remove'
                AND later.kind IN ('device.transfer', 'monitors.add', 'monitors.remove', 'monitors.update')
            ) THEN false
            ELSE NOT EXISTS (
              SELECT 1
              FROM deleted_monitors lost
              WHERE lost.device_id = :deviceId
                AND lost.rev > :undoes
                AND ifnull(
                  lost.valid_until > (SELECT undone.at FROM change_log undone WHERE undone.rev = :undoes),
                  true
                )
            )
          END
          AND EXISTS (
            SELECT 1
            FROM device self
            WHERE self.id = :deviceId
              AND (
                self.id = (SELECT max(newest.id) FROM device newest WHERE newest.node_id = self.node_id)
                AND NOT EXISTS (
                  SELECT 1
                  FROM gone_device
                  WHERE gone_device.node_id = self.node_id
                    AND CASE
                      WHEN gone_device.purge_at > :now THEN gone_device.role_id IS NOT :roleId
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
          )
        )
        AND NOT EXISTS (
          SELECT 1
          FROM giver
          WHERE (
            coalesce(giver.valid_from, -9007199254740991) <= coalesce(
              iif(relation_id IS NULL, new_from, old_until), -9007199254740991
            )
            AND coalesce(new_until, 9007199254740991) <= coalesce(giver.valid_until, 9007199254740991)
          )
        ) THEN 'period_outside'
      WHEN NOT NOT EXISTS (
        SELECT 1
        FROM role_key made
        WHERE made.id = -:actorId
          AND made.created_by IS NOT NULL
          AND (
            (
              relation_id IS NULL
              OR coalesce(old_until, 9007199254740991) < coalesce(new_until, 9007199254740991)
            )
          )
          AND NOT EXISTS (
            SELECT 1
            FROM monitors watching
            WHERE watching.device_id = :deviceId
              AND (ifnull(watching.valid_until > :now, true) AND ifnull(watching.valid_from <= :now, true))
              AND (
                coalesce(watching.valid_from, -9007199254740991) <= coalesce(
                  iif(relation_id IS NULL, new_from, old_until), -9007199254740991
                )
                AND coalesce(new_until, 9007199254740991) <= coalesce(watching.valid_until, 9007199254740991)
              )
              AND EXISTS (
                SELECT 1
                FROM (
                  SELECT own.role_id, own.rights
                  FROM member own
                  WHERE own.user_id = made.created_by
                    AND own.role_id = watching.role_id
                    AND (
                      (own.ends_at IS NULL OR own.ends_at > :now)
                      AND (
                        own.user_id < 0
                        OR EXISTS (SELECT 1 FROM user_account held_by WHERE held_by.id = own.user_id)
                      )
                    )
                  UNION ALL
                  SELECT above.ancestor_id, many.rights
                  FROM role_closure above
                  CROSS JOIN member many ON many.user_id = made.created_by
                    AND many.role_id = above.ancestor_id
                    AND (
                      (many.ends_at IS NULL OR many.ends_at > :now)
                      AND (
                        many.user_id < 0
                        OR EXISTS (SELECT 1 FROM user_account held_by WHERE held_by.id = many.user_id)
                      )
                    )
                  WHERE above.descendant_id = watching.role_id
                ) acting_above
                WHERE (
                  (
                    acting_above.role_id = watching.role_id
                    AND EXISTS (
                      SELECT 1
                      FROM role self
                      WHERE self.id = watching.role_id AND self.self_rights & acting_above.rights & 8
                    )
                  )
                  OR EXISTS (
                    SELECT 1
                    FROM role_closure path
                    WHERE path.descendant_id = watching.role_id
                      AND path.ancestor_id = acting_above.role_id
                      AND path.rights & acting_above.rights & 8
                  )
                )
                  AND (
                    (
                      acting_above.role_id = :roleId
                      AND EXISTS (
                        SELECT 1
                        FROM role self
                        WHERE self.id = :roleId AND self.self_rights & acting_above.rights & 8
                      )
                    )
                    OR EXISTS (
                      SELECT 1
                      FROM role_closure path
                      WHERE path.descendant_id = :roleId
                        AND path.ancestor_id = acting_above.role_id
                        AND path.rights & acting_above.rights & 8
                    )
                  )
              )
          )
      ) THEN 'period_outside'
      WHEN relation_id IS NULL
        AND (
          (
            SELECT 1
            FROM monitors counted
            WHERE counted.device_id = :deviceId AND ifnull(counted.valid_until > :now, true)
            LIMIT 1 OFFSET 99
          ) IS NOT NULL
          OR (SELECT 1 FROM monitors kept WHERE kept.device_id = :deviceId LIMIT 1 OFFSET 199) IS NOT NULL
        ) THEN 'too_many_monitors'
      ELSE 'ok'
    END AS ruling
  FROM planned
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
      WHEN (
        relation_id IS NOT NULL
        OR (
          SELECT max(lost.rev)
          FROM deleted_monitors lost
          WHERE lost.monitors_id = :relationId
        ) IS NOT :undoes
      ) THEN 'changed_since'
      WHEN ruling <> 'ok' THEN ruling
      WHEN NOT (
        NOT (
          relation_id IS NULL OR coalesce(old_until, 9007199254740991) < coalesce(new_until, 9007199254740991)
        )
        AND old_until IS NULL
        AND new_until IS NOT NULL
      )
        AND (
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
  role_id,
  device_id,
  relation_id,
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
  'monitors.add',
  :roleId,
  :deviceId,
  CASE WHEN decision = 'ok' AND is_new THEN :relationId ELSE relation_id END,
  CASE
    WHEN decision IN ('ok', 'noop') THEN json_object(
      'from', new_from, 'until', new_until, 'oldFrom', old_from, 'oldUntil', old_until
    )
  END,
  :undoes,
  CASE
    WHEN decision IN ('ok', 'noop') THEN coalesce(
      (SELECT oldest_role_id FROM acted),
      (
        SELECT min(acting.role_id)
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
                acting.role_id = :roleId
                AND EXISTS (
                  SELECT 1
                  FROM role self
                  WHERE self.id = :roleId AND self.self_rights & acting.rights & 8
                )
              )
              OR EXISTS (
                SELECT 1
                FROM role_closure path
                WHERE path.descendant_id = :roleId
                  AND path.ancestor_id = acting.role_id
                  AND path.rights & acting.rights & 9
              )
            )
          )
      )
    )
  END,
  counted_to,
  counted_for,
  CASE WHEN decision = 'too_much_stored' THEN wait_ms / 1000.0 ELSE NULL END,
  decision,
  CASE WHEN decision <> 'ok' THEN 'none' WHEN is_new THEN 'write' ELSE 'update' END
FROM decided
WHERE true
