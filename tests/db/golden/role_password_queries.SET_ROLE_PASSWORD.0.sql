WITH found AS MATERIALIZED (
  SELECT current.password_rights AS old_rights,
    (
      :actorId > 0
      AND EXISTS (
        SELECT 1
        FROM member acting
        WHERE acting.user_id = :actorId
          AND (acting.ends_at IS NULL OR acting.ends_at > :now)
          AND (
            NOT (
              (coalesce(:rights, 0)) & ~(
                CASE
                  WHEN EXISTS (
                    SELECT 1
                    FROM role_closure guard_path
                    WHERE guard_path.descendant_id = current.id
                      AND guard_path.ancestor_id = acting.role_id
                      AND guard_path.rights & acting.rights & 1
                  ) THEN acting.rights
                  WHEN (
                    acting.role_id = current.id
                    AND EXISTS (
                      SELECT 1
                      FROM role guard_self
                      WHERE guard_self.id = current.id AND guard_self.self_rights & acting.rights & 1
                    )
                  ) THEN current.self_rights & acting.rights & ~1
                END
              )
            )
          )
      )
    ) AS may_set,
    CASE:kind
      WHEN 'role.password_set' THEN coalesce(
        :rights,
        (
          SELECT CASE
            WHEN EXISTS (
              SELECT 1
              FROM role_closure guard_path
              WHERE guard_path.descendant_id = current.id
                AND guard_path.ancestor_id = acting.role_id
                AND guard_path.rights & acting.rights & 1
            ) THEN acting.rights
            WHEN (
              acting.role_id = current.id
              AND EXISTS (
                SELECT 1
                FROM role guard_self
                WHERE guard_self.id = current.id AND guard_self.self_rights & acting.rights & 1
              )
            ) THEN current.self_rights & acting.rights & ~1
          END AS highest
          FROM member acting
          WHERE acting.user_id = :actorId
            AND (acting.ends_at IS NULL OR acting.ends_at > :now)
            AND highest IS NOT NULL
          ORDER BY (
            (highest >> 0 & 1) + (highest >> 1 & 1) + (highest >> 2 & 1) + (highest >> 3 & 1) + (highest >> 4 & 1) + (highest >> 5 & 1)
          ) DESC,
            acting.id
          LIMIT 1
        )
      )
    END AS new_rights
  FROM (SELECT 1) principal
  LEFT JOIN role current ON current.id = :roleId
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
),
decided AS MATERIALIZED (
  SELECT old_rights,
    new_rights,
    CASE
      WHEN (
        :actorId > 0
        AND NOT EXISTS (
          SELECT 1
          FROM user_account guard_proven
          WHERE guard_proven.id = :actorId AND guard_proven.security_version = :sudoVersion
        )
      ) THEN 'proof_required'
      WHEN :refused OR NOT may_set THEN 'denied'
      WHEN new_rights IS NULL AND old_rights IS NULL THEN 'noop'
      ELSE 'ok'
    END AS decision
  FROM found
)
INSERT INTO change_log (
  op_id,
  at,
  actor_id,
  session_id,
  kind,
  parent_id,
  role_id,
  old_rights,
  new_rights,
  decision,
  effect,
  merge_key
)
SELECT :opId,
  :now,
  :actorId,
  :sessionId,
  :kind,
  CASEdecision
    WHEN 'ok' THEN coalesce(
      (
        SELECT min(acting.role_id)
        FROM member acting
        WHERE acting.user_id = :actorId
          AND (acting.ends_at IS NULL OR acting.ends_at > :now)
          AND (
            EXISTS (
              SELECT 1
              FROM role_closure guard_path
              WHERE guard_path.descendant_id = :roleId
                AND guard_path.ancestor_id = acting.role_id
                AND guard_path.rights & acting.rights & 1
            )
          )
      ),
      :roleId
    )
  END,
  :roleId,
  old_rights,
  new_rights,
  decision,
  CASE decision WHEN 'ok' THEN 'write' ELSE 'none' END,
  CASE
    WHEN decision NOT IN ('ok', 'noop')
      AND NOT false THEN :payer || ' ' || (:now / 60000) || ' ' || :actorId || ' ' || :kind || ' ' || decision || ' ' || CASE
        WHEN (
          SELECT count(*)
          FROM (
            SELECT 1
            FROM change_log crowd
            WHERE crowd.merge_key >= :payer || ' ' || (:now / 60000) || ' '
              AND crowd.merge_key < :payer || ' ' || (:now / 60000) || '!'
            LIMIT 60
          )
        ) < 60 THEN coalesce(
          CASEdecision
            WHEN 'ok' THEN coalesce(
              (
                SELECT min(acting.role_id)
                FROM member acting
                WHERE acting.user_id = :actorId
                  AND (acting.ends_at IS NULL OR acting.ends_at > :now)
                  AND (
                    EXISTS (
                      SELECT 1
                      FROM role_closure guard_path
                      WHERE guard_path.descendant_id = :roleId
                        AND guard_path.ancestor_id = acting.role_id
                        AND guard_path.rights & acting.rights & 1
                    )
                  )
              ),
              :roleId
            )
          END,
          '-'
        ) || ' ' || coalesce(:roleId, '-')
        ELSE ''
      END
  END
FROM decided
WHERE true ON CONFLICT (merge_key)
WHERE merge_key IS NOT NULL DO UPDATE
SET op_id = excluded.op_id,
  session_id = excluded.session_id,
  attempts = attempts + 1,
  parent_id = CASE WHEN parent_id IS excluded.parent_id THEN parent_id END,
  role_id = CASE WHEN role_id IS excluded.role_id THEN role_id END,
  old_rights = CASE WHEN old_rights IS excluded.old_rights THEN old_rights END,
  new_rights = CASE WHEN new_rights IS excluded.new_rights THEN new_rights END
