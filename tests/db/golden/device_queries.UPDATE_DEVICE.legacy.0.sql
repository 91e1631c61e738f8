-- nearly the same: device_queries UPDATE_DEVICE.replace.0
WITH managed AS MATERIALIZED (
  SELECT (
    SELECT watching.role_id
    FROM monitors watching
    WHERE watching.device_id = :deviceId
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
                AND path.rights & acting_above.rights & 9
            )
          )
        )
      )
    LIMIT 1
  ) AS role_id
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
  SELECT acting.role_id, own.is_root
  FROM member acting
  CROSS JOIN role own ON own.id = acting.role_id
  WHERE acting.user_id = :actorId
    AND (acting.ends_at IS NULL OR acting.ends_at > :now)
    AND (
      (
        (
          acting.role_id = (SELECT role_id FROM managed)
          AND EXISTS (
            SELECT 1
            FROM role self
            WHERE self.id = (SELECT role_id FROM managed) AND self.self_rights & acting.rights & 8
          )
        )
        OR EXISTS (
          SELECT 1
          FROM role_closure path
          WHERE path.descendant_id = (SELECT role_id FROM managed)
            AND path.ancestor_id = acting.role_id
            AND path.rights & acting.rights & 9
        )
      )
    )
  ORDER BY own.is_root DESC, acting.role_id
  LIMIT 1
),
decided AS MATERIALIZED (
  SELECT device.node_id,
    managed.role_id AS managed_role_id,
    CASE
      WHEN managed.role_id IS NULL THEN 'denied'
      WHEN device.updated_at / 1000 > :unmodifiedSince THEN 'modified'
      WHEN :nodeId <> device.node_id THEN 'node_id_fixed'
      WHEN NOT EXISTS (
        SELECT key, type, value
        FROM json_each(:properties) EXCEPT
        SELECT key, type, value
        FROM json_each(device.properties)
      )
        AND json_patch(
          replace(device.properties, '\u0000', '\n' || CAST(x'F7BFBFBF' AS TEXT)),
          replace(:numbers, '\u0000', '\n' || CAST(x'F7BFBFBF' AS TEXT))
        ) = replace(
          device.properties, '\u0000', '\n' || CAST(x'F7BFBFBF' AS TEXT)
        ) THEN 'noop'
      WHEN octet_length(
        substr(
          replace(
            json_patch(
              replace(device.properties, '\u0000', '\n' || CAST(x'F7BFBFBF' AS TEXT)),
              replace(:mentioned, '\u0000', '\n' || CAST(x'F7BFBFBF' AS TEXT))
            ),
            '\n' || CAST(x'F7BFBFBF' AS TEXT),
            '\u0000'
          ),
          -1,
          -1000000
        ) || ',' || substr(:properties, 2)
      ) > 16384 THEN 'properties_too_large'
      ELSE 'ok'
    END AS ruling
  FROM managed
  LEFT JOIN device ON device.id = :deviceId
),
paying AS MATERIALIZED (
  SELECT CASE
    WHEN acted.is_root THEN acted.role_id
    ELSE (
      SELECT above.ancestor_id
      FROM role_closure above
      CROSS JOIN role root ON root.id = above.ancestor_id AND root.is_root
      WHERE above.descendant_id = acted.role_id AND above.rights & 1
      ORDER BY above.ancestor_id
      LIMIT 1
    )
  END AS counted_to,
    CASE WHEN NOT acted.is_root THEN :payer END AS counted_for
  FROM decided
  CROSS JOIN acted
  WHERE ruling = 'ok'
),
judged AS MATERIALIZED (
  SELECT decided.*,
    counted_to,
    counted_for,
    max(
      whole.free_at - (:fullAt + iif(counted_for IS NULL, (:fullAt - :now) / 2, 0)),
      coalesce(own.free_at, 0) - :fullAt
    ) AS wait_ms,
    CASE
      WHEN ruling <> 'ok' THEN ruling
      WHEN (
        whole.free_at > (:fullAt + iif(counted_for IS NULL, (:fullAt - :now) / 2, 0)) OR own.free_at > :fullAt
      ) THEN 'too_much_stored'
      ELSE ruling
    END AS decision
  FROM decided
  LEFT JOIN paying ON true
  LEFT JOIN root_usage whole ON whole.root_id = counted_to AND whole.payer = ''
  LEFT JOIN root_usage own ON own.root_id = counted_to AND own.payer = counted_for
),
logged AS MATERIALIZED (
  SELECT 'device.update' AS kind,
    :deviceId AS device_id,
    json_object('nodeId', node_id) AS details,
    counted_to AS counted_to,
    counted_for AS counted_for,
    CASE WHEN decision = 'too_much_stored' THEN wait_ms / 1000.0 ELSE NULL END AS cost,
    decision,
    CASE decision WHEN 'ok' THEN 'write' ELSE 'none' END AS effect,
    decision <> 'ok'
    AND NOT false AS is_merged
  FROM judged
)
INSERT INTO change_log (
  op_id,
  at,
  actor_id,
  session_id,
  kind,
  device_id,
  details,
  counted_to,
  counted_for,
  cost,
  decision,
  effect,
  merge_key
)
SELECT :opId,
  :now,
  :actorId,
  :sessionId,
  logged.kind,
  logged.device_id,
  logged.details,
  logged.counted_to,
  logged.counted_for,
  logged.cost,
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
      ) < 60 THEN coalesce(device_id, '-')
      ELSE ''
    END
  END
FROM logged
WHERE true ON CONFLICT (merge_key)
WHERE merge_key IS NOT NULL DO UPDATE
SET op_id = excluded.op_id,
  session_id = excluded.session_id,
  attempts = change_log.attempts + 1,
  device_id = CASE
    WHEN excluded.decision = 'noop' OR change_log.device_id IS excluded.device_id THEN excluded.device_id
  END,
  details = CASE
    WHEN excluded.decision = 'noop' OR change_log.details IS excluded.details THEN excluded.details
  END,
  counted_to = CASE
    WHEN excluded.decision = 'noop' OR change_log.counted_to IS excluded.counted_to THEN excluded.counted_to
  END,
  counted_for = CASE
    WHEN excluded.decision = 'noop'
      OR change_log.counted_for IS excluded.counted_for THEN excluded.counted_for
  END,
  cost = excluded.cost
