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
    AND NOT (
      :actorId > 0
      AND NOT EXISTS (
        SELECT 1
        FROM user_account proven
        WHERE proven.id = :actorId AND proven.security_version = :sudoVersion
      )
    )
  )
  AND iif(
    (
      (SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
      OR EXISTS (
        SELECT 1
        FROM role_closure longer
        WHERE longer.descendant_id = made.role_id
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
            acting.role_id = made.role_id
            OR EXISTS (
              SELECT 1
              FROM role_closure path
              WHERE path.descendant_id = made.role_id AND path.ancestor_id = acting.role_id
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
          AND own.role_id = made.role_id
          AND (own.ends_at IS NULL OR own.ends_at > :now)
        UNION ALL
        SELECT above.ancestor_id, many.rights
        FROM role_closure above
        CROSS JOIN member many ON many.user_id = :actorId
          AND many.role_id = above.ancestor_id
          AND (many.ends_at IS NULL OR many.ends_at > :now)
        WHERE above.descendant_id = made.role_id
      ) acting_above
      WHERE true
    )
  )
