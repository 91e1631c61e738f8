-- like this: adoption_queries ADOPT_KEY.preview.0
-- like this: demand_queries SET_DEMAND.preview.0
-- like this: key_queries CREATE_KEY.preview.0
-- like this: key_queries DELETE_KEY.preview.0
-- like this: member_queries PROVISION_MEMBER.preview.0
-- like this: member_queries PUT_MEMBER.preview.0
-- like this: member_removal_queries REMOVE_MEMBER.preview.0
-- like this: role_queries UPDATE_ROLE.preview.0
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
of_key AS MATERIALIZED (
  SELECT acting.rights AS most_rights,
    acting.ends_at AS latest_end,
    min(acting.role_id) OVER () AS oldest_role_id
  FROM asked
  CROSS JOIN member acting
  WHERE acting.user_id = :actorId
    AND (acting.ends_at IS NULL OR acting.ends_at > :now)
    AND EXISTS (
      SELECT 1
      FROM role_key provisioning
      WHERE provisioning.id = -:actorId AND provisioning.provisions
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
of_maker AS MATERIALIZED (
  SELECT acting.rights AS most_rights,
    acting.ends_at AS latest_end,
    min(acting.role_id) OVER () AS oldest_role_id
  FROM asked
  CROSS JOIN member acting
  WHERE acting.user_id = (SELECT made.created_by FROM role_key made WHERE made.id = -:actorId)
    AND (
      (acting.ends_at IS NULL OR acting.ends_at > :now)
      AND (
        acting.user_id < 0 OR EXISTS (SELECT 1 FROM user_account held_by WHERE held_by.id = acting.user_id)
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
granting AS MATERIALIZED (
  SELECT of_key.most_rights & coalesce(of_maker.most_rights, 63) AS most_rights,
    coalesce(
      min(of_key.latest_end, of_maker.latest_end), of_key.latest_end, of_maker.latest_end
    ) AS latest_end,
    of_key.oldest_role_id
  FROM of_key
  LEFT JOIN of_maker ON true
  WHERE (SELECT made.created_by FROM role_key made WHERE made.id = -:actorId) IS NULL
    OR of_maker.most_rights IS NOT NULL
),
ruled AS MATERIALIZED (
  SELECT *,
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
                  AND (
                    (other.user_id > 0 AND other.rights & 1 AND other.ends_at IS NULL)
                    AND EXISTS (SELECT 1 FROM user_account holder WHERE holder.id = other.user_id)
                  )
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
                  AND (
                    (other.user_id > 0 AND other.rights & 1 AND other.ends_at IS NULL)
                    AND EXISTS (SELECT 1 FROM user_account holder WHERE holder.id = other.user_id)
                  )
              )
            )
        ) THEN 'denied'
      WHEN changes THEN 'ok'
      WHEN coalesce(
        (
          SELECT counter.count
          FROM throttle counter
          WHERE counter.scope = 'provision.maker'
            AND counter.key = (
              SELECT coalesce(CAST(counted_key.created_by AS TEXT), 'key ' || counted_key.id)
              FROM role_key counted_key
              WHERE counted_key.id = -:actorId
            )
            AND NOT (counter.expires_at <= :now OR ifnull(counter.started_at > :now + 60000, false))
        ),
        0
      ) >= :provisionPerDay
        AND NOT coalesce(
          (
            SELECT counter.count
            FROM throttle counter
            WHERE counter.scope = 'member.previewed'
              AND counter.key = 'provision.maker' || ' ' || (
                SELECT coalesce(CAST(counted_key.created_by AS TEXT), 'key ' || counted_key.id)
                FROM role_key counted_key
                WHERE counted_key.id = -:actorId
              ) || ' ' || :roleId || ' ' || :addressKey
              AND NOT (counter.expires_at <= :now OR ifnull(counter.started_at > :now + 60000, false))
          ),
          0
        ) > 0 THEN 'too_many_additions'
      WHEN NOT is_listed
        AND coalesce(
          (
            SELECT counter.count
            FROM throttle counter
            WHERE counter.scope = 'invitation.caller'
              AND counter.key = (
                SELECT coalesce(CAST(counted_key.created_by AS TEXT), 'key ' || counted_key.id)
                FROM role_key counted_key
                WHERE counted_key.id = -:actorId
              )
              AND NOT (counter.expires_at <= :now OR ifnull(counter.started_at > :now + 60000, false))
          ),
          0
        ) >= 50
        AND NOT coalesce(
          (
            SELECT counter.count
            FROM throttle counter
            WHERE counter.scope = 'member.previewed'
              AND counter.key = 'invitation.caller' || ' ' || (
                SELECT coalesce(CAST(counted_key.created_by AS TEXT), 'key ' || counted_key.id)
                FROM role_key counted_key
                WHERE counted_key.id = -:actorId
              ) || ' ' || :roleId || ' ' || :addressKey
              AND NOT (counter.expires_at <= :now OR ifnull(counter.started_at > :now + 60000, false))
          ),
          0
        ) > 0 THEN 'too_many_invitations'
      WHEN subject_id IS NULL
        AND EXISTS (
          SELECT 1
          FROM reserved_email reserved
          WHERE reserved.email = :email AND reserved.reserved_until > :now
        ) THEN 'denied'
      ELSE 'ok'
    END AS ruling
  FROM (
    SELECT *,
      CASE
        WHEN most_rights IS NOT NULL
          AND member_id IS NULL THEN iif(
            (SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL,
            EXISTS (
              SELECT 1
              FROM (
                SELECT *
                FROM (
                  SELECT known.role_id
                  FROM member known
                  WHERE known.user_id = subject_id AND (known.ends_at IS NULL OR known.ends_at > :now)
                  ORDER BY known.role_id
                  LIMIT 32
                )
                UNION ALL
                SELECT value
                FROM json_each('[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]')
                LIMIT 32
              ) few
              WHERE EXISTS (
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
                        acting.role_id = few.role_id
                        AND EXISTS (
                          SELECT 1
                          FROM role self
                          WHERE self.id = few.role_id AND self.self_rights & acting.rights & 2
                        )
                      )
                      OR EXISTS (
                        SELECT 1
                        FROM role_closure path
                        WHERE path.descendant_id = few.role_id
                          AND path.ancestor_id = acting.role_id
                          AND path.rights & acting.rights & 3
                      )
                    )
                  )
              )
            ),
            false
          )
        ELSE false
      END AS is_listed
    FROM asked
    LEFT JOIN granting ON true
  )
),
decided AS MATERIALIZED (SELECT *, ruling AS decision FROM ruled),
logged AS MATERIALIZED (
  SELECT (CASE WHEN changes THEN 'member.update' ELSE 'member.add' END) || '.dry_run' AS kind,
    :roleId AS role_id,
    CASE WHEN decision = 'ok' AND member_id IS NULL THEN NULL ELSE member_id END AS relation_id,
    CASE WHEN decision IN ('ok', 'noop') OR member_id IS NOT NULL THEN subject_id END AS subject_id,
    old_rights AS old_rights,
    coalesce(rights, most_rights) AS new_rights,
    CASE WHEN decision = 'ok' AND ended_id IS NOT NULL THEN json_array(ended_id) END AS gone_relation_ids,
    CASE
      WHEN decision = 'ok' THEN (
        SELECT count(*)
        FROM (SELECT 1 FROM role_closure WHERE role_closure.ancestor_id = :roleId LIMIT 100000)
      ) + 1
    END AS cost,
    CASE
      WHEN decision IN ('ok', 'noop') THEN json_object(
        'oldUntil',
        old_ends_at,
        'until',
        CASE WHEN member_id IS NOT NULL OR :setsEnd THEN ends_at ELSE latest_end END,
        'listed',
        is_listed
      )
    END AS details,
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
  role_id,
  relation_id,
  subject_id,
  old_rights,
  new_rights,
  gone_relation_ids,
  cost,
  details,
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
  logged.cost,
  logged.details,
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
  role_id = excluded.role_id,
  relation_id = excluded.relation_id,
  subject_id = excluded.subject_id,
  old_rights = excluded.old_rights,
  new_rights = excluded.new_rights,
  gone_relation_ids = excluded.gone_relation_ids,
  cost = excluded.cost,
  details = excluded.details,
  decision = excluded.decision,
  effect = excluded.effect
