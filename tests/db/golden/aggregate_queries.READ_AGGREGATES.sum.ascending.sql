WITH RECURSIVE wanted(n, field, aggregate) AS MATERIALIZED (
  SELECT key, value ->> 0, value ->> 1
  FROM json_each(:columns)
),
scope(scope_scanned, is_refused) AS MATERIALIZED (
  SELECT scope_scanned,
    CASE
      WHEN scope_scanned <= :maxScanned THEN EXISTS (
        SELECT 1
        FROM tag_set judged INDEXED BY tag_set_in_place
        WHERE judged.device_id = :deviceId
          AND judged.measurement = :measurement
          AND judged.database = :database
          AND judged.retention_policy = :retentionPolicy
          AND (
            :tagPattern IS NULL
            OR (
              (judged.tags GLOB '{' || :tagPattern OR judged.tags GLOB '*,' || :tagPattern)
              AND NOT EXISTS (
                SELECT 1
                FROM json_each(:oddTags) asked
                WHERE (judged.tags ->> asked.fullkey) IS NOT asked.value
              )
            )
          )
          AND EXISTS (
            SELECT 1
            FROM wanted
            CROSS JOIN series ON series.tag_set_id = judged.id AND series.field = wanted.field
            WHERE wanted.aggregate IN ('sum', 'mean', 'min', 'max') AND series.kind <> 'number'
          )
      )
      ELSE 0
    END
  FROM (
    SELECT (
      SELECT coalesce(
        sum(30 + 40 * :columnCount + iif(:tagPattern IS NULL, 0, octet_length(priced.tags) / 16)), 0
      )
      FROM (
        SELECT tag_set.tags
        FROM tag_set INDEXED BY tag_set_in_place
        WHERE tag_set.device_id = :deviceId
          AND tag_set.measurement = :measurement
          AND tag_set.database = :database
          AND tag_set.retention_policy = :retentionPolicy
        LIMIT :maxScanned / (30 + 40 * :columnCount) + 1
      ) priced
    ) AS scope_scanned
  )
),
walk(i, tag_set_id, k, found, scanned, tag_bytes, text_bytes) AS MATERIALIZED (
  SELECT 0, 0, 1, NULL, 0, 0, 0
  FROM scope
  WHERE NOT is_refused AND scope_scanned <= :maxScanned
  UNION ALL
  SELECT walk.i + (walk.found IS NOT NULL),
    CASE
      WHEN (
        walk.k > 0 AND (walk.found IS NULL OR walk.k = :perSeries OR :window IS NULL)
      ) THEN (
        SELECT next.id
        FROM tag_set next INDEXED BY tag_set_in_place
        WHERE next.device_id = :deviceId
          AND next.measurement = :measurement
          AND next.database = :database
          AND next.retention_policy = :retentionPolicy
          AND (
            :tagPattern IS NULL
            OR (
              (next.tags GLOB '{' || :tagPattern OR next.tags GLOB '*,' || :tagPattern)
              AND NOT EXISTS (
                SELECT 1
                FROM json_each(:oddTags) asked
                WHERE (next.tags ->> asked.fullkey) IS NOT asked.value
              )
            )
          )
          AND next.id > walk.tag_set_id
        ORDER BY next.id
        LIMIT 1
      )
      ELSE walk.tag_set_id
    END,
    CASE
      WHEN (walk.k > 0 AND (walk.found IS NULL OR walk.k = :perSeries OR :window IS NULL)) THEN 0
      ELSE walk.k + 1
    END,
    CASE
      WHEN NOT (
        walk.k > 0 AND (walk.found IS NULL OR walk.k = :perSeries OR :window IS NULL)
      ) THEN (
        SELECT min(
          (
            SELECT point.time
            FROM point
            WHERE point.series_id = series.id
              AND point.time BETWEEN CASEwalk.k
                WHEN 0 THEN :from
                ELSE coalesce(
                  min(
                    :to,
                    walk.found + (
                      :window - 1 - (walk.found % :window + iif(walk.found % :window < 0, :window, 0))
                    )
                  ),
                  :to
                ) + 1
              END AND :to
            ORDER BY point.time
            LIMIT 1
          )
        )
        FROM wanted
        CROSS JOIN series ON series.tag_set_id = walk.tag_set_id AND series.field = wanted.field
      )
    END,
    walk.scanned + CASE
      WHEN walk.found IS NULL THEN 0
      ELSE iif(:window IS NULL, 0, 50 * :columnCount) + (
        SELECT count(*)
        FROM (
          SELECT 1
          FROM wanted
          CROSS JOIN series ON series.tag_set_id = walk.tag_set_id AND series.field = wanted.field
          CROSS JOIN point ON point.series_id = series.id
            AND point.time BETWEEN walk.found AND coalesce(
              min(
                :to,
                walk.found + (
                  :window - 1 - (walk.found % :window + iif(walk.found % :window < 0, :window, 0))
                )
              ),
              :to
            )
          WHERE wanted.aggregate NOT IN ('first', 'last')
          LIMIT :maxScanned + 1
        )
      )
    END,
    walk.tag_bytes + CASE
      WHEN walk.found IS NOT NULL
        AND walk.k = 1 THEN octet_length((SELECT tags FROM tag_set WHERE id = walk.tag_set_id))
      ELSE 0
    END,
    walk.text_bytes + CASE WHEN walk.found IS NULL THEN 0 ELSE 0 END
  FROM walk
  WHERE walk.tag_set_id IS NOT NULL
    AND walk.i <= :maxRows
    AND walk.scanned + walk.text_bytes / 16 <= :maxScanned
    AND walk.i * 32 * :columnCount + walk.tag_bytes + walk.text_bytes <= :maxBytes
),
total(scanned, is_cut) AS MATERIALIZED (
  SELECT coalesce(max(walk.scanned + walk.text_bytes / 16), 0),
    coalesce(
      max(walk.i) > :maxRows
      OR max(walk.i * 32 * :columnCount + walk.tag_bytes + walk.text_bytes) > :maxBytes,
      0
    )
  FROM walk
),
built(rows) AS MATERIALIZED (
  SELECT group_concat(line, char(10))
  FROM (
    SELECT CASEwalk.k
      WHEN 1 THEN (SELECT tags FROM tag_set WHERE id = walk.tag_set_id) || char(10)
      ELSE ''
    END || coalesce(walk.found / :window - (walk.found % :window < 0), '') || (
      SELECT group_concat(',' || coalesce(cell.text, 'null'), '')
      FROM (
        SELECT (
          SELECT CASE
            WHEN abs(made.value) <= 1.7976931348623157e308 THEN CASE
              WHEN CAST(printf('%.15g', made.value) AS REAL) = made.value THEN printf('%.15g', made.value)
              ELSE printf('%!.17g', made.value)
            END
          END
          FROM (
            SELECT sum(CAST(point.value AS REAL)) AS value
            FROM point
            WHERE point.series_id = series.id
              AND point.time BETWEEN walk.found AND coalesce(
                min(
                  :to,
                  walk.found + (
                    :window - 1 - (walk.found % :window + iif(walk.found % :window < 0, :window, 0))
                  )
                ),
                :to
              )
          ) made
        ) AS text
        FROM wanted
        LEFT JOIN series ON series.tag_set_id = walk.tag_set_id AND series.field = wanted.field
        ORDER BY wanted.n
      ) cell
    ) AS line
    FROM total
    CROSS JOIN walk
    WHERE walk.found IS NOT NULL AND NOT is_cut AND total.scanned <= :maxScanned
    ORDER BY walk.i
  )
)
SELECT is_refused AS isRefused, scope_scanned AS scopeScanned, scanned, is_cut AS isCut, rows
FROM scope
CROSS JOIN total
CROSS JOIN built
