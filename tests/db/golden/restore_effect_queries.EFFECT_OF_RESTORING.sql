WITH walk(descendant_id, ancestor_id, rights) AS (
  SELECT CAST(value AS INTEGER), CAST(value AS INTEGER), 63
  FROM json_each((SELECT undone.gone_role_ids FROM change_log undone WHERE undone.rev = :undoes))
  WHERE true
  UNION
  SELECT walk.descendant_id, inside.parent_id, walk.rights & inside.rights
  FROM walk
  CROSS JOIN manages_history inside ON inside.child_id = walk.ancestor_id
    AND inside.to_rev = :undoes
    AND inside.relation_id <> :relationId
),
inner_pair(acting_id, role_id, rights) AS MATERIALIZED (
  SELECT ancestor_id,
    descendant_id,
    (
      max(rights & 1) | max(rights & 2) | max(rights & 4) | max(rights & 8) | max(rights & 16) | max(rights & 32)
    )
  FROM walk
  GROUP BY ancestor_id, descendant_id
),
upper(role_id, rights) AS MATERIALIZED (
  SELECT above.ancestor_id, above.rights & :rights
  FROM role_closure above
  WHERE above.descendant_id = :parentId
  UNION ALL
  SELECT :parentId, :rights
),
over(acting_id, role_id, rights) AS MATERIALIZED (
  SELECT acting_id, role_id, rights
  FROM inner_pair
  UNION ALL
  SELECT upper.role_id, inner_pair.role_id, upper.rights & inner_pair.rights
  FROM inner_pair
  CROSS JOIN upper
  WHERE inner_pair.acting_id = :childId
),
entry(parent_id, child_id, rights) AS MATERIALIZED (
  SELECT outward.parent_id, outward.child_id, outward.rights
  FROM json_each(:relationIds) listed
  CROSS JOIN manages_history outward ON outward.relation_id = listed.value AND outward.to_rev = :undoes
),
under(parent_id, role_id, rights) AS MATERIALIZED (
  SELECT parent_id, child_id, rights
  FROM entry
  UNION ALL
  SELECT entry.parent_id, below.descendant_id, below.rights & entry.rights
  FROM entry
  CROSS JOIN role_closure below ON below.ancestor_id = entry.child_id
),
joined(acting_id, role_id, rights) AS MATERIALIZED (
  SELECT acting_id,
    role_id,
    (
      max(rights & 1) | max(rights & 2) | max(rights & 4) | max(rights & 8) | max(rights & 16) | max(rights & 32)
    )
  FROM (
    SELECT over.acting_id, under.role_id, over.rights & under.rights AS rights
    FROM under
    CROSS JOIN over ON over.role_id = under.parent_id
  )
  GROUP BY acting_id, role_id
),
pair(acting_id, role_id, before, after) AS MATERIALIZED (
  SELECT *
  FROM (
    SELECT acting_id, role_id, 0 AS before, rights AS after
    FROM over
    WHERE acting_id <> role_id
    UNION ALL
    SELECT self.role_id, self.role_id, 0, self.self_rights
    FROM json_each((SELECT undone.gone_role_ids FROM change_log undone WHERE undone.rev = :undoes)) listed
    CROSS JOIN role_history self ON self.role_id = listed.value AND self.to_rev = :undoes
    UNION ALL
    SELECT acting_id, role_id, before, before | rights
    FROM (
      SELECT joined.*,
        coalesce(
          (
            SELECT held.rights
            FROM role_closure held
            WHERE held.descendant_id = joined.role_id AND held.ancestor_id = joined.acting_id
          ),
          0
        ) AS before
      FROM joined
    )
  )
  WHERE before <> after
),
holder(acting_id, user_id, rights, lives) AS MATERIALIZED (
  SELECT touched.role_id, touched.user_id, touched.rights, (touched.ends_at IS NULL OR touched.ends_at > :now)
  FROM (SELECT DISTINCT acting_id FROM pair) acting
  CROSS JOIN member touched ON touched.role_id = acting.acting_id
  UNION ALL
  SELECT returned.role_id, returned.user_id, returned.rights, true
  FROM json_each(:memberIds) listed
  CROSS JOIN member_history returned ON returned.member_id = listed.value AND returned.to_rev = :undoes
  LIMIT 100000 + 1
)
SELECT (SELECT seq FROM sqlite_sequence WHERE name = 'change_log') AS revision,
  (
    EXISTS (
      SELECT 1
      FROM change_log moved_by
      WHERE moved_by.rev > :sinceRevision
        AND (NOT (moved_by.kind LIKE 'device.%' OR moved_by.kind LIKE 'monitors.%'))
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
    SELECT json_group_array(json_array(acting_id, role_id, after & ~before, before & ~after))
    FROM pair
  ) AS pairs,
  people.holders,
  staff.unmanaged,
  (people.scanned > 100000 OR staff.is_cut) AS truncated
FROM (
  SELECT json_group_array(json_array(acting_id, user_id, rights)) FILTER (WHERE lives) AS holders,
    count(*) AS scanned
  FROM holder
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
