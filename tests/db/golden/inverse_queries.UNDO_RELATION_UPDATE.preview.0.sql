-- like this: deletion_queries DELETE_RELATION.0
-- like this: deletion_queries DELETE_RELATION_AS_ADMINISTRATOR.0
-- like this: deletion_queries PREVIEW_DELETION.0
-- like this: inverse_queries UNDO_ATTACH.preview.0
-- like this: inverse_queries UNDO_CASCADE.preview.0
-- like this: inverse_queries UNDO_DELETION.preview.0
-- like this: inverse_queries UNDO_MAKING.apply.0
-- like this: inverse_queries UNDO_MAKING.make.0
-- like this: inverse_queries UNDO_MAKING.preview.0
-- like this: inverse_queries UNDO_MEMBER_ADD.preview.0
-- like this: inverse_queries UNDO_MEMBER_CHANGE.preview.0
-- like this: inverse_queries UNDO_MOVE.preview.0
-- like this: inverse_queries UNDO_ROLE_UPDATE.preview.0
-- like this: manages_queries MOVE_RELATION.apply.0
-- like this: manages_queries MOVE_RELATION.make.0
-- like this: manages_queries MOVE_RELATION.preview.0
-- like this: manages_queries PUT_RELATION.apply.0
-- like this: manages_queries PUT_RELATION.make.0
-- like this: manages_queries PUT_RELATION.preview.0
-- like this: manages_queries PUT_RELATION_AS_ADMINISTRATOR.0
-- like this: manages_queries UPDATE_RELATION.apply.0
-- like this: manages_queries UPDATE_RELATION.make.0
-- like this: manages_queries UPDATE_RELATION.preview.0
-- like this: password_relation_queries COMPLETE_PUT_BY_PASSWORD.apply.0
-- like this: password_relation_queries COMPLETE_PUT_BY_PASSWORD.make.0
-- like this: password_relation_queries COMPLETE_PUT_BY_PASSWORD.preview.0
-- like this: role_queries UPDATE_ROLE.preview.0
WITH verdict AS MATERIALIZED (
  SELECT :parentId AS parent_id,
    existing.child_id,
    existing.id AS relation_id,
    existing.rights AS old_rights,
    existing.by_password,
    CASE
      WHEN existing.id IS NULL THEN 'denied'
      WHEN NOT CASE
        WHEN :rights & ~existing.rights THEN NOT EXISTS (
          SELECT 1
          FROM (
            SELECT :actorId AS id
            UNION ALL
            SELECT made.created_by
            FROM role_key made
            WHERE made.id = -:actorId AND made.created_by IS NOT NULL AND (true)
          ) giver
          WHERE NOT EXISTS (
            SELECT 1
            FROM member acting
            WHERE acting.user_id = giver.id
              AND (
                (
                  (acting.ends_at IS NULL OR acting.ends_at > :now)
                  AND (
                    acting.user_id < 0
                    OR EXISTS (SELECT 1 FROM user_account holder WHERE holder.id = acting.user_id)
                  )
                )
                AND (
                  :actorId < 0
                  OR (
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
                )
              )
              AND (
                (
                  (
                    acting.role_id = existing.parent_id
                    AND EXISTS (
                      SELECT 1
                      FROM role self
                      WHERE self.id = existing.parent_id AND self.self_rights & acting.rights & 1
                    )
                  )
                  OR EXISTS (
                    SELECT 1
                    FROM role_closure path
                    WHERE path.descendant_id = existing.parent_id
                      AND path.ancestor_id = acting.role_id
                      AND path.rights & acting.rights & 1
                  )
                )
                AND EXISTS (
                  SELECT 1
                  FROM role_closure path
                  WHERE path.descendant_id = existing.child_id
                    AND path.ancestor_id = acting.role_id
                    AND path.rights & acting.rights & 1
                )
                AND NOT ((:rights & ~coalesce(existing.rights, 0)) & ~acting.rights)
              )
          )
        )
        ELSE (
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
                    (
                      acting.role_id = existing.parent_id
                      AND EXISTS (
                        SELECT 1
                        FROM role self
                        WHERE self.id = existing.parent_id AND self.self_rights & acting.rights & 1
                      )
                    )
                    OR EXISTS (
                      SELECT 1
                      FROM role_closure path
                      WHERE path.descendant_id = existing.parent_id
                        AND path.ancestor_id = acting.role_id
                        AND path.rights & acting.rights & 1
                    )
                  )
                  OR EXISTS (
                    SELECT 1
                    FROM role_closure path
                    WHERE path.descendant_id = existing.child_id
                      AND path.ancestor_id = acting.role_id
                      AND path.rights & acting.rights & 1
                  )
                )
              )
          )
          OR (
            existing.by_password
            AND (
              EXISTS (
                SELECT 1
                FROM manages other
                WHERE other.child_id = existing.child_id AND other.id <> existing.id
              )
              OR EXISTS (SELECT 1 FROM role root WHERE root.id = existing.child_id AND root.is_root)
            )
            AND NOT EXISTS (
              SELECT 1
              FROM (
                SELECT :actorId AS id
                UNION ALL
                SELECT made.created_by
                FROM role_key made
                WHERE made.id = -:actorId AND made.created_by IS NOT NULL AND (true)
              ) giver
              WHERE NOT EXISTS (
                SELECT 1
                FROM member acting
                WHERE acting.user_id = giver.id
                  AND (
                    (
                      (acting.ends_at IS NULL OR acting.ends_at > :now)
                      AND (
                        acting.user_id < 0
                        OR EXISTS (SELECT 1 FROM user_account holder WHERE holder.id = acting.user_id)
                      )
                    )
                    AND (
                      :actorId < 0
                      OR (
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
                    )
                  )
                  AND (
                    (
                      acting.role_id = existing.child_id
                      AND EXISTS (
                        SELECT 1
                        FROM role self
                        WHERE self.id = existing.child_id AND self.self_rights & acting.rights & 1
                      )
                    )
                  )
              )
            )
          )
        )
      END THEN 'denied'
      WHEN existing.rights = :rights THEN 'noop'
      WHEN existing.rights & 1
        AND NOT (:rights & 1)
        AND NOT EXISTS (
          SELECT 1
          FROM manages other
          WHERE other.child_id = existing.child_id AND other.rights & 1 AND other.id <> existing.id
        )
        AND NOT EXISTS (
          SELECT 1
          FROM role root
          WHERE root.id = existing.child_id AND root.is_root
        ) THEN 'unmanaged'
      ELSE 'ok'
    END AS verdict
  FROM (SELECT 1) principal
  LEFT JOIN manages existing ON existing.id = :relationId AND existing.parent_id = :parentId
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
sized AS MATERIALIZED (
  SELECT *,
    CASE
      WHEN verdict = 'ok' THEN 1 + (
        SELECT count(*)
        FROM role_closure above
        WHERE above.descendant_id = verdict.parent_id
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
        AND old_rights & ~:rights THEN (
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
ruled AS MATERIALIZED (
  SELECT *, CASE WHEN verdict = 'ok' AND cost > :maxCost THEN 'too_large' ELSE verdict END AS ruling
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
      WHEN relation_id IS NULL THEN 'changed_since'
      WHEN ruling = 'denied' THEN 'denied'
      WHEN coalesce(
        (
          SELECT iif(past_relation.to_rev = 9007199254740991, past_relation.from_rev, past_relation.to_rev)
          FROM manages_history past_relation
          WHERE past_relation.relation_id = :relationId
          ORDER BY past_relation.to_rev DESC
          LIMIT 1
        ) > :undoneTo,
        false
      ) THEN 'changed_since'
      WHEN ruling = 'ok'
        AND coalesce(
          (
            SELECT counter.count
            FROM throttle counter
            WHERE counter.scope = 'preview'
              AND counter.key = :payer
              AND NOT (counter.expires_at <= :now OR ifnull(counter.started_at > :now + 60000, false))
          ),
          0
        ) >= 400000 THEN 'too_many_previews'
      ELSE ruling
    END AS decision
  FROM ruled
),
logged AS MATERIALIZED (
  SELECT ('manages.update') || '.dry_run' AS kind,
    parent_id AS parent_id,
    CASE
      WHEN decision <> 'denied'
        OR EXISTS (
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
                acting.role_id = :parentId
                OR EXISTS (
                  SELECT 1
                  FROM role_closure path
                  WHERE path.descendant_id = :parentId AND path.ancestor_id = acting.role_id
                )
              )
            )
        ) THEN child_id
    END AS role_id,
    CASE
      WHEN decision <> 'denied'
        OR EXISTS (
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
                acting.role_id = :parentId
                OR EXISTS (
                  SELECT 1
                  FROM role_closure path
                  WHERE path.descendant_id = :parentId AND path.ancestor_id = acting.role_id
                )
              )
            )
        ) THEN relation_id
    END AS relation_id,
    CASE
      WHEN decision <> 'denied'
        OR EXISTS (
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
                acting.role_id = :parentId
                OR EXISTS (
                  SELECT 1
                  FROM role_closure path
                  WHERE path.descendant_id = :parentId AND path.ancestor_id = acting.role_id
                )
              )
            )
        ) THEN old_rights
    END AS old_rights,
    :rights AS new_rights,
    cost AS cost,
    CASE WHEN decision = 'unmanaged' THEN child_id END AS blocked_role_id,
    :undoes AS undoes,
    decision,
    CASE decision WHEN 'ok' THEN 'none' ELSE 'none' END AS effect,
    true AS is_merged
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
  undoes,
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
  logged.undoes,
  logged.decision,
  logged.effect,
  CASE
    WHEN is_merged THEN :payer || ' ' || (:now / 60000) || ' ' || :actorId || ' ' || kind || ' ' || decision || ' ' || CASE
      WHEN (
        SELECT count(*)
        FROM (
          SELECT 1
          FROM change_log crowd
          WHERE crowd.merge_key >= :payer || ' ' || (:now / 60000) || ' '
            AND crowd.merge_key < :payer || ' ' || (:now / 60000) || '!'
          LIMIT 60
        )
      ) < 60 THEN coalesce(parent_id, '-') || ' ' || coalesce(role_id, '-') || ' ' || coalesce(relation_id, '-')
      ELSE ''
    END
  END
FROM logged
WHERE true ON CONFLICT (merge_key)
WHERE merge_key IS NOT NULL DO UPDATE
SET op_id = excluded.op_id,
  session_id = excluded.session_id,
  attempts = change_log.attempts + 1,
  parent_id = excluded.parent_id,
  role_id = excluded.role_id,
  relation_id = excluded.relation_id,
  old_rights = excluded.old_rights,
  new_rights = excluded.new_rights,
  cost = excluded.cost,
  blocked_role_id = excluded.blocked_role_id,
  undoes = excluded.undoes,
  decision = excluded.decision,
  effect = excluded.effect
