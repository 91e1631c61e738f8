-- also device_queries CREATE_DEVICE.keyless.5
SELECT change_log.decision,
  change_log.cost,
  (SELECT seq FROM sqlite_sequence WHERE name = 'change_log') AS revision,
  change_log.relation_id AS relationId,
  change_log.device_id AS id,
  :properties AS properties,
  json_extract(change_log.details, '$.createdAt') AS updatedAt,
  (
    (
      SELECT watching.role_id
      FROM monitors watching
      WHERE watching.device_id = change_log.device_id
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
            FROM (
              SELECT own.role_id, own.rights
              FROM member own
              WHERE own.user_id = :actorId AND (own.ends_at IS NULL OR own.ends_at > :now)
            ) acting
            WHERE (
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
              OR EXISTS (
                SELECT 1
                FROM role_closure path
                WHERE path.descendant_id = watching.role_id
                  AND path.ancestor_id = acting.role_id
                  AND path.rights & acting.rights & 1
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
            ) acting
            WHERE (
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
              OR EXISTS (
                SELECT 1
                FROM role_closure path
                WHERE path.descendant_id = watching.role_id
                  AND path.ancestor_id = acting.role_id
                  AND path.rights & acting.rights & 1
              )
            )
          )
        )
      LIMIT 1
    ) IS NOT NULL
  ) AS monitorManagement
FROM change_log
WHERE change_log.op_id = :opId
