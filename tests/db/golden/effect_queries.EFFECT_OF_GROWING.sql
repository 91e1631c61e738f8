WITH up(role_id, rights) AS MATERIALIZED (
  SELECT ancestor_id, rights
  FROM role_closure
  WHERE descendant_id = :parentId
  UNION ALL
  SELECT :parentId, 63
),
down(role_id, rights) AS MATERIALIZED (
  SELECT descendant_id, rights
  FROM role_closure
  WHERE ancestor_id = :childId
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
    gained,
    lost,
    (
      EXISTS (
        SELECT 1
        FROM member guard_direct
        WHERE guard_direct.user_id = :actorId
          AND guard_direct.role_id = changed.acting_id
          AND (guard_direct.ends_at IS NULL OR guard_direct.ends_at > :now)
      )
      OR EXISTS (
        SELECT guard_path.rights & guard_few.rights AS guard_rights
        FROM member guard_few
        CROSS JOIN role_closure guard_path ON guard_path.descendant_id = changed.acting_id
          AND guard_path.ancestor_id = guard_few.role_id
        WHERE guard_few.user_id = iif(
          (SELECT 1 FROM member guard_count WHERE guard_count.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
          OR EXISTS (
            SELECT 1
            FROM role_closure guard_longer
            WHERE guard_longer.descendant_id = changed.acting_id
            LIMIT 1 OFFSET (SELECT count(*) FROM member guard_shorter WHERE guard_shorter.user_id = :actorId)
          ),
          :actorId,
          NULL
        )
          AND (guard_few.ends_at IS NULL OR guard_few.ends_at > :now)
        UNION ALL
        SELECT guard_path.rights & guard_many.rights
        FROM role_closure guard_path
        CROSS JOIN member guard_many ON guard_many.user_id = :actorId
          AND guard_many.role_id = guard_path.ancestor_id
          AND (guard_many.ends_at IS NULL OR guard_many.ends_at > :now)
        WHERE guard_path.descendant_id = iif(
          (SELECT 1 FROM member guard_count WHERE guard_count.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
          OR EXISTS (
            SELECT 1
            FROM role_closure guard_longer
            WHERE guard_longer.descendant_id = changed.acting_id
            LIMIT 1 OFFSET (SELECT count(*) FROM member guard_shorter WHERE guard_shorter.user_id = :actorId)
          ),
          NULL,
          changed.acting_id
        )
      )
    ) AS is_seen
  FROM (
    SELECT acting_id,
      (
        max((after & ~before) & 1) | max((after & ~before) & 2) | max((after & ~before) & 4) | max((after & ~before) & 8) | max((after & ~before) & 16) | max((after & ~before) & 32)
      ) AS gained,
      (
        max((before & ~after) & 1) | max((before & ~after) & 2) | max((before & ~after) & 4) | max((before & ~after) & 8) | max((before & ~after) & 16) | max((before & ~after) & 32)
      ) AS lost
    FROM pair
    GROUP BY acting_id
  ) changed
),
principal AS MATERIALIZED (
  SELECT touched.user_id,
    touched.rights & acting.gained AS gained,
    touched.rights & acting.lost AS lost,
    (touched.ends_at IS NULL OR touched.ends_at > :now) AS lives
  FROM acting
  CROSS JOIN member touched ON touched.role_id = acting.acting_id
  LIMIT 100000 + 1
),
seen AS MATERIALIZED (
  SELECT role_id
  FROM (SELECT DISTINCT role_id FROM pair) named
  WHERE (
    EXISTS (
      SELECT 1
      FROM member guard_direct
      WHERE guard_direct.user_id = :actorId
        AND guard_direct.role_id = named.role_id
        AND (guard_direct.ends_at IS NULL OR guard_direct.ends_at > :now)
    )
    OR EXISTS (
      SELECT guard_path.rights & guard_few.rights AS guard_rights
      FROM member guard_few
      CROSS JOIN role_closure guard_path ON guard_path.descendant_id = named.role_id
        AND guard_path.ancestor_id = guard_few.role_id
      WHERE guard_few.user_id = iif(
        (SELECT 1 FROM member guard_count WHERE guard_count.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
        OR EXISTS (
          SELECT 1
          FROM role_closure guard_longer
          WHERE guard_longer.descendant_id = named.role_id
          LIMIT 1 OFFSET (SELECT count(*) FROM member guard_shorter WHERE guard_shorter.user_id = :actorId)
        ),
        :actorId,
        NULL
      )
        AND (guard_few.ends_at IS NULL OR guard_few.ends_at > :now)
      UNION ALL
      SELECT guard_path.rights & guard_many.rights
      FROM role_closure guard_path
      CROSS JOIN member guard_many ON guard_many.user_id = :actorId
        AND guard_many.role_id = guard_path.ancestor_id
        AND (guard_many.ends_at IS NULL OR guard_many.ends_at > :now)
      WHERE guard_path.descendant_id = iif(
        (SELECT 1 FROM member guard_count WHERE guard_count.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
        OR EXISTS (
          SELECT 1
          FROM role_closure guard_longer
          WHERE guard_longer.descendant_id = named.role_id
          LIMIT 1 OFFSET (SELECT count(*) FROM member guard_shorter WHERE guard_shorter.user_id = :actorId)
        ),
        NULL,
        named.role_id
      )
    )
  )
)
SELECT (SELECT seq FROM sqlite_sequence WHERE name = 'change_log') AS revision,
  (
    EXISTS (
      SELECT 1
      FROM change_log moved_by
      WHERE moved_by.rev > :sinceRevision
        AND true
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
  total.gained,
  total.lost,
  people.gained AS peopleGained,
  people.lost AS peopleLost,
  staff.unmanaged,
  staff.hiddenUnmanaged,
  (
    SELECT json_group_array(json_array(acting_id, role_id, after & ~before, before & ~after))
    FROM (
      SELECT *
      FROM pair
      WHERE acting_id IN (SELECT acting_id FROM acting WHERE is_seen)
        AND role_id IN (SELECT role_id FROM seen)
      ORDER BY acting_id, role_id
      LIMIT 1000
    )
  ) AS changes,
  total.pairs - total.shown AS hidden,
  (people.scanned > 100000 OR total.shown > 1000 OR staff.is_cut) AS truncated
FROM (
  SELECT json_array(
    coalesce(sum((after & ~before) & 1 <> 0), 0),
    coalesce(sum((after & ~before) & 2 <> 0), 0),
    coalesce(sum((after & ~before) & 4 <> 0), 0),
    coalesce(sum((after & ~before) & 8 <> 0), 0),
    coalesce(sum((after & ~before) & 16 <> 0), 0),
    coalesce(sum((after & ~before) & 32 <> 0), 0)
  ) AS gained,
    json_array(
      coalesce(sum((before & ~after) & 1 <> 0), 0),
      coalesce(sum((before & ~after) & 2 <> 0), 0),
      coalesce(sum((before & ~after) & 4 <> 0), 0),
      coalesce(sum((before & ~after) & 8 <> 0), 0),
      coalesce(sum((before & ~after) & 16 <> 0), 0),
      coalesce(sum((before & ~after) & 32 <> 0), 0)
    ) AS lost,
    count(*) AS pairs,
    count(*) FILTER (
      WHERE acting_id IN (SELECT acting_id FROM acting WHERE is_seen)
        AND role_id IN (SELECT role_id FROM seen)
    ) AS shown
  FROM pair
) total
CROSS JOIN (
  SELECT count(DISTINCT CASE WHEN lives AND gained THEN user_id END) AS gained,
    count(DISTINCT CASE WHEN lives AND lost THEN user_id END) AS lost,
    count(*) AS scanned
  FROM principal
) people
CROSS JOIN (SELECT '[]' AS unmanaged, 0 AS hiddenUnmanaged, false AS is_cut) staff
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
