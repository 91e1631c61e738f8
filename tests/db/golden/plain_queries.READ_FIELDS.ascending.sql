-- nearly the same: plain_queries READ_FIELDS.descending
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
        asked.from_time,
        NULL
      )
      WHEN walk.k + :rows < asked.row_limit THEN (
        SELECT min(
          (
            SELECT point.time
            FROM point
            WHERE point.series_id = series.id AND point.time BETWEEN walk.at AND asked.to_time
            ORDER BY point.time
            LIMIT 1 OFFSET :rows
          )
        )
        FROM (SELECT n, field, aggregate FROM wanted WHERE query = asked.n) asked_column
        CROSS JOIN series ON series.tag_set_id = walk.tag_set_id AND series.field = asked_column.field
      )
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
      WHEN NOT (walk.at IS NULL) THEN '0,' || asked.n || ',' || iif(
        walk.k = 0, (SELECT tag_set.tags FROM tag_set WHERE tag_set.id = walk.tag_set_id), ''
      ) || char(10) || (
        SELECT group_concat(
          CASE WHEN cell.time % 1000000 = 0 THEN cell.time / 1000000 ELSE '"' || cell.time || '"' END
        ) || char(9) || group_concat(cell.n) || char(9) || group_concat(
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
          char(9)
        )
        FROM (
          SELECT point.time, asked_column.n, point.value, series.kind
          FROM (
            SELECT coalesce(
              (
                SELECT min(
                  (
                    SELECT point.time
                    FROM point
                    WHERE point.series_id = series.id AND point.time BETWEEN walk.at AND asked.to_time
                    ORDER BY point.time
                    LIMIT 1 OFFSET :rows
                  )
                )
                FROM (SELECT n, field, aggregate FROM wanted WHERE query = asked.n) asked_column
                CROSS JOIN series ON series.tag_set_id = walk.tag_set_id AND series.field = asked_column.field
              ) - 1,
              asked.to_time
            ) AS time
          ) last
          CROSS JOIN (SELECT n, field, aggregate FROM wanted WHERE query = asked.n) asked_column
          CROSS JOIN series ON series.tag_set_id = walk.tag_set_id AND series.field = asked_column.field
          CROSS JOIN point ON point.series_id = series.id AND point.time BETWEEN walk.at AND last.time
          ORDER BY point.time, asked_column.n
        ) cell
      )
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
