WITH RECURSIVE guard_named(role_id) AS MATERIALIZED (
  SELECT DISTINCT CAST(value AS INTEGER)
  FROM json_each(:roleIds)
),
guard_above(role_id) AS MATERIALIZED (
  SELECT role_id
  FROM guard_named
  WHERE NOT ((SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL)
  UNION
  SELECT up.parent_id
  FROM guard_above
  CROSS JOIN manages up ON up.child_id = guard_above.role_id
),
guard_entering(parent_id, child_id) AS MATERIALIZED (
  SELECT entered.parent_id, entered.child_id
  FROM guard_above
  CROSS JOIN manages entered ON entered.child_id = guard_above.role_id
),
guard_reached(role_id) AS MATERIALIZED (
  SELECT own.role_id
  FROM guard_above
  CROSS JOIN member own ON own.user_id = :actorId
    AND own.role_id = guard_above.role_id
    AND (own.ends_at IS NULL OR own.ends_at > :now)
  UNION
  SELECT guard_entering.child_id
  FROM guard_reached
  CROSS JOIN guard_entering ON guard_entering.parent_id = guard_reached.role_id
),
seen(role_id) AS MATERIALIZED (
  SELECT role_id
  FROM guard_named
  WHERE iif(
    (SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL,
    EXISTS (
      SELECT 1
      FROM member acting
      WHERE acting.user_id = :actorId
        AND (acting.ends_at IS NULL OR acting.ends_at > :now)
        AND (
          (
            (
              acting.role_id = guard_named.role_id
              AND EXISTS (
                SELECT 1
                FROM role self
                WHERE self.id = guard_named.role_id AND (0 = 0 OR self.self_rights & acting.rights & 0)
              )
            )
            OR EXISTS (
              SELECT 1
              FROM role_closure path
              WHERE path.descendant_id = guard_named.role_id
                AND path.ancestor_id = acting.role_id
                AND (0 = 0 OR path.rights & acting.rights & 0)
            )
          )
        )
    ),
    role_id IN (SELECT role_id FROM guard_reached)
  )
)
SELECT (SELECT json_group_array(role_id) FROM seen) AS roleIds,
  (SELECT seq FROM sqlite_sequence WHERE name = 'change_log') AS revision
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
