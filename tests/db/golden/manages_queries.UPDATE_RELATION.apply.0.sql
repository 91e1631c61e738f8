-- like this: deletion_queries DELETE_RELATION.0
-- like this: deletion_queries DELETE_RELATION_AS_ADMINISTRATOR.0
-- like this: deletion_queries PREVIEW_DELETION.0
-- like this: inverse_queries UNDO_DELETION.preview.0
-- like this: inverse_queries UNDO_MAKING.apply.0
-- like this: inverse_queries UNDO_MAKING.make.0
-- like this: inverse_queries UNDO_MAKING.preview.0
-- like this: inverse_queries UNDO_MOVE.preview.0
-- like this: inverse_queries UNDO_RELATION_UPDATE.preview.0
-- like this: manages_queries MOVE_RELATION.apply.0
-- like this: manages_queries MOVE_RELATION.make.0
-- like this: manages_queries MOVE_RELATION.preview.0
-- like this: manages_queries PUT_RELATION.apply.0
-- like this: manages_queries PUT_RELATION.make.0
-- like this: manages_queries PUT_RELATION.preview.0
-- like this: manages_queries PUT_RELATION_AS_ADMINISTRATOR.0
-- like this: manages_queries UPDATE_RELATION.make.0
-- like this: manages_queries UPDATE_RELATION.preview.0
-- like this: member_removal_queries REMOVE_MEMBER.apply.0
-- like this: member_removal_queries REMOVE_MEMBER.make.0
-- like this: password_relation_queries COMPLETE_PUT_BY_PASSWORD.apply.0
-- like this: password_relation_queries COMPLETE_PUT_BY_PASSWORD.make.0
-- like this: password_relation_queries COMPLETE_PUT_BY_PASSWORD.preview.0
-- like this: role_password_queries SET_ROLE_PASSWORD.0
-- like this: role_queries CREATE_ROLE.keyed.0
-- like this: role_queries CREATE_ROLE.keyless.0
-- like this: role_queries UPDATE_ROLE.apply.0
-- like this: role_queries UPDATE_ROLE.make.0
-- like this: trash_queries FORGET_WITH_RELATION.0
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
                    OR EXISTS (SELECT 1 FROM user_account held_by WHERE held_by.id = acting.user_id)
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
                        OR EXISTS (SELECT 1 FROM user_account held_by WHERE held_by.id = acting.user_id)
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
acted AS MATERIALIZED (
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
      iif(
        (
          SELECT :rights & ~coalesce(wide.rights, 0)
          FROM manages wide
          WHERE wide.id = :relationId AND wide.parent_id = :parentId
        ),
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
        AND EXISTS (
          SELECT 1
          FROM role_closure path
          WHERE path.descendant_id = (
            SELECT child.child_id
            FROM manages child
            WHERE child.id = :relationId AND child.parent_id = :parentId
          )
            AND path.ancestor_id = acting.role_id
            AND path.rights & acting.rights & 1
        )
        AND NOT (
          (
            (
              SELECT :rights & ~coalesce(wide.rights, 0)
              FROM manages wide
              WHERE wide.id = :relationId AND wide.parent_id = :parentId
            )
          ) & ~acting.rights
        ),
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
      )
    )
  ORDER BY own.is_root DESC, acting.role_id
  LIMIT 1
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
      WHEN NOT (old_rights IS NOT NULL AND NOT (:rights & ~old_rights))
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
  SELECT 'manages.update' AS kind,
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
    CASE WHEN decision = 'too_much_stored' THEN wait_ms / 1000.0 ELSE cost END AS cost,
    CASE WHEN decision = 'unmanaged' THEN child_id END AS blocked_role_id,
    CASE
      WHEN decision IN ('ok', 'noop') THEN iif(
        :rights & ~old_rights,
        (SELECT oldest_role_id FROM acted),
        (
          SELECT min(acting.role_id)
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
                    acting.role_id = parent_id
                    AND EXISTS (
                      SELECT 1
                      FROM role self
                      WHERE self.id = parent_id AND self.self_rights & acting.rights & 1
                    )
                  )
                  OR EXISTS (
                    SELECT 1
                    FROM role_closure path
                    WHERE path.descendant_id = parent_id
                      AND path.ancestor_id = acting.role_id
                      AND path.rights & acting.rights & 1
                  )
                )
                OR EXISTS (
                  SELECT 1
                  FROM role_closure path
                  WHERE path.descendant_id = child_id
                    AND path.ancestor_id = acting.role_id
                    AND path.rights & acting.rights & 1
                )
              )
              OR (
                by_password
                AND (
                  acting.role_id = child_id
                  AND EXISTS (
                    SELECT 1
                    FROM role self
                    WHERE self.id = child_id AND self.self_rights & acting.rights & 1
                  )
                )
              )
            )
        )
      )
    END AS via_role_id,
    counted_to AS counted_to,
    counted_for AS counted_for,
    decision,
    CASE WHEN decision <> 'ok' THEN 'none' WHEN old_rights & ~:rights THEN 'shrink' ELSE 'grow' END AS effect,
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
WHERE true ON CONFLICT (merge_key)
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
