import { wrongIn, type WrongStatement } from "./wrong_statement.ts";

/** Telemetry: writing, reading, limits and retention. */

export const TELEMETRY_STATEMENTS: readonly WrongStatement[] = [
  ...wrongIn("src/telemetry/series/write_queries.ts", "tests/telemetry/libsql_store_test.ts", [
    {
      name: "points are written although rights have ended since they were found",
      find: "`${PRINCIPAL_LIVES} AND NOT ${LACKS_GRANT}`",
      replace: "PRINCIPAL_LIVES",
      by: "rights that end between finding and using them",
      in: "tests/device/many_monitors_test.ts",
    },
    {
      name: "a field changes its type",
      find: "WHERE stored_kind IS NOT kind))`;",
      replace: "WHERE stored_kind IS NULL))`;",
      by: "a field that changes its kind keeps the request",
    },
    {
      name: "a device has any number of series",
      find: "(SELECT 1 WHERE NOT EXISTS (${CROWDED}))`;",
      replace: "(SELECT 1)`;",
      by: "a device has 10,000 series at most",
    },
    {
      name: "a device has one series too many",
      find: "  ) > ${MAX_SERIES}`;",
      replace: "  ) > ${MAX_SERIES} + 1`;",
      by: "a device has 10,000 series at most",
    },
    {
      name: "points of one device go into the series of another",
      find: "LEFT JOIN tag_set ON tag_set.device_id = device.id AND tag_set.measurement",
      replace: "LEFT JOIN tag_set ON tag_set.measurement",
      by: "a device that takes over a nodeId sees nothing of the one before",
    },
  ]),
  ...wrongIn("src/device/guard_queries.ts", "tests/telemetry/rate_limit_test.ts", [
    {
      name: "a body of points is read for a member without rights",
      find: "WHERE guard_own.rights & ${manages}\n",
      replace: "WHERE guard_own.rights & ${manages} OR true\n",
      by: "a body of points is not read for whoever may not write any",
    },
    {
      name: "whoever has many roles cannot write",
      find: "FROM guard_own) WHERE walked = ${WALKED_ROLES}\n",
      replace: "FROM guard_own) WHERE walked > ${WALKED_ROLES}\n",
      by: "whoever has more roles than are looked through",
    },
  ]),
  ...wrongIn("src/device/grant_queries.ts", "tests/telemetry/write_test.ts", [
    {
      name: "points of another user's device are written",
      find: "write: managesDevicesOf,",
      replace: 'write: () => "true",',
      by: "one device that the caller may not write keeps all points out",
    },
    {
      name: "points of another user's device are read",
      find: 'read: (role: string) => holdsSome("0", "0", role),',
      replace: 'read: () => "true",',
      by: "one call answers what each query may",
      in: "tests/telemetry/collect_test.ts",
    },
    {
      name: "a write for a role of others tells which devices it monitors",
      find: 'return `(${isVisible(":belowId")} AND (',
      replace: "return `((",
      by: "a write for a role goes to devices that it, or a role below it",
    },
  ]),
  ...wrongIn("src/telemetry/bucket/bucket_queries.ts", "tests/telemetry/rate_limit_test.ts", [
    {
      name: "a bucket is filled beyond its capacity",
      find: "WHERE user_id = :actorId AND level + :cost <= :capacity AND",
      replace: "WHERE user_id = :actorId AND :capacity IS NOT NULL AND",
      by: "a leaky bucket guards collecting",
    },
    {
      name: "a call fills the buckets of all users",
      find: "WHERE user_id = :actorId AND level + :cost <= :capacity AND",
      replace: "WHERE level + :cost <= :capacity AND",
      by: "a call fills the caller's bucket and no other",
      in: "tests/telemetry/rate_limit_test.ts",
    },
    {
      name: "a bucket does not drain",
      find: "level = max(0, level - max(0, :now - at) * :drainPerMs)",
      replace: "level = max(0, level - :drainPerMs + :drainPerMs)",
      by: "a leaky bucket guards collecting",
    },
    {
      name: "a clock that moves back fills a bucket",
      find: "level - max(0, :now - at) * :drainPerMs",
      replace: "level - (:now - at) * :drainPerMs",
      by: "an instance whose clock is behind neither",
      in: "tests/telemetry/rate_limit_test.ts",
    },
    {
      name: "a clock that moves back lets a bucket drain twice",
      find: "at = max(at, :now)",
      replace: "at = :now",
      by: "an instance whose clock is behind neither",
      in: "tests/telemetry/rate_limit_test.ts",
    },
  ]),
  ...wrongIn("src/device/tombstone_queries.ts", "tests/telemetry/retention_test.ts", [
    {
      name: "the nodeId of a deleted device is free while a write may be on its way",
      find: "  WHERE gone_at <= :now - ${SETTLING_SECONDS * SECOND_MS} ORDER BY",
      replace: "  WHERE gone_at <= :now ORDER BY",
      by: "a deleted device's nodeId is free once its points are gone",
    },
    {
      name: "a write does not mark its device",
      find: "UPDATE device SET has_points = 1",
      replace: "UPDATE device SET has_points = 0",
      by: "what is written marks its device",
      in: "tests/telemetry/libsql_store_test.ts",
    },
  ]),
  ...wrongIn("src/telemetry/libsql/walk_queries.ts", "tests/telemetry/libsql_store_test.ts", [
    {
      name: "a query reads every device",
      find: "next.device_id = asked.device_id AND",
      replace: "asked.device_id IS NOT NULL AND",
      by: "store and model agree over",
    },
    {
      name: "a query reads every retention policy",
      find: "next.retention_policy = asked.retention_policy\n",
      replace: "asked.retention_policy IS NOT NULL\n",
      by: "store and model agree over",
    },
    {
      name: "a query for a tag returns points without it",
      find: "(found.tags GLOB '{' || asked.tag_pattern OR found.tags GLOB '*,' || asked.tag_pattern)",
      replace: "(asked.tag_pattern <> '')",
      by: "store and model agree over",
    },
    {
      name: "a statement does not end",
      find: "WHERE ${SPENT} < :turnValues)",
      replace: "WHERE ${SPENT} IS NOT :turnValues)",
      by: "a statement ends soon after its turn",
      in: "tests/telemetry/libsql_bounds_test.ts",
    },
    {
      name: "the text of rows costs nothing",
      find: "CAST(walk.text AS INTEGER) + octet_length(walk.text) / ${ROW_BYTES}, 0))`",
      replace: "CAST(walk.text AS INTEGER), 0))`",
      by: "a query pays for windows",
      in: "tests/telemetry/libsql_bounds_test.ts",
    },
    {
      name: "what functions scan costs nothing",
      find: "CAST(walk.text AS INTEGER) + octet_length",
      replace: "octet_length",
      by: "a query pays for windows",
      in: "tests/telemetry/libsql_bounds_test.ts",
    },
    {
      name: "tag sets cost nothing",
      find: "${ENTERS} AND found.id IS NOT NULL, ${STEP_VALUES}",
      replace: "${ENTERS} AND found.id IS NOT NULL, 0",
      by: "a query pays for tag sets",
      in: "tests/telemetry/libsql_bounds_test.ts",
    },
    {
      name: "a query reads on beyond its limit",
      find: "WHEN walk.k + :rows < asked.row_limit THEN",
      replace: "WHEN asked.row_limit IS NOT NULL THEN",
      by: "a query pays for windows",
      in: "tests/telemetry/libsql_bounds_test.ts",
    },
  ]),
  ...wrongIn("src/telemetry/libsql/aggregate_queries.ts", "tests/telemetry/libsql_bounds_test.ts", [
    {
      name: "functions scan any number of values for one row",
      find: "iif(counted.scanned > :rowValues, '',",
      replace: "iif(counted.scanned > :rowValues + 1e18, '',",
      by: "functions scan so many values for one row",
    },
    {
      name: "the values of a row are counted to the end",
      find: " LIMIT +:rowValues + 1)",
      replace: ")",
      by: "functions scan so many values for one row",
    },
    {
      name: "a numeric function reads texts",
      find: "CASE WHEN NOT ${IS_REFUSED}",
      replace: "CASE WHEN true",
      by: "a numeric function scans nothing",
    },
  ]),
  ...wrongIn("src/telemetry/libsql/store_queries.ts", "tests/telemetry/libsql_store_test.ts", [
    {
      name: "points at the cutoff itself are cleared",
      find: "AND old.time < :time\n",
      replace: "AND old.time <= :time\n",
      by: "what is older than a time is deleted",
    },
    {
      name: "a statement clears any number of points",
      find:
        "CROSS JOIN point old ON old.series_id = series.id\n      WHERE tag_set.device_id = :deviceId LIMIT ${CLEAR_BATCH})",
      replace:
        "CROSS JOIN point old ON old.series_id = series.id\n      WHERE tag_set.device_id = :deviceId)",
      by: "forgetting a device deletes a batch at once",
      in: "tests/telemetry/clear_batch_test.ts",
    },
    {
      name: "forgetting a device forgets the devices of others",
      find:
        "CROSS JOIN point old ON old.series_id = series.id\n      WHERE tag_set.device_id = :deviceId LIMIT",
      replace: "CROSS JOIN point old ON old.series_id = series.id\n      WHERE :deviceId IS NOT NULL LIMIT",
      by: "points of a device that is forgotten are gone",
    },
  ]),
];
