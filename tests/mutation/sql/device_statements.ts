import { wrongIn, type WrongStatement } from "./wrong_statement.ts";

/** Devices, and what monitors them. */

export const DEVICE_STATEMENTS: readonly WrongStatement[] = [
  ...wrongIn("src/device/guard_queries.ts", "tests/device/rights_test.ts", [
    {
      name: "a role's roleManagement on itself manages its devices",
      find: 'OR ${holdsIndirectly("roleManagement", role)}`;',
      replace: 'OR ${holds("roleManagement", role)}`;',
      by: "each operation on devices lets in",
    },
    {
      name: "managing any device is managing all devices",
      find:
        'WHERE guard_monitors.device_id = ${device}\n      AND ${someRoleAbove("guard_monitors.role_id", managesDevicesOf',
      replace: 'WHERE ${someRoleAbove("guard_monitors.role_id", managesDevicesOf',
      by: "all rights on one device give none on another",
      in: "tests/device/rights_test.ts",
    },
    {
      name: "a device is attached without deviceManagement on its roles",
      find: '`${holds("deviceManagement", watching)} AND ${holds("deviceManagement", role)}`',
      replace: '`${holds("deviceManagement", role)}`',
      by: "one role must hold deviceManagement on both sides",
    },
    {
      name: "a device is attached without deviceManagement on the role",
      find: '`${holds("deviceManagement", watching)} AND ${holds("deviceManagement", role)}`',
      replace: '`${holds("deviceManagement", watching)}`',
      by: "one role must hold deviceManagement on both sides",
    },
  ]),
  ...wrongIn("src/device/device_queries.ts", "tests/device/rights_test.ts", [
    {
      name: "a device is created without deviceManagement",
      find: "      WHEN ${NOBODY_ACTS} THEN 'denied'\n",
      replace: "",
      by: "each operation on devices lets in",
    },
    {
      name: "a user who may not create devices learns that a nodeId is taken",
      find: "      WHEN ${NOBODY_ACTS} THEN 'denied'\n      WHEN ${IS_TAKEN} THEN 'node_id_taken'\n",
      replace: "      WHEN ${IS_TAKEN} THEN 'node_id_taken'\n      WHEN ${NOBODY_ACTS} THEN 'denied'\n",
      by: "all rights on one device give none on another",
      in: "tests/device/rights_test.ts",
    },
    {
      name: "a nodeId is used again while the deleted device's points exist",
      find: "\n  OR EXISTS (SELECT 1 FROM gone_device WHERE node_id = :nodeId))`;",
      replace: ")`;",
      by: "a nodeId is taken while a device has it",
      in: "tests/device/properties_test.ts",
    },
    {
      name: "a device is updated without deviceManagement",
      find: "CASE\n      WHEN managed.role_id IS NULL THEN 'denied'\n",
      replace: "CASE\n",
      by: "each operation on devices lets in",
    },
    {
      name: "a device is updated although it was changed since",
      find: "WHEN device.updated_at / ${SECOND_MS} > :unmodifiedSince",
      replace: "WHEN device.updated_at / ${SECOND_MS} < :unmodifiedSince",
      by: "an update with If-Unmodified-Since is refused",
      in: "tests/device/update_test.ts",
    },
    {
      name: "an update stores more than properties may have",
      find: "      WHEN octet_length(${properties}) > ${MAX_PROPERTIES_BYTES} THEN 'properties_too_large'\n",
      replace: "",
      by: "what is stored after an update is at most as large",
      in: "tests/device/update_test.ts",
    },
    {
      name: "two changes of a device within a millisecond have the same time",
      find: "updated_at = max(:now, updated_at + 1)",
      replace: "updated_at = :now",
      by: "lastUpdate moves with each change",
      in: "tests/device/update_test.ts",
    },
    {
      name: "an update that changes nothing is a change",
      find: "EXCEPT SELECT key, type, value FROM json_each(device.properties))",
      replace: ")",
      by: "lastUpdate moves with each change",
      in: "tests/device/update_test.ts",
    },
    {
      name: "of two neighbouring numbers, one does not replace the other",
      find: ' AND ${patchOf("device.properties", ":numbers")} = ${markNul("device.properties")}',
      replace: " AND :numbers IS NOT NULL",
      by: "lastUpdate moves with each change",
      in: "tests/device/update_test.ts",
    },
    {
      name: "an update removes a property whose name goes on after NUL",
      find: "return `replace(${json}, '\\\\u0000', ${NUL_MARK})`",
      replace: "return json",
      by: "what an update keeps stays as it was given",
      in: "tests/device/update_test.ts",
    },
    {
      name: "a device changes its nodeId",
      find: "      WHEN :nodeId <> device.node_id THEN 'node_id_fixed'\n",
      replace: "",
      by: "an update keeps the nodeId",
      in: "tests/device/properties_test.ts",
    },
  ]),
  ...wrongIn("src/device/monitors_queries.ts", "tests/device/rights_test.ts", [
    {
      name: "a device is attached by anybody",
      find:
        '      WHEN NOT ${mayAttachDevice(":deviceId", ":roleId", "existing.id IS NULL")} THEN \'denied\'\n',
      replace: "",
      by: "each operation on devices lets in",
    },
    {
      name: "a device is detached by anybody",
      find: 'existing.id IS NOT NULL AND ${mayManageDevicesOf(":roleId")} THEN',
      replace: "existing.id IS NOT NULL THEN",
      by: "each operation on devices lets in",
    },
    {
      name: "a device is detached through the path of another role",
      find: "ON existing.id = :relationId AND existing.role_id = :roleId\n",
      replace: "ON existing.id = :relationId\n",
      by: "service and model agree over",
      in: "tests/role/properties_test.ts",
    },
  ]),
  ...wrongIn("src/device/monitors_queries.ts", "tests/device/many_monitors_test.ts", [
    {
      name: "any number of roles monitors a device",
      find: "      WHEN ${IS_FULL} THEN 'too_many_monitors'\n",
      replace: "",
      by: "a device is monitored by 100 roles at most",
    },
  ]),
  ...wrongIn("src/device/watch_queries.ts", "tests/device/many_monitors_test.ts", [
    {
      name: "what a statement did not look at does not count",
      find: "iif(relations > ${RELATIONS_AT_ONCE}, max(first_key, last_key - 1), ${LAST_KEY})",
      replace: "${LAST_KEY}",
      by: "what is asked about devices with thousands of monitors",
    },
  ]),
  ...wrongIn("src/device/grant_queries.ts", "tests/device/many_monitors_test.ts", [
    {
      name: "a grant counts after the membership has ended",
      find: 'AND acting.role_id = granted.value ->> 2\n      AND ${memberLives("acting")}`;',
      replace: "AND acting.role_id = granted.value ->> 2`;",
      by: "rights that end between finding and using them",
    },
  ]),
  ...wrongIn("src/role/closure/cascade_queries.ts", "tests/device/cascade_test.ts", [
    {
      name: "a device is deleted although another role monitors it",
      find: "WHERE NOT EXISTS (SELECT 1 FROM ${kept} WHERE ${kept.deviceId} = lost.device_id\n",
      replace: "WHERE NOT EXISTS (SELECT 1 FROM ${kept} WHERE false\n",
      by: "a deleted role takes along the devices",
    },
  ]),
];
