-- like this: deletion_queries DELETE_RELATION.0.facts.few
-- like this: deletion_queries DELETE_RELATION.0.facts.many
-- like this: deletion_queries DELETE_RELATION.0.guards.many
-- like this: inverse_queries READ_LATER
-- like this: inverse_queries UNDO_DELETION.make.0.facts.few
-- like this: inverse_queries UNDO_DELETION.make.0.facts.many
-- like this: inverse_queries UNDO_DELETION.make.0.guards.few
-- like this: inverse_queries UNDO_DELETION.make.0.guards.many
-- like this: inverse_queries UNDO_MAKING.make.0.facts.few
-- like this: inverse_queries UNDO_MAKING.make.0.facts.many
-- like this: inverse_queries UNDO_MAKING.make.0.guards.few
-- like this: inverse_queries UNDO_MEMBER_ADD.make.0.facts.many
-- like this: inverse_queries UNDO_MEMBER_ADD.make.0.guards.many
-- like this: inverse_queries UNDO_MEMBER_CHANGE.make.0.facts.many
-- like this: inverse_queries UNDO_MEMBER_CHANGE.make.0.guards.many
-- like this: inverse_queries UNDO_MOVE.make.0.facts.few
-- like this: inverse_queries UNDO_MOVE.make.0.facts.many
-- like this: inverse_queries UNDO_MOVE.make.0.guards.few
-- like this: inverse_queries UNDO_MOVE.make.0.guards.many
-- like this: inverse_queries UNDO_RELATION_UPDATE.make.0.facts.few
-- like this: inverse_queries UNDO_RELATION_UPDATE.make.0.facts.many
-- like this: inverse_queries UNDO_RELATION_UPDATE.make.0.guards.few
-- like this: inverse_queries UNDO_RELATION_UPDATE.make.0.guards.many
-- like this: inverse_queries UNDO_ROLE_UPDATE.make.0.facts.many
-- like this: inverse_queries UNDO_ROLE_UPDATE.make.0.guards.many
-- like this: manages_queries MOVE_RELATION.make.0.facts.many
-- like this: manages_queries MOVE_RELATION.make.0.guards.many
-- like this: manages_queries PUT_RELATION.make.0.facts.many
-- like this: manages_queries PUT_RELATION.make.0.guards.many
-- like this: manages_queries UPDATE_RELATION.make.0.facts.few
-- like this: manages_queries UPDATE_RELATION.make.0.facts.many
-- like this: manages_queries UPDATE_RELATION.make.0.guards.many
-- like this: member_removal_queries REMOVE_MEMBER.make.0.facts.many
-- like this: member_removal_queries REMOVE_MEMBER.make.0.guards.many
-- like this: password_relation_queries COMPLETE_PUT_BY_PASSWORD.make.0.facts.few
-- like this: password_relation_queries COMPLETE_PUT_BY_PASSWORD.make.0.facts.many
-- like this: password_relation_queries COMPLETE_PUT_BY_PASSWORD.make.0.guards.few
-- like this: password_relation_queries COMPLETE_PUT_BY_PASSWORD.make.0.guards.many
-- like this: role_queries CREATE_ROLE.keyed.0.facts.many
-- like this: role_queries CREATE_ROLE.keyed.0.guards.many
-- like this: role_queries UPDATE_ROLE.make.0.facts.many
-- like this: role_queries UPDATE_ROLE.make.0.guards.many
INSERT INTO id_sequence (name, last_id)
SELECT name, last_id
FROM id_sequence
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
            held.role_id IN (
              :parentId,
              (
                SELECT named.child_id AS childId
                FROM manages named
                WHERE (named.id = :relationId AND named.parent_id = :parentId)
              )
            )
            OR EXISTS (
              SELECT 1
              FROM role_closure way
              WHERE way.descendant_id IN (
                :parentId,
                (
                  SELECT named.child_id AS childId
                  FROM manages named
                  WHERE (named.id = :relationId AND named.parent_id = :parentId)
                )
              )
                AND way.ancestor_id = held.role_id
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
                CASEown.role_id
                  WHEN (
                    SELECT named.child_id AS childId
                    FROM manages named
                    WHERE (named.id = :relationId AND named.parent_id = :parentId)
                  ) THEN entered.self_rights
                END AS self_child,
                (
                  SELECT path.rights
                  FROM role_closure path
                  WHERE path.descendant_id = (
                    SELECT named.child_id AS childId
                    FROM manages named
                    WHERE (named.id = :relationId AND named.parent_id = :parentId)
                  )
                    AND path.ancestor_id = own.role_id
                ) AS path_child
              FROM (
                SELECT above.ancestor_id AS id
                FROM role_closure above
                WHERE above.descendant_id IN (
                  :parentId,
                  (
                    SELECT named.child_id AS childId
                    FROM manages named
                    WHERE (named.id = :relationId AND named.parent_id = :parentId)
                  )
                )
                UNION VALUES (:parentId),
                  (
                    (
                      SELECT named.child_id AS childId
                      FROM manages named
                      WHERE (named.id = :relationId AND named.parent_id = :parentId)
                    )
                  )
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
      SELECT json_object('id', id, 'childId', childId, 'rights', rights, 'byPassword', byPassword)
      FROM (
        SELECT named.id AS id,
          named.child_id AS childId,
          named.rights AS rights,
          named.by_password AS byPassword
        FROM manages named
        WHERE (named.id = :relationId AND named.parent_id = :parentId)
      )
    )
  ),
  'kept',
  json(
    CASE
      WHEN iif(
        EXISTS (
          SELECT 1
          FROM member acting
          WHERE acting.user_id = :actorId
            AND (
              (acting.ends_at IS NULL OR acting.ends_at > :now)
              AND (
                acting.user_id < 0
                OR EXISTS (SELECT 1 FROM user_account held_by WHERE held_by.id = acting.user_id)
              )
            )
            AND (
              (
                acting.role_id = (
                  SELECT named.child_id AS childId
                  FROM manages named
                  WHERE (named.id = :relationId AND named.parent_id = :parentId)
                )
                OR EXISTS (
                  SELECT 1
                  FROM role_closure path
                  WHERE path.descendant_id = (
                    SELECT named.child_id AS childId
                    FROM manages named
                    WHERE (named.id = :relationId AND named.parent_id = :parentId)
                  )
                    AND path.ancestor_id = acting.role_id
                )
              )
            )
        ),
        (
          SELECT named.by_password AS byPassword
          FROM manages named
          WHERE (named.id = :relationId AND named.parent_id = :parentId)
        ),
        false
      ) THEN (
        SELECT json_object('isRoot', isRoot, 'isManaged', json(isManaged), 'isEntered', json(isEntered))
        FROM (
          SELECT kept.is_root AS isRoot,
            iif(
              EXISTS (
                SELECT 1
                FROM manages other
                WHERE other.child_id = (
                  SELECT named.child_id AS childId
                  FROM manages named
                  WHERE (named.id = :relationId AND named.parent_id = :parentId)
                )
                  AND other.rights & 1
                  AND other.id IS NOT :relationId
              ),
              'true',
              'false'
            ) AS isManaged,
            iif(
              EXISTS (
                SELECT 1
                FROM manages other
                WHERE other.child_id = (
                  SELECT named.child_id AS childId
                  FROM manages named
                  WHERE (named.id = :relationId AND named.parent_id = :parentId)
                )
                  AND true
                  AND other.id IS NOT :relationId
              ),
              'true',
              'false'
            ) AS isEntered
          FROM role kept
          WHERE kept.id = (
            SELECT named.child_id AS childId
            FROM manages named
            WHERE (named.id = :relationId AND named.parent_id = :parentId)
          )
        )
      )
    END
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
      (
        coalesce(
          (
            SELECT iif(past_relation.to_rev = 9007199254740991, past_relation.from_rev, past_relation.to_rev)
            FROM manages_history past_relation
            WHERE past_relation.relation_id = :relationId
            ORDER BY past_relation.to_rev DESC
            LIMIT 1
          ) > :undoneTo,
          false
        )
        OR (
          :madeRoles <> '[]'
          AND coalesce(
            (
              SELECT iif(past_role.to_rev = 9007199254740991, past_role.from_rev, past_role.to_rev)
              FROM role_history past_role
              WHERE past_role.role_id = (
                SELECT named.child_id AS childId
                FROM manages named
                WHERE (named.id = :relationId AND named.parent_id = :parentId)
              )
              ORDER BY past_role.to_rev DESC
              LIMIT 1
            ) > :undoneTo,
            false
          )
        )
      ),
      'true',
      'false'
    )
  )
) IS NOT :facts
