-- like this: inverse_queries UNDO_MEMBER_ADD.make.0.facts.few
-- like this: inverse_queries UNDO_MEMBER_ADD.make.0.guards.few
-- like this: inverse_queries UNDO_MEMBER_CHANGE.make.0.guards.few
-- like this: inverse_queries UNDO_ROLE_UPDATE.make.0.facts.few
-- like this: inverse_queries UNDO_ROLE_UPDATE.make.0.guards.few
-- like this: member_queries PROVISION_AND_INVITE_MEMBER.make.0.facts.few
-- like this: member_queries PROVISION_AND_INVITE_MEMBER.make.0.facts.many
-- like this: member_queries PROVISION_AND_INVITE_MEMBER.make.0.guards.few
-- like this: member_queries PROVISION_AND_INVITE_MEMBER.make.0.guards.many
-- like this: member_queries PROVISION_MEMBER.make.0.facts.few
-- like this: member_queries PROVISION_MEMBER.make.0.facts.many
-- like this: member_queries PROVISION_MEMBER.make.0.guards.many
-- like this: member_queries PUT_MEMBER.make.0.facts.few
-- like this: member_queries PUT_MEMBER.make.0.facts.many
-- like this: member_queries PUT_MEMBER.make.0.guards.few
-- like this: member_queries PUT_MEMBER.make.0.guards.many
SELECT iif(
  iif(
    :actorId > 0, (SELECT 1 FROM member crowd WHERE crowd.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL, false
  ),
  json_object(
    'caller',
    json(
      (
        SELECT json_object('meets', live.meets)
        FROM session live
        WHERE live.id = :sessionId
          AND live.user_id = :actorId
          AND live.ended_at IS NULL
          AND live.idle_until > :now
      )
    ),
    'memberships',
    json(
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
            'id',
            id,
            'endsAt',
            ends_at,
            'to',
            json(json_object('role', json_object('self', self_role, 'path', path_role)))
          ) AS item
          FROM (
            SELECT min(role_id) AS role_id,
              min(id) AS id,
              is_maker,
              rights,
              needs,
              is_root,
              branch,
              ends_at,
              self_role,
              path_role
            FROM (
              SELECT own.role_id,
                0 AS is_maker,
                own.rights,
                iif(own.needs_from > :now, own.needs_before, own.needs) AS needs,
                entered.is_root,
                substr(own.chain, 1, instr(own.chain || '/', '/') - 1) AS branch,
                own.id,
                own.ends_at,
                CASE own.role_id WHEN :roleId THEN entered.self_rights END AS self_role,
                (
                  SELECT path.rights
                  FROM role_closure path
                  WHERE path.descendant_id = :roleId AND path.ancestor_id = own.role_id
                ) AS path_role
              FROM member own
              CROSS JOIN role entered ON entered.id = own.role_id
              WHERE own.user_id = :actorId AND (own.ends_at IS NULL OR own.ends_at > :now)
            )
            WHERE coalesce(self_role, path_role) IS NOT NULL
            GROUP BY is_maker, rights, needs, is_root, branch, ends_at, self_role, path_role
          )
          ORDER BY is_maker, role_id
        )
      )
    ),
    'hasMaker',
    json(iif(false, 'true', 'false')),
    'subject',
    json(
      (
        SELECT json_object('id', id, 'member', json(member), 'endedId', endedId)
        FROM (
          SELECT invited.id AS id,
            (
              SELECT json_object('id', id, 'rights', rights, 'endsAt', endsAt)
              FROM (
                SELECT existing.id AS id, existing.rights AS rights, existing.ends_at AS endsAt
                FROM member existing
                WHERE (
                  existing.user_id = invited.id
                  AND existing.role_id = :roleId
                  AND (existing.ends_at IS NULL OR existing.ends_at > :now)
                )
              )
            ) AS member,
            (
              SELECT ended.id AS id
              FROM member ended
              WHERE (
                ended.user_id = invited.id
                AND ended.role_id = :roleId
                AND NOT ((ended.ends_at IS NULL OR ended.ends_at > :now))
              )
            ) AS endedId
          FROM user_account invited
          WHERE invited.email = :email
        )
      )
    ),
    'keepsAlone',
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
                    acting.role_id = :roleId
                    AND EXISTS (
                      SELECT 1
                      FROM role self
                      WHERE self.id = :roleId AND self.self_rights & acting.rights & 2
                    )
                  )
                  OR EXISTS (
                    SELECT 1
                    FROM role_closure path
                    WHERE path.descendant_id = :roleId
                      AND path.ancestor_id = acting.role_id
                      AND path.rights & acting.rights & 3
                  )
                )
              )
          ),
          :rights IS NOT NULL
          OR (:setsEnd AND :endsAt IS NOT NULL),
          false
        ) THEN iif(
          EXISTS (
            SELECT 1
            FROM member existing
            WHERE existing.user_id = (
              SELECT invited.id AS id
              FROM user_account invited
              WHERE invited.email = :email
            )
              AND existing.role_id = :roleId
              AND (existing.ends_at IS NULL OR existing.ends_at > :now)
              AND (
                (existing.user_id > 0 AND existing.rights & 1 AND existing.ends_at IS NULL)
                AND EXISTS (SELECT 1 FROM role root WHERE root.id = existing.role_id AND root.is_root)
                AND NOT EXISTS (
                  SELECT 1
                  FROM member other
                  WHERE other.role_id = existing.role_id
                    AND other.id <> existing.id
                    AND (
                      (other.user_id > 0 AND other.rights & 1 AND other.ends_at IS NULL)
                      AND EXISTS (SELECT 1 FROM user_account holder WHERE holder.id = other.user_id)
                    )
                )
              )
          ),
          'true',
          'false'
        )
      END
    ),
    'isReserved',
    json(
      iif(
        EXISTS (
          SELECT reserved.email AS email
          FROM reserved_email reserved
          WHERE (reserved.email = :email AND reserved.reserved_until > :now)
        ),
        'true',
        'false'
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
        iif(
          coalesce(
            (
              SELECT iif(past_member.to_rev = 9007199254740991, past_member.from_rev, past_member.to_rev)
              FROM member_history past_member
              WHERE past_member.member_id = :restoredId
              ORDER BY past_member.to_rev DESC
              LIMIT 1
            ) > :undoneTo,
            false
          )
          OR :livingId IS NOT NULL,
          coalesce(
            (
              SELECT iif(past_member.to_rev = 9007199254740991, past_member.from_rev, past_member.to_rev)
              FROM member_history past_member
              WHERE past_member.member_id = :restoredId
              ORDER BY past_member.to_rev DESC
              LIMIT 1
            ) > :undoneTo,
            false
          ),
          (
            EXISTS (
              SELECT 1
              FROM (SELECT :roleId AS role_id) place
              CROSS JOIN member_history ended ON ended.role_id = place.role_id
                AND ended.user_id = :subjectId
                AND ended.to_rev > :undoneTo
              WHERE ended.to_rev < 9007199254740991
                AND NOT EXISTS (
                  SELECT 1
                  FROM member_history later
                  WHERE later.member_id = ended.member_id AND later.to_rev > ended.to_rev
                )
            )
            OR EXISTS (
              SELECT 1
              FROM (SELECT :roleId AS role_id) place
              CROSS JOIN member over ON over.user_id = :subjectId AND over.role_id = place.role_id
              WHERE over.ends_at <= :now
                AND over.ends_at > (SELECT undone.at FROM change_log undone WHERE undone.rev = :undoneTo)
            )
            OR EXISTS (
              SELECT 1
              FROM (SELECT :roleId AS role_id) place
              CROSS JOIN change_log barring ON barring.subject_id = :subjectId
                AND barring.role_id = place.role_id
              WHERE barring.kind = 'access.end' AND barring.decision = 'ok' AND barring.rev > :undoneTo
            )
          )
        ),
        'true',
        'false'
      )
    )
  ),
  NULL
) AS facts
