WITH reached AS MATERIALIZED (
  SELECT role_closure.descendant_id AS role_id, role_closure.rights
  FROM role_closure
  WHERE role_closure.ancestor_id = :roleId
  LIMIT 100000 + 1
),
pair(acting_id, role_id, before, after) AS MATERIALIZED (
  SELECT :roleId, role_id, rights & :oldRights, rights & :newRights
  FROM (SELECT * FROM reached UNION ALL SELECT role.id, role.self_rights FROM role WHERE role.id = :roleId)
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
at_stake AS MATERIALIZED (
  SELECT DISTINCT role_id
  FROM pair
  WHERE before & ~after & 1 AND acting_id IN (SELECT acting_id FROM acting WHERE lost & 1 AND :isPerson)
  ORDER BY role_id
),
managing AS MATERIALIZED (
  SELECT path.ancestor_id AS acting_id, at_stake.role_id
  FROM at_stake
  CROSS JOIN role_closure path ON path.descendant_id = at_stake.role_id
  WHERE path.rights & 1
  LIMIT 500000 + 1
),
scope(role_id) AS MATERIALIZED (SELECT CASE WHEN count(*) > 500000 THEN max(role_id) END FROM managing),
kept AS MATERIALIZED (
  SELECT managed.value AS role_id
  FROM (
    SELECT json_group_array(role_id) AS role_ids
    FROM (
      SELECT acting_id, role_id
      FROM managing
      WHERE true
      UNION ALL
      SELECT acting_id, role_id
      FROM pair
      WHERE after & ~before & 1
    )
    GROUP BY acting_id HAVING EXISTS (
      SELECT 1
      FROM member keeper
      WHERE keeper.role_id = acting_id
        AND keeper.user_id > 0
        AND keeper.rights & 1
        AND (keeper.ends_at IS NULL OR keeper.ends_at > :now)
        AND keeper.id <> :memberId
    )
  )
  CROSS JOIN json_each(role_ids) managed
),
unmanaged AS MATERIALIZED (
  SELECT role_id
  FROM at_stake
  WHERE role_id NOT IN (SELECT role_id FROM kept)
    AND NOT EXISTS (
      SELECT 1
      FROM role own
      WHERE own.id = at_stake.role_id
        AND own.self_rights & 1
        AND true
        AND EXISTS (
          SELECT 1
          FROM member keeper
          WHERE keeper.role_id = own.id
            AND keeper.user_id > 0
            AND keeper.rights & 1
            AND (keeper.ends_at IS NULL OR keeper.ends_at > :now)
            AND keeper.id <> :memberId
        )
    )
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
  (people.scanned > 100000 OR staff.is_cut OR (SELECT count(*) FROM reached) > 100000) AS truncated
FROM (
  SELECT count(DISTINCT CASE WHEN lives AND gained THEN user_id END) AS gained,
    count(DISTINCT CASE WHEN lives AND lost THEN user_id END) AS lost,
    count(*) AS scanned
  FROM principal
) people
CROSS JOIN (
  SELECT json_group_array(unmanaged.role_id) FILTER (WHERE unmanaged.role_id IS NOT NULL) AS unmanaged,
    coalesce(max(scope.role_id) IS NOT NULL, false) AS is_cut
  FROM scope
  LEFT JOIN unmanaged ON scope.role_id IS NULL OR unmanaged.role_id < scope.role_id
) staff
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
