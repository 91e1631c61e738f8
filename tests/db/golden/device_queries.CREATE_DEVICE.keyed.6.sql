-- also device_queries CREATE_DEVICE.keyless.5
SELECT decision,
  cost,
  (SELECT seq FROM sqlite_sequence WHERE name = 'change_log') AS revision,
  relation_id AS relationId,
  device_id AS id,
  :properties AS properties,
  json_extract(details, '$.createdAt') AS updatedAt,
  (
    (
      SELECT guard_monitors.role_id
      FROM monitors guard_monitors
      WHERE guard_monitors.device_id = change_log.device_id
        AND iif(
          (
            (SELECT 1 FROM member guard_held WHERE guard_held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
            OR EXISTS (
              SELECT 1
              FROM role_closure guard_longer
              WHERE guard_longer.descendant_id = guard_monitors.role_id
              LIMIT 1 OFFSET (
                SELECT count(*)
                FROM member guard_shorter
                WHERE guard_shorter.user_id = :actorId
              )
            )
          ),
          EXISTS (
            SELECT 1
            FROM (
              SELECT guard_own.role_id, guard_own.rights
              FROM member guard_own
              WHERE guard_own.user_id = :actorId AND (guard_own.ends_at IS NULL OR guard_own.ends_at > :now)
            ) acting
            WHERE (
              (
                acting.role_id = guard_monitors.role_id
                AND EXISTS (
                  SELECT 1
                  FROM role guard_self
                  WHERE guard_self.id = guard_monitors.role_id AND guard_self.self_rights & acting.rights & 8
                )
              )
              OR EXISTS (
                SELECT 1
                FROM role_closure guard_path
                WHERE guard_path.descendant_id = guard_monitors.role_id
                  AND guard_path.ancestor_id = acting.role_id
                  AND guard_path.rights & acting.rights & 8
              )
            )
              OR EXISTS (
                SELECT 1
                FROM role_closure guard_path
                WHERE guard_path.descendant_id = guard_monitors.role_id
                  AND guard_path.ancestor_id = acting.role_id
                  AND guard_path.rights & acting.rights & 1
              )
          ),
          EXISTS (
            SELECT 1
            FROM (
              SELECT guard_own.role_id, guard_own.rights
              FROM member guard_own
              WHERE guard_own.user_id = :actorId
                AND guard_own.role_id = guard_monitors.role_id
                AND (guard_own.ends_at IS NULL OR guard_own.ends_at > :now)
              UNION ALL
              SELECT guard_above.ancestor_id, guard_many.rights
              FROM role_closure guard_above
              CROSS JOIN member guard_many ON guard_many.user_id = :actorId
                AND guard_many.role_id = guard_above.ancestor_id
                AND (guard_many.ends_at IS NULL OR guard_many.ends_at > :now)
              WHERE guard_above.descendant_id = guard_monitors.role_id
            ) acting
            WHERE (
              (
                acting.role_id = guard_monitors.role_id
                AND EXISTS (
                  SELECT 1
                  FROM role guard_self
                  WHERE guard_self.id = guard_monitors.role_id AND guard_self.self_rights & acting.rights & 8
                )
              )
              OR EXISTS (
                SELECT 1
                FROM role_closure guard_path
                WHERE guard_path.descendant_id = guard_monitors.role_id
                  AND guard_path.ancestor_id = acting.role_id
                  AND guard_path.rights & acting.rights & 8
              )
            )
              OR EXISTS (
                SELECT 1
                FROM role_closure guard_path
                WHERE guard_path.descendant_id = guard_monitors.role_id
                  AND guard_path.ancestor_id = acting.role_id
                  AND guard_path.rights & acting.rights & 1
              )
          )
        )
      LIMIT 1
    ) IS NOT NULL
  ) AS monitorManagement
FROM change_log
WHERE op_id = :opId
