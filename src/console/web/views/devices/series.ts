import type { components } from "../../openapi_types.ts";

type Described = Pick<components["schemas"]["Device"], "properties">;

/** A measured field, and the place of its values. */
export interface Series {
  readonly database: string;
  readonly retentionPolicy: string | undefined;
  readonly measurement: string;
  readonly field: string;
  readonly tags: Readonly<Record<string, string>>;
  /** What the device calls the field, or else the field's name. */
  readonly name: string;
  /** The unit in the device's properties, if any. */
  readonly unit: string | undefined;
}

interface SeriesOfDevice {
  readonly series: readonly Series[];
  /** Number of entries in another form. */
  readonly unreadable: number;
}

/** Maximum characters of names and tags in the store. */
const NAME = 256;
const TAG = 1024;
/** Maximum characters of a unit. */
const UNIT = 16;

/**
 * Returns the series in the device's property `nodeInfluxSeries`, whose content is arbitrary. Beside the `fields` that
 * integrations read, an entry may have `names` and `units`: objects from a field to a text.
 */
export function seriesOf({ properties }: Described): SeriesOfDevice {
  const { nodeId, nodeInfluxSeries } = properties;
  const entries = Array.isArray(nodeInfluxSeries) ? nodeInfluxSeries : [];
  const read = entries.map((entry) => readEntry(entry, nodeId));
  return {
    series: read.flatMap((found) => found ?? []),
    unreadable: read.filter((found) => found === undefined).length,
  };
}

/** Reads the series of an entry; undefined if it has another form than integrations expect. */
function readEntry(entry: unknown, nodeId: string): Series[] | undefined {
  if (!isObject(entry)) return undefined;
  const { database, retentionPolicy, measurement, fields, tags, names, units } = entry;
  if (!isText(database, NAME) || !isText(measurement, NAME)) return undefined;
  if (retentionPolicy !== undefined && !isText(retentionPolicy, NAME)) return undefined;
  if (!Array.isArray(fields) || !fields.every((field) => isText(field, NAME))) return undefined;
  const given = Object.entries(isObject(tags) ? tags : {});
  if (!given.every(([, value]) => isText(value, TAG))) return undefined;
  // A device only shows its own measurements, whatever its tags claim.
  const own = { ...Object.fromEntries(given) as Record<string, string>, nodeId };
  return fields.map((field) => ({
    database,
    retentionPolicy,
    measurement,
    field,
    tags: own,
    name: readText(names, field, NAME) ?? field,
    unit: readText(units, field, UNIT),
  }));
}

/** Returns the text for a field; undefined without a fitting one. */
function readText(texts: unknown, field: string, longest: number): string | undefined {
  const text = isObject(texts) && Object.hasOwn(texts, field) ? texts[field] : undefined;
  return isText(text, longest) && text.trim() !== "" ? text : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isText(value: unknown, longest: number): value is string {
  return typeof value === "string" && value !== "" && value.length <= longest;
}
