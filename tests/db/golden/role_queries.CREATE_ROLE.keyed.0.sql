-- nearly the same: role_queries CREATE_ROLE.keyless.0
WITH verdict AS MATERIALIZED (
  SELECT CASE
    WHEN kept.fingerprint <> :fingerprint THEN 'key_reused'
    WHEN kept.op_id IS NOT NULL THEN 'noop'
    WHEN NOT EXISTS (SELECT 1 FROM acted) THEN 'denied'
    WHEN NOT (:rights & 1) THEN 'unmanaged'
    ELSE 'ok'
  END AS verdict,
    first.role_id AS role_id,
    first.relation_id AS relation_id,
    CASE
      WHEN EXISTS (SELECT 1 FROM acted) THEN 1 + (
        SELECT count(*)
        FROM role_closure above
        WHERE above.descendant_id = :parentId
      )
    END AS cost
  FROM (SELECT 1) principal
  LEFT JOIN idempotency_key kept ON kept.user_id = :actorId
    AND kept.key = :idempotencyKey
    AND kept.expires_at > :now
  LEFT JOIN change_log first ON first.op_id = kept.op_id
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
acted AS MATERIALIZED (
  SELECT acting.role_id, own.is_root
  FROM member acting
  CROSS JOIN role own ON own.id = acting.role_id
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
      AND NOT ((:rights) & ~acting.rights)
    )
  ORDER BY own.is_root DESC, acting.role_id
  LIMIT 1
),
decided AS MATERIALIZED (
  SELECT *, CASE WHEN verdict = 'ok' AND cost > :maxCost THEN 'too_large' ELSE verdict END AS ruling
  FROM verdict
),
paying AS MATERIALIZED (
  SELECT CASE
    WHEN acted.is_root THEN acted.role_id
    ELSE (
      SELECT above.ancestor_id
      FROM role_closure above
      CROSS JOIN role root ON root.id = above.ancestor_id AND root.is_root
      WHERE above.descendant_id = acted.role_id AND above.rights & 1
      ORDER BY above.ancestor_id
      LIMIT 1
    )
  END AS counted_to,
    CASE WHEN NOT acted.is_root THEN :payer END AS counted_for
  FROM decided
  CROSS JOIN acted
  WHERE ruling = 'ok'
),
judged AS MATERIALIZED (
  SELECT decided.*,
    counted_to,
    counted_for,
    max(
      whole.free_at - (:fullAt + iif(counted_for IS NULL, (:fullAt - :now) / 2, 0)),
      coalesce(own.free_at, 0) - :fullAt
    ) AS wait_ms,
    CASE
      WHEN ruling <> 'ok' THEN ruling
      WHEN (whole.roles >= :quotaRoles OR 8 * own.roles >= :quotaRoles) THEN 'too_many_roles'
      WHEN (
        whole.free_at > (:fullAt + iif(counted_for IS NULL, (:fullAt - :now) / 2, 0)) OR own.free_at > :fullAt
      ) THEN 'too_much_stored'
      ELSE ruling
    END AS decision
  FROM decided
  LEFT JOIN paying ON true
  LEFT JOIN root_usage whole ON whole.root_id = counted_to AND whole.payer = ''
  LEFT JOIN root_usage own ON own.root_id = counted_to AND own.payer = counted_for
),
logged AS MATERIALIZED (
  SELECT 'role.create' AS kind,
    :parentId AS parent_id,
    CASEdecision
      WHEN 'ok' THEN (SELECT id_sequence.last_id + 1 FROM id_sequence WHERE id_sequence.name = 'node')
      WHEN 'noop' THEN role_id
    END AS role_id,
    CASEdecision
      WHEN 'ok' THEN (SELECT id_sequence.last_id + 1 FROM id_sequence WHERE id_sequence.name = 'relation')
      WHEN 'noop' THEN relation_id
    END AS relation_id,
    :rights AS new_rights,
    CASE WHEN decision = 'too_much_stored' THEN wait_ms / 1000.0 ELSE cost END AS cost,
    json_object('name', :name, 'selfRights', :selfRights) AS details,
    counted_to AS counted_to,
    counted_for AS counted_for,
    decision,
    CASE decision WHEN 'ok' THEN 'grow' ELSE 'none' END AS effect,
    decision <> 'ok'
    AND NOT false AS is_merged
  FROM judged
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
  details,
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
  logged.new_rights,
  logged.cost,
  logged.details,
  logged.counted_to,
  logged.counted_for,
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
  parent_id = CASE
    WHEN excluded.decision = 'noop' OR change_log.parent_id IS excluded.parent_id THEN excluded.parent_id
  END,
  role_id = CASE
    WHEN excluded.decision = 'noop' OR change_log.role_id IS excluded.role_id THEN excluded.role_id
  END,
  relation_id = CASE
    WHEN excluded.decision = 'noop'
      OR change_log.relation_id IS excluded.relation_id THEN excluded.relation_id
  END,
  new_rights = CASE
    WHEN excluded.decision = 'noop' OR change_log.new_rights IS excluded.new_rights THEN excluded.new_rights
  END,
  cost = excluded.cost,
  details = CASE
    WHEN excluded.decision = 'noop' OR change_log.details IS excluded.details THEN excluded.details
  END,
  counted_to = CASE
    WHEN excluded.decision = 'noop' OR change_log.counted_to IS excluded.counted_to THEN excluded.counted_to
  END,
  counted_for = CASE
    WHEN excluded.decision = 'noop'
      OR change_log.counted_for IS excluded.counted_for THEN excluded.counted_for
  END
