-- nearly the same: member_queries PUT_MEMBER.preview.0
-- nearly the same: member_queries PUT_MEMBER.apply.0
WITH asked AS MATERIALIZED (
  SELECT *,
    member_id IS NOT NULL
    AND (rights <> old_rights OR ends_at IS NOT old_ends_at) AS changes,
    member_id IS NOT NULL
    AND (
      rights & ~old_rights OR (old_ends_at IS NOT NULL AND coalesce(ends_at > old_ends_at, true))
    ) AS widens
  FROM (
    SELECT invited.id AS subject_id,
      existing.id AS member_id,
      ended.id AS ended_id,
      existing.rights AS old_rights,
      existing.ends_at AS old_ends_at,
      coalesce(:rights, existing.rights) AS rights,
      CASE WHEN :setsEnd THEN :endsAt ELSE existing.ends_at END AS ends_at
    FROM (SELECT 1) principal
    LEFT JOIN user_account invited ON invited.email = :email
    LEFT JOIN member existing ON existing.user_id = invited.id
      AND existing.role_id = :roleId
      AND (existing.ends_at IS NULL OR existing.ends_at > :now)
    LEFT JOIN member ended ON ended.user_id = invited.id AND ended.role_id = :roleId AND existing.id IS NULL
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
  )
),
granting AS MATERIALIZED (
  SELECT acting.rights AS most_rights, acting.ends_at AS latest_end
  FROM asked
  CROSS JOIN member acting
  WHERE acting.user_id = :actorId
    AND (acting.ends_at IS NULL OR acting.ends_at > :now)
    AND :actorId > 0
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
    AND CASE
      WHEN asked.member_id IS NULL THEN NOT ((coalesce(:rights, 0)) & ~acting.rights)
        AND (
          NOT :setsEnd
          OR (
            NOT ((0) & ~acting.rights)
            AND (acting.ends_at IS NULL OR coalesce(:endsAt <= acting.ends_at, false))
          )
        )
      WHEN asked.widens THEN (
        NOT ((asked.rights) & ~acting.rights)
        AND (acting.ends_at IS NULL OR coalesce(asked.ends_at <= acting.ends_at, false))
      )
      ELSE true
    END
  ORDER BY acting.ends_at IS NOT NULL,
    acting.ends_at DESC,
    (
      (acting.rights >> 0 & 1) + (acting.rights >> 1 & 1) + (acting.rights >> 2 & 1) + (acting.rights >> 3 & 1) + (acting.rights >> 4 & 1) + (acting.rights >> 5 & 1)
    ) DESC,
    acting.id
  LIMIT 1
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
  ORDER BY own.is_root DESC, acting.role_id
  LIMIT 1
),
decided AS MATERIALIZED (
  SELECT asked.*,
    most_rights,
    latest_end,
    CASE
      WHEN most_rights IS NULL THEN 'denied'
      WHEN member_id IS NOT NULL AND NOT changes THEN 'noop'
      WHEN (rights & 1 = 0 OR ends_at IS NOT NULL)
        AND EXISTS (
          SELECT 1
          FROM member kept
          WHERE kept.id = member_id
            AND (
              (kept.user_id > 0 AND kept.rights & 1 AND kept.ends_at IS NULL)
              AND EXISTS (SELECT 1 FROM role root WHERE root.id = kept.role_id AND root.is_root)
              AND NOT EXISTS (
                SELECT 1
                FROM member other
                WHERE other.role_id = kept.role_id
                  AND other.id <> kept.id
                  AND (other.user_id > 0 AND other.rights & 1 AND other.ends_at IS NULL)
              )
            )
        ) THEN 'root_without_manager'
      WHEN (old_rights & ~rights AND subject_id <> :actorId)
        AND EXISTS (
          SELECT 1
          FROM member kept
          WHERE kept.id = member_id
            AND (
              (kept.user_id > 0 AND kept.rights & 1 AND kept.ends_at IS NULL)
              AND EXISTS (SELECT 1 FROM role root WHERE root.id = kept.role_id AND root.is_root)
              AND NOT EXISTS (
                SELECT 1
                FROM member other
                WHERE other.role_id = kept.role_id
                  AND other.id <> kept.id
                  AND (other.user_id > 0 AND other.rights & 1 AND other.ends_at IS NULL)
              )
            )
        ) THEN 'denied'
      WHEN changes THEN 'ok'
      WHEN subject_id IS NULL
        AND EXISTS (
          SELECT 1
          FROM reserved_email reserved
          WHERE reserved.email = :email AND reserved.reserved_until > :now
        ) THEN 'denied'
      WHEN coalesce(
        (
          SELECT counter.count
          FROM throttle counter
          WHERE counter.scope = 'invitation.caller' AND counter.key = :payer AND counter.expires_at > :now
        ),
        0
      ) >= 50 THEN 'too_many_invitations'
      ELSE 'ok'
    END AS ruling
  FROM asked
  LEFT JOIN granting ON true
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
      WHEN NOT (changes AND NOT widens AND (rights <> old_rights OR old_ends_at IS NULL))
        AND (
          whole.free_at > (:fullAt + iif(counted_for IS NULL, (:fullAt - :now) / 2, 0))
          OR own.free_at > :fullAt
        ) THEN 'too_much_stored'
      ELSE ruling
    END AS decision
  FROM decided
  LEFT JOIN paying ON true
  LEFT JOIN root_usage whole ON whole.root_id = counted_to AND whole.payer = ''
  LEFT JOIN root_usage own ON own.root_id = counted_to AND own.payer = counted_for
),
logged AS MATERIALIZED (
  SELECT CASE WHEN changes THEN 'member.update' ELSE 'member.add' END AS kind,
    :roleId AS role_id,
    CASE
      WHEN decision = 'ok'
        AND member_id IS NULL THEN (
          SELECT id_sequence.last_id + 1
          FROM id_sequence
          WHERE id_sequence.name = 'relation'
        )
      ELSE member_id
    END AS relation_id,
    CASE WHEN decision IN ('ok', 'noop') OR member_id IS NOT NULL THEN subject_id END AS subject_id,
    old_rights AS old_rights,
    coalesce(rights, most_rights) AS new_rights,
    CASE WHEN decision = 'ok' AND ended_id IS NOT NULL THEN json_array(ended_id) END AS gone_relation_ids,
    CASE
      WHEN decision IN ('ok', 'noop') THEN json_object(
        'oldUntil',
        old_ends_at,
        'until',
        CASE WHEN member_id IS NOT NULL OR :setsEnd THEN ends_at ELSE latest_end END
      )
    END AS details,
    counted_to AS counted_to,
    counted_for AS counted_for,
    CASE WHEN decision = 'too_much_stored' THEN wait_ms / 1000.0 ELSE NULL END AS cost,
    decision,
    CASE WHEN decision <> 'ok' THEN 'none' WHEN changes THEN 'update' ELSE 'write' END AS effect,
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
  role_id,
  relation_id,
  subject_id,
  old_rights,
  new_rights,
  gone_relation_ids,
  details,
  counted_to,
  counted_for,
  cost,
  decision,
  effect,
  merge_key
)
SELECT :opId,
  :now,
  :actorId,
  :sessionId,
  logged.kind,
  logged.role_id,
  logged.relation_id,
  logged.subject_id,
  logged.old_rights,
  logged.new_rights,
  logged.gone_relation_ids,
  logged.details,
  logged.counted_to,
  logged.counted_for,
  logged.cost,
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
      ) < 60 THEN coalesce(role_id, '-') || ' ' || coalesce(relation_id, '-') || ' ' || coalesce(subject_id, '-')
      ELSE ''
    END
  END
FROM logged
WHERE true ON CONFLICT (merge_key)
WHERE merge_key IS NOT NULL DO UPDATE
SET op_id = excluded.op_id,
  session_id = excluded.session_id,
  attempts = change_log.attempts + 1,
  role_id = CASE
    WHEN excluded.decision = 'noop' OR change_log.role_id IS excluded.role_id THEN excluded.role_id
  END,
  relation_id = CASE
    WHEN excluded.decision = 'noop'
      OR change_log.relation_id IS excluded.relation_id THEN excluded.relation_id
  END,
  subject_id = CASE
    WHEN excluded.decision = 'noop' OR change_log.subject_id IS excluded.subject_id THEN excluded.subject_id
  END,
  old_rights = CASE
    WHEN excluded.decision = 'noop' OR change_log.old_rights IS excluded.old_rights THEN excluded.old_rights
  END,
  new_rights = CASE
    WHEN excluded.decision = 'noop' OR change_log.new_rights IS excluded.new_rights THEN excluded.new_rights
  END,
  gone_relation_ids = CASE
    WHEN excluded.decision = 'noop'
      OR change_log.gone_relation_ids IS excluded.gone_relation_ids THEN excluded.gone_relation_ids
  END,
  details = CASE
    WHEN excluded.decision = 'noop' OR change_log.details IS excluded.details THEN excluded.details
  END,
  counted_to = CASE
    WHEN excluded.decision = 'noop' OR change_log.counted_to IS excluded.counted_to THEN excluded.counted_to
  END,
  counted_for = CASE
    WHEN excluded.decision = 'noop'
      OR change_log.counted_for IS excluded.counted_for THEN excluded.counted_for
  END,
  cost = excluded.cost
