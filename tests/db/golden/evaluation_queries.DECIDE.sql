WITH item(key, subject, role_id, device_id, direct, indirect) AS MATERIALIZED (
  SELECT asked.key,
    coalesce(
      asked.value ->> 'principalId',
      (SELECT person.id FROM user_account person WHERE person.email = asked.value ->> 'email'),
      0
    ),
    coalesce(asked.value ->> 'roleId', 0),
    coalesce(
      asked.value ->> 'deviceId',
      (SELECT named.id FROM device named WHERE named.node_id = asked.value ->> 'nodeId'),
      0
    ),
    asked.value ->> 'direct',
    asked.value ->> 'indirect'
  FROM json_each(:items) asked
),
seen(role_id, device_id) AS MATERIALIZED (
  SELECT other.role_id, other.device_id
  FROM (SELECT DISTINCT role_id, device_id FROM item WHERE subject <> :actorId) other
  WHERE EXISTS (
    SELECT 1
    FROM (
      SELECT other.role_id AS id
      WHERE other.role_id > 0
      UNION ALL
      SELECT monitoring.role_id
      FROM monitors monitoring
      WHERE monitoring.device_id = other.device_id
      UNION ALL
      SELECT 0
      WHERE other.role_id = 0
        AND NOT EXISTS (SELECT 1 FROM monitors monitoring WHERE monitoring.device_id = other.device_id)
    ) target
    WHERE (
      EXISTS (
        SELECT 1
        FROM member acting
        WHERE acting.user_id = :actorId
          AND (acting.ends_at IS NULL OR acting.ends_at > :now)
          AND (
            (
              (
                acting.role_id = target.id
                AND EXISTS (
                  SELECT 1
                  FROM role guard_self
                  WHERE guard_self.id = target.id AND guard_self.self_rights & acting.rights & 2
                )
              )
              OR EXISTS (
                SELECT 1
                FROM role_closure guard_path
                WHERE guard_path.descendant_id = target.id
                  AND guard_path.ancestor_id = acting.role_id
                  AND guard_path.rights & acting.rights & 2
              )
            )
            OR EXISTS (
              SELECT 1
              FROM role_closure guard_path
              WHERE guard_path.descendant_id = target.id
                AND guard_path.ancestor_id = acting.role_id
                AND guard_path.rights & acting.rights & 1
            )
          )
      )
      OR CASE
        WHEN EXISTS (
          SELECT 1
          FROM role_key guard_asking
          WHERE guard_asking.id = -:actorId AND guard_asking.asks
        ) THEN EXISTS (
          SELECT 1
          FROM member acting
          WHERE acting.user_id = :actorId
            AND (acting.ends_at IS NULL OR acting.ends_at > :now)
            AND (
              (
                (
                  acting.role_id = target.id
                  AND EXISTS (
                    SELECT 1
                    FROM role guard_self
                    WHERE guard_self.id = target.id AND (0 = 0 OR guard_self.self_rights & acting.rights & 0)
                  )
                )
                OR EXISTS (
                  SELECT 1
                  FROM role_closure guard_path
                  WHERE guard_path.descendant_id = target.id
                    AND guard_path.ancestor_id = acting.role_id
                    AND (0 = 0 OR guard_path.rights & acting.rights & 0)
                )
              )
            )
        )
        ELSE false
      END
    )
  )
),
walk(roles) AS MATERIALIZED (
  SELECT count(*)
  FROM (
    SELECT 1
    FROM item
    CROSS JOIN role_closure path ON path.descendant_id = item.role_id
    WHERE item.subject <> :actorId AND (item.role_id, item.device_id) IN (SELECT role_id, device_id FROM seen)
    UNION ALL
    SELECT 1
    FROM item
    CROSS JOIN monitors monitoring ON monitoring.device_id = item.device_id
    CROSS JOIN role_closure path ON path.descendant_id = monitoring.role_id
    WHERE item.subject <> :actorId AND (item.role_id, item.device_id) IN (SELECT role_id, device_id FROM seen)
    LIMIT 500001
  )
)
SELECT (SELECT roles FROM walk) AS walked,
  CASE
    WHEN (SELECT roles FROM walk) <= :maxRoles THEN (
      SELECT json_group_array(decision)
      FROM (
        SELECT CASE
          WHEN item.subject = :actorId THEN EXISTS (
            SELECT 1
            FROM (
              SELECT item.role_id AS id
              WHERE item.role_id > 0
              UNION ALL
              SELECT monitoring.role_id
              FROM monitors monitoring
              WHERE monitoring.device_id = item.device_id
              UNION ALL
              SELECT 0
              WHERE item.role_id = 0
                AND NOT EXISTS (SELECT 1 FROM monitors monitoring WHERE monitoring.device_id = item.device_id)
            ) target
            WHERE EXISTS (
              SELECT 1
              FROM member acting
              WHERE acting.user_id = :actorId
                AND (acting.ends_at IS NULL OR acting.ends_at > :now)
                AND (
                  (
                    (
                      acting.role_id = target.id
                      AND EXISTS (
                        SELECT 1
                        FROM role guard_self
                        WHERE guard_self.id = target.id
                          AND (item.direct = 0 OR guard_self.self_rights & acting.rights & item.direct)
                      )
                    )
                    OR EXISTS (
                      SELECT 1
                      FROM role_closure guard_path
                      WHERE guard_path.descendant_id = target.id
                        AND guard_path.ancestor_id = acting.role_id
                        AND (item.indirect = 0 OR guard_path.rights & acting.rights & item.indirect)
                    )
                  )
                )
            )
          )
          WHEN (item.role_id, item.device_id) IN (SELECT role_id, device_id FROM seen) THEN EXISTS (
            SELECT 1
            FROM (
              SELECT item.role_id AS id
              WHERE item.role_id > 0
              UNION ALL
              SELECT monitoring.role_id
              FROM monitors monitoring
              WHERE monitoring.device_id = item.device_id
              UNION ALL
              SELECT 0
              WHERE item.role_id = 0
                AND NOT EXISTS (SELECT 1 FROM monitors monitoring WHERE monitoring.device_id = item.device_id)
            ) target
            WHERE EXISTS (
              SELECT 1
              FROM (
                SELECT guard_own.role_id, guard_own.rights
                FROM member guard_own
                WHERE guard_own.user_id = item.subject
                  AND guard_own.role_id = target.id
                  AND (guard_own.ends_at IS NULL OR guard_own.ends_at > :now)
                UNION ALL
                SELECT guard_above.ancestor_id, guard_many.rights
                FROM role_closure guard_above
                CROSS JOIN member guard_many ON guard_many.user_id = item.subject
                  AND guard_many.role_id = guard_above.ancestor_id
                  AND (guard_many.ends_at IS NULL OR guard_many.ends_at > :now)
                WHERE guard_above.descendant_id = target.id
              ) acting
              WHERE (
                (
                  acting.role_id = target.id
                  AND EXISTS (
                    SELECT 1
                    FROM role guard_self
                    WHERE guard_self.id = target.id
                      AND (item.direct = 0 OR guard_self.self_rights & acting.rights & item.direct)
                  )
                )
                OR EXISTS (
                  SELECT 1
                  FROM role_closure guard_path
                  WHERE guard_path.descendant_id = target.id
                    AND guard_path.ancestor_id = acting.role_id
                    AND (item.indirect = 0 OR guard_path.rights & acting.rights & item.indirect)
                )
              )
            )
          )
          ELSE 0
        END AS decision
        FROM item
        ORDER BY item.key
      )
    )
  END AS decisions,
  (SELECT seq FROM sqlite_sequence WHERE name = 'change_log') AS revision
WHERE (
  EXISTS (
    SELECT 1
    FROM session guard_session
    WHERE guard_session.id = :sessionId
      AND guard_session.user_id = :actorId
      AND guard_session.ended_at IS NULL
      AND guard_session.idle_until > :now
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
