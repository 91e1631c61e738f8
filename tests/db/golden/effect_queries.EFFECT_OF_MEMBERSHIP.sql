WITH deleted(role_id) AS (SELECT NULL WHERE false),
reached AS MATERIALIZED (
  SELECT descendant_id AS role_id, rights
  FROM role_closure
  WHERE ancestor_id = :roleId
  LIMIT 100000 + 1
),
pair(acting_id, role_id, before, after) AS MATERIALIZED (
  SELECT :roleId, role_id, rights & :oldRights, rights & :newRights
  FROM (SELECT * FROM reached UNION ALL SELECT id, self_rights FROM role WHERE id = :roleId)
  WHERE (rights & :oldRights) <> (rights & :newRights)
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
principal AS MATERIALIZED (SELECT 1 AS user_id, gained, lost, true AS lives FROM acting),
seen AS MATERIALIZED (
  SELECT role_id
  FROM (SELECT acting_id AS role_id FROM acting UNION SELECT role_id FROM pair) named
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
),
shown AS MATERIALIZED (
  SELECT *
  FROM pair
  WHERE acting_id IN (SELECT role_id FROM seen) AND role_id IN (SELECT role_id FROM seen)
),
lost AS MATERIALIZED (SELECT acting_id, role_id FROM pair WHERE before & ~after & 1),
at_stake AS MATERIALIZED (
  SELECT DISTINCT role_id
  FROM lost
  WHERE acting_id IN (SELECT acting_id FROM acting WHERE lost & 1 AND :isPerson)
    AND role_id NOT IN (SELECT role_id FROM deleted)
  ORDER BY role_id
),
managing AS MATERIALIZED (
  SELECT path.ancestor_id AS acting_id, at_stake.role_id
  FROM at_stake
  CROSS JOIN role_closure path ON path.descendant_id = at_stake.role_id
  WHERE path.rights & 1
  LIMIT 500000 + 1
),
standing AS MATERIALIZED (
  SELECT acting_id, role_id
  FROM managing
  WHERE true
  UNION ALL
  SELECT own.id, own.id
  FROM at_stake
  CROSS JOIN role own ON own.id = at_stake.role_id
  WHERE own.self_rights & 1 AND true
  UNION ALL
  SELECT acting_id, role_id
  FROM pair
  WHERE after & ~before & 1
),
staffed AS MATERIALIZED (
  SELECT acting_id
  FROM (SELECT DISTINCT acting_id FROM standing)
  WHERE EXISTS (
    SELECT 1
    FROM member keeper
    WHERE keeper.role_id = acting_id
      AND keeper.user_id > 0
      AND keeper.rights & 1
      AND (keeper.ends_at IS NULL OR keeper.ends_at > :now)
      AND keeper.id <> :memberId
  )
),
unmanaged AS MATERIALIZED (
  SELECT role_id, role_id IN (SELECT role_id FROM seen) AS is_seen
  FROM at_stake
  WHERE role_id NOT IN (SELECT role_id FROM standing WHERE acting_id IN (SELECT acting_id FROM staffed))
    AND ((SELECT count(*) FROM managing) <= 500000 OR role_id < (SELECT max(role_id) FROM managing))
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
  (
    SELECT json_array(
      coalesce(sum((after & ~before) & 1 <> 0), 0),
      coalesce(sum((after & ~before) & 2 <> 0), 0),
      coalesce(sum((after & ~before) & 4 <> 0), 0),
      coalesce(sum((after & ~before) & 8 <> 0), 0),
      coalesce(sum((after & ~before) & 16 <> 0), 0),
      coalesce(sum((after & ~before) & 32 <> 0), 0)
    )
    FROM pair
  ) AS gained,
  (
    SELECT json_array(
      coalesce(sum((before & ~after) & 1 <> 0), 0),
      coalesce(sum((before & ~after) & 2 <> 0), 0),
      coalesce(sum((before & ~after) & 4 <> 0), 0),
      coalesce(sum((before & ~after) & 8 <> 0), 0),
      coalesce(sum((before & ~after) & 16 <> 0), 0),
      coalesce(sum((before & ~after) & 32 <> 0), 0)
    )
    FROM pair
  ) AS lost,
  (SELECT count(DISTINCT user_id) FROM principal WHERE lives AND gained) AS peopleGained,
  (SELECT count(DISTINCT user_id) FROM principal WHERE lives AND lost) AS peopleLost,
  (
    SELECT json_group_array(role_id)
    FROM (SELECT role_id FROM unmanaged WHERE is_seen ORDER BY role_id LIMIT 1000)
  ) AS unmanaged,
  (SELECT count(*) FROM unmanaged WHERE NOT is_seen) AS hiddenUnmanaged,
  (
    SELECT json_group_array(json_array(acting_id, role_id, after & ~before, before & ~after))
    FROM (SELECT * FROM shown ORDER BY acting_id, role_id LIMIT 1000)
  ) AS changes,
  (SELECT count(*) FROM pair) - (SELECT count(*) FROM shown) AS hidden,
  (
    (SELECT count(*) FROM principal) > 100000
    OR (SELECT count(*) FROM shown) > 1000
    OR (SELECT count(*) FROM managing) > 500000
    OR (SELECT count(*) FROM unmanaged WHERE is_seen) > 1000
    OR (SELECT count(*) FROM reached) > 100000
  ) AS truncated
FROM (SELECT 1) principal
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
