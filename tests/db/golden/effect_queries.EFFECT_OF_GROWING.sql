WITH up(role_id, rights) AS MATERIALIZED (
  SELECT above.ancestor_id, above.rights
  FROM role_closure above
  WHERE above.descendant_id = :parentId
  UNION ALL
  SELECT :parentId, 63
),
down(role_id, rights) AS MATERIALIZED (
  SELECT below.descendant_id, below.rights
  FROM role_closure below
  WHERE below.ancestor_id = :childId
  UNION ALL
  SELECT :childId, 63
),
pair(acting_id, role_id, before, after) AS MATERIALIZED (
  SELECT ancestor_id, descendant_id, held, held | rights
  FROM (
    SELECT grown.*,
      coalesce(
        (
          SELECT old.rights
          FROM role_closure old
          WHERE old.descendant_id = grown.descendant_id AND old.ancestor_id = grown.ancestor_id
        ),
        0
      ) AS held
    FROM (
      SELECT down.role_id AS descendant_id,
        up.role_id AS ancestor_id,
        up.rights & down.rights & :rights AS rights
      FROM down
      CROSS JOIN up
    ) grown
  )
  WHERE rights & ~held
),
acting AS MATERIALIZED (
  SELECT acting_id,
    (
      max((after & ~before) & 1) | max((after & ~before) & 2) | max((after & ~before) & 4) | max((after & ~before) & 8) | max((after & ~before) & 16) | max((after & ~before) & 32)
    ) AS gained,
    (
      max((before & ~after) & 1) | max((before & ~after) & 2) | max((before & ~after) & 4) | max((before & ~after) & 8) | max((before & ~after) & 16) | max((before & ~after) & 32)
    ) AS lost
  FROM pair
  GROUP BY acting_id
),
principal AS MATERIALIZED (
  SELECT touched.user_id,
    touched.rights & acting.gained AS gained,
    touched.rights & acting.lost AS lost,
    (touched.ends_at IS NULL OR touched.ends_at > :now) AS lives
  FROM acting
  CROSS JOIN member touched ON touched.role_id = acting.acting_id
  LIMIT 100000 + 1
)
SELECT (SELECT seq FROM sqlite_sequence WHERE name = 'change_log') AS revision,
  (
    EXISTS (
      SELECT 1
      FROM change_log moved_by
      WHERE moved_by.rev > :sinceRevision
        AND (true)
        AND moved_by.decision = 'ok'
        AND moved_by.effect <> 'none'
        AND moved_by.kind NOT LIKE 'device.%'
        AND moved_by.kind NOT LIKE 'monitors.%'
    )
    OR EXISTS (
      SELECT 1
      FROM member moved_end
      WHERE moved_end.ends_at > min(:sinceTime, :now) AND moved_end.ends_at <= max(:sinceTime, :now)
    )
  ) AS moved,
  people.gained AS peopleGained,
  people.lost AS peopleLost,
  (
    SELECT json_group_array(json_array(acting_id, role_id, after & ~before, before & ~after))
    FROM pair
  ) AS pairs,
  staff.unmanaged,
  (people.scanned > 100000 OR staff.is_cut) AS truncated
FROM (
  SELECT count(DISTINCT CASE WHEN lives AND gained THEN user_id END) AS gained,
    count(DISTINCT CASE WHEN lives AND lost THEN user_id END) AS lost,
    count(*) AS scanned
  FROM principal
) people
CROSS JOIN (SELECT '[]' AS unmanaged, false AS is_cut) staff
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
