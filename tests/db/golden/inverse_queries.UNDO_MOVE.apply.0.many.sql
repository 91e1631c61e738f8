-- like this: deletion_queries DELETE_RELATION.0
-- like this: deletion_queries DELETE_RELATION.0.facts.few
-- like this: deletion_queries DELETE_RELATION.0.facts.many
-- like this: deletion_queries DELETE_RELATION.0.many
-- like this: deletion_queries DELETE_RELATION_AS_ADMINISTRATOR.0
-- like this: deletion_queries DELETE_RELATION_AS_ADMINISTRATOR.0.many
-- like this: deletion_queries PREVIEW_DELETION.0
-- like this: deletion_queries PREVIEW_DELETION.0.many
-- like this: inverse_queries UNDO_DELETION.apply.0
-- like this: inverse_queries UNDO_DELETION.apply.0.many
-- like this: inverse_queries UNDO_DELETION.apply.0.unguarded
-- like this: inverse_queries UNDO_DELETION.make.0
-- like this: inverse_queries UNDO_DELETION.make.0.facts.few
-- like this: inverse_queries UNDO_DELETION.make.0.facts.many
-- like this: inverse_queries UNDO_DELETION.make.0.many
-- like this: inverse_queries UNDO_DELETION.make.0.unguarded
-- like this: inverse_queries UNDO_DELETION.preview.0
-- like this: inverse_queries UNDO_DELETION.preview.0.many
-- like this: inverse_queries UNDO_MAKING.apply.0
-- like this: inverse_queries UNDO_MAKING.apply.0.many
-- like this: inverse_queries UNDO_MAKING.apply.0.unguarded
-- like this: inverse_queries UNDO_MAKING.make.0
-- like this: inverse_queries UNDO_MAKING.make.0.facts.few
-- like this: inverse_queries UNDO_MAKING.make.0.facts.many
-- like this: inverse_queries UNDO_MAKING.make.0.many
-- like this: inverse_queries UNDO_MAKING.make.0.unguarded
-- like this: inverse_queries UNDO_MAKING.preview.0
-- like this: inverse_queries UNDO_MAKING.preview.0.many
-- like this: inverse_queries UNDO_MEMBER_ADD.apply.0
-- like this: inverse_queries UNDO_MEMBER_ADD.apply.0.many
-- like this: inverse_queries UNDO_MEMBER_ADD.make.0
-- like this: inverse_queries UNDO_MEMBER_ADD.make.0.facts.few
-- like this: inverse_queries UNDO_MEMBER_ADD.make.0.facts.many
-- like this: inverse_queries UNDO_MEMBER_ADD.make.0.many
-- like this: inverse_queries UNDO_MEMBER_ADD.preview.0
-- like this: inverse_queries UNDO_MEMBER_ADD.preview.0.many
-- like this: inverse_queries UNDO_MEMBER_CHANGE.apply.0
-- like this: inverse_queries UNDO_MEMBER_CHANGE.apply.0.many
-- like this: inverse_queries UNDO_MEMBER_CHANGE.apply.0.unguarded
-- like this: inverse_queries UNDO_MEMBER_CHANGE.make.0
-- like this: inverse_queries UNDO_MEMBER_CHANGE.make.0.facts.few
-- like this: inverse_queries UNDO_MEMBER_CHANGE.make.0.facts.many
-- like this: inverse_queries UNDO_MEMBER_CHANGE.make.0.many
-- like this: inverse_queries UNDO_MEMBER_CHANGE.make.0.unguarded
-- like this: inverse_queries UNDO_MEMBER_CHANGE.preview.0
-- like this: inverse_queries UNDO_MEMBER_CHANGE.preview.0.many
-- like this: inverse_queries UNDO_MOVE.apply.0
-- like this: inverse_queries UNDO_MOVE.apply.0.unguarded
-- like this: inverse_queries UNDO_MOVE.make.0
-- like this: inverse_queries UNDO_MOVE.make.0.facts.few
-- like this: inverse_queries UNDO_MOVE.make.0.facts.many
-- like this: inverse_queries UNDO_MOVE.make.0.many
-- like this: inverse_queries UNDO_MOVE.make.0.unguarded
-- like this: inverse_queries UNDO_MOVE.preview.0
-- like this: inverse_queries UNDO_MOVE.preview.0.many
-- like this: inverse_queries UNDO_MOVE.preview.0.unguarded
-- like this: inverse_queries UNDO_RELATION_UPDATE.apply.0
-- like this: inverse_queries UNDO_RELATION_UPDATE.apply.0.many
-- like this: inverse_queries UNDO_RELATION_UPDATE.apply.0.unguarded
-- like this: inverse_queries UNDO_RELATION_UPDATE.make.0
-- like this: inverse_queries UNDO_RELATION_UPDATE.make.0.facts.few
-- like this: inverse_queries UNDO_RELATION_UPDATE.make.0.facts.many
-- like this: inverse_queries UNDO_RELATION_UPDATE.make.0.many
-- like this: inverse_queries UNDO_RELATION_UPDATE.make.0.unguarded
-- like this: inverse_queries UNDO_RELATION_UPDATE.preview.0
-- like this: inverse_queries UNDO_RELATION_UPDATE.preview.0.many
-- like this: inverse_queries UNDO_ROLE_UPDATE.apply.0
-- like this: inverse_queries UNDO_ROLE_UPDATE.apply.0.many
-- like this: inverse_queries UNDO_ROLE_UPDATE.apply.0.unguarded
-- like this: inverse_queries UNDO_ROLE_UPDATE.make.0
-- like this: inverse_queries UNDO_ROLE_UPDATE.make.0.facts.few
-- like this: inverse_queries UNDO_ROLE_UPDATE.make.0.facts.many
-- like this: inverse_queries UNDO_ROLE_UPDATE.make.0.many
-- like this: inverse_queries UNDO_ROLE_UPDATE.make.0.unguarded
-- like this: inverse_queries UNDO_ROLE_UPDATE.preview.0
-- like this: inverse_queries UNDO_ROLE_UPDATE.preview.0.many
-- like this: manages_queries MOVE_RELATION.apply.0
-- like this: manages_queries MOVE_RELATION.apply.0.many
-- like this: manages_queries MOVE_RELATION.apply.0.unguarded
-- like this: manages_queries MOVE_RELATION.make.0
-- like this: manages_queries MOVE_RELATION.make.0.facts.few
-- like this: manages_queries MOVE_RELATION.make.0.facts.many
-- like this: manages_queries MOVE_RELATION.make.0.many
-- like this: manages_queries MOVE_RELATION.make.0.unguarded
-- like this: manages_queries MOVE_RELATION.preview.0
-- like this: manages_queries MOVE_RELATION.preview.0.many
-- like this: manages_queries MOVE_RELATION.preview.0.unguarded
-- like this: manages_queries PUT_RELATION.apply.0
-- like this: manages_queries PUT_RELATION.apply.0.many
-- like this: manages_queries PUT_RELATION.apply.0.unguarded
-- like this: manages_queries PUT_RELATION.make.0
-- like this: manages_queries PUT_RELATION.make.0.facts.few
-- like this: manages_queries PUT_RELATION.make.0.facts.many
-- like this: manages_queries PUT_RELATION.make.0.many
-- like this: manages_queries PUT_RELATION.make.0.unguarded
-- like this: manages_queries PUT_RELATION.preview.0
-- like this: manages_queries PUT_RELATION.preview.0.many
-- like this: manages_queries PUT_RELATION_AS_ADMINISTRATOR.0
-- like this: manages_queries PUT_RELATION_AS_ADMINISTRATOR.0.many
-- like this: manages_queries PUT_RELATION_AS_ADMINISTRATOR.0.unguarded
-- like this: manages_queries UPDATE_RELATION.apply.0
-- like this: manages_queries UPDATE_RELATION.apply.0.many
-- like this: manages_queries UPDATE_RELATION.apply.0.unguarded
-- like this: manages_queries UPDATE_RELATION.make.0
-- like this: manages_queries UPDATE_RELATION.make.0.facts.few
-- like this: manages_queries UPDATE_RELATION.make.0.facts.many
-- like this: manages_queries UPDATE_RELATION.make.0.many
-- like this: manages_queries UPDATE_RELATION.make.0.unguarded
-- like this: manages_queries UPDATE_RELATION.preview.0
-- like this: manages_queries UPDATE_RELATION.preview.0.many
-- like this: member_queries PROVISION_AND_INVITE_MEMBER.apply.0
-- like this: member_queries PROVISION_AND_INVITE_MEMBER.apply.0.many
-- like this: member_queries PROVISION_AND_INVITE_MEMBER.apply.0.unguarded
-- like this: member_queries PROVISION_AND_INVITE_MEMBER.make.0
-- like this: member_queries PROVISION_AND_INVITE_MEMBER.make.0.facts.few
-- like this: member_queries PROVISION_AND_INVITE_MEMBER.make.0.facts.many
-- like this: member_queries PROVISION_AND_INVITE_MEMBER.make.0.many
-- like this: member_queries PROVISION_AND_INVITE_MEMBER.make.0.unguarded
-- like this: member_queries PROVISION_AND_INVITE_MEMBER.preview.0
-- like this: member_queries PROVISION_AND_INVITE_MEMBER.preview.0.many
-- like this: member_queries PROVISION_MEMBER.apply.0
-- like this: member_queries PROVISION_MEMBER.apply.0.many
-- like this: member_queries PROVISION_MEMBER.apply.0.unguarded
-- like this: member_queries PROVISION_MEMBER.make.0
-- like this: member_queries PROVISION_MEMBER.make.0.facts.few
-- like this: member_queries PROVISION_MEMBER.make.0.facts.many
-- like this: member_queries PROVISION_MEMBER.make.0.many
-- like this: member_queries PROVISION_MEMBER.make.0.unguarded
-- like this: member_queries PROVISION_MEMBER.preview.0
-- like this: member_queries PROVISION_MEMBER.preview.0.many
-- like this: member_queries PUT_MEMBER.apply.0
-- like this: member_queries PUT_MEMBER.apply.0.many
-- like this: member_queries PUT_MEMBER.apply.0.unguarded
-- like this: member_queries PUT_MEMBER.make.0
-- like this: member_queries PUT_MEMBER.make.0.facts.few
-- like this: member_queries PUT_MEMBER.make.0.facts.many
-- like this: member_queries PUT_MEMBER.make.0.many
-- like this: member_queries PUT_MEMBER.make.0.unguarded
-- like this: member_queries PUT_MEMBER.preview.0
-- like this: member_queries PUT_MEMBER.preview.0.many
-- like this: member_removal_queries REMOVE_MEMBER.apply.0
-- like this: member_removal_queries REMOVE_MEMBER.apply.0.many
-- like this: member_removal_queries REMOVE_MEMBER.make.0
-- like this: member_removal_queries REMOVE_MEMBER.make.0.many
-- like this: member_removal_queries REMOVE_MEMBER.preview.0
-- like this: member_removal_queries REMOVE_MEMBER.preview.0.many
-- like this: password_relation_queries COMPLETE_PUT_BY_PASSWORD.apply.0
-- like this: password_relation_queries COMPLETE_PUT_BY_PASSWORD.apply.0.many
-- like this: password_relation_queries COMPLETE_PUT_BY_PASSWORD.apply.0.unguarded
-- like this: password_relation_queries COMPLETE_PUT_BY_PASSWORD.make.0
-- like this: password_relation_queries COMPLETE_PUT_BY_PASSWORD.make.0.facts.few
-- like this: password_relation_queries COMPLETE_PUT_BY_PASSWORD.make.0.facts.many
-- like this: password_relation_queries COMPLETE_PUT_BY_PASSWORD.make.0.many
-- like this: password_relation_queries COMPLETE_PUT_BY_PASSWORD.make.0.unguarded
-- like this: password_relation_queries COMPLETE_PUT_BY_PASSWORD.preview.0
-- like this: password_relation_queries COMPLETE_PUT_BY_PASSWORD.preview.0.many
-- like this: role_queries CREATE_ROLE.keyed.0
-- like this: role_queries CREATE_ROLE.keyed.0.facts.many
-- like this: role_queries CREATE_ROLE.keyed.0.many
-- like this: role_queries CREATE_ROLE.keyed.0.unguarded
-- like this: role_queries CREATE_ROLE.keyless.0
-- like this: role_queries CREATE_ROLE.keyless.0.many
-- like this: role_queries CREATE_ROLE.keyless.0.unguarded
-- like this: role_queries UPDATE_ROLE.apply.0
-- like this: role_queries UPDATE_ROLE.apply.0.many
-- like this: role_queries UPDATE_ROLE.apply.0.unguarded
-- like this: role_queries UPDATE_ROLE.make.0
-- like this: role_queries UPDATE_ROLE.make.0.facts.many
-- like this: role_queries UPDATE_ROLE.make.0.many
-- like this: role_queries UPDATE_ROLE.make.0.unguarded
-- like this: role_queries UPDATE_ROLE.preview.0
-- like this: role_queries UPDATE_ROLE.preview.0.many
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
),
logged AS MATERIALIZED (
  SELECT 'manages.move' AS kind,
    parent_id AS parent_id,
    child_id AS role_id,
    CASE WHEN relation_id IS NULL AND decision = 'ok' THEN :restoredId ELSE relation_id END AS relation_id,
    old_rights AS old_rights,
    :rights AS new_rights,
    CASE WHEN decision = 'too_much_stored' THEN wait_ms / 1000.0 ELSE cost END AS cost,
    CASE WHEN decision = 'unmanaged' THEN child_id END AS blocked_role_id,
    CASE
      WHEN decision = 'ok' THEN json_object(
        'replacedParentId', replaced_parent_id, 'replacedRights', replaced_rights
      )
    END AS details,
    CASE WHEN decision = 'ok' THEN json_array(replaced_id) END AS gone_relation_ids,
    :undoes AS undoes,
    CASE WHEN decision IN ('ok', 'noop') THEN :decided ->> 'via' END AS via_role_id,
    counted_to AS counted_to,
    counted_for AS counted_for,
    decision,
    CASE decision WHEN 'ok' THEN :decided ->> 'effect' ELSE 'none' END AS effect,
    decision <> 'ok'
    AND NOT false AS is_merged
  FROM decided
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
  effect,
  merge_key
)
SELECT :opId,
  :now,
  :actorId,
  :sessionId,
  logged.kind,
  logged.parent_id,
  logged.role_id,
  logged.relation_id,
  logged.old_rights,
  logged.new_rights,
  logged.cost,
  logged.blocked_role_id,
  logged.details,
  logged.gone_relation_ids,
  logged.undoes,
  logged.via_role_id,
  logged.counted_to,
  logged.counted_for,
  logged.decision,
  logged.effect,
  CASE
    WHEN is_merged THEN :branch || ' ' || (:now / 60000) || ' ' || :actorId || ' ' || kind || ' ' || decision || ' ' || CASE
      WHEN (
        SELECT count(*)
        FROM (
          SELECT 1
          FROM change_log crowd
          WHERE crowd.merge_key >= :branch || ' ' || (:now / 60000) || ' '
            AND crowd.merge_key < :branch || ' ' || (:now / 60000) || '!'
          LIMIT 60
        )
      ) < 60 THEN coalesce(parent_id, '-') || ' ' || coalesce(role_id, '-') || ' ' || coalesce(relation_id, '-')
      ELSE ''
    END
  END
FROM logged
WHERE json_object(
  'caller',
  json(
    CASE
      WHEN :actorId > 0 THEN (
        SELECT json_object('meets', live.meets)
        FROM session live
        WHERE live.id = :sessionId
          AND live.user_id = :actorId
          AND live.ended_at IS NULL
          AND live.idle_until > :now
      )
      ELSE (
        SELECT json_object('meets', NULL)
        FROM role_key key
        CROSS JOIN member keyed ON keyed.id = key.id
        WHERE key.id = -:actorId
          AND key.secret_mac = :sessionId
          AND (keyed.ends_at IS NULL OR keyed.ends_at > :now)
      )
    END
  ),
  'memberships',
  json(
    iif(
      EXISTS (
        SELECT 1
        FROM member held
        WHERE held.user_id IN (
          :actorId, (SELECT made.created_by FROM role_key made WHERE made.id = -:actorId)
        )
          AND (
            held.role_id IN (:parentId, :childId)
            OR EXISTS (
              SELECT 1
              FROM role_closure way
              WHERE way.descendant_id IN (:parentId, :childId) AND way.ancestor_id = held.role_id
            )
          )
      ),
      (
        SELECT json_group_array(json(item))
        FROM (
          SELECT json_object(
            'roleId',
            role_id,
            'isMaker',
            is_maker,
            'rights',
            rights,
            'needs',
            needs,
            'isRoot',
            is_root,
            'branch',
            branch,
            'to',
            json(
              json_object(
                'parent',
                json_object('self', self_parent, 'path', path_parent),
                'child',
                json_object('self', self_child, 'path', path_child)
              )
            )
          ) AS item
          FROM (
            SELECT min(role_id) AS role_id,
              is_maker,
              rights,
              needs,
              is_root,
              branch,
              self_parent,
              path_parent,
              self_child,
              path_child
            FROM (
              SELECT own.role_id,
                own.user_id <> :actorId AS is_maker,
                own.rights,
                iif(own.needs_from > :now, own.needs_before, own.needs) AS needs,
                entered.is_root,
                substr(own.chain, 1, instr(own.chain || '/', '/') - 1) AS branch,
                CASE own.role_id WHEN :parentId THEN entered.self_rights END AS self_parent,
                (
                  SELECT path.rights
                  FROM role_closure path
                  WHERE path.descendant_id = :parentId AND path.ancestor_id = own.role_id
                ) AS path_parent,
                CASE own.role_id WHEN :childId THEN entered.self_rights END AS self_child,
                (
                  SELECT path.rights
                  FROM role_closure path
                  WHERE path.descendant_id = :childId AND path.ancestor_id = own.role_id
                ) AS path_child
              FROM (
                SELECT above.ancestor_id AS id
                FROM role_closure above
                WHERE above.descendant_id IN (:parentId, :childId)
                UNION VALUES (:parentId), (:childId)
              ) upper
              CROSS JOIN member own ON own.role_id = upper.id
              CROSS JOIN role entered ON entered.id = own.role_id
              WHERE own.user_id IN (
                :actorId, (SELECT made.created_by FROM role_key made WHERE made.id = -:actorId)
              )
                AND iif(
                  own.user_id <> :actorId,
                  (
                    (own.ends_at IS NULL OR own.ends_at > :now)
                    AND (
                      own.user_id < 0
                      OR EXISTS (SELECT 1 FROM user_account held_by WHERE held_by.id = own.user_id)
                    )
                  ),
                  (own.ends_at IS NULL OR own.ends_at > :now)
                )
            )
            WHERE coalesce(self_parent, path_parent, self_child, path_child) IS NOT NULL
            GROUP BY is_maker,
              rights,
              needs,
              is_root,
              branch,
              self_parent,
              path_parent,
              self_child,
              path_child
          )
          ORDER BY is_maker, role_id
        )
      ),
      '[]'
    )
  ),
  'hasMaker',
  json(
    iif((SELECT made.created_by FROM role_key made WHERE made.id = -:actorId) IS NOT NULL, 'true', 'false')
  ),
  'relation',
  json(
    (
      SELECT json_object('id', existing.id, 'rights', existing.rights)
      FROM manages existing
      WHERE existing.parent_id = :parentId AND existing.child_id = :childId
    )
  ),
  'closesCycle',
  json(
    iif(
      :parentId = :childId
      OR EXISTS (
        SELECT 1
        FROM role_closure path
        WHERE path.descendant_id = :parentId AND path.ancestor_id = :childId
      ),
      'true',
      'false'
    )
  ),
  'kept',
  json(
    CASE
      WHEN iif(
        NOT :rights & 1,
        EXISTS (
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
                acting.role_id = :childId
                OR EXISTS (
                  SELECT 1
                  FROM role_closure path
                  WHERE path.descendant_id = :childId AND path.ancestor_id = acting.role_id
                )
              )
            )
        ),
        false
      ) THEN (
        SELECT json_object(
          'isRoot',
          kept.is_root,
          'isManaged',
          json(
            iif(
              EXISTS (
                SELECT 1
                FROM manages other
                WHERE other.child_id = :childId
                  AND other.rights & 1
                  AND other.id IS NOT :replaces
                  AND other.id IS NOT (
                    SELECT existing.id
                    FROM manages existing
                    WHERE existing.parent_id = :parentId AND existing.child_id = :childId
                  )
              ),
              'true',
              'false'
            )
          ),
          'isEntered',
          json(
            iif(
              EXISTS (
                SELECT 1
                FROM manages other
                WHERE other.child_id = :childId
                  AND true
                  AND other.id IS NOT :replaces
                  AND other.id IS NOT (
                    SELECT existing.id
                    FROM manages existing
                    WHERE existing.parent_id = :parentId AND existing.child_id = :childId
                  )
              ),
              'true',
              'false'
            )
          )
        )
        FROM role kept
        WHERE kept.id = :childId
      )
    END
  ),
  'replaced',
  json(
    (
      SELECT json_object('id', replaced.id, 'parentId', replaced.parent_id, 'rights', replaced.rights)
      FROM manages replaced
      WHERE replaced.id = :replaces AND replaced.child_id = :childId AND replaced.parent_id <> :parentId
    )
  ),
  'isRead',
  json(
    iif(
      EXISTS (
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
      ),
      'true',
      'false'
    )
  ),
  'hasChanged',
  json(
    iif(
      coalesce(
        (
          SELECT iif(past_relation.to_rev = 9007199254740991, past_relation.from_rev, past_relation.to_rev)
          FROM manages_history past_relation
          WHERE past_relation.relation_id = :restoredId
          ORDER BY past_relation.to_rev DESC
          LIMIT 1
        ) > :undoneTo,
        false
      )
      OR coalesce(
        (
          SELECT iif(past_relation.to_rev = 9007199254740991, past_relation.from_rev, past_relation.to_rev)
          FROM manages_history past_relation
          WHERE past_relation.relation_id = :replaces
          ORDER BY past_relation.to_rev DESC
          LIMIT 1
        ) > :undoneTo,
        false
      ),
      'true',
      'false'
    )
  )
) = :facts ON CONFLICT (merge_key)
WHERE merge_key IS NOT NULL DO UPDATE
SET op_id = excluded.op_id,
  session_id = excluded.session_id,
  attempts = change_log.attempts + 1,
  parent_id = CASE
    WHEN excluded.decision IN ('noop', 'cannot_end')
      OR change_log.parent_id IS excluded.parent_id THEN excluded.parent_id
  END,
  role_id = CASE
    WHEN excluded.decision IN ('noop', 'cannot_end')
      OR change_log.role_id IS excluded.role_id THEN excluded.role_id
  END,
  relation_id = CASE
    WHEN excluded.decision IN ('noop', 'cannot_end')
      OR change_log.relation_id IS excluded.relation_id THEN excluded.relation_id
  END,
  old_rights = CASE
    WHEN excluded.decision IN ('noop', 'cannot_end')
      OR change_log.old_rights IS excluded.old_rights THEN excluded.old_rights
  END,
  new_rights = CASE
    WHEN excluded.decision IN ('noop', 'cannot_end')
      OR change_log.new_rights IS excluded.new_rights THEN excluded.new_rights
  END,
  cost = excluded.cost,
  blocked_role_id = CASE
    WHEN excluded.decision IN ('noop', 'cannot_end')
      OR change_log.blocked_role_id IS excluded.blocked_role_id THEN excluded.blocked_role_id
  END,
  details = CASE
    WHEN excluded.decision IN ('noop', 'cannot_end')
      OR change_log.details IS excluded.details THEN excluded.details
  END,
  gone_relation_ids = CASE
    WHEN excluded.decision IN ('noop', 'cannot_end')
      OR change_log.gone_relation_ids IS excluded.gone_relation_ids THEN excluded.gone_relation_ids
  END,
  undoes = CASE
    WHEN excluded.decision IN ('noop', 'cannot_end')
      OR change_log.undoes IS excluded.undoes THEN excluded.undoes
  END,
  via_role_id = CASE
    WHEN excluded.decision IN ('noop', 'cannot_end')
      OR change_log.via_role_id IS excluded.via_role_id THEN excluded.via_role_id
  END,
  counted_to = CASE
    WHEN excluded.decision IN ('noop', 'cannot_end')
      OR change_log.counted_to IS excluded.counted_to THEN excluded.counted_to
  END,
  counted_for = CASE
    WHEN excluded.decision IN ('noop', 'cannot_end')
      OR change_log.counted_for IS excluded.counted_for THEN excluded.counted_for
  END
