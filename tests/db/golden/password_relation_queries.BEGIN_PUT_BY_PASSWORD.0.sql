WITH attempt AS MATERIALIZED (
  SELECT :actorId > 0
    AND EXISTS (
      SELECT 1
      FROM member acting
      WHERE acting.user_id = :actorId
        AND (acting.ends_at IS NULL OR acting.ends_at > :now)
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
        )
    ) AS allowed,
    (
      coalesce(
        (
          SELECT counter.next_at
          FROM throttle counter
          WHERE counter.scope = 'role_password.caller'
            AND counter.key = (:childId || ' ' || :payer)
            AND counter.expires_at > :now
        ),
        0
      ) > :now
      OR coalesce(
        (
          SELECT counter.count
          FROM throttle counter
          WHERE counter.scope = 'role_password'
            AND counter.key = CAST(:childId AS TEXT)
            AND counter.expires_at > :now
        ),
        0
      ) >= 20
      OR coalesce(
        (
          SELECT counter.count
          FROM throttle counter
          WHERE counter.scope = 'role_password.all' AND counter.key = :payer AND counter.expires_at > :now
        ),
        0
      ) >= 50
    ) AS waits
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
decided AS MATERIALIZED (
  SELECT *, CASE WHEN allowed AND waits THEN 'too_many_role_passwords' ELSE 'denied' END AS ruling
  FROM attempt
),
judged AS MATERIALIZED (SELECT *, ruling AS decision FROM decided),
logged AS MATERIALIZED (
  SELECT 'manages.put' AS kind,
    :parentId AS parent_id,
    :childId AS role_id,
    :rights AS new_rights,
    decision,
    CASE WHEN allowed AND NOT waits THEN 'compare' ELSE 'none' END AS effect,
    decision <> 'ok'
    AND NOT (allowed AND NOT waits) AS is_merged
  FROM judged
)
INSERT INTO change_log (
  op_id, at, actor_id, session_id, kind, parent_id, role_id, new_rights, decision, effect, merge_key
)
SELECT :opId,
  :now,
  :actorId,
  :sessionId,
  logged.kind,
  logged.parent_id,
  logged.role_id,
  logged.new_rights,
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
      ) < 60 THEN coalesce(parent_id, '-') || ' ' || coalesce(role_id, '-')
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
    WHEN excluded.decision = 'noop' OR change_log.parent_id IS excluded.parent_id THEN excluded.parent_id
  END,
  role_id = CASE
    WHEN excluded.decision = 'noop' OR change_log.role_id IS excluded.role_id THEN excluded.role_id
  END,
  new_rights = CASE
    WHEN excluded.decision = 'noop' OR change_log.new_rights IS excluded.new_rights THEN excluded.new_rights
  END
