WITH RECURSIVE wanted(n, field, aggregate) AS MATERIALIZED (
  SELECT key, value ->> 0, value ->> 1
  FROM json_each(:columns)
),
scope(scope_scanned) AS MATERIALIZED (
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
  )
),
walk(tag_set_id, count, text_bytes, rows_left, bytes_left) AS MATERIALIZED (
  SELECT 0, 0, 0, :maxRows, :maxBytes
  FROM scope
  WHERE scope_scanned <= :maxScanned
  UNION ALL
  SELECT found.id,
    (
      SELECT count(*)
      FROM (
        SELECT DISTINCT point.time
        FROM (
          SELECT coalesce(
            min(
              (
                SELECT point.time
                FROM point
                WHERE point.series_id = series.id AND point.time BETWEEN :from AND :to
                ORDER BY point.time
                LIMIT 1 OFFSET :perSeries - 1
              )
            ),
            :to
          ) AS time
          FROM wanted
          CROSS JOIN series ON series.tag_set_id = found.id AND series.field = wanted.field
        ) bound
        CROSS JOIN wanted
        CROSS JOIN series ON series.tag_set_id = found.id AND series.field = wanted.field
        CROSS JOIN point ON point.series_id = series.id AND point.time BETWEEN :from AND bound.time
        ORDER BY point.time
        LIMIT :perSeries
      )
    ),
    octet_length(found.tags) + coalesce(
      CASE
        WHEN EXISTS (
          SELECT 1
          FROM wanted
          CROSS JOIN series ON series.tag_set_id = found.id
            AND series.field = wanted.field
            AND series.kind = 'string'
        ) THEN (
          SELECT CASE
            WHEN sum(octet_length(text.value)) > walk.bytes_left THEN sum(octet_length(text.value))
            ELSE (
              SELECT sum(octet_length(json_quote(text.value)))
              FROM (
                SELECT point.time, wanted.n, point.value, series.kind
                FROM (
                  SELECT max(row.time) AS time
                  FROM (
                    SELECT DISTINCT point.time
                    FROM (
                      SELECT coalesce(
                        min(
                          (
                            SELECT point.time
                            FROM point
                            WHERE point.series_id = series.id AND point.time BETWEEN :from AND :to
                            ORDER BY point.time
                            LIMIT 1 OFFSET :perSeries - 1
                          )
                        ),
                        :to
                      ) AS time
                      FROM wanted
                      CROSS JOIN series ON series.tag_set_id = found.id AND series.field = wanted.field
                    ) bound
                    CROSS JOIN wanted
                    CROSS JOIN series ON series.tag_set_id = found.id AND series.field = wanted.field
                    CROSS JOIN point ON point.series_id = series.id
                      AND point.time BETWEEN :from AND bound.time
                    ORDER BY point.time
                    LIMIT :perSeries
                  ) row
                ) bound
                CROSS JOIN wanted
                CROSS JOIN series ON series.tag_set_id = found.id
                  AND series.field = wanted.field
                  AND series.kind = 'string'
                CROSS JOIN point ON point.series_id = series.id AND point.time BETWEEN :from AND bound.time
              ) text
            )
          END
          FROM (
            SELECT point.time, wanted.n, point.value, series.kind
            FROM (
              SELECT max(row.time) AS time
              FROM (
                SELECT DISTINCT point.time
                FROM (
                  SELECT coalesce(
                    min(
                      (
                        SELECT point.time
                        FROM point
                        WHERE point.series_id = series.id AND point.time BETWEEN :from AND :to
                        ORDER BY point.time
                        LIMIT 1 OFFSET :perSeries - 1
                      )
                    ),
                    :to
                  ) AS time
                  FROM wanted
                  CROSS JOIN series ON series.tag_set_id = found.id AND series.field = wanted.field
                ) bound
                CROSS JOIN wanted
                CROSS JOIN series ON series.tag_set_id = found.id AND series.field = wanted.field
                CROSS JOIN point ON point.series_id = series.id AND point.time BETWEEN :from AND bound.time
                ORDER BY point.time
                LIMIT :perSeries
              ) row
            ) bound
            CROSS JOIN wanted
            CROSS JOIN series ON series.tag_set_id = found.id
              AND series.field = wanted.field
              AND series.kind = 'string'
            CROSS JOIN point ON point.series_id = series.id AND point.time BETWEEN :from AND bound.time
          ) text
        )
      END,
      0
    ),
    walk.rows_left - walk.count,
    walk.bytes_left - iif(walk.count > 0, walk.text_bytes + walk.count * 32 * :columnCount, 0)
  FROM walk
  CROSS JOIN tag_set found ON found.id = (
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
  WHERE walk.rows_left >= walk.count
    AND (walk.count = 0 OR walk.bytes_left >= walk.text_bytes + walk.count * 32 * :columnCount)
),
ending(is_cut) AS MATERIALIZED (
  SELECT EXISTS (
    SELECT 1
    FROM walk
    WHERE count > rows_left OR (count > 0 AND text_bytes + count * 32 * :columnCount > bytes_left)
  )
)
SELECT NULL AS tags, scope_scanned AS count, is_cut AS isCut, NULL AS rows
FROM scope
CROSS JOIN ending
UNION ALL
SELECT tag_set.tags,
  walk.count,
  0,
  (
    SELECT group_concat(
      CASE WHEN cell.time % 1000000 = 0 THEN cell.time / 1000000 ELSE '"' || cell.time || '"' END
    ) || char(10) || group_concat(cell.n) || char(10) || group_concat(
      CASEtypeof(cell.value)
        WHEN 'real' THEN CASE
          WHEN CAST(printf('%.15g', cell.value) AS REAL) = cell.value THEN printf('%.15g', cell.value)
          ELSE printf('%!.17g', cell.value)
        END
        WHEN 'text' THEN json_quote(cell.value)
        WHEN 'integer' THEN CASEcell.kind
          WHEN 'boolean' THEN iif(cell.value, 'true', 'false')
          ELSE cell.value
        END
      END,
      char(10)
    )
    FROM (
      SELECT point.time, wanted.n, point.value, series.kind
      FROM (
        SELECT max(row.time) AS time
        FROM (
          SELECT DISTINCT point.time
          FROM (
            SELECT coalesce(
              min(
                (
                  SELECT point.time
                  FROM point
                  WHERE point.series_id = series.id AND point.time BETWEEN :from AND :to
                  ORDER BY point.time
                  LIMIT 1 OFFSET :perSeries - 1
                )
              ),
              :to
            ) AS time
            FROM wanted
            CROSS JOIN series ON series.tag_set_id = walk.tag_set_id AND series.field = wanted.field
          ) bound
          CROSS JOIN wanted
          CROSS JOIN series ON series.tag_set_id = walk.tag_set_id AND series.field = wanted.field
          CROSS JOIN point ON point.series_id = series.id AND point.time BETWEEN :from AND bound.time
          ORDER BY point.time
          LIMIT :perSeries
        ) row
      ) bound
      CROSS JOIN wanted
      CROSS JOIN series ON series.tag_set_id = walk.tag_set_id AND series.field = wanted.field
      CROSS JOIN point ON point.series_id = series.id AND point.time BETWEEN :from AND bound.time
      ORDER BY point.time, wanted.n
    ) cell
  )
FROM ending
CROSS JOIN walk
CROSS JOIN tag_set ON tag_set.id = walk.tag_set_id
WHERE NOT is_cut AND walk.count > 0
