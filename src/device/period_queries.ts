import { changeLog } from "../db/schema/role.ts";
import { deletedMonitors, device, monitors } from "../db/schema/telemetry.ts";
import { int, placeholdersOf, row, rows, rowsOf, type SQL, sql, text, type Value } from "../db/sql.ts";

/**
 * Periods of monitors relations, in milliseconds: from `validFrom` up to, but not including, `validUntil`; null is no
 * bound. A relation is closed from its end on, to come before its beginning, and open between them. What is about the
 * present needs an open one.
 */

const { now } = placeholdersOf({ now: int });

/** What the conditions need of a relation. */
export type Period = Readonly<Record<"validFrom" | "validUntil", Value>>;

/** Later than all times that a period may have, and as far before 1970. */
export const NO_BOUND = Number.MAX_SAFE_INTEGER;

/** The beginning of a period as a number. */
export function beginOf(from: Value): SQL {
  return sql`coalesce(${from}, -${NO_BOUND})`;
}

/** The end of a period as a number. */
export function endOf(until: Value): SQL {
  return sql`coalesce(${until}, ${NO_BOUND})`;
}

/** Whether the relation is open or to come. */
export function isNotClosed({ validUntil }: Pick<Period, "validUntil">): SQL {
  return sql`ifnull(${validUntil} > ${now}, true)`;
}

/** Whether the relation is open. */
export function isOpen(period: Period): SQL {
  return sql`(${isNotClosed(period)} AND ifnull(${period.validFrom} <= ${now}, true))`;
}

/** Whether the period has this one within it. */
export function hasWithin({ validFrom, validUntil }: Period, from: Value, until: Value): SQL {
  return sql`(${beginOf(validFrom)} <= ${beginOf(from)} AND ${endOf(until)} <= ${endOf(validUntil)})`;
}

/**
 * Selects the id of the device that has the nodeId: the newest of them, since the others were retired before it was
 * created.
 */
export function currentDevice(nodeId: Value): SQL {
  const newest = row(device, "newest");
  return sql`SELECT max(${newest.id}) FROM ${newest} WHERE ${newest.nodeId} = ${nodeId}`;
}

/**
 * Selects the nodeId that a device has, of an element of a JSON list: a text, or a list of its spellings, of which the
 * first counts that any device has. Null if none has one of those.
 */
export function storedNodeId(type: Value, element: Value): SQL {
  const bearer = row(device, "bearer");
  return sql`iif(${type} = 'array', (SELECT spelling.value FROM json_each(${element}) spelling
      WHERE EXISTS (SELECT 1 FROM ${bearer} WHERE ${bearer.nodeId} = spelling.value)
      ORDER BY spelling.key LIMIT 1), ${element})`;
}

interface StoredNodeIdRow {
  readonly place: number;
  readonly nodeId: string | null;
}

/** Reads the nodeId that a device has of each element of a JSON list of spellings. */
export const FIND_NODE_IDS = rows<StoredNodeIdRow>()({ requested: text }, ({ requested }) =>
  sql`
  SELECT given.key AS place, ${storedNodeId(sql`given.type`, sql`given.value`)} AS nodeId
  FROM json_each(${requested}) given`);

/** Whether the device has been retired since `time`: all of its relations were closed or deleted by then. */
export function isRetiredSince(deviceId: Value, time: Value): SQL {
  const last = row(monitors, "last");
  const lost = row(deletedMonitors, "lost_last");
  const deletion = row(changeLog, "deletion_of_last");
  const isOf = ({ deviceId: of, validUntil }: Readonly<Record<"deviceId" | "validUntil", Value>>): SQL =>
    sql`${of} = ${deviceId} AND (${validUntil} IS NULL OR ${validUntil} > ${time})`;
  return sql`(NOT EXISTS (SELECT 1 FROM ${last} WHERE ${isOf(last)})
    AND NOT EXISTS (SELECT 1 FROM ${lost} CROSS JOIN ${deletion} ON ${deletion.rev} = ${lost.rev}
      WHERE ${isOf(lost)} AND ${deletion.at} > ${time}))`;
}

/**
 * Whether no role has had the device since the change `rev`, made at the time `at`: it has no relation beyond that time,
 * and had none that was made, changed or deleted since. What the change retired then still waits for its undo.
 */
export function isUnheldSince(deviceId: Value, rev: Value, at: Value): SQL {
  const { holding, lost, later } = rowsOf({ holding: monitors, lost: deletedMonitors, later: changeLog });
  const isBeyond = ({ validUntil }: Pick<Period, "validUntil">): SQL =>
    sql`ifnull(${validUntil} > ${at}, true)`;
  // An `until` may be moved to a time before the change: only the log tells of that. In this order, each is soon found.
  return sql`CASE
      WHEN EXISTS (SELECT 1 FROM ${holding} WHERE ${holding.deviceId} = ${deviceId} AND ${
    isBeyond(holding)
  }) THEN false
      WHEN EXISTS (SELECT 1 FROM ${later} WHERE ${later.deviceId} = ${deviceId} AND ${later.rev} > ${rev}
        AND ${later.decision} = 'ok' AND ${later.kind} <> 'monitors.remove'
        AND ${later.kind} IN ('device.transfer', 'monitors.add', 'monitors.remove', 'monitors.update')) THEN false
      ELSE NOT EXISTS (SELECT 1 FROM ${lost} WHERE ${lost.deviceId} = ${deviceId} AND ${lost.rev} > ${rev}
        AND ${isBeyond(lost)}) END`;
}
