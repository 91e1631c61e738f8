-- also manages_queries MOVE_RELATION.apply.7
-- also manages_queries MOVE_RELATION.make.6
WITH up(role_id) AS MATERIALIZED (
  SELECT above.ancestor_id AS role_id
  FROM role_closure above
  WHERE above.descendant_id = (
    SELECT change_log.parent_id
    FROM change_log
    WHERE change_log.op_id = :opId AND change_log.effect IN ('write')
  )
  UNION ALL
  SELECT change_log.parent_id
  FROM change_log
  WHERE change_log.op_id = :opId AND change_log.effect IN ('write')
  UNION
  SELECT replaced.ancestor_id
  FROM role_closure replaced
  WHERE replaced.descendant_id = (
    SELECT change_log.details ->> 'replacedParentId'
    FROM change_log
    WHERE change_log.op_id = :opId AND change_log.effect IN ('write')
  )
  UNION
  SELECT (
    SELECT change_log.details ->> 'replacedParentId'
    FROM change_log
    WHERE change_log.op_id = :opId AND change_log.effect IN ('write')
  )
  WHERE (
    SELECT change_log.details ->> 'replacedParentId'
    FROM change_log
    WHERE change_log.op_id = :opId AND change_log.effect IN ('write')
  ) IS NOT NULL
),
down(role_id) AS MATERIALIZED (
  SELECT below.descendant_id AS role_id
  FROM role_closure below
  WHERE below.ancestor_id = (
    SELECT change_log.role_id
    FROM change_log
    WHERE change_log.op_id = :opId AND change_log.effect IN ('write')
  )
  UNION ALL
  SELECT change_log.role_id
  FROM change_log
  WHERE change_log.op_id = :opId AND change_log.effect IN ('write')
),
entry(parent_id, child_id, rights) AS MATERIALIZED (
  SELECT entering.parent_id, entering.child_id, entering.rights
  FROM manages entering
  WHERE entering.child_id IN (SELECT role_id FROM down)
    AND entering.parent_id NOT IN (SELECT role_id FROM down)
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
)
INSERT INTO role_closure (descendant_id, ancestor_id, rights)
SELECT descendant_id, ancestor_id, rights
FROM reached
WHERE entered_roles = 1
UNION ALL
SELECT descendant_id,
  ancestor_id,
  (
    max(rights & 1) | max(rights & 2) | max(rights & 4) | max(rights & 8) | max(rights & 16) | max(rights & 32)
  )
FROM reached
WHERE entered_roles > 1
GROUP BY descendant_id, ancestor_id ON CONFLICT (descendant_id, ancestor_id) DO UPDATE
SET rights = excluded.rights
WHERE role_closure.rights <> excluded.rights
