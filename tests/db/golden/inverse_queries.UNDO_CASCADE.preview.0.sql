-- like this: inverse_queries UNDO_CASCADE.apply.2
-- like this: inverse_queries UNDO_CASCADE.make.1
-- like this: inverse_queries UNDO_CASCADE.preview.1
-- like this: inverse_queries UNDO_CASCADE_BY_ADMINISTRATOR.1
WITH acted AS MATERIALIZED (
  SELECT acting.role_id,
    own.is_root,
    substr(acting.chain, 1, instr(acting.chain || '/', '/') - 1) AS branch,
    min(acting.role_id) OVER () AS oldest_role_id
  FROM member acting
  CROSS JOIN role own ON own.id = acting.role_id
  WHERE acting.user_id = :actorId
    AND (
      (acting.ends_at IS NULL OR acting.ends_at > :now)
      AND (
        acting.needs = 0
        OR iif(
          acting.needs_from > :now, acting.needs_before, acting.needs
        ) <= (
          SELECT session.meets
          FROM session
          WHERE session.id = :sessionId
        )
      )
    )
    AND (
      (
        (
          acting.role_id = :parentId
          AND EXISTS (
            SELECT 1
            FROM role self
            WHERE self.id = :parentId AND self.self_rights & acting.rights & 1
          )
        )
        OR EXISTS (
          SELECT 1
          FROM role_closure path
          WHERE path.descendant_id = :parentId
            AND path.ancestor_id = acting.role_id
            AND path.rights & acting.rights & 1
        )
      )
      AND NOT ((:rights) & ~acting.rights)
    )
  ORDER BY own.is_root DESC, acting.role_id
  LIMIT 1
),
verdict AS MATERIALIZED (
  SELECT CASE
    WHEN NOT EXISTS (SELECT 1 FROM acted) THEN 'denied'
    WHEN (
      SELECT count(named.name)
      FROM json_each((SELECT undone.gone_role_ids FROM change_log undone WHERE undone.rev = :undoes)) listed
      CROSS JOIN role_history named ON named.role_id = listed.value AND named.to_rev = :undoes
    ) < json_array_length(
      (SELECT undone.gone_role_ids FROM change_log undone WHERE undone.rev = :undoes)
    ) THEN 'cannot_undo'
    ELSE 'ok'
  END AS verdict
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
),
counted AS MATERIALIZED (
  SELECT verdict,
    CASE
      WHEN verdict = 'ok' THEN json_array_length(
        (SELECT undone.gone_role_ids FROM change_log undone WHERE undone.rev = :undoes)
      )
    END AS role_count,
    CASE
      WHEN verdict = 'ok' THEN json_array_length(
        (SELECT undone.gone_relation_ids FROM change_log undone WHERE undone.rev = :undoes)
      )
    END AS row_count,
    CASE
      WHEN verdict = 'ok' THEN 1 + (
        SELECT count(*)
        FROM role_closure above
        WHERE above.descendant_id = :parentId
      )
    END AS up_size
  FROM verdict
),
sized AS MATERIALIZED (
  SELECT *,
    up_size * (role_count + row_count) + 8 * role_count + 4 * row_count AS base,
    coalesce(
      (SELECT undone_cost.cost FROM change_log undone_cost WHERE undone_cost.rev = :undoes), 0
    ) AS deletion_cost
  FROM counted
),
link(parent_id, child_id, rights) AS MATERIALIZED (
  SELECT inside_link.parent_id, inside_link.child_id, inside_link.rights
  FROM json_each((SELECT undone.gone_relation_ids FROM change_log undone WHERE undone.rev = :undoes)) listed
  CROSS JOIN manages_history inside_link ON inside_link.relation_id = listed.value
    AND inside_link.to_rev = :undoes
  WHERE (SELECT max(base, deletion_cost) <= :maxCost FROM sized)
    AND inside_link.relation_id <> :relationId
    AND inside_link.child_id IN (
      SELECT value
      FROM json_each((SELECT undone.gone_role_ids FROM change_log undone WHERE undone.rev = :undoes))
    )
),
reached(role_id, rights) AS (
  SELECT CAST(:childId AS INTEGER), 63
  WHERE (SELECT max(base, deletion_cost) <= :maxCost FROM sized)
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
outside(id) AS MATERIALIZED (
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
),
walk(descendant_id, ancestor_id, rights) AS (
  SELECT CAST(value AS INTEGER), CAST(value AS INTEGER), 63
  FROM json_each((SELECT undone.gone_role_ids FROM change_log undone WHERE undone.rev = :undoes))
  WHERE (SELECT max(base, deletion_cost) <= :maxCost FROM sized)
  UNION
  SELECT walk.descendant_id, inside.parent_id, walk.rights & inside.rights
  FROM walk
  CROSS JOIN manages_history inside ON inside.child_id = walk.ancestor_id
    AND inside.to_rev = :undoes
    AND inside.relation_id <> :relationId
  LIMIT (
    SELECT CASE
      WHEN (SELECT max(base, deletion_cost) <= :maxCost FROM sized) THEN :maxCost / (
        SELECT max(entering)
        FROM (
          SELECT count(*) AS entering
          FROM json_each(
            (SELECT undone.gone_role_ids FROM change_log undone WHERE undone.rev = :undoes)
          ) entered
          CROSS JOIN manages_history inside_2 ON inside_2.child_id = entered.value
            AND inside_2.to_rev = :undoes
          GROUP BY entered.value
        )
      ) + 1
      ELSE 0
    END
  )
),
walked(steps, most_above) AS MATERIALIZED (
  SELECT sum(above), max(above)
  FROM (SELECT count(*) AS above FROM walk GROUP BY descendant_id)
),
costed AS MATERIALIZED (
  SELECT sized.*,
    CASE
      WHEN NOT (SELECT max(base, deletion_cost) <= :maxCost FROM sized) THEN max(base, deletion_cost)
      ELSE base + steps * (
        SELECT max(entering)
        FROM (
          SELECT count(*) AS entering
          FROM json_each(
            (SELECT undone.gone_role_ids FROM change_log undone WHERE undone.rev = :undoes)
          ) entered
          CROSS JOIN manages_history inside ON inside.child_id = entered.value AND inside.to_rev = :undoes
          GROUP BY entered.value
        )
      ) + up_size * (
        SELECT count(*)
        FROM (
          SELECT 1
          FROM deleted_monitors lost
          CROSS JOIN monitors watching ON watching.device_id = lost.device_id
          WHERE lost.rev = :undoes
          LIMIT +:maxCost
        )
      ) + (up_size + most_above) * (
        SELECT count(*)
        FROM (
          SELECT 1
          FROM outside
          UNION ALL
          SELECT 1
          FROM outside
          CROSS JOIN manages_history outward ON outward.relation_id = outside.id AND outward.to_rev = :undoes
          CROSS JOIN role_closure below ON below.ancestor_id = outward.child_id
          LIMIT +:maxCost
        )
      )
    END AS cost
  FROM sized
  CROSS JOIN walked
),
ruled AS MATERIALIZED (
  SELECT *,
    CASE WHEN verdict = 'ok' AND cost > :maxCost THEN 'too_large' ELSE verdict END AS ruling,
    (SELECT max(back.to_rev) FROM role_history back WHERE back.role_id = :childId) AS last_rev
  FROM costed
),
decided AS MATERIALIZED (
  SELECT *,
    CASE
      WHEN NOT (:actorId > 0)
        OR NOT EXISTS (
          SELECT 1
          FROM change_log undone
          WHERE undone.rev = :undoes
            AND undone.decision = 'ok'
            AND undone.rev > coalesce(
              (SELECT CAST(setting.value AS INTEGER) FROM setting WHERE setting.name = 'history_from'), 0
            )
            AND (undone.effect NOT IN ('compare', 'abandoned', 'part') AND undone.kind NOT LIKE '%.dry_run')
            AND (
              (
                WITH RECURSIVE place(role_id, parent_id) AS (
                  SELECT undone.role_id,
                    CAST(
                      coalesce(
                        (
                          SELECT deletion.parent_id
                          FROM change_log deletion
                          WHERE deletion.rev = (
                            SELECT max(past.to_rev)
                            FROM role_history past
                            WHERE past.role_id = undone.role_id
                          )
                        ),
                        0
                      ) AS INTEGER
                    )
                  UNION
                  SELECT place.parent_id,
                    CAST(
                      coalesce(
                        (
                          SELECT deletion.parent_id
                          FROM change_log deletion
                          WHERE deletion.rev = (
                            SELECT max(past.to_rev)
                            FROM role_history past
                            WHERE past.role_id = place.parent_id
                          )
                        ),
                        0
                      ) AS INTEGER
                    )
                  FROM place
                  WHERE place.parent_id <> 0
                  LIMIT 10000
                )
                SELECT place.role_id
                FROM place
                WHERE CASEplace.parent_id
                  WHEN 0 THEN EXISTS (
                    SELECT 1
                    FROM member acting
                    WHERE acting.user_id = :actorId
                      AND (
                        (acting.ends_at IS NULL OR acting.ends_at > :now)
                        AND (
                          acting.needs = 0
                          OR iif(
                            acting.needs_from > :now, acting.needs_before, acting.needs
                          ) <= (
                            SELECT session.meets
                            FROM session
                            WHERE session.id = :sessionId
                          )
                        )
                      )
                      AND (
                        (
                          (
                            acting.role_id = place.role_id
                            AND EXISTS (
                              SELECT 1
                              FROM role self
                              WHERE self.id = place.role_id AND self.self_rights & acting.rights & 2
                            )
                          )
                          OR EXISTS (
                            SELECT 1
                            FROM role_closure path
                            WHERE path.descendant_id = place.role_id
                              AND path.ancestor_id = acting.role_id
                              AND path.rights & acting.rights & 3
                          )
                        )
                      )
                  )
                  ELSE false
                END
              ) IS NOT NULL
              OR (
                WITH RECURSIVE place(role_id, parent_id) AS (
                  SELECT undone.parent_id,
                    CAST(
                      coalesce(
                        (
                          SELECT deletion.parent_id
                          FROM change_log deletion
                          WHERE deletion.rev = (
                            SELECT max(past.to_rev)
                            FROM role_history past
                            WHERE past.role_id = undone.parent_id
                          )
                        ),
                        0
                      ) AS INTEGER
                    )
                  UNION
                  SELECT place.parent_id,
                    CAST(
                      coalesce(
                        (
                          SELECT deletion.parent_id
                          FROM change_log deletion
                          WHERE deletion.rev = (
                            SELECT max(past.to_rev)
                            FROM role_history past
                            WHERE past.role_id = place.parent_id
                          )
                        ),
                        0
                      ) AS INTEGER
                    )
                  FROM place
                  WHERE place.parent_id <> 0
                  LIMIT 10000
                )
                SELECT place.role_id
                FROM place
                WHERE CASEplace.parent_id
                  WHEN 0 THEN EXISTS (
                    SELECT 1
                    FROM member acting
                    WHERE acting.user_id = :actorId
                      AND (
                        (acting.ends_at IS NULL OR acting.ends_at > :now)
                        AND (
                          acting.needs = 0
                          OR iif(
                            acting.needs_from > :now, acting.needs_before, acting.needs
                          ) <= (
                            SELECT session.meets
                            FROM session
                            WHERE session.id = :sessionId
                          )
                        )
                      )
                      AND (
                        (
                          (
                            acting.role_id = place.role_id
                            AND EXISTS (
                              SELECT 1
                              FROM role self
                              WHERE self.id = place.role_id AND self.self_rights & acting.rights & 2
                            )
                          )
                          OR EXISTS (
                            SELECT 1
                            FROM role_closure path
                            WHERE path.descendant_id = place.role_id
                              AND path.ancestor_id = acting.role_id
                              AND path.rights & acting.rights & 3
                          )
                        )
                      )
                  )
                  ELSE false
                END
              ) IS NOT NULL
            )
        ) THEN 'denied'
      WHEN false THEN 'changed_since'
      WHEN ruling = 'denied' THEN 'denied'
      WHEN last_rev IS NOT :undoes THEN 'changed_since'
      ELSE ruling
    END AS decision
  FROM ruled
)
INSERT INTO change_log (
  op_id,
  at,
  actor_id,
  session_id,
  kind,
  parent_id,
  role_id,
  relation_id,
  new_rights,
  cost,
  undoes,
  decision,
  effect
)
SELECT :opId,
  :now,
  :actorId,
  :sessionId,
  ('manages.restore') || '.dry_run',
  :parentId,
  :childId,
  :relationId,
  :rights,
  cost,
  :undoes,
  decision,
  CASE decision WHEN 'ok' THEN 'restore' ELSE 'none' END
FROM decided
WHERE true
