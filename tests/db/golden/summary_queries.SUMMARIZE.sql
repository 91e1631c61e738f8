WITH RECURSIVE seen_from(role_id) AS MATERIALIZED (
  SELECT CAST(asked.value AS INTEGER)
  FROM json_each(:roleIds) asked
  UNION
  SELECT parent.parent_id
  FROM json_each(:roleIds) asked
  CROSS JOIN manages parent ON parent.child_id = asked.value
    AND parent.parent_id IN (
      SELECT entering.parent_id
      FROM manages entering
      WHERE entering.child_id = asked.value
      LIMIT +:mostParents
    )
),
seen_above(role_id) AS MATERIALIZED (
  SELECT role_id
  FROM seen_from
  WHERE NOT ((SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL)
  UNION
  SELECT up.parent_id
  FROM seen_above
  CROSS JOIN manages up ON up.child_id = seen_above.role_id
),
seen_entering(parent_id, child_id) AS MATERIALIZED (
  SELECT entered.parent_id, entered.child_id
  FROM seen_above
  CROSS JOIN manages entered ON entered.child_id = seen_above.role_id
),
seen_reached(role_id) AS MATERIALIZED (
  SELECT own.role_id
  FROM seen_above
  CROSS JOIN member own ON own.user_id = :actorId
    AND own.role_id = seen_above.role_id
    AND (own.ends_at IS NULL OR own.ends_at > :now)
  UNION
  SELECT seen_entering.child_id
  FROM seen_reached
  CROSS JOIN seen_entering ON seen_entering.parent_id = seen_reached.role_id
),
seen(role_id) AS MATERIALIZED (
  SELECT role_id
  FROM seen_from
  WHERE iif(
    (SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL,
    EXISTS (
      SELECT 1
      FROM member acting
      WHERE acting.user_id = :actorId
        AND (acting.ends_at IS NULL OR acting.ends_at > :now)
        AND (
          (
            acting.role_id = seen_from.role_id
            OR EXISTS (
              SELECT 1
              FROM role_closure path
              WHERE path.descendant_id = seen_from.role_id AND path.ancestor_id = acting.role_id
            )
          )
        )
    ),
    role_id IN (SELECT role_id FROM seen_reached)
  )
)
SELECT (
  SELECT json_group_array(
    json_object(
      'id',
      summarized.id,
      'parents',
      (
        SELECT count(*)
        FROM (
          SELECT entering.parent_id
          FROM manages entering
          WHERE entering.child_id = summarized.id
          LIMIT +:mostParents
        ) above
        WHERE above.parent_id IN (SELECT role_id FROM seen)
      ),
      'areParentsCut',
      (
        SELECT count(*)
        FROM (
          SELECT entering.parent_id
          FROM manages entering
          WHERE entering.child_id = summarized.id
          LIMIT +:mostParents
        )
      ) = :mostParents,
      'children',
      (
        SELECT count(*)
        FROM (SELECT 1 FROM manages leaving WHERE leaving.parent_id = summarized.id LIMIT +:most)
      ),
      'descendants',
      (
        SELECT count(*)
        FROM (SELECT 1 FROM role_closure below WHERE below.ancestor_id = summarized.id LIMIT +:most)
      )
    )
  )
  FROM json_each(:roleIds) asked
  CROSS JOIN role summarized ON summarized.id = asked.value
  WHERE summarized.id IN (SELECT role_id FROM seen)
) AS summaries,
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
