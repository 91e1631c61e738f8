-- like this: transfer_queries TRANSFER_DEVICE.preview.0
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
          AND (acting.ends_at IS NULL OR acting.ends_at > :now)
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
            AND (own.ends_at IS NULL OR own.ends_at > :now)
          UNION ALL
          SELECT above.ancestor_id, many.rights
          FROM role_closure above
          CROSS JOIN member many ON many.user_id = :actorId
            AND many.role_id = above.ancestor_id
            AND (many.ends_at IS NULL OR many.ends_at > :now)
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
        ifnull(of_pair.valid_until > :now, true)
        OR (:setsUntil AND of_pair.valid_until IS :until AND (NOT :setsFrom OR of_pair.valid_from IS :from))
      )
    ORDER BY ifnull(of_pair.valid_until > :now, true) DESC, of_pair.id DESC
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
              AND (acting.ends_at IS NULL OR acting.ends_at > :now)
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
                    AND (own.ends_at IS NULL OR own.ends_at > :now)
                  UNION ALL
                  SELECT above.ancestor_id, many.rights
                  FROM role_closure above
                  CROSS JOIN member many ON many.user_id = made.created_by
                    AND many.role_id = above.ancestor_id
                    AND (many.ends_at IS NULL OR many.ends_at > :now)
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
                    AND (own.ends_at IS NULL OR own.ends_at > :now)
                  UNION ALL
                  SELECT above.ancestor_id, many.rights
                  FROM role_closure above
                  CROSS JOIN member many ON many.user_id = made.created_by
                    AND many.role_id = above.ancestor_id
                    AND (many.ends_at IS NULL OR many.ends_at > :now)
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
decided AS MATERIALIZED (
  SELECT *,
    CASE
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
  SELECT (CASE WHEN is_new THEN 'monitors.add' ELSE 'monitors.update' END) || '.dry_run' AS kind,
    :roleId AS role_id,
    :deviceId AS device_id,
    CASE WHEN decision = 'ok' AND is_new THEN NULL ELSE relation_id END AS relation_id,
    CASE
      WHEN decision IN ('ok', 'noop') THEN json_object(
        'from', new_from, 'until', new_until, 'oldFrom', old_from, 'oldUntil', old_until
      )
    END AS details,
    decision,
    CASE decision WHEN 'ok' THEN 'none' ELSE 'none' END AS effect,
    true AS is_merged
  FROM decided
)
INSERT INTO change_log (
  op_id, at, actor_id, session_id, kind, role_id, device_id, relation_id, details, decision, effect, merge_key
)
SELECT :opId,
  :now,
  :actorId,
  :sessionId,
  logged.kind,
  logged.role_id,
  logged.device_id,
  logged.relation_id,
  logged.details,
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
      ) < 60 THEN coalesce(role_id, '-') || ' ' || coalesce(relation_id, '-') || ' ' || coalesce(device_id, '-')
      ELSE ''
    END
  END
FROM logged
WHERE true ON CONFLICT (merge_key)
WHERE merge_key IS NOT NULL DO UPDATE
SET op_id = excluded.op_id,
  session_id = excluded.session_id,
  attempts = change_log.attempts + 1,
  role_id = excluded.role_id,
  device_id = excluded.device_id,
  relation_id = excluded.relation_id,
  details = excluded.details,
  decision = excluded.decision,
  effect = excluded.effect
