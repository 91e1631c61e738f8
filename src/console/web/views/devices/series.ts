import type { Device } from "./device.ts";

/** A field that a device measures, and where its values are stored. */
export interface Series {
  readonly database: string;
  readonly retentionPolicy: string | undefined;
  readonly measurement: string;
  readonly field: string;
  readonly tags: Readonly<Record<string, string>>;
}

interface SeriesOfDevice {
  readonly series: readonly Series[];
  /** Entries of the property that are written in another way. */
  readonly unreadable: number;
}

/** Characters of a name of the store. */
const NAME = 256;
const TAG = 1024;

/** The series that the device's property `nodeInfluxSeries` lists. Whoever changes the device can write anything there. */
export function seriesOf({ properties }: Device): SeriesOfDevice {
  const { nodeId, nodeInfluxSeries } = properties;
  const entries = Array.isArray(nodeInfluxSeries) ? nodeInfluxSeries : [];
  const read = entries.map((entry) => readEntry(entry, nodeId));
  return {
    series: read.flatMap((found) => found ?? []),
    unreadable: read.filter((found) => found === undefined).length,
  };
}

/** The series of one entry; undefined if it is not written as integrations expect it. */
function readEntry(entry: unknown, nodeId: string): Series[] | undefined {
  if (!isObject(entry)) return undefined;
  const { database, retentionPolicy, measurement, fields, tags } = entry;
  if (!isText(database, NAME) || !isText(measurement, NAME)) return undefined;
  if (retentionPolicy !== undefined && !isText(retentionPolicy, NAME)) return undefined;
  if (!Array.isArray(fields) || !fields.every((field) => isText(field, NAME))) return undefined;
  const given = Object.entries(isObject(tags) ? tags : {});
  if (!given.every(([, value]) => isText(value, TAG))) return undefined;
  // A device shows what it measured itself, whatever it claims.
  const own = { ...Object.fromEntries(given) as Record<string, string>, nodeId };
  return fields.map((field) => ({ database, retentionPolicy, measurement, field, tags: own }));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isText(value: unknown, longest: number): value is string {
  return typeof value === "string" && value !== "" && value.length <= longest;
}
