-- like this: effect_queries EFFECT_OF_MEMBERSHIP
-- like this: effect_queries EFFECT_ON_ROLE
-- like this: restore_effect_queries EFFECT_OF_RESTORING
WITH up(role_id) AS MATERIALIZED (
  SELECT above.ancestor_id
  FROM role_closure above
  WHERE above.descendant_id = :parentId
  UNION
  SELECT :parentId
  UNION
  SELECT former.ancestor_id
  FROM role_closure former
  WHERE former.descendant_id = :replacedParentId
  UNION
  SELECT :replacedParentId
  WHERE :replacedParentId IS NOT NULL
),
down(role_id) AS MATERIALIZED (
  SELECT below.descendant_id
  FROM role_closure below
  WHERE below.ancestor_id = :childId
  UNION ALL
  SELECT :childId
),
entry(parent_id, child_id, rights) AS MATERIALIZED (
  SELECT entering.parent_id, entering.child_id, entering.rights
  FROM manages entering
  WHERE entering.child_id IN (SELECT role_id FROM down)
    AND entering.parent_id NOT IN (SELECT role_id FROM down)
    AND (
      NOT (
        entering.child_id = :childId
        AND (entering.parent_id = :parentId OR entering.parent_id IS :replacedParentId)
      )
    )
  UNION ALL
  SELECT :parentId, :childId, :rights
  WHERE :rights IS NOT NULL
),
entry_below(ancestor_id, child_id, rights) AS MATERIALIZED (
  SELECT up.role_id,
    entry.child_id,
    entry.rights & CASE
      WHEN up.role_id = entry.parent_id THEN 63
      ELSE (
        SELECT above.rights
        FROM role_closure above
        WHERE above.descendant_id = entry.parent_id AND above.ancestor_id = up.role_id
      )
    END
  FROM entry
  CROSS JOIN up
),
entered_role(ancestor_id, child_id, rights, entered_roles) AS MATERIALIZED (
  SELECT ancestor_id,
    child_id,
    (
      max(rights & 1) | max(rights & 2) | max(rights & 4) | max(rights & 8) | max(rights & 16) | max(rights & 32)
    ),
    count(*) OVER (PARTITION BY ancestor_id)
  FROM entry_below
  WHERE rights IS NOT NULL
  GROUP BY ancestor_id, child_id
),
reached(descendant_id, ancestor_id, rights, entered_roles) AS MATERIALIZED (
  SELECT child_id, ancestor_id, rights, entered_roles
  FROM entered_role
  UNION ALL
  SELECT below.descendant_id, entered_role.ancestor_id, entered_role.rights & below.rights, entered_roles
  FROM entered_role
  CROSS JOIN role_closure below ON below.ancestor_id = entered_role.child_id
),
pair(acting_id, role_id, before, after, reach) AS MATERIALIZED (
  SELECT acting_id,
    role_id,
    coalesce(max(held), 0) AS before,
    (
      max(rights & 1) | max(rights & 2) | max(rights & 4) | max(rights & 8) | max(rights & 16) | max(rights & 32)
    ) AS after,
    max(is_left) - (max(held) IS NOT NULL) AS reach
  FROM (
    SELECT up.role_id AS acting_id, down.role_id AS role_id, old.rights AS held, 0 AS rights, 0 AS is_left
    FROM down
    CROSS JOIN up
    CROSS JOIN role_closure old ON old.descendant_id = down.role_id AND old.ancestor_id = up.role_id
    UNION ALL
    SELECT ancestor_id, descendant_id, NULL, rights, 1
    FROM reached
    UNION ALL
    SELECT lower.ancestor_id, lower.descendant_id, lower.rights, 0, 0
    FROM json_each(:deletedRoleIds) deleted
    CROSS JOIN role_closure lower ON lower.ancestor_id = deleted.value
    UNION ALL
    SELECT own.id, own.id, own.self_rights, 0, 0
    FROM json_each(:deletedRoleIds) deleted
    CROSS JOIN role own ON own.id = deleted.value
  )
  GROUP BY acting_id, role_id HAVING before <> after OR reach <> 0
),
holder(acting_id, user_id, rights, lives) AS MATERIALIZED (
  SELECT touched.role_id,
    touched.user_id,
    touched.rights,
    (
      (touched.ends_at IS NULL OR touched.ends_at > :now)
      AND (
        touched.user_id < 0 OR EXISTS (SELECT 1 FROM user_account held_by WHERE held_by.id = touched.user_id)
      )
    )
  FROM (SELECT DISTINCT acting_id FROM pair) acting
  CROSS JOIN member touched ON touched.role_id = acting.acting_id
  LIMIT 100000 + 1
),
at_stake AS MATERIALIZED (
  SELECT DISTINCT role_id
  FROM pair
  WHERE before & ~after & 1
    AND acting_id IN (
      SELECT acting_id
      FROM (SELECT DISTINCT acting_id FROM pair WHERE before & ~after & 1) losing
      WHERE EXISTS (
        SELECT 1
        FROM member keeper
        WHERE keeper.role_id = losing.acting_id
          AND keeper.user_id > 0
          AND keeper.rights & 1
          AND (
            (keeper.ends_at IS NULL OR keeper.ends_at > :now)
            AND (
              keeper.user_id < 0
              OR EXISTS (SELECT 1 FROM user_account held_by WHERE held_by.id = keeper.user_id)
            )
          )
      )
    )
    AND NOT pair.role_id IN (SELECT value FROM json_each(:deletedRoleIds))
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
      WHERE (managing.acting_id, managing.role_id) NOT IN (
        SELECT acting_id, role_id
        FROM pair
        WHERE before & ~after & 1
      )
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
        AND (
          (keeper.ends_at IS NULL OR keeper.ends_at > :now)
          AND (
            keeper.user_id < 0
            OR EXISTS (SELECT 1 FROM user_account held_by WHERE held_by.id = keeper.user_id)
          )
        )
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
        AND (own.id, own.id) NOT IN (SELECT acting_id, role_id FROM pair WHERE before & ~after & 1)
        AND EXISTS (
          SELECT 1
          FROM member keeper
          WHERE keeper.role_id = own.id
            AND keeper.user_id > 0
            AND keeper.rights & 1
            AND (
              (keeper.ends_at IS NULL OR keeper.ends_at > :now)
              AND (
                keeper.user_id < 0
                OR EXISTS (SELECT 1 FROM user_account held_by WHERE held_by.id = keeper.user_id)
              )
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
        AND NOT (moved_by.kind LIKE 'device.%' OR moved_by.kind LIKE 'monitors.%')
        AND moved_by.decision = 'ok'
        AND moved_by.effect <> 'none'
    )
    OR EXISTS (
      SELECT 1
      FROM member moved_end
      WHERE moved_end.ends_at > min(:sinceTime, :now) AND moved_end.ends_at <= max(:sinceTime, :now)
    )
  ) AS moved,
  (
    SELECT json_group_array(json_array(acting_id, role_id, after & ~before, before & ~after, reach))
    FROM pair
  ) AS pairs,
  watched.roles AS watched,
  people.holders,
  staff.unmanaged,
  (people.scanned > 100000 OR staff.is_cut OR watched.scanned > 50000) AS truncated
FROM (
  SELECT json_group_array(json_array(acting_id, user_id, rights)) FILTER (WHERE lives) AS holders,
    count(*) AS scanned
  FROM holder
) people
CROSS JOIN (
  SELECT json_group_array(json_array(role_id, standing, coming)) AS roles,
    coalesce(sum(scanned), 0) AS scanned
  FROM (
    SELECT role_id,
      count(DISTINCT iif(returns, NULL, device_id)) AS standing,
      count(DISTINCT iif(returns, device_id, NULL)) AS coming,
      count(*) AS scanned
    FROM (
      SELECT role_id, device_id, returns
      FROM (
        SELECT watching.role_id AS role_id, watching.device_id AS device_id, 0 AS returns
        FROM (SELECT DISTINCT role_id FROM pair WHERE reach IN (-1, 1)) newly
        CROSS JOIN monitors watching ON watching.role_id = newly.role_id
      )
      LIMIT 50000 + 1
    )
    GROUP BY role_id
  )
) watched
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
