-- also role_queries UPDATE_ROLE.apply.4
-- also role_queries UPDATE_ROLE.make.3
SELECT decision,
  cost,
  (SELECT seq FROM sqlite_sequence WHERE name = 'change_log') AS revision,
  relation_id AS relationId,
  role_id AS id,
  :name AS name,
  :selfRights AS selfRights,
  iif(
    (
      (SELECT 1 FROM member guard_held WHERE guard_held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
      OR EXISTS (
        SELECT 1
        FROM role_closure guard_longer
        WHERE guard_longer.descendant_id = change_log.role_id
        LIMIT 1 OFFSET (SELECT count(*) FROM member guard_shorter WHERE guard_shorter.user_id = :actorId)
      )
    ),
    (
      SELECT (
        max(guard_rights & 1) | max(guard_rights & 2) | max(guard_rights & 4) | max(guard_rights & 8) | max(guard_rights & 16) | max(guard_rights & 32)
      )
      FROM (
        SELECT guard_self.self_rights & guard_direct.rights AS guard_rights
        FROM member guard_direct
        CROSS JOIN role guard_self ON guard_self.id = guard_direct.role_id
        WHERE guard_direct.user_id = :actorId
          AND guard_direct.role_id = change_log.role_id
          AND (guard_direct.ends_at IS NULL OR guard_direct.ends_at > :now)
        UNION ALL
        SELECT guard_path.rights & guard_own.rights AS guard_rights
        FROM member guard_own
        CROSS JOIN role_closure guard_path ON guard_path.descendant_id = change_log.role_id
          AND guard_path.ancestor_id = guard_own.role_id
        WHERE guard_own.user_id = :actorId AND (guard_own.ends_at IS NULL OR guard_own.ends_at > :now)
      )
    ),
    (
      SELECT (
        max(guard_rights & 1) | max(guard_rights & 2) | max(guard_rights & 4) | max(guard_rights & 8) | max(guard_rights & 16) | max(guard_rights & 32)
      )
      FROM (
        SELECT guard_self.self_rights & guard_direct.rights AS guard_rights
        FROM member guard_direct
        CROSS JOIN role guard_self ON guard_self.id = guard_direct.role_id
        WHERE guard_direct.user_id = :actorId
          AND guard_direct.role_id = change_log.role_id
          AND (guard_direct.ends_at IS NULL OR guard_direct.ends_at > :now)
        UNION ALL
        SELECT guard_path.rights & guard_own.rights AS guard_rights
        FROM role_closure guard_path
        CROSS JOIN member guard_own ON guard_own.user_id = :actorId
          AND guard_own.role_id = guard_path.ancestor_id
          AND (guard_own.ends_at IS NULL OR guard_own.ends_at > :now)
        WHERE guard_path.descendant_id = change_log.role_id
      )
    )
  ) AS userRights
FROM change_log
WHERE op_id = :opId
