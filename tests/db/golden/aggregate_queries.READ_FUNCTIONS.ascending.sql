-- like this: aggregate_queries READ_FUNCTIONS.descending
-- like this: plain_queries READ_FIELDS.ascending
-- like this: plain_queries READ_FIELDS.descending
WITH RECURSIVE asked(
  n,
  from_time,
  to_time,
  window,
  device_id,
  measurement,
  database,
  retention_policy,
  tag_pattern,
  odd_tags,
  row_limit,
  columns,
  column_count
) AS MATERIALIZED (
  SELECT key,
    value ->> 0,
    value ->> 1,
    value ->> 2,
    value ->> 3,
    value ->> 4,
    value ->> 5,
    value ->> 6,
    value ->> 7,
    value ->> 8,
    value ->> 9,
    value ->> 10,
    json_array_length(value, '$[10]')
  FROM json_each(:queries)
),
wanted(query, n, field, aggregate) AS MATERIALIZED (
  SELECT asked.n, key, value ->> 0, value ->> 1
  FROM asked
  CROSS JOIN json_each(asked.columns)
),
walk(i, n, tag_set_id, at, k, spent, text) AS (
  SELECT 0, 0, :tagSetId, CAST(:at AS INTEGER), :k, 0, NULL
  UNION ALL
  SELECT walk.i + 1,
    asked.n + ((walk.at IS NULL) AND found.id IS NULL),
    iif((walk.at IS NULL), coalesce(found.id, 0), walk.tag_set_id),
    CASE
      WHEN (walk.at IS NULL) THEN iif(
        found.id IS NOT NULL
        AND (
          asked.tag_pattern IS NULL
          OR (
            (found.tags GLOB '{' || asked.tag_pattern OR found.tags GLOB '*,' || asked.tag_pattern)
            AND NOT EXISTS (
              SELECT 1
              FROM json_each(asked.odd_tags) odd
              WHERE (found.tags ->> odd.fullkey) IS NOT odd.value
            )
          )
        ),
        CASE
          WHEN NOT EXISTS (
            SELECT 1
            FROM (SELECT n, field, aggregate FROM wanted WHERE query = asked.n) asked_column
            CROSS JOIN series ON series.tag_set_id = found.id AND series.field = asked_column.field
            WHERE asked_column.aggregate IN ('sum', 'mean', 'min', 'max')
              AND series.kind <> 'number'
              AND EXISTS (
                SELECT 1
                FROM point
                WHERE point.series_id = series.id AND point.time BETWEEN asked.from_time AND asked.to_time
              )
          ) THEN (
            SELECT min(
              (
                SELECT point.time
                FROM point
                WHERE point.series_id = series.id AND point.time BETWEEN asked.from_time AND asked.to_time
                ORDER BY point.time
                LIMIT 1
              )
            )
            FROM (SELECT n, field, aggregate FROM wanted WHERE query = asked.n) asked_column
            CROSS JOIN series ON series.tag_set_id = found.id AND series.field = asked_column.field
          )
        END,
        NULL
      )
      WHEN walk.k + :rows < asked.row_limit THEN CASE
        WHEN asked.window IS NOT NULL THEN (
          SELECT min(
            (
              SELECT point.time
              FROM point
              WHERE point.series_id = series.id
                AND point.time BETWEEN min(
                  asked.to_time,
                  walk.at + (
                    asked.window - 1 - (
                      walk.at % asked.window + iif(walk.at % asked.window < 0, asked.window, 0)
                    )
                  )
                ) + 1 AND asked.to_time
              ORDER BY point.time
              LIMIT 1
            )
          )
          FROM (SELECT n, field, aggregate FROM wanted WHERE query = asked.n) asked_column
          CROSS JOIN series ON series.tag_set_id = walk.tag_set_id AND series.field = asked_column.field
        )
      END
    END,
    iif((walk.at IS NULL), 0, walk.k + :rows),
    (
      walk.spent + coalesce(CAST(walk.text AS INTEGER) + octet_length(walk.text) / 4, 0)
    ) + iif(
      (walk.at IS NULL)
      AND found.id IS NOT NULL,
      (20 + 20 * asked.column_count) + iif(asked.tag_pattern IS NULL, 0, octet_length(found.tags) / 16),
      0
    ),
    CASE
      WHEN NOT (walk.at IS NULL) THEN (
        SELECT (counted.scanned + (20 + 20 * asked.column_count)) || ',' || asked.n || ',' || iif(
          walk.k = 0, (SELECT tag_set.tags FROM tag_set WHERE tag_set.id = walk.tag_set_id), ''
        ) || char(10) || iif(
          counted.scanned > :rowValues,
          '',
          coalesce(walk.at / asked.window - (walk.at % asked.window < 0), '') || (
            SELECT group_concat(',' || coalesce(cell.text, 'null'), '')
            FROM (
              SELECT CASEasked_column.aggregate
                WHEN 'sum' THEN (
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
                      AND point.time BETWEEN walk.at AND coalesce(
                        min(
                          asked.to_time,
                          walk.at + (
                            asked.window - 1 - (
                              walk.at % asked.window + iif(walk.at % asked.window < 0, asked.window, 0)
                            )
                          )
                        ),
                        asked.to_time
                      )
                  ) made
                )
                WHEN 'min' THEN (
                  SELECT CASEtypeof(made.value)
                    WHEN 'real' THEN CASE
                      WHEN CAST(printf('%.15g', made.value) AS REAL) = made.value THEN printf('%.15g', made.value)
                      ELSE printf('%!.17g', made.value)
                    END
                    WHEN 'text' THEN json_quote(made.value)
                    WHEN 'integer' THEN CASEseries.kind
                      WHEN 'boolean' THEN iif(made.value, 'true', 'false')
                      ELSE made.value
                    END
                  END
                  FROM (
                    SELECT min(point.value) AS value
                    FROM point
                    WHERE point.series_id = series.id
                      AND point.time BETWEEN walk.at AND coalesce(
                        min(
                          asked.to_time,
                          walk.at + (
                            asked.window - 1 - (
                              walk.at % asked.window + iif(walk.at % asked.window < 0, asked.window, 0)
                            )
                          )
                        ),
                        asked.to_time
                      )
                  ) made
                )
                WHEN 'max' THEN (
                  SELECT CASEtypeof(made.value)
                    WHEN 'real' THEN CASE
                      WHEN CAST(printf('%.15g', made.value) AS REAL) = made.value THEN printf('%.15g', made.value)
                      ELSE printf('%!.17g', made.value)
                    END
                    WHEN 'text' THEN json_quote(made.value)
                    WHEN 'integer' THEN CASEseries.kind
                      WHEN 'boolean' THEN iif(made.value, 'true', 'false')
                      ELSE made.value
                    END
                  END
                  FROM (
                    SELECT max(point.value) AS value
                    FROM point
                    WHERE point.series_id = series.id
                      AND point.time BETWEEN walk.at AND coalesce(
                        min(
                          asked.to_time,
                          walk.at + (
                            asked.window - 1 - (
                              walk.at % asked.window + iif(walk.at % asked.window < 0, asked.window, 0)
                            )
                          )
                        ),
                        asked.to_time
                      )
                  ) made
                )
                WHEN 'mean' THEN (
                  SELECT CASE
                    WHEN abs(made.value) <= 1.7976931348623157e308 THEN CASE
                      WHEN CAST(printf('%.15g', made.value) AS REAL) = made.value THEN printf('%.15g', made.value)
                      ELSE printf('%!.17g', made.value)
                    END
                  END
                  FROM (
                    SELECT avg(CAST(point.value AS REAL)) AS value
                    FROM point
                    WHERE point.series_id = series.id
                      AND point.time BETWEEN walk.at AND coalesce(
                        min(
                          asked.to_time,
                          walk.at + (
                            asked.window - 1 - (
                              walk.at % asked.window + iif(walk.at % asked.window < 0, asked.window, 0)
                            )
                          )
                        ),
                        asked.to_time
                      )
                  ) made
                )
                WHEN 'count' THEN (
                  SELECT nullif(count(*), 0)
                  FROM point
                  WHERE point.series_id = series.id
                    AND point.time BETWEEN walk.at AND coalesce(
                      min(
                        asked.to_time,
                        walk.at + (
                          asked.window - 1 - (
                            walk.at % asked.window + iif(walk.at % asked.window < 0, asked.window, 0)
                          )
                        )
                      ),
                      asked.to_time
                    )
                )
                WHEN 'first' THEN (
                  SELECT CASEtypeof(point.value)
                    WHEN 'real' THEN CASE
                      WHEN CAST(printf('%.15g', point.value) AS REAL) = point.value THEN printf('%.15g', point.value)
                      ELSE printf('%!.17g', point.value)
                    END
                    WHEN 'text' THEN json_quote(point.value)
                    WHEN 'integer' THEN CASEseries.kind
                      WHEN 'boolean' THEN iif(point.value, 'true', 'false')
                      ELSE point.value
                    END
                  END
                  FROM point
                  WHERE point.series_id = series.id
                    AND point.time BETWEEN walk.at AND coalesce(
                      min(
                        asked.to_time,
                        walk.at + (
                          asked.window - 1 - (
                            walk.at % asked.window + iif(walk.at % asked.window < 0, asked.window, 0)
                          )
                        )
                      ),
                      asked.to_time
                    )
                  ORDER BY point.time
                  LIMIT 1
                )
                WHEN 'last' THEN (
                  SELECT CASEtypeof(point.value)
                    WHEN 'real' THEN CASE
                      WHEN CAST(printf('%.15g', point.value) AS REAL) = point.value THEN printf('%.15g', point.value)
                      ELSE printf('%!.17g', point.value)
                    END
                    WHEN 'text' THEN json_quote(point.value)
                    WHEN 'integer' THEN CASEseries.kind
                      WHEN 'boolean' THEN iif(point.value, 'true', 'false')
                      ELSE point.value
                    END
                  END
                  FROM point
                  WHERE point.series_id = series.id
                    AND point.time BETWEEN walk.at AND coalesce(
                      min(
                        asked.to_time,
                        walk.at + (
                          asked.window - 1 - (
                            walk.at % asked.window + iif(walk.at % asked.window < 0, asked.window, 0)
                          )
                        )
                      ),
                      asked.to_time
                    )
                  ORDER BY point.time DESC
                  LIMIT 1
                )
              END AS text
              FROM (SELECT n, field, aggregate FROM wanted WHERE query = asked.n) asked_column
              LEFT JOIN series ON series.tag_set_id = walk.tag_set_id AND series.field = asked_column.field
              ORDER BY asked_column.n
            ) cell
          )
        )
        FROM (
          SELECT count(*) AS scanned
          FROM (
            SELECT 1
            FROM (SELECT n, field, aggregate FROM wanted WHERE query = asked.n) asked_column
            CROSS JOIN series ON series.tag_set_id = walk.tag_set_id AND series.field = asked_column.field
            CROSS JOIN point ON point.series_id = series.id
              AND point.time BETWEEN walk.at AND coalesce(
                min(
                  asked.to_time,
                  walk.at + (
                    asked.window - 1 - (
                      walk.at % asked.window + iif(walk.at % asked.window < 0, asked.window, 0)
                    )
                  )
                ),
                asked.to_time
              )
            WHERE asked_column.aggregate NOT IN ('first', 'last')
            LIMIT +:rowValues + 1
          )
        ) counted
      )
      WHEN (
        asked.tag_pattern IS NULL
        OR (
          (found.tags GLOB '{' || asked.tag_pattern OR found.tags GLOB '*,' || asked.tag_pattern)
          AND NOT EXISTS (
            SELECT 1
            FROM json_each(asked.odd_tags) odd
            WHERE (found.tags ->> odd.fullkey) IS NOT odd.value
          )
        )
      ) THEN CASE
        WHEN EXISTS (
          SELECT 1
          FROM (SELECT n, field, aggregate FROM wanted WHERE query = asked.n) asked_column
          CROSS JOIN series ON series.tag_set_id = found.id AND series.field = asked_column.field
          WHERE asked_column.aggregate IN ('sum', 'mean', 'min', 'max')
            AND series.kind <> 'number'
            AND EXISTS (
              SELECT 1
              FROM point
              WHERE point.series_id = series.id AND point.time BETWEEN asked.from_time AND asked.to_time
            )
        ) THEN '0,' || asked.n || ',' || char(10)
      END
    END
  FROM walk
  CROSS JOIN asked ON asked.n = walk.n
  LEFT JOIN tag_set found ON found.id = CASE
    WHEN (walk.at IS NULL) THEN (
      SELECT next.id
      FROM tag_set next INDEXED BY tag_set_in_place
      WHERE next.device_id = asked.device_id
        AND next.measurement = asked.measurement
        AND next.database = asked.database
        AND next.retention_policy = asked.retention_policy
        AND next.id > walk.tag_set_id
      ORDER BY next.id
      LIMIT 1
    )
  END
  WHERE (walk.spent + coalesce(CAST(walk.text AS INTEGER) + octet_length(walk.text) / 4, 0)) < :turnValues
)
SELECT group_concat(walk.text, char(10)) AS text,
  (walk.spent + coalesce(CAST(walk.text AS INTEGER) + octet_length(walk.text) / 4, 0)) AS spent,
  max(walk.i),
  walk.n,
  walk.tag_set_id AS tagSetId,
  CAST(walk.at AS TEXT) AS at,
  walk.k
FROM walk
