SELECT (
  SELECT json_group_array(
    json_object(
      'id',
      seen.id,
      'parents',
      (
        SELECT count(*)
        FROM (
          SELECT entering.parent_id
          FROM manages entering
          WHERE entering.child_id = seen.id
          LIMIT :mostParents
        ) above
        WHERE (
          EXISTS (
            SELECT 1
            FROM member guard_direct
            WHERE guard_direct.user_id = :actorId
              AND guard_direct.role_id = above.parent_id
              AND (guard_direct.ends_at IS NULL OR guard_direct.ends_at > :now)
          )
          OR EXISTS (
            SELECT guard_path.rights & guard_few.rights AS guard_rights
            FROM member guard_few
            CROSS JOIN role_closure guard_path ON guard_path.descendant_id = above.parent_id
              AND guard_path.ancestor_id = guard_few.role_id
            WHERE guard_few.user_id = iif(
              (
                SELECT 1
                FROM member guard_count
                WHERE guard_count.user_id = :actorId
                LIMIT 1 OFFSET 32
              ) IS NULL
              OR EXISTS (
                SELECT 1
                FROM role_closure guard_longer
                WHERE guard_longer.descendant_id = above.parent_id
                LIMIT 1 OFFSET (
                  SELECT count(*)
                  FROM member guard_shorter
                  WHERE guard_shorter.user_id = :actorId
                )
              ),
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
              ) IS NULL
              OR EXISTS (
                SELECT 1
                FROM role_closure guard_longer
                WHERE guard_longer.descendant_id = above.parent_id
                LIMIT 1 OFFSET (
                  SELECT count(*)
                  FROM member guard_shorter
                  WHERE guard_shorter.user_id = :actorId
                )
              ),
              NULL,
              above.parent_id
            )
          )
        )
      ),
      'areParentsCut',
      (
        SELECT count(*)
        FROM (SELECT 1 FROM manages entering WHERE entering.child_id = seen.id LIMIT :mostParents)
      ) = :mostParents,
      'children',
      (SELECT count(*) FROM (SELECT 1 FROM manages leaving WHERE leaving.parent_id = seen.id LIMIT :most)),
      'descendants',
      (SELECT count(*) FROM (SELECT 1 FROM role_closure below WHERE below.ancestor_id = seen.id LIMIT :most))
    )
  )
  FROM json_each(:roleIds) asked
  CROSS JOIN role seen ON seen.id = asked.value
  WHERE (
    EXISTS (
      SELECT 1
      FROM member guard_direct
      WHERE guard_direct.user_id = :actorId
        AND guard_direct.role_id = seen.id
        AND (guard_direct.ends_at IS NULL OR guard_direct.ends_at > :now)
    )
    OR EXISTS (
      SELECT guard_path.rights & guard_few.rights AS guard_rights
      FROM member guard_few
      CROSS JOIN role_closure guard_path ON guard_path.descendant_id = seen.id
        AND guard_path.ancestor_id = guard_few.role_id
      WHERE guard_few.user_id = iif(
        (SELECT 1 FROM member guard_count WHERE guard_count.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
        OR EXISTS (
          SELECT 1
          FROM role_closure guard_longer
          WHERE guard_longer.descendant_id = seen.id
          LIMIT 1 OFFSET (SELECT count(*) FROM member guard_shorter WHERE guard_shorter.user_id = :actorId)
        ),
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
        (SELECT 1 FROM member guard_count WHERE guard_count.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
        OR EXISTS (
          SELECT 1
          FROM role_closure guard_longer
          WHERE guard_longer.descendant_id = seen.id
          LIMIT 1 OFFSET (SELECT count(*) FROM member guard_shorter WHERE guard_shorter.user_id = :actorId)
        ),
        NULL,
        seen.id
      )
    )
  )
) AS summaries,
  (SELECT seq FROM sqlite_sequence WHERE name = 'change_log') AS revision
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
