import { isVisible } from "../role/guard_queries.ts";
import {
  byList,
  noOwnRows,
  pageByRole,
  reachPage,
  roleOwnedPage,
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
} from "../role/paging/page_queries.ts";
import { mayManageDevice, mayReadDevice } from "./guard_queries.ts";

/** Pages of devices and monitors relations. `role/paging/listing_queries.ts` explains how pages work. */

/** SQL: the ids of up to `:limit` devices after `:afterId` that the role monitors, over an index. */
function devicesOnPage(role: string): string {
  return `source.role_id = ${role} AND source.device_id > :afterId
    AND source.device_id <= coalesce((SELECT last.device_id FROM monitors last
      WHERE last.role_id = ${role} AND last.device_id > :afterId
      ORDER BY last.device_id LIMIT 1 OFFSET :limit - 1), 9223372036854775807)`;
}

/** CTE: the roles of `:roleIds` that the actor sees. */
const SEEN_ROLES = `seen_role(id) AS MATERIALIZED (
  SELECT asked.value FROM json_each(:roleIds) asked WHERE ${isVisible("asked.value")})`;

/**
 * SQL: one of `seen_role` monitors the device, or `:roleIds` is null. Costs a step for each role that monitors it: the
 * "+" keeps SQLite from probing for each role that is asked for.
 */
function monitoredBySeen(device: string): string {
  return `(:roleIds IS NULL OR EXISTS (SELECT 1 FROM monitors watching
    WHERE watching.device_id = ${device} AND +watching.role_id IN (SELECT id FROM seen_role)))`;
}

const REACHED = `monitors source ON ${devicesOnPage("reach.role_id")}`;

const DEVICE_CANDIDATES = {
  id:
    `SELECT candidate.id FROM json_each(:ids) asked CROSS JOIN device candidate ON candidate.id = asked.value
    WHERE candidate.id > :afterId AND ${inList("candidate.node_id", ":nodeIds")}
      AND ${mayReadDevice("candidate.id")} AND ${monitoredBySeen("candidate.id")}`,
  nodeId: `SELECT candidate.id FROM json_each(:nodeIds) asked
    CROSS JOIN device candidate ON candidate.node_id = asked.value
    WHERE candidate.id > :afterId AND ${mayReadDevice("candidate.id")}
      AND ${monitoredBySeen("candidate.id")}`,
  role: `SELECT source.device_id AS id FROM asked_role
    CROSS JOIN monitors source ON source.role_id = asked_role.id
      AND source.device_id > :afterId AND source.device_id <= ${STRETCH_END}`,
  none: `SELECT source.device_id AS id FROM reach CROSS JOIN ${REACHED} WHERE ${BY_REACH}
    UNION ALL SELECT id FROM (SELECT candidate.id FROM device candidate
      WHERE ${BY_WALK} AND candidate.id > :afterId AND candidate.id <= ${HORIZON}
        AND ${mayReadDevice("candidate.id")} ORDER BY candidate.id LIMIT :limit)`,
} as const;

function devicePage(candidates: string): PageRows {
  const columns = {
    id: "sized.id",
    properties: "json(sized.properties)",
    updatedAt: "sized.updated_at",
    monitorManagement: mayManageDevice("sized.id"),
  };
  const from = `(SELECT device.id, device.properties, device.updated_at,
      sum(octet_length(device.properties)) OVER (ORDER BY device.id) AS bytes
    FROM (SELECT DISTINCT id FROM (${candidates}) ORDER BY id LIMIT :limit) candidates
    CROSS JOIN device ON device.id = candidates.id) sized`;
  return { columns, from, bytes: "sized.bytes" };
}

/**
 * Only the ids of the same devices, and their `lastUpdate` as responses have it. SQLite formats it, in a thread or on
 * the server, because formatting on the event loop would take most of the time of a long list.
 */
function updatePage(candidates: string): PageRows {
  const columns = {
    id: "device.id",
    lastUpdate: "strftime('%Y-%m-%dT%H:%M:%fZ', device.updated_at / 1000.0, 'unixepoch')",
  };
  const from = `(SELECT DISTINCT id FROM (${candidates}) ORDER BY id LIMIT :limit) candidates
    CROSS JOIN device ON device.id = candidates.id`;
  return { columns, from };
}

function pagesOf(page: (candidates: string) => PageRows) {
  return {
    id: whileSessionLives({ ...page(DEVICE_CANDIDATES.id), ctes: [SEEN_ROLES] }),
    nodeId: whileSessionLives({ ...page(DEVICE_CANDIDATES.nodeId), ctes: [SEEN_ROLES] }),
    role: whileSessionLives({
      ...page(DEVICE_CANDIDATES.role),
      ctes: stretchOf(":roleIds", isVisible, (role) =>
        `SELECT next.device_id FROM monitors next
      WHERE next.role_id = ${role} AND next.device_id > :afterId ORDER BY next.device_id`),
      isStretch: true,
    }),
    none: whileSessionReaches(page(DEVICE_CANDIDATES.none), { table: "device", candidates: REACHED }),
  } as const;
}

/** Pages of devices by the list that drives them. Their rows are `DeviceRow`s. */
export const DEVICE_PAGES = pagesOf(devicePage);

/** The same devices. Their rows have `id` and `lastUpdate`. */
export const DEVICE_UPDATE_PAGES = pagesOf(updatePage);

const MONITORS: RoleOwnedRows = {
  table: "monitors",
  roleColumn: "role_id",
  readable: isVisible,
  ownRow: "false",
  ownRows: noOwnRows("monitors"),
  filter: `${inList("candidate.id", ":ids")} AND ${inList("candidate.role_id", ":roleIds")}
    AND ${inList("candidate.device_id", ":deviceIds")}`,
  columns: { id: "owned.id", roleId: "owned.role_id", deviceId: "owned.device_id" },
  joins: "",
};

/** Pages of the monitors relations of roles that the actor sees. Their rows are `Monitors`. */
export const MONITORS_PAGES = {
  id: roleOwnedPage(MONITORS, byList(MONITORS, ":ids", "id")),
  device: roleOwnedPage(MONITORS, byList(MONITORS, ":deviceIds", "device_id")),
  role: pageByRole(MONITORS, ":roleIds"),
  none: reachPage(MONITORS),
} as const;
