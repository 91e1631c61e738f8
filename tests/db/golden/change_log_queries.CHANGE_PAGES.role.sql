WITH bounds(begin_rev, last_rev) AS MATERIALIZED (
  SELECT max(
    :after,
    coalesce((SELECT min(rev) FROM change_log WHERE rev > :after) - 1, 0),
    CASE
      WHEN :from IS NULL THEN 0
      ELSE coalesce((SELECT rev FROM change_log WHERE at >= :from ORDER BY at, rev LIMIT 1) - 1, latest)
    END
  ),
    CASE
      WHEN :to IS NULL THEN latest
      ELSE coalesce((SELECT rev FROM change_log WHERE at <= :to ORDER BY at DESC, rev DESC LIMIT 1), 0)
    END
  FROM (SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'change_log'), 0) AS latest)
),
found(rev) AS MATERIALIZED (
  SELECT rev
  FROM (
    SELECT rev
    FROM (
      SELECT rev
      FROM change_log
      WHERE role_id = (
        SELECT CASE
          WHEN (
            EXISTS (
              SELECT 1
              FROM member guard_direct
              WHERE guard_direct.user_id = :actorId
                AND guard_direct.role_id = :roleId
                AND (guard_direct.ends_at IS NULL OR guard_direct.ends_at > :now)
            )
            OR EXISTS (
              SELECT guard_path.rights & guard_few.rights AS guard_rights
              FROM member guard_few
              CROSS JOIN role_closure guard_path ON guard_path.descendant_id = :roleId
                AND guard_path.ancestor_id = guard_few.role_id
              WHERE guard_few.user_id = iif(
                (
                  SELECT 1
                  FROM member guard_count
                  WHERE guard_count.user_id = :actorId
                  LIMIT 1 OFFSET 32
                ) IS NULL,
                :actorId,
                NULL
              )
                AND (guard_few.ends_at IS NULL OR guard_few.ends_at > :now)
              UNION ALL
              SELECT guard_path.rights & guard_many.rights
              FROM role_closure guard_path
              CROSS JOIN member guard_many ON guard_many.user_id = :actorId
                AND guard_many.role_id = guard_path.ancestor_id
                AND (guard_many.ends_at IS NULL OR guard_many.ends_at > :now)
              WHERE guard_path.descendant_id = iif(
                (
                  SELECT 1
                  FROM member guard_count
                  WHERE guard_count.user_id = :actorId
                  LIMIT 1 OFFSET 32
                ) IS NULL,
                NULL,
                :roleId
              )
            )
          )
            OR (
              SELECT guard_deletion.parent_id
              FROM change_log guard_deletion
              WHERE guard_deletion.rev = (
                SELECT max(guard_past.to_rev)
                FROM role_history guard_past
                WHERE guard_past.role_id = :roleId
              )
                AND EXISTS (
                  SELECT 1
                  FROM (
                    SELECT guard_few.role_id, guard_few.rights
                    FROM member guard_few
                    WHERE guard_few.user_id = iif(
                      (
                        SELECT 1
                        FROM member guard_count
                        WHERE guard_count.user_id = :actorId
                        LIMIT 1 OFFSET 32
                      ) IS NULL,
                      :actorId,
                      NULL
                    )
                      AND (guard_few.ends_at IS NULL OR guard_few.ends_at > :now)
                    UNION ALL
                    SELECT guard_own.role_id, guard_own.rights
                    FROM member guard_own
                    WHERE guard_own.user_id = :actorId
                      AND guard_own.role_id = iif(
                        (
                          SELECT 1
                          FROM member guard_count
                          WHERE guard_count.user_id = :actorId
                          LIMIT 1 OFFSET 32
                        ) IS NULL,
                        NULL,
                        guard_deletion.parent_id
                      )
                      AND (guard_own.ends_at IS NULL OR guard_own.ends_at > :now)
                    UNION ALL
                    SELECT guard_above.ancestor_id, guard_many.rights
                    FROM role_closure guard_above
                    CROSS JOIN member guard_many ON guard_many.user_id = :actorId
                      AND guard_many.role_id = guard_above.ancestor_id
                      AND (guard_many.ends_at IS NULL OR guard_many.ends_at > :now)
                    WHERE guard_above.descendant_id = iif(
                      (
                        SELECT 1
                        FROM member guard_count
                        WHERE guard_count.user_id = :actorId
                        LIMIT 1 OFFSET 32
                      ) IS NULL,
                      NULL,
                      guard_deletion.parent_id
                    )
                  ) acting
                  WHERE (
                    (
                      acting.role_id = guard_deletion.parent_id
                      AND EXISTS (
                        SELECT 1
                        FROM role guard_self
                        WHERE guard_self.id = guard_deletion.parent_id
                          AND guard_self.self_rights & acting.rights & 2
                      )
                    )
                    OR EXISTS (
                      SELECT 1
                      FROM role_closure guard_path
                      WHERE guard_path.descendant_id = guard_deletion.parent_id
                        AND guard_path.ancestor_id = acting.role_id
                        AND guard_path.rights & acting.rights & 2
                    )
                  )
                    OR EXISTS (
                      SELECT 1
                      FROM role_closure guard_path
                      WHERE guard_path.descendant_id = guard_deletion.parent_id
                        AND guard_path.ancestor_id = acting.role_id
                        AND guard_path.rights & acting.rights & 1
                    )
                )
            ) IS NOT NULL THEN :roleId
        END
      )
        AND rev > (SELECT begin_rev FROM bounds)
      ORDER BY rev
      LIMIT min(
        2000, 20000 / max(1, (SELECT count(*) FROM (SELECT 1 FROM member WHERE user_id = :actorId LIMIT 33)))
      )
    )
    UNION
    SELECT rev
    FROM (
      SELECT rev
      FROM change_log
      WHERE parent_id = (
        SELECT CASE
          WHEN (
            EXISTS (
              SELECT 1
              FROM member guard_direct
              WHERE guard_direct.user_id = :actorId
                AND guard_direct.role_id = :roleId
                AND (guard_direct.ends_at IS NULL OR guard_direct.ends_at > :now)
            )
            OR EXISTS (
              SELECT guard_path.rights & guard_few.rights AS guard_rights
              FROM member guard_few
              CROSS JOIN role_closure guard_path ON guard_path.descendant_id = :roleId
                AND guard_path.ancestor_id = guard_few.role_id
              WHERE guard_few.user_id = iif(
                (
                  SELECT 1
                  FROM member guard_count
                  WHERE guard_count.user_id = :actorId
                  LIMIT 1 OFFSET 32
                ) IS NULL,
                :actorId,
                NULL
              )
                AND (guard_few.ends_at IS NULL OR guard_few.ends_at > :now)
              UNION ALL
              SELECT guard_path.rights & guard_many.rights
              FROM role_closure guard_path
              CROSS JOIN member guard_many ON guard_many.user_id = :actorId
                AND guard_many.role_id = guard_path.ancestor_id
                AND (guard_many.ends_at IS NULL OR guard_many.ends_at > :now)
              WHERE guard_path.descendant_id = iif(
                (
                  SELECT 1
                  FROM member guard_count
                  WHERE guard_count.user_id = :actorId
                  LIMIT 1 OFFSET 32
                ) IS NULL,
                NULL,
                :roleId
              )
            )
          )
            OR (
              SELECT guard_deletion.parent_id
              FROM change_log guard_deletion
              WHERE guard_deletion.rev = (
                SELECT max(guard_past.to_rev)
                FROM role_history guard_past
                WHERE guard_past.role_id = :roleId
              )
                AND EXISTS (
                  SELECT 1
                  FROM (
                    SELECT guard_few.role_id, guard_few.rights
                    FROM member guard_few
                    WHERE guard_few.user_id = iif(
                      (
                        SELECT 1
                        FROM member guard_count
                        WHERE guard_count.user_id = :actorId
                        LIMIT 1 OFFSET 32
                      ) IS NULL,
                      :actorId,
                      NULL
                    )
                      AND (guard_few.ends_at IS NULL OR guard_few.ends_at > :now)
                    UNION ALL
                    SELECT guard_own.role_id, guard_own.rights
                    FROM member guard_own
                    WHERE guard_own.user_id = :actorId
                      AND guard_own.role_id = iif(
                        (
                          SELECT 1
                          FROM member guard_count
                          WHERE guard_count.user_id = :actorId
                          LIMIT 1 OFFSET 32
                        ) IS NULL,
                        NULL,
                        guard_deletion.parent_id
                      )
                      AND (guard_own.ends_at IS NULL OR guard_own.ends_at > :now)
                    UNION ALL
                    SELECT guard_above.ancestor_id, guard_many.rights
                    FROM role_closure guard_above
                    CROSS JOIN member guard_many ON guard_many.user_id = :actorId
                      AND guard_many.role_id = guard_above.ancestor_id
                      AND (guard_many.ends_at IS NULL OR guard_many.ends_at > :now)
                    WHERE guard_above.descendant_id = iif(
                      (
                        SELECT 1
                        FROM member guard_count
                        WHERE guard_count.user_id = :actorId
                        LIMIT 1 OFFSET 32
                      ) IS NULL,
                      NULL,
                      guard_deletion.parent_id
                    )
                  ) acting
                  WHERE (
                    (
                      acting.role_id = guard_deletion.parent_id
                      AND EXISTS (
                        SELECT 1
                        FROM role guard_self
                        WHERE guard_self.id = guard_deletion.parent_id
                          AND guard_self.self_rights & acting.rights & 2
                      )
                    )
                    OR EXISTS (
                      SELECT 1
                      FROM role_closure guard_path
                      WHERE guard_path.descendant_id = guard_deletion.parent_id
                        AND guard_path.ancestor_id = acting.role_id
                        AND guard_path.rights & acting.rights & 2
                    )
                  )
                    OR EXISTS (
                      SELECT 1
                      FROM role_closure guard_path
                      WHERE guard_path.descendant_id = guard_deletion.parent_id
                        AND guard_path.ancestor_id = acting.role_id
                        AND guard_path.rights & acting.rights & 1
                    )
                )
            ) IS NOT NULL THEN :roleId
        END
      )
        AND rev > (SELECT begin_rev FROM bounds)
      ORDER BY rev
      LIMIT min(
        2000, 20000 / max(1, (SELECT count(*) FROM (SELECT 1 FROM member WHERE user_id = :actorId LIMIT 33)))
      )
    )
  )
  ORDER BY rev
  LIMIT min(
    2000, 20000 / max(1, (SELECT count(*) FROM (SELECT 1 FROM member WHERE user_id = :actorId LIMIT 33)))
  )
),
span(end_rev) AS MATERIALIZED (
  SELECT min(
    last_rev,
    CASE
      WHEN (SELECT count(*) FROM found) < min(
        2000, 20000 / max(1, (SELECT count(*) FROM (SELECT 1 FROM member WHERE user_id = :actorId LIMIT 33)))
      ) THEN last_rev
      ELSE (SELECT max(rev) FROM found)
    END
  )
  FROM bounds
),
looked(rev, role_id, parent_id, actor_id, bytes) AS MATERIALIZED (
  SELECT change.rev,
    change.role_id,
    change.parent_id,
    change.actor_id,
    octet_length(coalesce(change.gone_role_ids, '')) + octet_length(coalesce(change.gone_device_ids, '')) + octet_length(coalesce(change.gone_relation_ids, ''))
  FROM found
  CROSS JOIN change_log change ON change.rev = found.rev
  WHERE change.rev > (SELECT begin_rev FROM bounds)
    AND change.rev <= (SELECT end_rev FROM span)
    AND change.effect NOT IN ('compare', 'abandoned')
    AND change.kind NOT LIKE '%.dry_run'
    AND (:kind IS NULL OR change.kind = :kind)
    AND (:decision IS NULL OR change.decision = :decision)
    AND (:from IS NULL OR change.at >= :from)
    AND (:to IS NULL OR change.at <= :to)
    AND (:actorEmail IS NULL OR change.actor_id = (SELECT id FROM user_account WHERE email = :actorEmail))
),
about(role_id, seen_role_id) AS MATERIALIZED (
  SELECT role_id, seen_role_id
  FROM (
    SELECT named.role_id,
      CASE
        WHEN EXISTS (
          SELECT 1
          FROM (
            SELECT guard_few.role_id, guard_few.rights
            FROM member guard_few
            WHERE guard_few.user_id = iif(
              (
                SELECT 1
                FROM member guard_count
                WHERE guard_count.user_id = :actorId
                LIMIT 1 OFFSET 32
              ) IS NULL,
              :actorId,
              NULL
            )
              AND (guard_few.ends_at IS NULL OR guard_few.ends_at > :now)
            UNION ALL
            SELECT guard_own.role_id, guard_own.rights
            FROM member guard_own
            WHERE guard_own.user_id = :actorId
              AND guard_own.role_id = iif(
                (
                  SELECT 1
                  FROM member guard_count
                  WHERE guard_count.user_id = :actorId
                  LIMIT 1 OFFSET 32
                ) IS NULL,
                NULL,
                named.role_id
              )
              AND (guard_own.ends_at IS NULL OR guard_own.ends_at > :now)
            UNION ALL
            SELECT guard_above.ancestor_id, guard_many.rights
            FROM role_closure guard_above
            CROSS JOIN member guard_many ON guard_many.user_id = :actorId
              AND guard_many.role_id = guard_above.ancestor_id
              AND (guard_many.ends_at IS NULL OR guard_many.ends_at > :now)
            WHERE guard_above.descendant_id = iif(
              (
                SELECT 1
                FROM member guard_count
                WHERE guard_count.user_id = :actorId
                LIMIT 1 OFFSET 32
              ) IS NULL,
              NULL,
              named.role_id
            )
          ) acting
          WHERE (
            (
              acting.role_id = named.role_id
              AND EXISTS (
                SELECT 1
                FROM role guard_self
                WHERE guard_self.id = named.role_id AND guard_self.self_rights & acting.rights & 2
              )
            )
            OR EXISTS (
              SELECT 1
              FROM role_closure guard_path
              WHERE guard_path.descendant_id = named.role_id
                AND guard_path.ancestor_id = acting.role_id
                AND guard_path.rights & acting.rights & 2
            )
          )
            OR EXISTS (
              SELECT 1
              FROM role_closure guard_path
              WHERE guard_path.descendant_id = named.role_id
                AND guard_path.ancestor_id = acting.role_id
                AND guard_path.rights & acting.rights & 1
            )
        ) THEN named.role_id
        ELSE (
          SELECT guard_deletion.parent_id
          FROM change_log guard_deletion
          WHERE guard_deletion.rev = (
            SELECT max(guard_past.to_rev)
            FROM role_history guard_past
            WHERE guard_past.role_id = named.role_id
          )
            AND EXISTS (
              SELECT 1
              FROM (
                SELECT guard_few.role_id, guard_few.rights
                FROM member guard_few
                WHERE guard_few.user_id = iif(
                  (
                    SELECT 1
                    FROM member guard_count
                    WHERE guard_count.user_id = :actorId
                    LIMIT 1 OFFSET 32
                  ) IS NULL,
                  :actorId,
                  NULL
                )
                  AND (guard_few.ends_at IS NULL OR guard_few.ends_at > :now)
                UNION ALL
                SELECT guard_own.role_id, guard_own.rights
                FROM member guard_own
                WHERE guard_own.user_id = :actorId
                  AND guard_own.role_id = iif(
                    (
                      SELECT 1
                      FROM member guard_count
                      WHERE guard_count.user_id = :actorId
                      LIMIT 1 OFFSET 32
                    ) IS NULL,
                    NULL,
                    guard_deletion.parent_id
                  )
                  AND (guard_own.ends_at IS NULL OR guard_own.ends_at > :now)
                UNION ALL
                SELECT guard_above.ancestor_id, guard_many.rights
                FROM role_closure guard_above
                CROSS JOIN member guard_many ON guard_many.user_id = :actorId
                  AND guard_many.role_id = guard_above.ancestor_id
                  AND (guard_many.ends_at IS NULL OR guard_many.ends_at > :now)
                WHERE guard_above.descendant_id = iif(
                  (
                    SELECT 1
                    FROM member guard_count
                    WHERE guard_count.user_id = :actorId
                    LIMIT 1 OFFSET 32
                  ) IS NULL,
                  NULL,
                  guard_deletion.parent_id
                )
              ) acting
              WHERE (
                (
                  acting.role_id = guard_deletion.parent_id
                  AND EXISTS (
                    SELECT 1
                    FROM role guard_self
                    WHERE guard_self.id = guard_deletion.parent_id
                      AND guard_self.self_rights & acting.rights & 2
                  )
                )
                OR EXISTS (
                  SELECT 1
                  FROM role_closure guard_path
                  WHERE guard_path.descendant_id = guard_deletion.parent_id
                    AND guard_path.ancestor_id = acting.role_id
                    AND guard_path.rights & acting.rights & 2
                )
              )
                OR EXISTS (
                  SELECT 1
                  FROM role_closure guard_path
                  WHERE guard_path.descendant_id = guard_deletion.parent_id
                    AND guard_path.ancestor_id = acting.role_id
                    AND guard_path.rights & acting.rights & 1
                )
            )
        )
      END AS seen_role_id
    FROM (SELECT role_id FROM looked UNION SELECT parent_id FROM looked) named
    LIMIT -1
  )
  WHERE seen_role_id IS NOT NULL
),
active(role_id) AS MATERIALIZED (
  SELECT about.role_id
  FROM about
  WHERE :actorEmail IS NOT NULL
    AND (
      EXISTS (
        SELECT 1
        FROM member guard_direct
        WHERE guard_direct.user_id = (SELECT id FROM user_account WHERE email = :actorEmail)
          AND guard_direct.role_id = about.seen_role_id
          AND (guard_direct.ends_at IS NULL OR guard_direct.ends_at > :now)
      )
      OR EXISTS (
        SELECT 1
        FROM member guard_few
        CROSS JOIN role_closure guard_path ON guard_path.descendant_id = about.seen_role_id
          AND guard_path.ancestor_id = guard_few.role_id
        WHERE guard_few.user_id = iif(
          EXISTS (
            SELECT 1
            FROM member guard_count
            WHERE guard_count.user_id = (SELECT id FROM user_account WHERE email = :actorEmail)
            LIMIT 1 OFFSET 32
          ),
          NULL,
          (SELECT id FROM user_account WHERE email = :actorEmail)
        )
          AND (guard_few.ends_at IS NULL OR guard_few.ends_at > :now)
      )
      OR EXISTS (
        SELECT 1
        FROM role_closure guard_path
        CROSS JOIN member guard_many ON guard_many.user_id = (SELECT id FROM user_account WHERE email = :actorEmail)
          AND guard_many.role_id = guard_path.ancestor_id
        WHERE guard_path.descendant_id = iif(
          EXISTS (
            SELECT 1
            FROM member guard_count
            WHERE guard_count.user_id = (SELECT id FROM user_account WHERE email = :actorEmail)
            LIMIT 1 OFFSET 32
          ),
          about.seen_role_id,
          NULL
        )
          AND (guard_many.ends_at IS NULL OR guard_many.ends_at > :now)
      )
    )
),
picked(rev, bytes) AS MATERIALIZED (
  SELECT rev, sum(bytes) OVER (ORDER BY rev) - bytes
  FROM (
    SELECT rev, bytes
    FROM looked
    WHERE (looked.role_id IN (SELECT role_id FROM about) OR looked.parent_id IN (SELECT role_id FROM about))
      AND (
        :actorEmail IS NULL
        OR looked.actor_id = :actorId
        OR looked.role_id IN (SELECT role_id FROM active)
        OR looked.parent_id IN (SELECT role_id FROM active)
      )
    ORDER BY rev
    LIMIT :limit
  )
),
shown AS MATERIALIZED (
  SELECT change.rev,
    own.seen_role_id AS role_id,
    upper.seen_role_id AS parent_id,
    change.actor_id,
    change.subject_id,
    change.role_id AS about_role_id,
    change.parent_id AS about_parent_id
  FROM picked
  CROSS JOIN change_log change ON change.rev = picked.rev
  LEFT JOIN about own ON own.role_id = change.role_id
  LEFT JOIN about upper ON upper.role_id = change.parent_id
  WHERE picked.bytes <= 3000000
),
visible(role_id) AS MATERIALIZED (
  SELECT role_id
  FROM (
    SELECT about_role_id AS role_id
    FROM shown
    WHERE role_id IS NULL
    UNION
    SELECT about_parent_id
    FROM shown
    WHERE parent_id IS NULL
  ) unmanaged
  WHERE (
    EXISTS (
      SELECT 1
      FROM member guard_direct
      WHERE guard_direct.user_id = :actorId
        AND guard_direct.role_id = unmanaged.role_id
        AND (guard_direct.ends_at IS NULL OR guard_direct.ends_at > :now)
    )
    OR EXISTS (
      SELECT guard_path.rights & guard_few.rights AS guard_rights
      FROM member guard_few
      CROSS JOIN role_closure guard_path ON guard_path.descendant_id = unmanaged.role_id
        AND guard_path.ancestor_id = guard_few.role_id
      WHERE guard_few.user_id = iif(
        (SELECT 1 FROM member guard_count WHERE guard_count.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL,
        :actorId,
        NULL
      )
        AND (guard_few.ends_at IS NULL OR guard_few.ends_at > :now)
      UNION ALL
      SELECT guard_path.rights & guard_many.rights
      FROM role_closure guard_path
      CROSS JOIN member guard_many ON guard_many.user_id = :actorId
        AND guard_many.role_id = guard_path.ancestor_id
        AND (guard_many.ends_at IS NULL OR guard_many.ends_at > :now)
      WHERE guard_path.descendant_id = iif(
        (SELECT 1 FROM member guard_count WHERE guard_count.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL,
        NULL,
        unmanaged.role_id
      )
    )
  )
),
known(user_id, role_id) AS MATERIALIZED (
  SELECT user_id, role_id
  FROM (
    SELECT actor_id AS user_id, role_id
    FROM shown
    UNION
    SELECT actor_id, parent_id
    FROM shown
    UNION
    SELECT subject_id, role_id
    FROM shown
    UNION
    SELECT subject_id, parent_id
    FROM shown
  ) named
  WHERE role_id IS NOT NULL
    AND (
      EXISTS (
        SELECT 1
        FROM member guard_direct
        WHERE guard_direct.user_id = named.user_id
          AND guard_direct.role_id = named.role_id
          AND (guard_direct.ends_at IS NULL OR guard_direct.ends_at > :now)
      )
      OR EXISTS (
        SELECT 1
        FROM member guard_few
        CROSS JOIN role_closure guard_path ON guard_path.descendant_id = named.role_id
          AND guard_path.ancestor_id = guard_few.role_id
        WHERE guard_few.user_id = iif(
          EXISTS (
            SELECT 1
            FROM member guard_count
            WHERE guard_count.user_id = named.user_id
            LIMIT 1 OFFSET 32
          ),
          NULL,
          named.user_id
        )
          AND (guard_few.ends_at IS NULL OR guard_few.ends_at > :now)
      )
      OR EXISTS (
        SELECT 1
        FROM role_closure guard_path
        CROSS JOIN member guard_many ON guard_many.user_id = named.user_id
          AND guard_many.role_id = guard_path.ancestor_id
        WHERE guard_path.descendant_id = iif(
          EXISTS (
            SELECT 1
            FROM member guard_count
            WHERE guard_count.user_id = named.user_id
            LIMIT 1 OFFSET 32
          ),
          named.role_id,
          NULL
        )
          AND (guard_many.ends_at IS NULL OR guard_many.ends_at > :now)
      )
    )
)
SELECT (
  SELECT json_group_array(
    json_object(
      'revision',
      change.rev,
      'at',
      change.at,
      'actorEmail',
      CASE
        WHEN change.actor_id > 0
          AND (
            change.actor_id = :actorId
            OR (change.actor_id, shown.role_id) IN (SELECT user_id, role_id FROM known)
            OR (change.actor_id, shown.parent_id) IN (SELECT user_id, role_id FROM known)
          ) THEN (SELECT email FROM user_account WHERE id = change.actor_id)
      END,
      'actorKey',
      CASE
        WHEN change.actor_id < 0
          AND (
            change.actor_id = :actorId
            OR (change.actor_id, shown.role_id) IN (SELECT user_id, role_id FROM known)
            OR (change.actor_id, shown.parent_id) IN (SELECT user_id, role_id FROM known)
          ) THEN json(
            (SELECT json_object('id', id, 'name', name) FROM role_key WHERE id = -change.actor_id)
          )
      END,
      'kind',
      change.kind,
      'decision',
      change.decision,
      'roleId',
      CASE
        WHEN (
          shown.role_id IS NOT NULL OR change.role_id IN (SELECT role_id FROM visible)
        ) THEN change.role_id
      END,
      'parentRoleId',
      CASE
        WHEN (
          shown.parent_id IS NOT NULL OR change.parent_id IN (SELECT role_id FROM visible)
        ) THEN change.parent_id
      END,
      'managesId',
      CASE WHEN change.kind LIKE 'manages.%' OR change.kind = 'role.create' THEN change.relation_id END,
      'memberEmail',
      CASE
        WHEN change.kind LIKE 'member.%'
          AND (
            (
              change.subject_id = :actorId
              OR (change.subject_id, shown.role_id) IN (SELECT user_id, role_id FROM known)
              OR (change.subject_id, shown.parent_id) IN (SELECT user_id, role_id FROM known)
            )
            OR (change.decision IN ('ok', 'noop') AND shown.role_id = change.role_id)
          ) THEN (
            SELECT email
            FROM user_account
            WHERE id = change.subject_id
          )
      END,
      'keyId',
      CASE WHEN change.kind LIKE 'key.%' THEN change.relation_id END,
      'deviceId',
      change.device_id,
      'oldRights',
      change.old_rights,
      'newRights',
      change.new_rights,
      'deletedNodeIds',
      json(coalesce(change.gone_role_ids, '[]')),
      'deletedDeviceIds',
      json(coalesce(change.gone_device_ids, '[]')),
      'deletedRelationIds',
      json(
        coalesce(
          change.gone_relation_ids,
          CASE
            WHEN change.kind IN ('member.remove', 'key.delete')
              AND change.decision = 'ok' THEN json_array(change.relation_id)
          END,
          '[]'
        )
      )
    )
  )
  FROM shown
  CROSS JOIN change_log change ON change.rev = shown.rev
) AS changes,
  CASE WHEN is_cut THEN (SELECT max(rev) FROM shown) ELSE max(:after, span.end_rev) END AS nextRevision,
  NOT is_cut
  AND span.end_rev = bounds.last_rev AS isEnd,
  (SELECT seq FROM sqlite_sequence WHERE name = 'change_log') AS revision
FROM (SELECT 1) principal
CROSS JOIN bounds
CROSS JOIN span
CROSS JOIN (
  SELECT (SELECT count(*) FROM picked) = :limit
    OR (SELECT count(*) FROM picked) > (SELECT count(*) FROM shown) AS is_cut
)
WHERE (
  EXISTS (
    SELECT 1
    FROM session guard_session
    WHERE guard_session.id = :sessionId
      AND guard_session.user_id = :actorId
      AND guard_session.ended_at IS NULL
      AND guard_session.idle_until > :now
  )
  OR EXISTS (
    SELECT 1
    FROM role_key guard_key
    CROSS JOIN member guard_keyed ON guard_keyed.id = guard_key.id
    WHERE guard_key.id = -:actorId
      AND guard_key.secret_mac = :sessionId
      AND (guard_keyed.ends_at IS NULL OR guard_keyed.ends_at > :now)
  )
)
