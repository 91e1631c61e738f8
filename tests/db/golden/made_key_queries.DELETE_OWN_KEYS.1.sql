INSERT INTO change_log (
  op_id,
  at,
  actor_id,
  session_id,
  kind,
  role_id,
  relation_id,
  subject_id,
  old_rights,
  decision,
  effect,
  details
)
SELECT :opId || ' ' || made.id,
  :now,
  :actorId,
  :sessionId,
  'key.delete',
  made.role_id,
  made.id,
  -made.id,
  given.rights,
  'ok',
  'write',
  json_object('name', made.name)
FROM (
  SELECT *
  FROM role_key next
  WHERE next.created_by = :makerId AND (next.created_at, next.id) > (:afterTime, :afterId)
  ORDER BY next.created_at, next.id
  LIMIT 100
) made
CROSS JOIN member given ON given.id = made.id
WHERE (given.ends_at IS NULL OR given.ends_at > :now)
  AND (
    (
      EXISTS (
        SELECT 1
        FROM session guard_live
        WHERE guard_live.id = :sessionId
          AND guard_live.user_id = :actorId
          AND guard_live.ended_at IS NULL
          AND guard_live.idle_until > :now
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
    AND NOT (
      :actorId > 0
      AND NOT EXISTS (
        SELECT 1
        FROM user_account guard_proven
        WHERE guard_proven.id = :actorId AND guard_proven.security_version = :sudoVersion
      )
    )
  )
  AND (
    EXISTS (
      SELECT 1
      FROM member guard_direct
      WHERE guard_direct.user_id = :actorId
        AND guard_direct.role_id = made.role_id
        AND (guard_direct.ends_at IS NULL OR guard_direct.ends_at > :now)
    )
    OR iif(
      (
        (SELECT 1 FROM member guard_held WHERE guard_held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
        OR EXISTS (
          SELECT 1
          FROM role_closure guard_longer
          WHERE guard_longer.descendant_id = made.role_id
          LIMIT 1 OFFSET (SELECT count(*) FROM member guard_shorter WHERE guard_shorter.user_id = :actorId)
        )
      ),
      EXISTS (
        SELECT guard_path.rights & guard_own.rights AS guard_rights
        FROM member guard_own
        CROSS JOIN role_closure guard_path ON guard_path.descendant_id = made.role_id
          AND guard_path.ancestor_id = guard_own.role_id
        WHERE guard_own.user_id = :actorId AND (guard_own.ends_at IS NULL OR guard_own.ends_at > :now)
      ),
      EXISTS (
        SELECT guard_path.rights & guard_own.rights AS guard_rights
        FROM role_closure guard_path
        CROSS JOIN member guard_own ON guard_own.user_id = :actorId
          AND guard_own.role_id = guard_path.ancestor_id
          AND (guard_own.ends_at IS NULL OR guard_own.ends_at > :now)
        WHERE guard_path.descendant_id = made.role_id
      )
    )
  )
