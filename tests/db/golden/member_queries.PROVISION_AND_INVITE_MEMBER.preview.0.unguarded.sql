WITH ruled AS MATERIALIZED (
  SELECT :decided ->> 'memberId' AS member_id,
    CASE
      WHEN :decided ->> 'isFirst'
        AND coalesce(
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
      WHEN :decided ->> 'isFirst'
        AND NOT :decided ->> '$.details.listed'
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
      ELSE :decided ->> 'ruling'
    END AS ruling
),
decided AS MATERIALIZED (SELECT *, ruling AS decision FROM ruled),
logged AS MATERIALIZED (
  SELECT (:decided ->> 'kind') || '.dry_run' AS kind,
    :roleId AS role_id,
    CASE WHEN decision = 'ok' AND member_id IS NULL THEN NULL ELSE member_id END AS relation_id,
    CASE
      WHEN decision IN ('ok', 'noop') OR member_id IS NOT NULL THEN :decided ->> 'subjectId'
    END AS subject_id,
    :decided ->> 'oldRights' AS old_rights,
    :decided ->> 'newRights' AS new_rights,
    CASE
      WHEN decision = 'ok' AND :decided ->> 'endedId' IS NOT NULL THEN json_array(:decided ->> 'endedId')
    END AS gone_relation_ids,
    CASE
      WHEN decision = 'ok' THEN (
        SELECT count(*)
        FROM (SELECT 1 FROM role_closure WHERE role_closure.ancestor_id = :roleId LIMIT 100000)
      ) + 1
    END AS cost,
    CASE WHEN decision IN ('ok', 'noop') THEN :decided ->> 'details' END AS details,
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
WHERE :decided IS NOT NULL ON CONFLICT (merge_key)
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
