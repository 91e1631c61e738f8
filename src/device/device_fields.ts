import type { Device } from "./device_service.ts";

/** A device with the fields that a request named. */
export type DeviceFields = Pick<Device, "id"> & Partial<Device>;

const OWN_FIELDS: ReadonlySet<string> = new Set([
  "id",
  "externalId",
  "lastUpdate",
  "properties",
  "userRights",
]);

/**
 * Picks the named fields of a device, and always the id. Any other name is that of a property. If only properties are
 * named, the other fields are returned, too; without names, all are.
 */
export function pickFields(names: readonly string[] = []): (device: Device) => DeviceFields {
  if (names.length === 0) return (device) => device;
  const own = new Set(names.filter((name) => OWN_FIELDS.has(name)));
  const inner = new Set(names.filter((name) => !OWN_FIELDS.has(name)));
  const has = (name: string): boolean => own.size === 0 || own.has(name);
  return ({ id, externalId, properties, lastUpdate, userRights }) => ({
    id,
    ...(externalId !== undefined && has("externalId") ? { externalId } : {}),
    ...(own.has("properties")
      ? { properties }
      : inner.size > 0
      ? { properties: pick(properties, inner) }
      : {}),
    ...(has("lastUpdate") ? { lastUpdate } : {}),
    ...(has("userRights") ? { userRights } : {}),
  });
}

/** Walks the properties rather than the names, which may be many more. */
function pick(properties: Device["properties"], names: ReadonlySet<string>): Device["properties"] {
  return Object.fromEntries(Object.entries(properties).filter(([name]) => names.has(name)));
}
