import { monitors } from "../db/schema/telemetry.ts";
import { nullable, placeholdersOf, sql, text } from "../db/sql.ts";
import * as guard from "../role/guard_queries.ts";
import * as page from "../role/paging/page_queries.ts";
import { actingAbove, holdsSome, isVisible } from "../role/guard_text.ts";
import {
  isNone,
  pageByList,
  pageByRole,
  reachPage,
  type RoleOwnedRows,
} from "../role/paging/role_owned_queries.ts";
import {
  BY_REACH,
  BY_WALK,
  HORIZON,
  inList,
  type PageRows,
  STRETCH_END,
  stretchOf,
  whileSessionLives,
  whileSessionReaches,
} from "../role/paging/page_text.ts";
import { managesDevicesOf, watchesOf } from "./device_text.ts";

/** Pages of devices and monitors relations. `role/paging/listing_queries.ts` explains how pages work. */

/** SQL: the ids of up to `:limit` devices after `:afterId` that the role monitors, over an index. */
function devicesOnPage(role: string): string {
  return `source.role_id = ${role} AND source.device_id > :afterId
    AND source.device_id <= coalesce((SELECT last.device_id FROM monitors last
      WHERE last.role_id = ${role} AND last.device_id > :afterId
      ORDER BY last.device_id LIMIT 1 OFFSET :limit - 1), 9223372036854775807)`;
}

const REACHED = `monitors source ON ${devicesOnPage("reach.role_id")}`;

/** SQL: the ids of the devices that a page scans, after `:afterId`. */
const CANDIDATES = {
  id:
    `SELECT candidate.id FROM json_each(:ids) asked CROSS JOIN device candidate ON candidate.id = asked.value
    WHERE candidate.id > :afterId AND ${inList("candidate.node_id", ":nodeIds")}`,
  nodeId: `SELECT candidate.id FROM json_each(:nodeIds) asked
    CROSS JOIN device candidate ON candidate.node_id = asked.value WHERE candidate.id > :afterId`,
  role: `SELECT source.device_id AS id FROM asked_role
    CROSS JOIN monitors source ON source.role_id = asked_role.id
      AND source.device_id > :afterId AND source.device_id <= ${STRETCH_END}`,
  none: `SELECT source.device_id AS id FROM reach CROSS JOIN ${REACHED} WHERE ${BY_REACH}
    UNION ALL SELECT candidate.id FROM device candidate
      WHERE ${BY_WALK} AND candidate.id > :afterId AND candidate.id <= ${HORIZON}`,
} as const;

type Driver = keyof typeof CANDIDATES;

/** SQL: the actor sees each of the candidates, so that a page needs no more of them than fit on it. */
const ARE_SEEN: Readonly<Record<Driver, string>> = {
  id: "false",
  nodeId: "false",
  role: "true",
  none: BY_REACH,
};

/**
 * SQL: one of the roles that meet the condition on `held` monitors the device. The "+" keeps SQLite from looking for
 * each of them.
 */
function isWatchedBy(condition: string, device: string, filter = "true"): string {
  return `EXISTS (SELECT 1 FROM monitors watching WHERE watching.device_id = ${device}
    AND +watching.role_id IN (SELECT role_id FROM held WHERE ${condition}) AND ${filter})`;
}

/** SQL: the ids of the devices on a page. */
function onPage(driver: Driver): string {
  const filter = driver === "role" || driver === "none" ? "true" : inList("watching.role_id", ":roleIds");
  return `(SELECT asked_device.key AS id FROM asked_device WHERE asked_device.key <= coalesce((SELECT last_key FROM looked), asked_device.key)
      AND (${ARE_SEEN[driver]} OR ${isWatchedBy("value IS NOT NULL", "asked_device.key", filter)})
    ORDER BY asked_device.key LIMIT +:limit) candidates`;
}

/**
 * CTEs: what the roles of the devices allow. A page of seen devices without rights needs none; `isNeeded` (SQL) tells.
 */
function ctesOf(driver: Driver, isNeeded: string): string[] {
  const devices = `SELECT DISTINCT id, id FROM (${CANDIDATES[driver]}) ORDER BY id
    LIMIT iif(${ARE_SEEN[driver]}, :limit, -1)`;
  // Null if the actor does not see the role, otherwise whether they manage its devices.
  return watchesOf(
    devices,
    (role, isFrom) =>
      `(SELECT max(${managesDevicesOf(role)}) FROM ${actingAbove(role, isFrom)} WHERE ${
        holdsSome("0", "0", role)
      })`,
    { isNeeded },
  );
}

const LOOKED_TO = "(SELECT last_key FROM looked)";

function devicePage(driver: Driver): PageRows {
  const columns = {
    id: "sized.id",
    properties: "json(sized.properties)",
    updatedAt: "sized.updated_at",
    monitorManagement: isWatchedBy("value", "sized.id"),
  };
  const from = `(SELECT device.id, device.properties, device.updated_at,
      sum(octet_length(device.properties)) OVER (ORDER BY device.id) AS bytes
    FROM ${onPage(driver)} CROSS JOIN device ON device.id = candidates.id) sized`;
  return { columns, from, ctes: ctesOf(driver, "true"), bytes: "sized.bytes", lookedTo: LOOKED_TO };
}

/**
 * Only the ids of the same devices, and their `lastUpdate` as responses have it. SQLite formats it, in a thread or on
 * the server, because formatting on the event loop would take most of the time of a long list.
 */
function updatePage(driver: Driver): PageRows {
  const columns = {
    id: "device.id",
    lastUpdate: "strftime('%Y-%m-%dT%H:%M:%fZ', device.updated_at / 1000.0, 'unixepoch')",
  };
  const from = `${onPage(driver)} CROSS JOIN device ON device.id = candidates.id`;
  return { columns, from, ctes: ctesOf(driver, `NOT (${ARE_SEEN[driver]})`), lookedTo: LOOKED_TO };
}

function pagesOf(pageOf: (driver: Driver) => PageRows) {
  const { ctes: ofRole = [], ...byRole } = pageOf("role");
  const stretch = stretchOf(":roleIds", isVisible, (role) =>
    `SELECT next.device_id FROM monitors next
      WHERE next.role_id = ${role} AND next.device_id > :afterId ORDER BY next.device_id`);
  return {
    id: whileSessionLives(pageOf("id")),
    nodeId: whileSessionLives(pageOf("nodeId")),
    role: whileSessionLives({ ...byRole, ctes: [...stretch, ...ofRole], isStretch: true }),
    none: whileSessionReaches(pageOf("none"), { table: "device", candidates: REACHED }),
  } as const;
}

/** Pages of devices by the list that drives them. Their rows are `DeviceRow`s. */
export const DEVICE_PAGES = pagesOf(devicePage);

/** The same devices. Their rows have `id` and `lastUpdate`. */
export const DEVICE_UPDATE_PAGES = pagesOf(updatePage);

const MONITORS_LISTS = { ids: nullable(text), roleIds: nullable(text), deviceIds: nullable(text) };
const ofMonitors = placeholdersOf(MONITORS_LISTS);

const MONITORS: RoleOwnedRows<typeof monitors, typeof MONITORS_LISTS> = {
  table: monitors,
  declared: MONITORS_LISTS,
  roleOf: ({ roleId }) => roleId,
  readable: guard.isVisible,
  isOwn: () => sql`false`,
  isOwnOnPage: isNone,
  filter: ({ id, roleId, deviceId }) =>
    sql`${page.inList(id, ofMonitors.ids)} AND ${page.inList(roleId, ofMonitors.roleIds)}
    AND ${page.inList(deviceId, ofMonitors.deviceIds)}`,
  columns: ({ id, roleId, deviceId }) => ({ id, roleId, deviceId }),
};

/** Pages of the monitors relations of roles that the actor sees. Their rows are `Monitors`. */
export const MONITORS_PAGES = {
  id: pageByList(MONITORS, "ids", ({ id }) => id),
  device: pageByList(MONITORS, "deviceIds", ({ deviceId }) => deviceId),
  role: pageByRole(MONITORS, "roleIds"),
  none: reachPage(MONITORS),
} as const;
