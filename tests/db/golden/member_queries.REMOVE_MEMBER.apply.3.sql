-- also member_queries REMOVE_MEMBER.make.2
-- also member_queries REMOVE_MEMBER.rehearse.2
SELECT decision,
  cost,
  (SELECT seq FROM sqlite_sequence WHERE name = 'change_log') AS revision,
  relation_id AS id,
  old_rights AS oldRights,
  CASE
    WHEN decision = 'ok'
      AND subject_id <> actor_id THEN (
        WITH authorizing(role_id, rights) AS MATERIALIZED (
          SELECT acting.role_id, acting.rights
          FROM member acting
          WHERE acting.user_id = :actorId
            AND (acting.ends_at IS NULL OR acting.ends_at > :now)
            AND (
              (
                (
                  (
                    acting.role_id = :roleId
                    AND EXISTS (
                      SELECT 1
                      FROM role guard_self
                      WHERE guard_self.id = :roleId AND guard_self.self_rights & acting.rights & 2
                    )
                  )
                  OR EXISTS (
                    SELECT 1
                    FROM role_closure guard_path
                    WHERE guard_path.descendant_id = :roleId
                      AND guard_path.ancestor_id = acting.role_id
                      AND guard_path.rights & acting.rights & 2
                  )
                )
                OR EXISTS (
                  SELECT 1
                  FROM role_closure guard_path
                  WHERE guard_path.descendant_id = :roleId
                    AND guard_path.ancestor_id = acting.role_id
                    AND guard_path.rights & acting.rights & 1
                )
              )
            )
          LIMIT 32
        ),
        searched(role_id) AS (
          SELECT :roleId
          UNION ALL
          SELECT *
          FROM (SELECT descendant_id FROM role_closure WHERE ancestor_id = :roleId LIMIT 200)
        ),
        found(id, role_id, name) AS (
          SELECT *
          FROM (
            SELECT latest.id, latest.role_id, latest.name
            FROM role_key latest
            WHERE latest.created_by = change_log.subject_id
            ORDER BY latest.created_at DESC
            LIMIT 200
          )
          UNION
          SELECT kept.id, kept.role_id, kept.name
          FROM (
            SELECT owned.id, owned.role_id, owned.name, owned.created_by
            FROM searched
            CROSS JOIN role_key owned ON owned.role_id = searched.role_id
            LIMIT 1000
          ) kept
          WHERE kept.created_by = change_log.subject_id
        )
        SELECT json_group_array(
          json_object('id', staying.id, 'roleId', staying.role_id, 'name', staying.name)
        )
        FROM (
          SELECT made.id, made.role_id, made.name
          FROM found made
          CROSS JOIN member living ON living.id = made.id
            AND (living.ends_at IS NULL OR living.ends_at > :now)
          WHERE (
            made.role_id = :roleId
            OR EXISTS (
              SELECT 1
              FROM role_closure below
              WHERE below.descendant_id = made.role_id AND below.ancestor_id = :roleId
            )
          )
            AND EXISTS (
              SELECT 1
              FROM authorizing acting
              WHERE (
                (
                  (
                    acting.role_id = made.role_id
                    AND EXISTS (
                      SELECT 1
                      FROM role guard_self
                      WHERE guard_self.id = made.role_id AND guard_self.self_rights & acting.rights & 2
                    )
                  )
                  OR EXISTS (
                    SELECT 1
                    FROM role_closure guard_path
                    WHERE guard_path.descendant_id = made.role_id
                      AND guard_path.ancestor_id = acting.role_id
                      AND guard_path.rights & acting.rights & 2
                  )
                )
                OR EXISTS (
                  SELECT 1
                  FROM role_closure guard_path
                  WHERE guard_path.descendant_id = made.role_id
                    AND guard_path.ancestor_id = acting.role_id
                    AND guard_path.rights & acting.rights & 1
                )
              )
            )
          ORDER BY made.id
          LIMIT 100
        ) staying
      )
  END AS stayingKeys,
  (
    decision = 'ok'
    AND subject_id <> actor_id
    AND (
      SELECT 1
      FROM role_key
      WHERE created_by = change_log.subject_id
      LIMIT 1 OFFSET CASE
        WHEN (
          SELECT 1
          FROM member guard_held
          WHERE guard_held.user_id = :actorId
          LIMIT 1 OFFSET 32
        ) IS NULL THEN 200
        ELSE 0
      END
    ) IS NOT NULL
  ) AS hasUnscannedKeys
FROM change_log
WHERE op_id = :opId
