import { queryDevices } from "./ask_lists.ts";
import type { components } from "./openapi_types.ts";

/** What is known of every device, also of one that the viewer no longer sees. */
export type Described = Pick<components["schemas"]["Device"], "id" | "properties">;

/** Maximum characters shown of a name or type. A property can have 16 KiB. */
export const SHOWN = 300;

/** Returns the name in the device's properties, or else its nodeId. */
export function nameOf({ properties }: Described): string {
  return textOf(properties["name"]) ?? properties.nodeId;
}

/** Loads the names of up to `limit` of these devices that the viewer sees, by id. */
export async function loadDeviceNames(
  ids: readonly number[],
  signal: AbortSignal,
  limit?: number,
): Promise<ReadonlyMap<number, string>> {
  if (ids.length === 0) return new Map();
  const filter = { id: [...new Set(ids)] };
  const fields = ["nodeId", "name"];
  const { device } = await queryDevices({ filter, fields, ...limit !== undefined && { limit } }, signal);
  return new Map(
    device.map((each) => [each.id, nameOf({ ...each, properties: { nodeId: "", ...each.properties } })]),
  );
}

/** Returns the text of a property, as far as it is shown; undefined for other values. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? shorten(value) : undefined;
}

/** Returns the beginning of a long text. */
export function shorten(text: string): string {
  const characters = [...text];
  return characters.length > SHOWN ? `${characters.slice(0, SHOWN).join("")}…` : text;
}
