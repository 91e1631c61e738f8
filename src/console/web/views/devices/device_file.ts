import type { ListContent } from "../../components/list_file.tsx";
import { type Cell, writeCsv } from "../../csv.ts";
import { readList } from "../../read_list.ts";
import { type DeviceFilter, loadDevices, MOST_DEVICES } from "./device.ts";

const COLUMNS = ["deviceId", "nodeId", "externalId", "roleIds", "roleNames", "lastUpdate"] as const;
/** Maximum number of properties with columns of their own. */
const MOST_PROPERTIES = 100;

/** Returns the name of the file, without its ending. */
export function nameOfDeviceFile({ roleId, isBelow = false }: DeviceFilter): string {
  return ["devices", ...roleId === undefined ? [] : [roleId], ...isBelow ? ["below"] : []].join("-");
}

/**
 * Loads the matching devices as a file for a spreadsheet, with the visible roles that monitor them now, and a column for
 * each property that is a text, a number or true or false.
 */
export async function readDeviceFile(
  filter: DeviceFilter,
  onLines: (lines: number) => void,
  signal: AbortSignal,
): Promise<ListContent> {
  const { items, hasMore } = await readList(
    (start) => loadDevices(filter, start, signal, MOST_DEVICES),
    onLines,
  );
  const named = items.flatMap(({ device: { properties } }) =>
    Object.keys(properties).filter((name) => name !== "nodeId" && cellOf(properties[name]) !== undefined)
  );
  const names = [...new Set(named)].slice(0, MOST_PROPERTIES);
  // Spaces separate the ids of roles, and semicolons their names, as in the file of access.
  const rows = items.map(({ device: { id, externalId, properties, lastUpdate }, roles }) => [
    id,
    properties.nodeId,
    externalId,
    roles.map((role) => role.id).join(" "),
    roles.map(({ name }) => name).join("; "),
    lastUpdate,
    ...names.map((name) => cellOf(properties[name])),
  ]);
  return { content: writeCsv([[...COLUMNS, ...names], ...rows]), hasMore };
}

function cellOf(value: unknown): Cell {
  if (typeof value === "boolean") return String(value);
  return typeof value === "string" || typeof value === "number" ? value : undefined;
}
