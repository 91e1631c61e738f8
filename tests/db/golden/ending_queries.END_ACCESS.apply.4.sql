-- like this: ending_queries END_ACCESS.apply.3
-- like this: ending_queries END_ACCESS.apply.6
-- like this: ending_queries END_ACCESS.make.2
-- like this: ending_queries END_ACCESS.make.3
-- like this: ending_queries END_ACCESS.make.5
-- like this: ending_queries END_ACCESS.preview.2
-- like this: ending_queries END_ACCESS.preview.3
-- like this: ending_queries END_ACCESS.preview.5
-- like this: found_queries NOTE_FOLLOWED
-- like this: found_queries NOTE_FOUND
-- like this: found_queries NOTE_RELATIONS
WITH held_leap(role_id, is_own, before_id) AS MATERIALIZED (
  SELECT (
    SELECT leapt_own.role_id
    FROM member leapt_own
    WHERE leapt_own.user_id = (
      SELECT head.details ->> '$.person'
      FROM change_log head
      WHERE head.op_id = :opId
    )
      AND leapt_own.role_id >= 0
    ORDER BY leapt_own.role_id
    LIMIT 1
  ),
    true,
    -1
  WHERE (SELECT head.details ->> '$.isLarge' FROM change_log head WHERE head.op_id = :opId)
  UNION ALL
  SELECT iif(
    is_own,
    (
      SELECT leapt_below.descendant_id
      FROM role_closure leapt_below
      WHERE leapt_below.ancestor_id = :roleId
        AND leapt_below.descendant_id >= held_leap.role_id + (held_leap.role_id = before_id)
      ORDER BY leapt_below.descendant_id
      LIMIT 1
    ),
    (
      SELECT leapt_own.role_id
      FROM member leapt_own
      WHERE leapt_own.user_id = (
        SELECT head.details ->> '$.person'
        FROM change_log head
        WHERE head.op_id = :opId
      )
        AND leapt_own.role_id >= held_leap.role_id + (held_leap.role_id = before_id)
      ORDER BY leapt_own.role_id
      LIMIT 1
    )
  ),
    NOT is_own,
    role_id
  FROM held_leap
  WHERE role_id IS NOT NULL
  LIMIT 20003
),
made_leap(role_id, is_own, before_id) AS MATERIALIZED (
  SELECT (
    SELECT leapt_own.role_id
    FROM member leapt_own
    WHERE leapt_own.given_by = (
      SELECT head.details ->> '$.person'
      FROM change_log head
      WHERE head.op_id = :opId
    )
      AND leapt_own.role_id >= 0
    ORDER BY leapt_own.role_id
    LIMIT 1
  ),
    true,
    -1
  WHERE (SELECT head.details ->> '$.isLarge' FROM change_log head WHERE head.op_id = :opId)
  UNION ALL
  SELECT iif(
    is_own,
    (
      SELECT leapt_below.descendant_id
      FROM role_closure leapt_below
      WHERE leapt_below.ancestor_id = :roleId
        AND leapt_below.descendant_id >= made_leap.role_id + (made_leap.role_id = before_id)
      ORDER BY leapt_below.descendant_id
      LIMIT 1
    ),
    (
      SELECT leapt_own.role_id
      FROM member leapt_own
      WHERE leapt_own.given_by = (
        SELECT head.details ->> '$.person'
        FROM change_log head
        WHERE head.op_id = :opId
      )
        AND leapt_own.role_id >= made_leap.role_id + (made_leap.role_id = before_id)
      ORDER BY leapt_own.role_id
      LIMIT 1
    )
  ),
    NOT is_own,
    role_id
  FROM made_leap
  WHERE role_id IS NOT NULL
  LIMIT 20003
),
set_leap(role_id, is_own, before_id) AS MATERIALIZED (
  SELECT (
    SELECT leapt_own.id
    FROM role leapt_own
    WHERE leapt_own.password_set_by = (
      SELECT head.details ->> '$.person'
      FROM change_log head
      WHERE head.op_id = :opId
    )
      AND leapt_own.id >= 0
    ORDER BY leapt_own.id
    LIMIT 1
  ),
    true,
    -1
  WHERE (SELECT head.details ->> '$.isLarge' FROM change_log head WHERE head.op_id = :opId)
  UNION ALL
  SELECT iif(
    is_own,
    (
      SELECT leapt_below.descendant_id
      FROM role_closure leapt_below
      WHERE leapt_below.ancestor_id = :roleId
        AND leapt_below.descendant_id >= set_leap.role_id + (set_leap.role_id = before_id)
      ORDER BY leapt_below.descendant_id
      LIMIT 1
    ),
    (
      SELECT leapt_own.id
      FROM role leapt_own
      WHERE leapt_own.password_set_by = (
        SELECT head.details ->> '$.person'
        FROM change_log head
        WHERE head.op_id = :opId
      )
        AND leapt_own.id >= set_leap.role_id + (set_leap.role_id = before_id)
      ORDER BY leapt_own.id
      LIMIT 1
    )
  ),
    NOT is_own,
    role_id
  FROM set_leap
  WHERE role_id IS NOT NULL
  LIMIT 20003
),
own_member AS MATERIALIZED (
  SELECT near.id AS id, near.role_id AS role_id, near.user_id AS user_id, NULL AS via
  FROM (
    SELECT :roleId AS role_id
    UNION ALL
    SELECT below.descendant_id
    FROM role_closure below
    WHERE below.ancestor_id = :roleId
      AND NOT (SELECT head.details ->> '$.isLarge' FROM change_log head WHERE head.op_id = :opId)
    UNION ALL
    SELECT role_id
    FROM held_leap
    WHERE role_id = before_id
  ) searched
  CROSS JOIN member near ON near.user_id = (
    SELECT head.details ->> '$.person'
    FROM change_log head
    WHERE head.op_id = :opId
  )
    AND near.role_id = searched.role_id
  WHERE true
),
made AS MATERIALIZED (
  SELECT *
  FROM (
    SELECT near.id AS id, near.role_id AS role_id, near.user_id AS user_id, near.given_via AS via
    FROM (
      SELECT :roleId AS role_id
      UNION ALL
      SELECT below.descendant_id
      FROM role_closure below
      WHERE below.ancestor_id = :roleId
        AND NOT (SELECT head.details ->> '$.isLarge' FROM change_log head WHERE head.op_id = :opId)
      UNION ALL
      SELECT role_id
      FROM made_leap
      WHERE role_id = before_id
    ) searched
    CROSS JOIN member near ON near.given_by = (
      SELECT head.details ->> '$.person'
      FROM change_log head
      WHERE head.op_id = :opId
    )
      AND near.role_id = searched.role_id
    WHERE +near.user_id < 0
  )
  LIMIT 4001
),
own_password AS MATERIALIZED (
  SELECT near.id AS id, near.id AS role_id, near.password_set_by AS user_id, near.password_set_via AS via
  FROM (
    SELECT :roleId AS role_id
    UNION ALL
    SELECT below.descendant_id
    FROM role_closure below
    WHERE below.ancestor_id = :roleId
      AND NOT (SELECT head.details ->> '$.isLarge' FROM change_log head WHERE head.op_id = :opId)
    UNION ALL
    SELECT role_id
    FROM set_leap
    WHERE role_id = before_id
  ) searched
  CROSS JOIN role near ON near.password_set_by = (
    SELECT head.details ->> '$.person'
    FROM change_log head
    WHERE head.op_id = :opId
  )
    AND near.id = searched.role_id
  WHERE true
),
followed(id, user_id, role_id, until_id) AS MATERIALIZED (
  SELECT (item.value ->> 0),
    CAST((item.value ->> 1) AS INTEGER),
    CAST((item.value ->> 2) AS INTEGER),
    (item.value ->> 3)
  FROM json_each((SELECT head.details FROM change_log head WHERE head.op_id = :opId), '$.followed') item
),
side(from_rows, is_cut) AS MATERIALIZED (
  SELECT from_rows,
    NOT from_rows
    AND (
      SELECT 1
      FROM role_closure all_below
      WHERE all_below.ancestor_id = :roleId
      LIMIT 1 OFFSET 10000
    ) IS NOT NULL
  FROM (
    SELECT (SELECT head.details ->> '$.isLarge' FROM change_log head WHERE head.op_id = :opId)
      AND (
        SELECT 1
        FROM (SELECT DISTINCT user_id FROM followed WHERE user_id > 0 AND user_id <> :actorId) giver
        CROSS JOIN role crowd ON crowd.password_set_by = giver.user_id
        LIMIT 1 OFFSET 10000
      ) IS NULL AS from_rows
  )
),
acted_via(role_id) AS MATERIALIZED (
  SELECT DISTINCT via
  FROM (SELECT via FROM made UNION ALL SELECT via FROM own_password)
  WHERE :email IS NOT NULL
  LIMIT 2001
),
fallen(role_id, parent_id) AS MATERIALIZED (
  SELECT role_id,
    CAST(
      coalesce(
        (
          SELECT deletion.parent_id
          FROM change_log deletion
          WHERE deletion.rev = (
            SELECT max(past.to_rev)
            FROM role_history past
            WHERE past.role_id = asked.role_id
          )
        ),
        0
      ) AS INTEGER
    )
  FROM (SELECT role_id FROM acted_via) asked
  WHERE role_id <> 0
  UNION
  SELECT fallen.parent_id,
    CAST(
      coalesce(
        (
          SELECT deletion.parent_id
          FROM change_log deletion
          WHERE deletion.rev = (
            SELECT max(past.to_rev)
            FROM role_history past
            WHERE past.role_id = fallen.parent_id
          )
        ),
        0
      ) AS INTEGER
    )
  FROM fallen
  WHERE fallen.parent_id <> 0
  LIMIT 100000
),
standing(role_id, place_id) AS MATERIALIZED (
  SELECT 0, 0
  UNION
  SELECT fallen.role_id, iif(standing.role_id = 0, fallen.role_id, standing.place_id)
  FROM standing
  CROSS JOIN fallen ON fallen.parent_id = standing.role_id
),
seen_via(role_id) AS MATERIALIZED (
  SELECT role_id
  FROM standing
  WHERE CASE
    WHEN CASE
      WHEN (SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL THEN false
      ELSE (
        SELECT 1
        FROM (SELECT DISTINCT place_id AS role_id FROM standing) judged
        CROSS JOIN role_closure step ON step.descendant_id = judged.role_id
        LIMIT 1 OFFSET 100000
      ) IS NOT NULL
    END THEN false
    ELSE iif(
      (
        (SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
        OR EXISTS (
          SELECT 1
          FROM role_closure longer
          WHERE longer.descendant_id = standing.place_id
          LIMIT 1 OFFSET (SELECT count(*) FROM member shorter WHERE shorter.user_id = :actorId)
        )
      ),
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
              acting.role_id = standing.place_id
              OR EXISTS (
                SELECT 1
                FROM role_closure path
                WHERE path.descendant_id = standing.place_id AND path.ancestor_id = acting.role_id
              )
            )
          )
      ),
      EXISTS (
        SELECT 1
        FROM (
          SELECT own.role_id, own.rights
          FROM member own
          WHERE own.user_id = :actorId
            AND own.role_id = standing.place_id
            AND (
              (own.ends_at IS NULL OR own.ends_at > :now)
              AND (
                own.needs = 0
                OR iif(own.needs_from > :now, own.needs_before, own.needs) <= (
                  SELECT session.meets
                  FROM session
                  WHERE session.id = :sessionId
                )
              )
            )
          UNION ALL
          SELECT above.ancestor_id, many.rights
          FROM role_closure above
          CROSS JOIN member many ON many.user_id = :actorId
            AND many.role_id = above.ancestor_id
            AND (
              (many.ends_at IS NULL OR many.ends_at > :now)
              AND (
                many.needs = 0
                OR iif(many.needs_from > :now, many.needs_before, many.needs) <= (
                  SELECT session.meets
                  FROM session
                  WHERE session.id = :sessionId
                )
              )
            )
          WHERE above.descendant_id = standing.place_id
        ) acting_above
        WHERE true
      )
    )
  END
),
living(id, role_id, user_id) AS MATERIALIZED (
  SELECT living_one.id, living_one.role_id, living_one.user_id
  FROM (
    SELECT id
    FROM own_member
    UNION
    SELECT id
    FROM made
    WHERE CASE
      WHEN :email IS NULL THEN true
      ELSE CASE
        WHEN (
          SELECT head.details ->> '$.person'
          FROM change_log head
          WHERE head.op_id = :opId
        ) = :actorId THEN true
        WHEN made.via IS NULL THEN EXISTS (
          SELECT 1
          FROM (
            SELECT own.role_id, own.rights
            FROM member own
            WHERE own.user_id = (
              SELECT head.details ->> '$.person'
              FROM change_log head
              WHERE head.op_id = :opId
            )
              AND own.role_id = made.role_id
              AND (
                (own.ends_at IS NULL OR own.ends_at > :now)
                AND (
                  own.user_id < 0
                  OR EXISTS (SELECT 1 FROM user_account held_by WHERE held_by.id = own.user_id)
                )
              )
            UNION ALL
            SELECT above.ancestor_id, many.rights
            FROM role_closure above
            CROSS JOIN member many ON many.user_id = (
              SELECT head.details ->> '$.person'
              FROM change_log head
              WHERE head.op_id = :opId
            )
              AND many.role_id = above.ancestor_id
              AND (
                (many.ends_at IS NULL OR many.ends_at > :now)
                AND (
                  many.user_id < 0
                  OR EXISTS (SELECT 1 FROM user_account held_by WHERE held_by.id = many.user_id)
                )
              )
            WHERE above.descendant_id = made.role_id
          ) acting_above
          WHERE true
        )
        ELSE made.via IN (SELECT role_id FROM seen_via)
      END
    END
    UNION
    SELECT id
    FROM followed
  ) found
  CROSS JOIN member living_one ON living_one.id = found.id
  WHERE (living_one.ends_at IS NULL OR living_one.ends_at > :now) AND living_one.user_id <> :actorId
  LIMIT 2001
),
in_trash(id, place_id) AS MATERIALIZED (
  SELECT id,
    (
      WITH RECURSIVE place(role_id, parent_id) AS (
        SELECT followed.role_id,
          CAST(
            coalesce(
              (
                SELECT deletion.parent_id
                FROM change_log deletion
                WHERE deletion.rev = (
                  SELECT max(past.to_rev)
                  FROM role_history past
                  WHERE past.role_id = followed.role_id
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
      WHERE CASE place.parent_id WHEN 0 THEN true ELSE false END
    )
  FROM followed
  WHERE user_id > 0
    AND user_id <> :actorId
    AND EXISTS (
      SELECT 1
      FROM member_history lying
      CROSS JOIN change_log deletion ON deletion.rev = lying.to_rev AND deletion.kind = 'manages.delete'
      WHERE lying.member_id = followed.id
        AND lying.to_rev < 9007199254740991
        AND lying.to_rev = (
          SELECT max(last.to_rev)
          FROM role_history last
          WHERE last.role_id = followed.role_id
        )
        AND lying.to_rev > coalesce(
          (SELECT CAST(setting.value AS INTEGER) FROM setting WHERE setting.name = 'history_from'), 0
        )
        AND (lying.ends_at IS NULL OR lying.ends_at > :now)
        AND EXISTS (SELECT 1 FROM user_account account WHERE account.id = followed.user_id)
        AND NOT EXISTS (
          SELECT 1
          FROM change_log ending
          WHERE ending.subject_id = followed.user_id
            AND ending.role_id = followed.role_id
            AND ending.kind = 'access.end'
            AND ending.decision = 'ok'
            AND ending.rev > lying.to_rev
        )
    )
  LIMIT 2001
),
password(role_id) AS MATERIALIZED (
  SELECT role_id
  FROM own_password
  WHERE CASE
    WHEN :email IS NULL THEN true
    ELSE CASE
      WHEN (
        SELECT head.details ->> '$.person'
        FROM change_log head
        WHERE head.op_id = :opId
      ) = :actorId THEN true
      WHEN own_password.via IS NULL THEN EXISTS (
        SELECT 1
        FROM (
          SELECT own.role_id, own.rights
          FROM member own
          WHERE own.user_id = (
            SELECT head.details ->> '$.person'
            FROM change_log head
            WHERE head.op_id = :opId
          )
            AND own.role_id = own_password.role_id
            AND (
              (own.ends_at IS NULL OR own.ends_at > :now)
              AND (
                own.user_id < 0 OR EXISTS (SELECT 1 FROM user_account held_by WHERE held_by.id = own.user_id)
              )
            )
          UNION ALL
          SELECT above.ancestor_id, many.rights
          FROM role_closure above
          CROSS JOIN member many ON many.user_id = (
            SELECT head.details ->> '$.person'
            FROM change_log head
            WHERE head.op_id = :opId
          )
            AND many.role_id = above.ancestor_id
            AND (
              (many.ends_at IS NULL OR many.ends_at > :now)
              AND (
                many.user_id < 0
                OR EXISTS (SELECT 1 FROM user_account held_by WHERE held_by.id = many.user_id)
              )
            )
          WHERE above.descendant_id = own_password.role_id
        ) acting_above
        WHERE true
      )
      ELSE own_password.via IN (SELECT role_id FROM seen_via)
    END
  END
  UNION
  SELECT role_id
  FROM (
    SELECT near.id AS role_id, near.password_set_by AS user_id, near.password_set_via AS via
    FROM (
      SELECT :roleId AS role_id
      FROM side
      WHERE NOT from_rows
      UNION ALL
      SELECT *
      FROM (
        SELECT below.descendant_id
        FROM side
        CROSS JOIN role_closure below ON below.ancestor_id = :roleId
        WHERE NOT from_rows
        LIMIT 10000
      )
    ) searched
    CROSS JOIN role near ON near.id = searched.role_id
    WHERE EXISTS (SELECT 1 FROM followed)
    UNION ALL
    SELECT far.id, far.password_set_by, far.password_set_via
    FROM side
    CROSS JOIN (SELECT DISTINCT user_id FROM followed WHERE user_id > 0 AND user_id <> :actorId) giver
    CROSS JOIN role far ON far.password_set_by = giver.user_id
    WHERE from_rows
      AND (
        far.id = :roleId
        OR EXISTS (
          SELECT 1
          FROM role_closure upper
          WHERE upper.descendant_id = far.id AND upper.ancestor_id = :roleId
        )
      )
  )
  WHERE user_id <> :actorId
    AND (user_id, via) IN (
      SELECT user_id, role_id
      FROM followed
      WHERE user_id > 0 AND until_id = 9223372036854775807
    )
  LIMIT 2001
)
UPDATE change_log
SET details = (
  SELECT json_set(
    change_log.details,
    '$.living',
    json(living_list),
    '$.inTrash',
    json(trash_list),
    '$.set',
    json(password_list),
    '$.things',
    living_count + trash_count + password_count,
    '$.isCut',
    living_count > 2000
    OR trash_count > 2000
    OR password_count > 2000
    OR (SELECT count(*) FROM made) > 4000
    OR (SELECT count(*) FROM held_leap) > 20002
    OR (SELECT count(*) FROM made_leap) > 20002
    OR (SELECT count(*) FROM set_leap) > 20002
    OR (SELECT is_cut FROM side)
    OR (
      (SELECT count(*) FROM acted_via) > 2000
      OR CASE
        WHEN (SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL THEN false
        ELSE (
          SELECT 1
          FROM (SELECT DISTINCT place_id AS role_id FROM standing) judged
          CROSS JOIN role_closure step ON step.descendant_id = judged.role_id
          LIMIT 1 OFFSET 100000
        ) IS NOT NULL
      END
    )
  )
  FROM (
    SELECT json_group_array(json_array(id, role_id, user_id)) AS living_list, count(*) AS living_count
    FROM living
  )
  CROSS JOIN (
    SELECT json_group_array(json_array(id, place_id)) AS trash_list, count(*) AS trash_count
    FROM in_trash
  )
  CROSS JOIN (SELECT json_group_array(role_id) AS password_list, count(*) AS password_count FROM password)
)
WHERE change_log.op_id = :opId
  AND change_log.effect IN ('write')
  AND NOT coalesce(change_log.details ->> '$.isCut', false)
