-- like this: inverse_queries UNDO_CASCADE.make.1
-- like this: inverse_queries UNDO_CASCADE.preview.1
-- like this: inverse_queries UNDO_CASCADE_BY_ADMINISTRATOR.1
WITH RECURSIVE link(parent_id, child_id, rights) AS MATERIALIZED (
  SELECT inside_link.parent_id, inside_link.child_id, inside_link.rights
  FROM json_each((SELECT undone.gone_relation_ids FROM change_log undone WHERE undone.rev = :undoes)) listed
  CROSS JOIN manages_history inside_link ON inside_link.relation_id = listed.value
    AND inside_link.to_rev = :undoes
  WHERE EXISTS (
    SELECT 1
    FROM change_log restoring
    WHERE restoring.op_id = :opId AND restoring.effect IN ('restore')
  )
    AND inside_link.relation_id <> :relationId
    AND inside_link.child_id IN (
      SELECT value
      FROM json_each((SELECT undone.gone_role_ids FROM change_log undone WHERE undone.rev = :undoes))
    )
),
reached(role_id, rights) AS (
  SELECT CAST(:childId AS INTEGER), 63
  WHERE EXISTS (
    SELECT 1
    FROM change_log restoring
    WHERE restoring.op_id = :opId AND restoring.effect IN ('restore')
  )
  UNION
  SELECT link.child_id, reached.rights & link.rights
  FROM reached
  CROSS JOIN link ON link.parent_id = reached.role_id
),
reach(role_id, rights) AS MATERIALIZED (
  SELECT role_id,
    (
      max(rights & 1) | max(rights & 2) | max(rights & 4) | max(rights & 8) | max(rights & 16) | max(rights & 32)
    ) & :rights
  FROM reached
  GROUP BY role_id
),
candidate(role_id, rights, ends_at, upper_rights) AS MATERIALIZED (
  SELECT own.role_id, own.rights, own.ends_at, 63
  FROM member own
  WHERE own.user_id = :actorId
    AND own.role_id = :parentId
    AND (
      (own.ends_at IS NULL OR own.ends_at > :now)
      AND (
        own.needs = 0
        OR iif(own.needs_from > :now, own.needs_before, own.needs) <= (
          SELECT session.meets
          FROM session
          WHERE session.id = :sessionId
        )
      )
    )
  UNION ALL
  SELECT many.role_id, many.rights, many.ends_at, above.rights
  FROM role_closure above
  CROSS JOIN member many ON many.user_id = :actorId AND many.role_id = above.ancestor_id
  WHERE above.descendant_id = :parentId
    AND (
      (many.ends_at IS NULL OR many.ends_at > :now)
      AND (
        many.needs = 0
        OR iif(many.needs_from > :now, many.needs_before, many.needs) <= (
          SELECT session.meets
          FROM session
          WHERE session.id = :sessionId
        )
      )
    )
),
barred(user_id) AS MATERIALIZED (
  SELECT person.user_id
  FROM (
    SELECT DISTINCT asked.user_id
    FROM json_each((SELECT undone.gone_relation_ids FROM change_log undone WHERE undone.rev = :undoes)) listed
    CROSS JOIN member_history asked ON asked.member_id = listed.value AND asked.to_rev = :undoes
  ) person
  WHERE (
    EXISTS (
      SELECT 1
      FROM (
        SELECT :parentId AS role_id
        UNION ALL
        SELECT above.ancestor_id
        FROM role_closure above
        WHERE above.descendant_id = :parentId
      ) place
      CROSS JOIN member_history ended ON ended.role_id = place.role_id
        AND ended.user_id = person.user_id
        AND ended.to_rev > :undoes
      WHERE ended.to_rev < 9007199254740991
        AND NOT EXISTS (
          SELECT 1
          FROM member_history later
          WHERE later.member_id = ended.member_id AND later.to_rev > ended.to_rev
        )
    )
    OR EXISTS (
      SELECT 1
      FROM (
        SELECT :parentId AS role_id
        UNION ALL
        SELECT above.ancestor_id
        FROM role_closure above
        WHERE above.descendant_id = :parentId
      ) place
      CROSS JOIN member over ON over.user_id = person.user_id AND over.role_id = place.role_id
      WHERE over.ends_at <= :now
        AND over.ends_at > (SELECT undone.at FROM change_log undone WHERE undone.rev = :undoes)
    )
    OR EXISTS (
      SELECT 1
      FROM (
        SELECT :parentId AS role_id
        UNION ALL
        SELECT above.ancestor_id
        FROM role_closure above
        WHERE above.descendant_id = :parentId
      ) place
      CROSS JOIN change_log barring ON barring.subject_id = person.user_id AND barring.role_id = place.role_id
      WHERE barring.kind = 'access.end' AND barring.decision = 'ok' AND barring.rev > :undoes
    )
  )
),
outside(ids) AS MATERIALIZED (
  SELECT json_group_array(id)
  FROM (
    SELECT outward.relation_id AS id
    FROM json_each((SELECT undone.gone_relation_ids FROM change_log undone WHERE undone.rev = :undoes)) listed
    CROSS JOIN manages_history outward ON outward.relation_id = listed.value AND outward.to_rev = :undoes
    CROSS JOIN role survivor ON survivor.id = outward.child_id
    CROSS JOIN reach ON reach.role_id = outward.parent_id
    WHERE NOT (
      outward.child_id IN (
        SELECT value
        FROM json_each((SELECT undone.gone_role_ids FROM change_log undone WHERE undone.rev = :undoes))
      )
    )
      AND NOT (
        outward.child_id = :parentId
        OR EXISTS (
          SELECT 1
          FROM role_closure path
          WHERE path.descendant_id = :parentId AND path.ancestor_id = outward.child_id
        )
      )
      AND EXISTS (
        SELECT 1
        FROM candidate
        WHERE (candidate.upper_rights & reach.rights & candidate.rights) & 1
          AND NOT ((outward.rights) & ~candidate.rights)
          AND EXISTS (
            SELECT 1
            FROM role_closure path
            WHERE path.descendant_id = outward.child_id
              AND path.ancestor_id = candidate.role_id
              AND path.rights & candidate.rights & 1
          )
      )
  )
),
returning_member(ids) AS MATERIALIZED (
  SELECT json_group_array(id)
  FROM (
    SELECT past.member_id AS id
    FROM json_each((SELECT undone.gone_relation_ids FROM change_log undone WHERE undone.rev = :undoes)) listed
    CROSS JOIN member_history past ON past.member_id = listed.value AND past.to_rev = :undoes
    CROSS JOIN user_account account ON account.id = past.user_id
    CROSS JOIN reach ON reach.role_id = past.role_id
    WHERE (past.ends_at IS NULL OR past.ends_at > :now)
      AND EXISTS (
        SELECT 1
        FROM candidate
        WHERE (candidate.upper_rights & reach.rights & candidate.rights) & 3
          AND (
            NOT ((past.rights) & ~candidate.rights)
            AND (candidate.ends_at IS NULL OR coalesce(past.ends_at <= candidate.ends_at, false))
          )
      )
      AND past.user_id NOT IN (SELECT user_id FROM barred)
      AND NOT EXISTS (
        SELECT 1
        FROM change_log ending
        WHERE ending.subject_id = past.user_id
          AND ending.role_id = past.role_id
          AND ending.kind = 'access.end'
          AND ending.decision = 'ok'
          AND ending.rev > :undoes
      )
  )
),
total(relations, inner_relations, members) AS MATERIALIZED (
  SELECT (
    SELECT count(*)
    FROM json_each((SELECT undone.gone_relation_ids FROM change_log undone WHERE undone.rev = :undoes)) listed
    CROSS JOIN manages_history past ON past.relation_id = listed.value AND past.to_rev = :undoes
  ),
    (
      SELECT count(*)
      FROM json_each(
        (SELECT undone.gone_relation_ids FROM change_log undone WHERE undone.rev = :undoes)
      ) listed
      CROSS JOIN manages_history past ON past.relation_id = listed.value AND past.to_rev = :undoes
      WHERE past.child_id IN (
        SELECT value
        FROM json_each((SELECT undone.gone_role_ids FROM change_log undone WHERE undone.rev = :undoes))
      )
    ),
    (
      SELECT count(*)
      FROM json_each(
        (SELECT undone.gone_relation_ids FROM change_log undone WHERE undone.rev = :undoes)
      ) listed
      CROSS JOIN member_history joined ON joined.member_id = listed.value AND joined.to_rev = :undoes
    )
)
UPDATE change_log
SET details = (
  SELECT json_object(
    'relationIds',
    json(outside.ids),
    'memberIds',
    json(returning_member.ids),
    'restored',
    json_object(
      'roles',
      json_array_length((SELECT undone.gone_role_ids FROM change_log undone WHERE undone.rev = :undoes)),
      'relations',
      inner_relations + json_array_length(outside.ids),
      'members',
      json_array_length(returning_member.ids)
    ),
    'leftOut',
    json_object(
      'roles',
      0,
      'relations',
      relations - inner_relations - json_array_length(outside.ids),
      'members',
      members - json_array_length(returning_member.ids)
    )
  )
  FROM outside
  CROSS JOIN returning_member
  CROSS JOIN total
)
WHERE change_log.op_id = :opId AND change_log.effect IN ('restore')
