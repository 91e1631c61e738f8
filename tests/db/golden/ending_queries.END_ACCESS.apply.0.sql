-- like this: device_queries CREATE_DEVICE.keyed.0
-- like this: device_queries CREATE_DEVICE.keyless.0
-- like this: device_queries UPDATE_DEVICE.legacy.0
-- like this: device_queries UPDATE_DEVICE.replace.0
-- like this: ending_queries END_ACCESS.make.0
-- like this: ending_queries END_ACCESS.preview.0
-- like this: key_queries CREATE_KEY.apply.0
-- like this: key_queries CREATE_KEY.make.0
-- like this: member_queries PUT_MEMBER.apply.0
-- like this: member_queries PUT_MEMBER.make.0
-- like this: member_queries REMOVE_MEMBER.apply.0
-- like this: member_queries REMOVE_MEMBER.make.0
-- like this: monitors_queries ADD_MONITORS.0
-- like this: rest_queries RELATIONS_LEFT
WITH asked AS MATERIALIZED (
  SELECT coalesce(
    :userId, (SELECT user_account.id FROM user_account WHERE user_account.email = :email)
  ) AS subject_id,
    is_permitted,
    lacks_proof,
    is_permitted
    AND NOT lacks_proof AS goes
  FROM (
    SELECT :actorId > 0
      AND EXISTS (
        SELECT 1
        FROM member acting
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
      ) AS is_permitted,
      NOT :isPreview
      AND (
        :actorId > 0
        AND NOT EXISTS (
          SELECT 1
          FROM user_account proven
          WHERE proven.id = :actorId AND proven.security_version = :sudoVersion
        )
      ) AS lacks_proof
    FROM (SELECT 1) principal
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
person(user_id) AS MATERIALIZED (
  SELECT CASE WHEN subject_id = :actorId THEN 0 ELSE coalesce(subject_id, 0) END
  FROM asked
),
scope(role_id) AS MATERIALIZED (
  SELECT :roleId
  FROM asked
  WHERE goes
  UNION ALL
  SELECT *
  FROM (
    SELECT below.descendant_id
    FROM asked
    CROSS JOIN role_closure below ON below.ancestor_id = :roleId
    WHERE goes
    LIMIT 10001
  )
),
side(is_large) AS MATERIALIZED (SELECT count(*) > 10000 FROM scope),
searched(role_id) AS MATERIALIZED (SELECT role_id FROM scope WHERE NOT (SELECT is_large FROM side)),
held AS MATERIALIZED (
  SELECT near.id AS id, near.role_id AS role_id, near.user_id AS user_id, NULL AS via
  FROM searched
  CROSS JOIN member near ON near.user_id = (SELECT user_id FROM person) AND near.role_id = searched.role_id
  WHERE true
  UNION ALL
  SELECT *
  FROM (
    SELECT far.id AS id, far.role_id AS role_id, far.user_id AS user_id, NULL AS via
    FROM member far
    WHERE (SELECT is_large FROM side) AND far.user_id = (SELECT user_id FROM person) AND true
    LIMIT 10001
  )
  WHERE (
    role_id = :roleId
    OR EXISTS (
      SELECT 1
      FROM role_closure upper
      WHERE upper.descendant_id = role_id AND upper.ancestor_id = :roleId
    )
  )
),
made AS MATERIALIZED (
  SELECT *
  FROM (
    SELECT near.id AS id, near.role_id AS role_id, near.user_id AS user_id, near.given_via AS via
    FROM searched
    CROSS JOIN member near ON near.given_by = (SELECT user_id FROM person) AND near.role_id = searched.role_id
    WHERE near.user_id < 0
    UNION ALL
    SELECT *
    FROM (
      SELECT far.id AS id, far.role_id AS role_id, far.user_id AS user_id, far.given_via AS via
      FROM member far
      WHERE (SELECT is_large FROM side) AND far.given_by = (SELECT user_id FROM person) AND far.user_id < 0
      LIMIT 10001
    )
    WHERE (
      role_id = :roleId
      OR EXISTS (
        SELECT 1
        FROM role_closure upper
        WHERE upper.descendant_id = role_id AND upper.ancestor_id = :roleId
      )
    )
  )
  LIMIT 10001
),
gave AS MATERIALIZED (
  SELECT DISTINCT *
  FROM (
    SELECT *
    FROM (
      SELECT near.member_id AS id, near.role_id AS role_id, near.user_id AS user_id, near.given_via AS via
      FROM searched
      CROSS JOIN member_history near ON near.given_by = (SELECT user_id FROM person)
        AND near.role_id = searched.role_id
      WHERE (:granted OR near.user_id < 0)
      UNION ALL
      SELECT *
      FROM (
        SELECT far.member_id AS id, far.role_id AS role_id, far.user_id AS user_id, far.given_via AS via
        FROM member_history far
        WHERE (SELECT is_large FROM side)
          AND far.given_by = (SELECT user_id FROM person)
          AND (:granted OR far.user_id < 0)
        LIMIT 10001
      )
      WHERE (
        role_id = :roleId
        OR EXISTS (
          SELECT 1
          FROM role_closure upper
          WHERE upper.descendant_id = role_id AND upper.ancestor_id = :roleId
        )
      )
    )
    LIMIT 20001
  )
),
own_password AS MATERIALIZED (
  SELECT near.id AS id, near.id AS role_id, near.password_set_by AS user_id, near.password_set_via AS via
  FROM searched
  CROSS JOIN role near ON near.password_set_by = (SELECT user_id FROM person) AND near.id = searched.role_id
  WHERE true
  UNION ALL
  SELECT *
  FROM (
    SELECT far.id AS id, far.id AS role_id, far.password_set_by AS user_id, far.password_set_via AS via
    FROM role far
    WHERE (SELECT is_large FROM side) AND far.password_set_by = (SELECT user_id FROM person) AND true
    LIMIT 10001
  )
  WHERE (
    role_id = :roleId
    OR EXISTS (
      SELECT 1
      FROM role_closure upper
      WHERE upper.descendant_id = role_id AND upper.ancestor_id = :roleId
    )
  )
),
acted_via(role_id) AS MATERIALIZED (
  SELECT via
  FROM (SELECT via FROM made UNION SELECT via FROM gave UNION SELECT via FROM own_password)
  WHERE :email IS NOT NULL
  LIMIT 2001
),
seen_via(role_id) AS MATERIALIZED (
  SELECT role_id
  FROM acted_via
  WHERE CASE
    WHEN CASE
      WHEN (SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL THEN false
      ELSE (
        SELECT 1
        FROM acted_via judged
        CROSS JOIN role_closure step ON step.descendant_id = judged.role_id
        LIMIT 1 OFFSET 100000
      ) IS NOT NULL
    END THEN false
    ELSE EXISTS (
      SELECT 1
      FROM (
        SELECT CASE
          WHEN EXISTS (
            SELECT 1
            FROM role existing
            WHERE existing.id = acted_via.role_id
          ) THEN acted_via.role_id
          ELSE (
            SELECT deletion.parent_id
            FROM change_log deletion
            WHERE deletion.rev = (
              SELECT max(past.to_rev)
              FROM role_history past
              WHERE past.role_id = acted_via.role_id
            )
          )
        END AS role_id
      ) place
      WHERE iif(
        (
          (SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
          OR EXISTS (
            SELECT 1
            FROM role_closure longer
            WHERE longer.descendant_id = place.role_id
            LIMIT 1 OFFSET (SELECT count(*) FROM member shorter WHERE shorter.user_id = :actorId)
          )
        ),
        EXISTS (
          SELECT 1
          FROM member acting
          WHERE acting.user_id = :actorId
            AND (acting.ends_at IS NULL OR acting.ends_at > :now)
            AND (
              (
                acting.role_id = place.role_id
                OR EXISTS (
                  SELECT 1
                  FROM role_closure path
                  WHERE path.descendant_id = place.role_id AND path.ancestor_id = acting.role_id
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
              AND own.role_id = place.role_id
              AND (own.ends_at IS NULL OR own.ends_at > :now)
            UNION ALL
            SELECT above.ancestor_id, many.rights
            FROM role_closure above
            CROSS JOIN member many ON many.user_id = :actorId
              AND many.role_id = above.ancestor_id
              AND (many.ends_at IS NULL OR many.ends_at > :now)
            WHERE above.descendant_id = place.role_id
          ) acting_above
          WHERE true
        )
      )
    )
  END
),
followed(id, user_id, role_id, until_id) AS MATERIALIZED (
  SELECT id,
    user_id,
    role_id,
    coalesce(
      (
        SELECT min(next.member_id)
        FROM member_history next
        WHERE next.role_id = gave.role_id AND next.user_id = gave.user_id AND next.member_id > gave.id
      ),
      9223372036854775807
    )
  FROM gave
  WHERE (:email IS NULL OR via IN (SELECT role_id FROM seen_via))
  UNION
  SELECT given.member_id,
    given.user_id,
    given.role_id,
    coalesce(
      (
        SELECT min(next.member_id)
        FROM member_history next
        WHERE next.role_id = given.role_id
          AND next.user_id = given.user_id
          AND next.member_id > given.member_id
      ),
      9223372036854775807
    )
  FROM followed
  CROSS JOIN member_history given ON given.given_by = followed.user_id
    AND given.given_via = followed.role_id
    AND given.member_id > followed.id
    AND given.member_id < followed.until_id
  WHERE :granted
    AND followed.user_id > 0
    AND followed.user_id <> :actorId
    AND (
      given.role_id = :roleId
      OR EXISTS (
        SELECT 1
        FROM role_closure upper
        WHERE upper.descendant_id = given.role_id AND upper.ancestor_id = :roleId
      )
    )
  LIMIT 10001
),
living(id, role_id, user_id) AS MATERIALIZED (
  SELECT living_one.id, living_one.role_id, living_one.user_id
  FROM (
    SELECT id
    FROM held
    UNION
    SELECT id
    FROM made
    WHERE (:email IS NULL OR via IN (SELECT role_id FROM seen_via))
    UNION
    SELECT id
    FROM followed
  ) found
  CROSS JOIN member living_one ON living_one.id = found.id
  WHERE (living_one.ends_at IS NULL OR living_one.ends_at > :now) AND living_one.user_id <> :actorId
  LIMIT 2001
),
password(role_id) AS MATERIALIZED (
  SELECT role_id
  FROM own_password
  WHERE (:email IS NULL OR via IN (SELECT role_id FROM seen_via))
  UNION
  SELECT role_id
  FROM (
    SELECT own.id AS role_id, own.password_set_by AS user_id, own.password_set_via AS via
    FROM (SELECT DISTINCT user_id FROM followed WHERE user_id > 0 AND user_id <> :actorId) giver
    CROSS JOIN role own ON own.password_set_by = giver.user_id
    LIMIT 10001
  )
  WHERE (
    role_id = :roleId
    OR EXISTS (
      SELECT 1
      FROM role_closure upper
      WHERE upper.descendant_id = role_id AND upper.ancestor_id = :roleId
    )
  )
    AND (user_id, via) IN (SELECT user_id, role_id FROM followed WHERE until_id = 9223372036854775807)
  LIMIT 2001
),
place(role_id) AS MATERIALIZED (SELECT role_id FROM living UNION SELECT role_id FROM password),
extent(is_cut) AS MATERIALIZED (
  SELECT (
    (SELECT count(*) FROM living) > 2000
    OR (SELECT count(*) FROM password) > 2000
    OR (SELECT count(*) FROM made) > 10000
    OR (SELECT count(*) FROM acted_via) > 2000
    OR CASE
      WHEN (SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL THEN false
      ELSE (
        SELECT 1
        FROM acted_via judged
        CROSS JOIN role_closure step ON step.descendant_id = judged.role_id
        LIMIT 1 OFFSET 100000
      ) IS NOT NULL
    END
    OR (
      :granted
      AND (
        (SELECT count(*) FROM gave) > 20000
        OR (
          (SELECT is_large FROM side)
          AND (
            SELECT 1
            FROM member_history crowd
            WHERE crowd.given_by = (SELECT user_id FROM person)
            LIMIT 1 OFFSET 10000
          ) IS NOT NULL
        )
        OR (SELECT count(*) FROM followed) > 10000
      )
    )
    OR (
      (SELECT is_large FROM side)
      AND (
        SELECT 1
        FROM member crowd
        WHERE crowd.user_id = (SELECT user_id FROM person)
        LIMIT 1 OFFSET 10000
      ) IS NOT NULL
    )
    OR (
      (SELECT is_large FROM side)
      AND (
        SELECT 1
        FROM member crowd
        WHERE crowd.given_by = (SELECT user_id FROM person)
        LIMIT 1 OFFSET 10000
      ) IS NOT NULL
    )
    OR (
      (SELECT is_large FROM side)
      AND (
        SELECT 1
        FROM role crowd
        WHERE crowd.password_set_by = (SELECT user_id FROM person)
        LIMIT 1 OFFSET 10000
      ) IS NOT NULL
    )
  )
    OR CASE
      WHEN (SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL THEN false
      ELSE (
        SELECT 1
        FROM place judged
        CROSS JOIN role_closure step ON step.descendant_id = judged.role_id
        LIMIT 1 OFFSET 100000
      ) IS NOT NULL
    END
),
judged(role_id, via, password_via, through) AS MATERIALIZED (
  SELECT place.role_id,
    iif(
      (
        (SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
        OR EXISTS (
          SELECT 1
          FROM role_closure longer
          WHERE longer.descendant_id = place.role_id
          LIMIT 1 OFFSET (SELECT count(*) FROM member shorter WHERE shorter.user_id = :actorId)
        )
      ),
      (
        SELECT min(acting_side.role_id)
        FROM (
          SELECT own.role_id, own.rights
          FROM member own
          WHERE own.user_id = :actorId AND (own.ends_at IS NULL OR own.ends_at > :now)
        ) acting_side
        WHERE (
          (
            acting_side.role_id = place.role_id
            AND EXISTS (
              SELECT 1
              FROM role self
              WHERE self.id = place.role_id AND self.self_rights & acting_side.rights & 2
            )
          )
          OR EXISTS (
            SELECT 1
            FROM role_closure path
            WHERE path.descendant_id = place.role_id
              AND path.ancestor_id = acting_side.role_id
              AND path.rights & acting_side.rights & 3
          )
        )
      ),
      (
        SELECT min(acting_side.role_id)
        FROM (
          SELECT own.role_id, own.rights
          FROM member own
          WHERE own.user_id = :actorId
            AND own.role_id = place.role_id
            AND (own.ends_at IS NULL OR own.ends_at > :now)
          UNION ALL
          SELECT above.ancestor_id, many.rights
          FROM role_closure above
          CROSS JOIN member many ON many.user_id = :actorId
            AND many.role_id = above.ancestor_id
            AND (many.ends_at IS NULL OR many.ends_at > :now)
          WHERE above.descendant_id = place.role_id
        ) acting_side
        WHERE (
          (
            acting_side.role_id = place.role_id
            AND EXISTS (
              SELECT 1
              FROM role self
              WHERE self.id = place.role_id AND self.self_rights & acting_side.rights & 2
            )
          )
          OR EXISTS (
            SELECT 1
            FROM role_closure path
            WHERE path.descendant_id = place.role_id
              AND path.ancestor_id = acting_side.role_id
              AND path.rights & acting_side.rights & 3
          )
        )
      )
    ),
    CASE
      WHEN place.role_id IN (SELECT role_id FROM password) THEN iif(
        (
          (SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
          OR EXISTS (
            SELECT 1
            FROM role_closure longer
            WHERE longer.descendant_id = place.role_id
            LIMIT 1 OFFSET (SELECT count(*) FROM member shorter WHERE shorter.user_id = :actorId)
          )
        ),
        (
          SELECT min(acting_side.role_id)
          FROM (
            SELECT own.role_id, own.rights
            FROM member own
            WHERE own.user_id = :actorId AND (own.ends_at IS NULL OR own.ends_at > :now)
          ) acting_side
          WHERE (
            (
              acting_side.role_id = place.role_id
              AND EXISTS (
                SELECT 1
                FROM role self
                WHERE self.id = place.role_id AND self.self_rights & acting_side.rights & 1
              )
            )
            OR EXISTS (
              SELECT 1
              FROM role_closure path
              WHERE path.descendant_id = place.role_id
                AND path.ancestor_id = acting_side.role_id
                AND path.rights & acting_side.rights & 1
            )
          )
        ),
        (
          SELECT min(acting_side.role_id)
          FROM (
            SELECT own.role_id, own.rights
            FROM member own
            WHERE own.user_id = :actorId
              AND own.role_id = place.role_id
              AND (own.ends_at IS NULL OR own.ends_at > :now)
            UNION ALL
            SELECT above.ancestor_id, many.rights
            FROM role_closure above
            CROSS JOIN member many ON many.user_id = :actorId
              AND many.role_id = above.ancestor_id
              AND (many.ends_at IS NULL OR many.ends_at > :now)
            WHERE above.descendant_id = place.role_id
          ) acting_side
          WHERE (
            (
              acting_side.role_id = place.role_id
              AND EXISTS (
                SELECT 1
                FROM role self
                WHERE self.id = place.role_id AND self.self_rights & acting_side.rights & 1
              )
            )
            OR EXISTS (
              SELECT 1
              FROM role_closure path
              WHERE path.descendant_id = place.role_id
                AND path.ancestor_id = acting_side.role_id
                AND path.rights & acting_side.rights & 1
            )
          )
        )
      )
    END,
    CASE
      WHEN place.role_id IN (SELECT role_id FROM password) THEN coalesce(
        iif(
          (
            (SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL
            OR EXISTS (
              SELECT 1
              FROM role_closure longer
              WHERE longer.descendant_id = place.role_id
              LIMIT 1 OFFSET (SELECT count(*) FROM member shorter WHERE shorter.user_id = :actorId)
            )
          ),
          (
            SELECT min(acting_side.role_id)
            FROM (
              SELECT own.role_id, own.rights
              FROM member own
              WHERE own.user_id = :actorId AND (own.ends_at IS NULL OR own.ends_at > :now)
            ) acting_side
            WHERE EXISTS (
              SELECT 1
              FROM role_closure path
              WHERE path.descendant_id = place.role_id
                AND path.ancestor_id = acting_side.role_id
                AND path.rights & acting_side.rights & 1
            )
          ),
          (
            SELECT min(acting_side.role_id)
            FROM (
              SELECT own.role_id, own.rights
              FROM member own
              WHERE own.user_id = :actorId
                AND own.role_id = place.role_id
                AND (own.ends_at IS NULL OR own.ends_at > :now)
              UNION ALL
              SELECT above.ancestor_id, many.rights
              FROM role_closure above
              CROSS JOIN member many ON many.user_id = :actorId
                AND many.role_id = above.ancestor_id
                AND (many.ends_at IS NULL OR many.ends_at > :now)
              WHERE above.descendant_id = place.role_id
            ) acting_side
            WHERE EXISTS (
              SELECT 1
              FROM role_closure path
              WHERE path.descendant_id = place.role_id
                AND path.ancestor_id = acting_side.role_id
                AND path.rights & acting_side.rights & 1
            )
          )
        ),
        place.role_id
      )
    END
  FROM place
  WHERE NOT (SELECT is_cut FROM extent)
),
ending(id, role_id, user_id, via) AS MATERIALIZED (
  SELECT living.id, living.role_id, living.user_id, judged.via
  FROM living
  CROSS JOIN judged ON judged.role_id = living.role_id
  WHERE judged.via IS NOT NULL
),
ending_password(role_id, via, through) AS MATERIALIZED (
  SELECT password.role_id, judged.password_via, judged.through
  FROM password
  CROSS JOIN judged ON judged.role_id = password.role_id
  WHERE judged.password_via IS NOT NULL
),
acted AS MATERIALIZED (
  SELECT acting.role_id, own.is_root, min(acting.role_id) OVER () AS oldest_role_id
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
ruled AS MATERIALIZED (
  SELECT *,
    CASE
      WHEN lacks_proof THEN 'proof_required'
      WHEN NOT is_permitted THEN 'denied'
      WHEN is_cut OR things > 1000 THEN 'too_much_to_end'
      WHEN EXISTS (
        SELECT 1
        FROM (
          SELECT DISTINCT keeper.role_id AS role_id
          FROM ending
          CROSS JOIN member keeper ON keeper.id = ending.id
          CROSS JOIN role root ON root.id = keeper.role_id AND root.is_root
          WHERE (keeper.user_id > 0 AND keeper.rights & 1 AND keeper.ends_at IS NULL)
        ) at_stake
        WHERE NOT EXISTS (
          SELECT 1
          FROM member other
          WHERE other.role_id = at_stake.role_id
            AND (other.user_id > 0 AND other.rights & 1 AND other.ends_at IS NULL)
            AND other.id NOT IN (SELECT id FROM ending)
        )
      ) THEN 'root_without_member'
      ELSE 'ok'
    END AS ruling
  FROM (
    SELECT asked.*,
      extent.is_cut,
      (SELECT count(*) FROM scope) AS searched_roles,
      CASE
        WHEN extent.is_cut THEN (SELECT count(*) FROM living) + (SELECT count(*) FROM password)
        ELSE (SELECT count(*) FROM ending) + (SELECT count(*) FROM ending_password)
      END AS things
    FROM asked
    CROSS JOIN extent
  )
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
  FROM ruled
  CROSS JOIN acted
  WHERE ruling = 'ok'
),
decided AS MATERIALIZED (
  SELECT ruled.*,
    counted_to,
    counted_for,
    max(
      whole.free_at - (:latestFreeAt + iif(counted_for IS NULL, (:latestFreeAt - :now) / 2, 0)),
      coalesce(own.free_at, 0) - :latestFreeAt
    ) AS wait_ms,
    CASE
      WHEN ruling <> 'ok' THEN ruling
      WHEN NOT (things > 0)
        AND (
          whole.free_at > (:latestFreeAt + iif(counted_for IS NULL, (:latestFreeAt - :now) / 2, 0))
          OR own.free_at > :latestFreeAt
        ) THEN 'too_much_stored'
      ELSE ruling
    END AS decision
  FROM ruled
  LEFT JOIN paying ON true
  LEFT JOIN root_usage whole ON whole.root_id = counted_to AND whole.payer = ''
  LEFT JOIN root_usage own ON own.root_id = counted_to AND own.payer = counted_for
),
logged AS MATERIALIZED (
  SELECT 'access.end' AS kind,
    :roleId AS role_id,
    CASE WHEN decision = 'ok' AND subject_id <> :actorId THEN subject_id END AS subject_id,
    CASE
      WHEN decision = 'too_much_stored' THEN wait_ms / 1000.0
      ELSE CASE decision WHEN 'ok' THEN searched_roles + things WHEN 'too_much_to_end' THEN things END
    END AS cost,
    CASEdecision
      WHEN 'ok' THEN json_object(
        'granted',
        json(iif(:granted, 'true', 'false')),
        'members',
        (
          SELECT json_group_array(json_array(id, role_id, user_id, via))
          FROM (SELECT * FROM ending ORDER BY id)
        ),
        'passwords',
        (
          SELECT json_group_array(json_array(role_id, via, through))
          FROM (SELECT * FROM ending_password ORDER BY role_id)
        )
      )
    END AS details,
    CASE WHEN decision IN ('ok', 'noop') THEN (SELECT oldest_role_id FROM acted) END AS via_role_id,
    counted_to AS counted_to,
    counted_for AS counted_for,
    decision,
    CASE decision WHEN 'ok' THEN 'write' ELSE 'none' END AS effect,
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
  role_id,
  subject_id,
  cost,
  details,
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
  logged.role_id,
  logged.subject_id,
  logged.cost,
  logged.details,
  logged.via_role_id,
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
      ) < 60 THEN coalesce(role_id, '-') || ' ' || coalesce(subject_id, '-')
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
  subject_id = CASE
    WHEN excluded.decision = 'noop' OR change_log.subject_id IS excluded.subject_id THEN excluded.subject_id
  END,
  cost = excluded.cost,
  details = CASE
    WHEN excluded.decision = 'noop' OR change_log.details IS excluded.details THEN excluded.details
  END,
  via_role_id = CASE
    WHEN excluded.decision = 'noop'
      OR change_log.via_role_id IS excluded.via_role_id THEN excluded.via_role_id
  END,
  counted_to = CASE
    WHEN excluded.decision = 'noop' OR change_log.counted_to IS excluded.counted_to THEN excluded.counted_to
  END,
  counted_for = CASE
    WHEN excluded.decision = 'noop'
      OR change_log.counted_for IS excluded.counted_for THEN excluded.counted_for
  END
