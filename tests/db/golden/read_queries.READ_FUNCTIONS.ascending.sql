-- like this: read_queries READ_FUNCTIONS.descending
WITH RECURSIVE asked(
  n, series_id, kind, from_time, to_time, row_limit, window, aggregate
) AS MATERIALIZED (
  SELECT key, value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6
  FROM json_each(:asks)
),
walk(i, n, at, k, spent, text) AS (
  SELECT 0, iif(:at IS NULL, -1, 0), CAST(:at AS INTEGER), :k, 0, NULL
  UNION ALL
  SELECT walk.i + 1,
    asked.n,
    CASE
      WHEN (walk.at IS NULL) THEN (
        SELECT ahead.time
        FROM point ahead
        WHERE ahead.series_id = asked.series_id AND ahead.time BETWEEN asked.from_time AND asked.to_time
        ORDER BY ahead.time
        LIMIT 1
      )
      WHEN walk.k + :rows < asked.row_limit THEN CASE
        WHEN asked.window IS NOT NULL THEN (
          SELECT ahead.time
          FROM point ahead
          WHERE ahead.series_id = asked.series_id
            AND ahead.time BETWEEN min(
              asked.to_time,
              walk.at + (
                asked.window - 1 - (walk.at % asked.window + iif(walk.at % asked.window < 0, asked.window, 0))
              )
            ) + 1 AND asked.to_time
          ORDER BY ahead.time
          LIMIT 1
        )
      END
    END,
    iif((walk.at IS NULL), 0, walk.k + :rows),
    (walk.spent + coalesce(CAST(walk.text AS INTEGER) + octet_length(walk.text) / 4, 0)),
    CASE
      WHEN NOT (walk.at IS NULL) THEN (
        SELECT (counted.scanned + 40) || ',' || asked.n || char(10) || iif(
          counted.scanned > :cellValues,
          '',
          coalesce(walk.at / asked.window - (walk.at % asked.window < 0), '') || ',' || coalesce(
            CASEasked.aggregate
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
                  WHERE point.series_id = asked.series_id
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
                  WHEN 'integer' THEN CASEasked.kind
                    WHEN 'boolean' THEN iif(made.value, 'true', 'false')
                    ELSE made.value
                  END
                END
                FROM (
                  SELECT min(point.value) AS value
                  FROM point
                  WHERE point.series_id = asked.series_id
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
                  WHEN 'integer' THEN CASEasked.kind
                    WHEN 'boolean' THEN iif(made.value, 'true', 'false')
                    ELSE made.value
                  END
                END
                FROM (
                  SELECT max(point.value) AS value
                  FROM point
                  WHERE point.series_id = asked.series_id
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
                  WHERE point.series_id = asked.series_id
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
                SELECT count(*)
                FROM point
                WHERE point.series_id = asked.series_id
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
                  WHEN 'integer' THEN CASEasked.kind
                    WHEN 'boolean' THEN iif(point.value, 'true', 'false')
                    ELSE point.value
                  END
                END
                FROM point
                WHERE point.series_id = asked.series_id
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
                  WHEN 'integer' THEN CASEasked.kind
                    WHEN 'boolean' THEN iif(point.value, 'true', 'false')
                    ELSE point.value
                  END
                END
                FROM point
                WHERE point.series_id = asked.series_id
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
            END,
            'null'
          )
        )
        FROM (
          SELECT count(*) AS scanned
          FROM (
            SELECT 1
            FROM point
            WHERE asked.aggregate NOT IN ('first', 'last')
              AND point.series_id = asked.series_id
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
            LIMIT +:cellValues + 1
          )
        ) counted
      )
    END
  FROM walk
  CROSS JOIN asked ON asked.n = walk.n + (walk.at IS NULL)
  WHERE (walk.spent + coalesce(CAST(walk.text AS INTEGER) + octet_length(walk.text) / 4, 0)) < :turnValues
)
SELECT group_concat(walk.text, char(10)) AS text,
  (walk.spent + coalesce(CAST(walk.text AS INTEGER) + octet_length(walk.text) / 4, 0)) AS spent,
  max(walk.i),
  walk.n,
  CAST(walk.at AS TEXT) AS at,
  walk.k
FROM walk
