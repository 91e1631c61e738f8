import { roleClosure } from "../db/schema/role.ts";
import { device, monitors } from "../db/schema/telemetry.ts";
import { type Declared, placeholdersOf, row, rowsOf, type SQL, sql, text, type Value } from "../db/sql.ts";
import { fromEitherSide, isVisible, ROLES_AT_ONCE } from "../graph/rules/guard_queries.ts";
import { type Acting } from "../graph/rules/rule_queries.ts";
import {
  BY_REACH,
  countUpTo,
  END_OF_STRETCH,
  FEW_ROWS,
  HORIZON,
  inList,
  LIST,
  PAGE,
  type PageRows,
  REACHED,
  startingFrom,
  STRETCH_END,
  stretchOf,
  WALK_ROWS,
  walking,
  whileSessionLives,
} from "../graph/paging/page_queries.ts";
import { isNone, pageByList, pageByRole, reachPage, type RoleOwnedRows } from "./role_owned_queries.ts";
import { MAX_ID } from "../graph/rules/price_queries.ts";
import { managesDevicesOf } from "../device/guard_queries.ts";
import { isNotClosed, isOpen, type Period } from "../device/period_queries.ts";
import { watchesOf } from "../device/watch_queries.ts";

/**
 * Pages of devices that roles monitor now, of devices that they monitored before, and of monitors relations of any period.
 * `graph/paging/page_queries.ts` explains how pages work.
 */

/** Which relations list a device: those that are open, or those that have ended. */
type Counted = (relation: Period) => SQL;
const hasEnded: Counted = (relation) => sql`NOT ${isNotClosed(relation)}`;

const { afterId, limit } = placeholdersOf(PAGE);
/** A JSON list, or null. */

/** `property`: paths of properties. `texts`: possible texts of these, each after the path and a newline, which no name has. */
const OTHER_FILTERS = { ancestorIds: LIST, property: LIST, texts: LIST };
const { ids, nodeIds, externalIds, roleIds, ancestorIds, property, texts } = placeholdersOf({
  ids: LIST,
  nodeIds: LIST,
  externalIds: LIST,
  roleIds: LIST,
  ...OTHER_FILTERS,
});

/** CTE `seen_ancestor`: the roles of `:ancestorIds` that the actor sees. */
const SEEN_ANCESTORS = sql`seen_ancestor(role_id) AS MATERIALIZED (
  SELECT requested.value FROM json_each(${ancestorIds}) requested WHERE ${isVisible(sql`requested.value`)})`;

/** Whether the role is one of `seen_ancestor` or below one, or `:ancestorIds` is null. Probes each of these few. */
function isBelowAncestors(on: Value): SQL {
  const below = row(roleClosure, "below");
  return sql`(${ancestorIds} IS NULL OR EXISTS (SELECT 1 FROM seen_ancestor
    WHERE seen_ancestor.role_id = ${on} OR EXISTS (SELECT 1 FROM ${below}
      WHERE ${below.descendantId} = ${on} AND ${below.ancestorId} = seen_ancestor.role_id)))`;
}

/** Selects the roles of `seen_ancestor` and those below them, with duplicates. Names the CTE once. */
function belowAncestors(): SQL {
  const below = row(roleClosure, "below");
  return sql`SELECT iif(part.value, ${below.descendantId}, seen_ancestor.role_id)
    FROM seen_ancestor CROSS JOIN json_each('[0,1]') part
    LEFT JOIN ${below} ON part.value AND ${below.ancestorId} = seen_ancestor.role_id
    WHERE NOT part.value OR ${below.descendantId} IS NOT NULL`;
}

/** Whether each property of `:property` is one of its texts. The list of texts is read once for all devices. */
function hasProperties(properties: Value): SQL {
  const path = sql`requested_property.value`;
  const isAsked = sql`json_type(${properties}, ${path}) = 'text'
      AND ${path} || char(10) || json_extract(${properties}, ${path}) IN (
        SELECT value FROM json_each(${texts}))`;
  return sql`NOT EXISTS (SELECT 1 FROM json_each(${property}) requested_property
    WHERE NOT ifnull(${isAsked}, false))`;
}

/**
 * Returns the source for FROM: `source` with up to `limit` devices after `afterId` per role of `reach`, over an index.
 */
function reached(source: typeof monitors, counted: Counted): SQL {
  const furthest = row(monitors, "furthest");
  const lastOnPage = sql`SELECT ${furthest.deviceId} FROM ${furthest}
      WHERE ${furthest.roleId} = reach.role_id AND ${furthest.deviceId} > ${afterId}
        AND ${counted(furthest)}
      ORDER BY ${furthest.deviceId} LIMIT 1 OFFSET ${limit} - 1`;
  return sql`${source} ON ${source.roleId} = reach.role_id AND ${source.deviceId} > ${afterId}
    AND ${source.deviceId} <= coalesce((${lastOnPage}), ${MAX_ID}) AND ${counted(source)}`;
}

/** Joins the devices with one of `:externalIds`. */
function identifiedBy(candidate: typeof device): SQL {
  return sql`json_each(${externalIds}) requested
    CROSS JOIN ${candidate} ON ${candidate.externalId} = requested.value`;
}

/**
 * Returns the CTE `scanned`: whether few devices, below all roots, have one of `:externalIds`, and otherwise up to which id
 * a page walks all devices. Counts devices of earlier pages, too: the index of external ids is not in order of id, and would
 * be read past them in any case.
 */
function scannedByExternalId(): SQL {
  const { counted, walked } = rowsOf({ counted: device, walked: device });
  const horizon = sql`SELECT ${walked.id} FROM ${walked} WHERE ${walked.id} > ${afterId}
        ORDER BY ${walked.id} LIMIT 1 OFFSET ${WALK_ROWS - 1}`;
  return sql`scanned(are_few, last_id) AS MATERIALIZED (
      SELECT are_few, iif(are_few, ${MAX_ID}, coalesce((${horizon}), ${MAX_ID}))
      FROM (SELECT ${countUpTo(identifiedBy(counted), FEW_ROWS)} <= ${FEW_ROWS} AS are_few))`;
}

/** Return, by driver, the ids of the devices that a page scans, after `afterId`. */
const CANDIDATES = {
  id(_counted: Counted) {
    const candidate = row(device, "candidate");
    return sql`SELECT ${candidate.id} FROM json_each(${ids}) requested CROSS JOIN ${candidate} ON ${candidate.id} = requested.value
    WHERE ${candidate.id} > ${afterId} AND ${inList(candidate.nodeId, nodeIds)}
      AND ${inList(candidate.externalId, externalIds)}`;
  },
  nodeId(_counted: Counted) {
    const candidate = row(device, "candidate");
    return sql`SELECT ${candidate.id} FROM json_each(${nodeIds}) requested
    CROSS JOIN ${candidate} ON ${candidate.nodeId} = requested.value
    WHERE ${candidate.id} > ${afterId} AND ${inList(candidate.externalId, externalIds)}`;
  },
  externalId(_counted: Counted) {
    const named = row(device, "candidate");
    const walked = row(device, "candidate");
    return sql`SELECT ${named.id} FROM ${identifiedBy(named)} AND ${named.id} > ${afterId}
      WHERE (SELECT are_few FROM scanned)
    UNION ALL SELECT ${walked.id} FROM ${walked} WHERE ${walked.id} > ${afterId}
      AND ${walked.id} <= (SELECT iif(are_few, ${afterId}, last_id) FROM scanned)
      AND ${walked.externalId} IN (SELECT value FROM json_each(${externalIds}))`;
  },
  role(counted: Counted) {
    const source = row(monitors, "source");
    return sql`SELECT ${source.deviceId} AS id FROM requested_role
    CROSS JOIN ${source} ON ${source.roleId} = requested_role.id
      AND ${source.deviceId} > ${afterId} AND ${source.deviceId} <= ${STRETCH_END} AND ${counted(source)}`;
  },
  reach(counted: Counted) {
    const source = row(monitors, "source");
    return sql`SELECT ${source.deviceId} AS id FROM reach CROSS JOIN ${
      reached(source, counted)
    } WHERE ${BY_REACH}`;
  },
  walk(_counted: Counted) {
    const candidate = row(device, "candidate");
    return sql`SELECT ${candidate.id} FROM ${candidate}
      WHERE ${candidate.id} > ${afterId} AND ${candidate.id} <= ${HORIZON}`;
  },
} as const;

type Driver = keyof typeof CANDIDATES;

/** Whether the actor sees each of the candidates, so that a page needs no more of them than fit on it. */
const ARE_SEEN: Readonly<Record<Driver, SQL>> = {
  id: sql`false`,
  nodeId: sql`false`,
  externalId: sql`false`,
  role: sql`true`,
  reach: sql`true`,
  walk: sql`false`,
};

/**
 * Whether a role that meets the condition on `held` and the filter monitors the device. The "+" keeps SQLite from
 * probing for each role.
 */
function isWatchedBy(
  condition: SQL,
  deviceId: Value,
  { counted = isOpen, filter = () => sql`true` }: {
    readonly counted?: Counted;
    readonly filter?: ((watching: typeof monitors) => SQL) | undefined;
  } = {},
): SQL {
  const watching = row(monitors, "watching");
  return sql`EXISTS (SELECT 1 FROM ${watching} WHERE ${watching.deviceId} = ${deviceId}
    AND ${
    counted(watching)
  } AND +${watching.roleId} IN (SELECT held.role_id FROM held WHERE ${condition}) AND ${filter(watching)})`;
}

/** A role by which the page may have its devices, and one on which the actor manages devices: bits of `held.value`. */
const LISTS = sql`value & 2`;
const MANAGES = sql`value & 1`;

/** Returns the ids of the devices that a page scans, as `candidates` for FROM. */
function onPage(driver: Driver, counted: Counted): SQL {
  const isFiltered = driver === "id" || driver === "nodeId" || driver === "externalId";
  const isListed = isFiltered ? ({ roleId }: typeof monitors) => inList(roleId, roleIds) : undefined;
  const isWatched = isWatchedBy(LISTS, sql`requested_device.key`, { counted, filter: isListed });
  const isManaged = isWatchedBy(MANAGES, sql`requested_device.key`);
  const isSeen = isFiltered ? sql`${isWatched} AND (${externalIds} IS NULL OR ${isManaged})` : isWatched;
  return sql`(SELECT requested_device.key AS id FROM requested_device
    WHERE requested_device.key <= coalesce((SELECT last_key FROM looked), requested_device.key)
      AND (${ARE_SEEN[driver]} OR (${isSeen}))
    ORDER BY requested_device.key LIMIT +${limit}) candidates`;
}

/** Returns the CTEs of what the devices' roles allow. A page of seen devices without rights needs none (`isNeeded`). */
function ctesOf(driver: Driver, isNeeded: SQL, counted = isOpen): SQL[] {
  const devices = sql`SELECT DISTINCT id, id FROM (${CANDIDATES[driver](counted)}) ORDER BY id
    LIMIT iif(${ARE_SEEN[driver]}, ${limit}, -1)`;
  // Null if the actor does not see the role, otherwise whether they manage its devices.
  const managesDevices = (on: Value) => (memberships: SQL, acting: Acting, reached: SQL): SQL =>
    sql`(SELECT max(${managesDevicesOf(acting, on)}) FROM ${memberships} WHERE ${reached})`;
  const valueOf = (on: SQL, fromMemberships: SQL): SQL =>
    sql`2 * ${isBelowAncestors(on)} + ${fromEitherSide(on, managesDevices(on), fromMemberships)}`;
  const rolesAtOnce = sql`max(10, ${ROLES_AT_ONCE} / max(1, ifnull(json_array_length(${ancestorIds}), 1)))`;
  const all = counted === isOpen ? {} : { counted: () => sql`true` };
  return [SEEN_ANCESTORS, watchesOf(devices, valueOf, { isNeeded, rolesAtOnce, ...all })];
}

/** Maximum number of bytes of properties that a statement compares with `:property`; of 15 kB each, 10 ms. */
const COMPARED_BYTES = 512 * 1024;

/**
 * Returns the devices that a page scans, as `sized` for FROM. `read` is their properties. `is_kept`: whether a device matches `:property`; null if so
 * many bytes are before it that it is left to the next statement.
 */
function sized(driver: Driver, columns: SQL, read: SQL): SQL {
  const properties = sql`judged.properties`;
  const isKept = sql`CASE WHEN ${property} IS NULL THEN true
        WHEN judged.read_bytes - octet_length(${properties}) < ${COMPARED_BYTES} THEN ${
    hasProperties(properties)
  } END`;
  return sql`(SELECT *, ${isKept} AS is_kept FROM (
      SELECT ${columns}, ${read} AS properties, sum(octet_length(${read})) OVER (ORDER BY ${device.id}) AS read_bytes
      FROM ${
    onPage(driver, isOpen)
  } CROSS JOIN ${device} ON ${device.id} = candidates.id LIMIT -1) judged LIMIT -1) sized`;
}

/** The last id that a page scans, if rows may follow it. */
const SCANNED_TO =
  sql`CASE WHEN count(*) > count(sized.is_kept) THEN max(sized.id) FILTER (WHERE sized.is_kept IS NOT NULL)
        WHEN count(*) = ${limit} THEN max(sized.id) ELSE (SELECT last_key FROM looked) END`;

function devicePage(driver: Driver) {
  const columns = {
    id: sql`sized.id`,
    externalId: sql`sized.external_id`,
    properties: sql`json(sized.properties)`,
    updatedAt: sql`sized.updated_at`,
    monitorManagement: isWatchedBy(MANAGES, sql`sized.id`),
  };
  const columnsOfDevice = sql`${device.id}, ${device.externalId}, ${device.updatedAt}`;
  const from = sql`(SELECT *, sum(iif(is_kept, octet_length(properties), 0)) OVER (ORDER BY id) AS bytes
    FROM ${sized(driver, columnsOfDevice, sql`${device.properties}`)}) sized`;
  return {
    columns,
    from,
    ctes: ctesOf(driver, sql`true`),
    bytes: sql`sized.bytes`,
    isKept: sql`sized.is_kept`,
    lookedTo: SCANNED_TO,
  };
}

/**
 * Returns a page of only the ids of the same devices, and their `lastUpdate` as in responses. SQLite formats it, in a
 * thread or on the server: on the event loop, that would take most of the time of a long list.
 */
function updatePage(driver: Driver) {
  const columns = {
    id: sql`sized.id`,
    lastUpdate: sql`strftime('%Y-%m-%dT%H:%M:%fZ', sized.updated_at / 1000.0, 'unixepoch')`,
  };
  // Without a filter by properties, these need not be read.
  const read = sql`iif(${property} IS NULL, NULL, ${device.properties})`;
  const from = sized(driver, sql`${device.id}, ${device.updatedAt}`, read);
  const ctes = ctesOf(driver, sql`NOT (${ARE_SEEN[driver]})`);
  return { columns, from, ctes, isKept: sql`sized.is_kept`, lookedTo: SCANNED_TO };
}

/** JSON: whether the actor sees the device, and `[from, until]` of the relations by which they read it. */
function readTimes(deviceId: Value): SQL {
  const watching = row(monitors, "watching");
  return sql`(SELECT json_array(max(${isOpen(watching)}),
      json_group_array(json_array(${watching.validFrom}, ${watching.validUntil}))) FROM ${watching}
    WHERE ${watching.deviceId} = ${deviceId}
      AND +${watching.roleId} IN (SELECT held.role_id FROM held WHERE value IS NOT NULL))`;
}

/** Of a device with larger properties, it is not told: a page has up to 1000 to parse. */
const MOST_PARSED_BYTES = 2048;

/**
 * JSON: what the device said that it measures when the last of the actor's periods ended. If it has changed since, the
 * trigger `device_series_kept` has kept that with the period.
 */
function seriesThen(
  { id, properties, updatedAt }: Pick<typeof device, "id" | "properties" | "updatedAt">,
): SQL {
  const last = row(monitors, "last");
  return sql`(SELECT coalesce(${last.series},
      CASE WHEN ${updatedAt} <= ${last.validUntil} AND octet_length(${properties}) <= ${MOST_PARSED_BYTES}
        THEN ${properties} -> '$.nodeInfluxSeries' END)
    FROM ${last} WHERE ${last.deviceId} = ${id} AND ${hasEnded(last)}
      AND +${last.roleId} IN (SELECT held.role_id FROM held WHERE value IS NOT NULL)
    ORDER BY ${last.validUntil} DESC LIMIT 1)`;
}

/**
 * Returns a page of the devices that the actor could see by a relation that has ended, and no longer by any. Of these, they
 * are told what they could read then: the nodeId, their periods, and where the points of these are.
 */
function endedPage(driver: Driver) {
  const from = sql`(SELECT *, times ->> 0 = 0 AS is_kept FROM (
      SELECT ${device.id}, ${device.nodeId}, ${readTimes(device.id)} AS times, ${seriesThen(device)} AS series
      FROM ${
    onPage(driver, hasEnded)
  } CROSS JOIN ${device} ON ${device.id} = candidates.id LIMIT -1) told LIMIT -1) sized`;
  return {
    columns: {
      id: sql`sized.id`,
      nodeId: sql`sized.node_id`,
      periods: sql`json(sized.times -> 1)`,
      series: sql`json(sized.series)`,
    },
    from,
    ctes: ctesOf(driver, sql`true`, hasEnded),
    isKept: sql`sized.is_kept`,
    lookedTo: SCANNED_TO,
  };
}

function pagesOf<const F extends Declared>(
  pageOf: (driver: Driver) => PageRows & { readonly lookedTo: SQL },
  filters: F,
  counted: Counted = isOpen,
) {
  const nextIds = (roleId: Value): SQL => {
    const next = row(monitors, "next");
    return sql`SELECT ${next.deviceId} FROM ${next}
      WHERE ${next.roleId} = ${roleId} AND ${next.deviceId} > ${afterId} AND ${counted(next)}
      ORDER BY ${next.deviceId}`;
  };
  const waysFrom = (roles: SQL, judges: boolean) => ({
    reach: whileSessionLives(filters, () => {
      const { ctes, unless } = startingFrom(roles, reached(row(monitors, "source"), counted), { judges });
      const page = pageOf("reach");
      return { ...page, ctes: [...ctes, ...page.ctes ?? []], unless };
    }),
    walk: whileSessionLives(filters, () => {
      const { ctes, end } = walking(device);
      const page = pageOf("walk");
      return { ...page, ctes: [...ctes, ...page.ctes ?? []], end };
    }),
  });
  return {
    id: whileSessionLives(
      { ids: text, nodeIds: LIST, externalIds: LIST, roleIds: LIST, ...filters },
      () => pageOf("id"),
    ),
    nodeId: whileSessionLives(
      { nodeIds: text, externalIds: LIST, roleIds: LIST, ...filters },
      () => pageOf("nodeId"),
    ),
    externalId: whileSessionLives({ externalIds: text, roleIds: LIST, ...filters }, () => {
      const { ctes = [], lookedTo, ...byExternalId } = pageOf("externalId");
      const scannedTo =
        sql`nullif(min(coalesce(${lookedTo}, ${MAX_ID}), (SELECT last_id FROM scanned)), ${MAX_ID})`;
      return { ...byExternalId, ctes: [scannedByExternalId(), ...ctes], lookedTo: scannedTo };
    }),
    role: whileSessionLives({ roleIds: text, ...filters }, () => {
      const { ctes = [], ...byRole } = pageOf("role");
      const readable = (on: Value): SQL => sql`${isVisible(on)} AND ${isBelowAncestors(on)}`;
      return {
        ...byRole,
        ctes: [...stretchOf(roleIds, readable, nextIds), ...ctes],
        isPriced: true,
        end: END_OF_STRETCH,
      };
    }),
    ancestor: waysFrom(belowAncestors(), false),
    none: waysFrom(REACHED, true),
  } as const;
}

/** Pages of devices by the list that drives them. Their rows are `DeviceRow`s. */
export const DEVICE_PAGES = pagesOf(devicePage, OTHER_FILTERS);

/** Pages of devices that the actor can no longer see, since the relations have ended. Their rows are `EndedDeviceRow`s. */
export const ENDED_DEVICE_PAGES = pagesOf(endedPage, { ancestorIds: LIST }, hasEnded);

/** Pages of the same devices. Their rows have `id` and `lastUpdate`. */
export const DEVICE_UPDATE_PAGES = pagesOf(updatePage, OTHER_FILTERS);

const MONITORS_LISTS = { ids: LIST, roleIds: LIST, deviceIds: LIST };
const ofMonitors = placeholdersOf(MONITORS_LISTS);

const named = row(device, "named");
/** The nodeId of the device of a relation with a period, which a role that monitors it no longer does not see otherwise. */
function nodeIdOfPeriod(
  { deviceId, validFrom, validUntil }: Pick<typeof monitors, "deviceId" | "validFrom" | "validUntil">,
): SQL {
  return sql`CASE WHEN ${validFrom} IS NOT NULL OR ${validUntil} IS NOT NULL
    THEN (SELECT ${named.nodeId} FROM ${named} WHERE ${named.id} = ${deviceId}) END`;
}

const MONITORS: RoleOwnedRows<typeof monitors, typeof MONITORS_LISTS> = {
  table: monitors,
  declared: MONITORS_LISTS,
  roleOf: ({ roleId }) => roleId,
  readable: isVisible,
  isOwn: () => sql`false`,
  isOwnOnPage: isNone,
  filter: ({ id, roleId, deviceId }) =>
    sql`${inList(id, ofMonitors.ids)} AND ${inList(roleId, ofMonitors.roleIds)}
    AND ${inList(deviceId, ofMonitors.deviceIds)}`,
  columns: ({ id, roleId, deviceId, validFrom, validUntil }) => ({
    id,
    roleId,
    deviceId,
    validFrom,
    validUntil,
    nodeId: nodeIdOfPeriod({ deviceId, validFrom, validUntil }),
  }),
};

/** Pages of the monitors relations of roles that the actor sees. Their rows are `ListedMonitorsRow`s. */
export const MONITORS_PAGES = {
  id: pageByList(MONITORS, "ids", ({ id }) => id),
  device: pageByList(MONITORS, "deviceIds", ({ deviceId }) => deviceId),
  role: pageByRole(MONITORS, "roleIds"),
  none: reachPage(MONITORS),
} as const;
