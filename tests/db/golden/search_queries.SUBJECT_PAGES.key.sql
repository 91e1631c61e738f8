-- like this: search_queries SUBJECT_PAGES.user
WITH item(key, subject, role_id, device_id, direct, indirect, meets) AS MATERIALIZED (
  SELECT asked.key,
    coalesce(
      asked.value ->> 'principalId',
      (SELECT user_account.id FROM user_account WHERE user_account.email = asked.value ->> 'email'),
      0
    ),
    coalesce(asked.value ->> 'roleId', 0),
    coalesce(
      asked.value ->> 'deviceId',
      (SELECT max(newest.id) FROM device newest WHERE newest.node_id = asked.value ->> 'nodeId'),
      0
    ),
    asked.value ->> 'direct',
    asked.value ->> 'indirect',
    asked.value ->> 'meets'
  FROM json_each(:items) asked
),
asked(role_id, device_id, direct, indirect) AS MATERIALIZED (
  SELECT role_id, device_id, direct, indirect
  FROM item
  WHERE EXISTS (
    SELECT 1
    FROM (
      SELECT item.role_id AS id
      WHERE item.role_id > 0
      UNION ALL
      SELECT watching.role_id
      FROM monitors watching
      WHERE watching.device_id = item.device_id
        AND (ifnull(watching.valid_until > :now, true) AND ifnull(watching.valid_from <= :now, true))
      UNION ALL
      SELECT 0
      WHERE item.role_id = 0
        AND NOT EXISTS (
          SELECT 1
          FROM monitors other
          WHERE other.device_id = item.device_id
            AND (ifnull(other.valid_until > :now, true) AND ifnull(other.valid_from <= :now, true))
        )
    ) seen
    WHERE (
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
                acting.role_id = seen.id
                AND EXISTS (
                  SELECT 1
                  FROM role self
                  WHERE self.id = seen.id AND self.self_rights & acting.rights & 2
                )
              )
              OR EXISTS (
                SELECT 1
                FROM role_closure path
                WHERE path.descendant_id = seen.id
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
                acting.role_id = seen.id
                OR EXISTS (
                  SELECT 1
                  FROM role_closure path
                  WHERE path.descendant_id = seen.id AND path.ancestor_id = acting.role_id
                )
              )
            )
        )
        ELSE false
      END
    )
  )
),
target(id, direct, indirect) AS MATERIALIZED (
  SELECT role_id, direct, indirect
  FROM asked
  WHERE role_id > 0
  UNION ALL
  SELECT watching.role_id, direct, indirect
  FROM asked
  CROSS JOIN monitors watching ON watching.device_id = asked.device_id
    AND (ifnull(watching.valid_until > :now, true) AND ifnull(watching.valid_from <= :now, true))
),
reached(role_id, rights, is_enough) AS MATERIALIZED (
  SELECT self.id, self.self_rights & target.direct, target.direct = 0
  FROM target
  CROSS JOIN role self ON self.id = target.id
  UNION ALL
  SELECT path.ancestor_id, path.rights & target.indirect, target.indirect = 0
  FROM target
  CROSS JOIN role_closure path ON path.descendant_id = target.id
),
staffed(role_id, rights, is_enough) AS MATERIALIZED (
  SELECT role_id, rights, is_enough
  FROM reached
  WHERE (is_enough OR rights)
    AND EXISTS (
      SELECT 1
      FROM member later
      WHERE later.role_id = reached.role_id AND later.user_id < -:afterId
    )
),
share(size) AS MATERIALIZED (SELECT max(1, min(:limit, 20000 / max(1, count(*)))) FROM staffed),
stretch(last_id) AS MATERIALIZED (
  SELECT coalesce(
    min(
      (
        SELECT -later.user_id
        FROM member later
        WHERE later.role_id = staffed.role_id AND later.user_id < -:afterId
        ORDER BY later.user_id DESC
        LIMIT 1 OFFSET (SELECT size FROM share) - 1
      )
    ),
    9223372036854775807
  )
  FROM staffed
)
SELECT (
  SELECT json_group_array(json_object('id', found.id))
  FROM (
    SELECT -listed.user_id AS id
    FROM staffed
    CROSS JOIN member listed ON listed.role_id = staffed.role_id
      AND listed.user_id < -:afterId
      AND listed.user_id >= -stretch.last_id
    WHERE (staffed.is_enough OR staffed.rights & listed.rights)
      AND (
        (listed.ends_at IS NULL OR listed.ends_at > :now)
        AND (
          listed.user_id < 0 OR EXISTS (SELECT 1 FROM user_account held_by WHERE held_by.id = listed.user_id)
        )
      )
      AND listed.user_id <> :actorId
      AND iif(listed.needs_from > :now, listed.needs_before, listed.needs) <= (SELECT meets FROM item)
    UNION
    SELECT -own.user_id
    FROM item
    CROSS JOIN (SELECT :actorId AS user_id) own
    WHERE own.user_id < -:afterId
      AND own.user_id >= -stretch.last_id
      AND EXISTS (
        SELECT 1
        FROM (
          SELECT item.role_id AS id
          WHERE item.role_id > 0
          UNION ALL
          SELECT watching.role_id
          FROM monitors watching
          WHERE watching.device_id = item.device_id
            AND (ifnull(watching.valid_until > :now, true) AND ifnull(watching.valid_from <= :now, true))
          UNION ALL
          SELECT 0
          WHERE item.role_id = 0
            AND NOT EXISTS (
              SELECT 1
              FROM monitors other
              WHERE other.device_id = item.device_id
                AND (ifnull(other.valid_until > :now, true) AND ifnull(other.valid_from <= :now, true))
            )
        ) target
        WHERE EXISTS (
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
                  acting.role_id = target.id
                  AND EXISTS (
                    SELECT 1
                    FROM role self
                    WHERE self.id = target.id
                      AND (item.direct = 0 OR self.self_rights & acting.rights & item.direct)
                  )
                )
                OR EXISTS (
                  SELECT 1
                  FROM role_closure path
                  WHERE path.descendant_id = target.id
                    AND path.ancestor_id = acting.role_id
                    AND (item.indirect = 0 OR path.rights & acting.rights & item.indirect)
                )
              )
            )
        )
      )
    ORDER BY 1
    LIMIT +:limit
  ) found
) AS rows,
  nullif(stretch.last_id, 9223372036854775807) AS walkedTo,
  (SELECT seq FROM sqlite_sequence WHERE name = 'change_log') AS revision
FROM stretch
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
