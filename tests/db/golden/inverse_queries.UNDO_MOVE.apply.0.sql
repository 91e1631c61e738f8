-- like this: inverse_queries UNDO_DELETION.apply.0
-- like this: inverse_queries UNDO_DELETION.make.0
-- like this: inverse_queries UNDO_MOVE.make.0
-- like this: inverse_queries UNDO_RELATION_UPDATE.apply.0
-- like this: inverse_queries UNDO_RELATION_UPDATE.make.0
-- like this: manages_queries PUT_RELATION.apply.0
-- like this: manages_queries PUT_RELATION.make.0
-- like this: manages_queries UPDATE_RELATION.apply.0
-- like this: manages_queries UPDATE_RELATION.make.0
-- like this: member_queries PROVISION_AND_INVITE_MEMBER.apply.0
-- like this: member_queries PROVISION_AND_INVITE_MEMBER.make.0
-- like this: password_relation_queries COMPLETE_PUT_BY_PASSWORD.apply.0
-- like this: password_relation_queries COMPLETE_PUT_BY_PASSWORD.make.0
WITH verdict AS MATERIALIZED (
  SELECT :decided ->> 'parentId' AS parent_id,
    :decided ->> 'childId' AS child_id,
    :decided ->> 'relationId' AS relation_id,
    :decided ->> 'oldRights' AS old_rights,
    :decided ->> 'replacedId' AS replaced_id,
    :decided ->> 'replacedParentId' AS replaced_parent_id,
    :decided ->> 'replacedRights' AS replaced_rights,
    :decided ->> 'ruling' AS verdict
),
sized AS MATERIALIZED (
  SELECT *,
    CASE
      WHEN verdict = 'ok' THEN 1 + (
        SELECT count(*)
        FROM role_closure above
        WHERE above.descendant_id = verdict.parent_id
      ) + 1 + (
        SELECT count(*)
        FROM role_closure above
        WHERE above.descendant_id = verdict.replaced_parent_id
      )
    END AS up_size,
    CASE
      WHEN verdict = 'ok' THEN 1 + (
        SELECT count(*)
        FROM role_closure below
        WHERE below.ancestor_id = verdict.child_id
      )
    END AS down_size,
    CASE
      WHEN verdict = 'ok'
        AND true THEN (
          SELECT count(*)
          FROM (
            SELECT 1
            FROM (
              SELECT verdict.child_id AS role_id
              UNION ALL
              SELECT below.descendant_id
              FROM role_closure below
              WHERE below.ancestor_id = verdict.child_id
            ) AS reached
            CROSS JOIN manages entering ON entering.child_id = reached.role_id
            LIMIT +:maxCost
          )
        )
    END AS incoming
  FROM verdict
),
costed AS MATERIALIZED (
  SELECT *,
    up_size * down_size + CASE
      WHEN incoming IS NULL THEN 0
      WHEN up_size * incoming > :maxCost THEN up_size * incoming
      ELSE up_size * (
        incoming + (
          SELECT count(*)
          FROM (
            SELECT 1
            FROM (
              SELECT sized.child_id AS role_id
              UNION ALL
              SELECT below_2.descendant_id
              FROM role_closure below_2
              WHERE below_2.ancestor_id = sized.child_id
            ) AS reached
            CROSS JOIN role_closure below ON below.ancestor_id = reached.role_id
            WHERE EXISTS (
              SELECT 1
              FROM manages entering
              WHERE entering.child_id = reached.role_id
                AND entering.parent_id <> sized.child_id
                AND NOT EXISTS (
                  SELECT 1
                  FROM role_closure inside
                  WHERE inside.descendant_id = entering.parent_id AND inside.ancestor_id = sized.child_id
                )
            )
            LIMIT 4 * :maxCost
          )
        ) / 4
      )
    END AS cost
  FROM sized
),
acted AS MATERIALIZED (
  SELECT :decided ->> '$.charged.roleId' AS role_id,
    :decided ->> '$.charged.isRoot' AS is_root,
    :decided ->> '$.charged.branch' AS branch,
    :decided ->> 'via' AS oldest_role_id
  WHERE :decided ->> '$.charged' IS NOT NULL
),
ruled AS MATERIALIZED (
  SELECT *, CASE WHEN verdict = 'ok' AND cost > :maxCost THEN 'too_large' ELSE verdict END AS ruling
  FROM costed
),
owing AS MATERIALIZED (
  SELECT acted.is_root,
    acted.branch,
    CASE
      WHEN acted.is_root THEN acted.role_id
      ELSE (
        SELECT above.ancestor_id
        FROM role_closure above
        CROSS JOIN role root ON root.id = above.ancestor_id AND root.is_root
        WHERE above.descendant_id = acted.role_id AND above.rights & 1
        ORDER BY above.ancestor_id
        LIMIT 1
      )
    END AS counted_to
  FROM ruled
  CROSS JOIN acted
  WHERE ruling = 'ok'
),
paying AS MATERIALIZED (
  SELECT is_root,
    counted_to,
    CASE
      WHEN NOT is_root THEN iif(
        substr(branch, 1, instr(branch, ':') - 1) = counted_to || '',
        branch,
        'root ' || substr(branch, 1, instr(branch, ':') - 1)
      )
    END AS counted_for
  FROM owing
),
decided AS MATERIALIZED (
  SELECT ruled.*,
    counted_to,
    counted_for,
    max(
      iif(
        ifnull(whole.free_at > :now + 3 * (:latestFreeAt - :now) + 60000, false), 0, whole.free_at
      ) - (
        :latestFreeAt - iif(counted_for IS NULL, 0, (:latestFreeAt - :now) / 8)
      ),
      coalesce(
        iif(ifnull(own.free_at > :now + 3 * (:latestFreeAt - :now) + 60000, false), 0, own.free_at), 0
      ) - :latestFreeAt
    ) AS wait_ms,
    CASE
      WHEN ruling <> 'ok' THEN ruling
      WHEN NOT (:decided ->> 'takesAway')
        AND (
          iif(
            ifnull(whole.free_at > :now + 3 * (:latestFreeAt - :now) + 60000, false), 0, whole.free_at
          ) > (
            :latestFreeAt - iif(counted_for IS NULL, 0, (:latestFreeAt - :now) / 8)
          )
          OR iif(
            ifnull(own.free_at > :now + 3 * (:latestFreeAt - :now) + 60000, false), 0, own.free_at
          ) > :latestFreeAt
        ) THEN 'too_much_stored'
      ELSE ruling
    END AS decision
  FROM ruled
  LEFT JOIN paying ON true
  LEFT JOIN root_usage whole ON whole.root_id = counted_to AND whole.branch = ''
  LEFT JOIN root_usage own ON own.root_id = counted_to AND own.branch = counted_for
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
  old_rights,
  new_rights,
  cost,
  blocked_role_id,
  details,
  gone_relation_ids,
  undoes,
  via_role_id,
  counted_to,
  counted_for,
  decision,
  effect
)
SELECT :opId,
  :now,
  :actorId,
  :sessionId,
  'manages.move',
  parent_id,
  child_id,
  CASE WHEN relation_id IS NULL AND decision = 'ok' THEN :restoredId ELSE relation_id END,
  old_rights,
  :rights,
  CASE WHEN decision = 'too_much_stored' THEN wait_ms / 1000.0 ELSE cost END,
  CASE WHEN decision = 'unmanaged' THEN child_id END,
  CASE
    WHEN decision = 'ok' THEN json_object(
      'replacedParentId', replaced_parent_id, 'replacedRights', replaced_rights
    )
  END,
  CASE WHEN decision = 'ok' THEN json_array(replaced_id) END,
  :undoes,
  CASE WHEN decision IN ('ok', 'noop') THEN :decided ->> 'via' END,
  counted_to,
  counted_for,
  decision,
  CASE decision WHEN 'ok' THEN :decided ->> 'effect' ELSE 'none' END
FROM decided
WHERE :decided IS NOT NULL
