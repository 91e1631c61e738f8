-- also member_queries REMOVE_MEMBER.make.2
-- also member_queries REMOVE_MEMBER.preview.2
SELECT change_log.decision,
  change_log.cost,
  (SELECT seq FROM sqlite_sequence WHERE name = 'change_log') AS revision,
  change_log.relation_id AS id,
  change_log.old_rights AS oldRights,
  CASE
    WHEN change_log.decision = 'ok'
      AND change_log.subject_id <> change_log.actor_id THEN (
        WITH authorizing(role_id, rights) AS MATERIALIZED (
          SELECT acting.role_id, acting.rights
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
          LIMIT 32
        ),
        searched(role_id) AS (
          SELECT :roleId
          UNION ALL
          SELECT *
          FROM (
            SELECT below.descendant_id
            FROM role_closure below
            WHERE below.ancestor_id = :roleId
            LIMIT 200
          )
        ),
        found(id, role_id, name) AS MATERIALIZED (
          SELECT *
          FROM (
            SELECT latest.id, latest.role_id, latest.name
            FROM role_key latest
            WHERE latest.created_by = (
              SELECT removal.subject_id
              FROM change_log removal
              WHERE removal.op_id = :opId
            )
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
          WHERE kept.created_by = (
            SELECT removal.subject_id
            FROM change_log removal
            WHERE removal.op_id = :opId
          )
        ),
        managed(role_id) AS MATERIALIZED (
          SELECT judged.role_id
          FROM (SELECT DISTINCT role_id FROM found LIMIT -1) judged
          WHERE (
            judged.role_id = :roleId
            OR EXISTS (
              SELECT 1
              FROM role_closure upper
              WHERE upper.descendant_id = judged.role_id AND upper.ancestor_id = :roleId
            )
          )
            AND EXISTS (
              SELECT 1
              FROM authorizing authorized
              WHERE (
                (
                  authorized.role_id = judged.role_id
                  AND EXISTS (
                    SELECT 1
                    FROM role self
                    WHERE self.id = judged.role_id AND self.self_rights & authorized.rights & 2
                  )
                )
                OR EXISTS (
                  SELECT 1
                  FROM role_closure path
                  WHERE path.descendant_id = judged.role_id
                    AND path.ancestor_id = authorized.role_id
                    AND path.rights & authorized.rights & 3
                )
              )
            )
        )
        SELECT json_group_array(
          json_object('id', staying.id, 'roleId', staying.role_id, 'name', staying.name)
        )
        FROM (
          SELECT made.id, made.role_id, made.name
          FROM found made
          CROSS JOIN member living ON living.id = made.id
            AND (living.ends_at IS NULL OR living.ends_at > :now)
          WHERE made.role_id IN (SELECT role_id FROM managed)
          ORDER BY made.id
          LIMIT 100
        ) staying
      )
  END AS stayingKeys,
  (
    change_log.decision = 'ok'
    AND change_log.subject_id <> change_log.actor_id
    AND (
      SELECT 1
      FROM role_key scanned
      WHERE scanned.created_by = change_log.subject_id
      LIMIT 1 OFFSET CASE
        WHEN (SELECT 1 FROM member held WHERE held.user_id = :actorId LIMIT 1 OFFSET 32) IS NULL THEN 200
        ELSE 0
      END
    ) IS NOT NULL
  ) AS hasUnscannedKeys
FROM change_log
WHERE change_log.op_id = :opId
