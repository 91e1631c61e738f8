import { ask, say, setting } from "./client.ts";

/**
 * Shows a day of every device that the caller may read: the mean of each hour, drawn as bars. Reads BASE_URL,
 * LOGIN_EMAIL and LOGIN_PASSWORD from the environment. The argument is the day (UTC, `2026-01-31`); by default
 * yesterday. The account must have no second factor. The property `nodeInfluxSeries` of a device says what it measures,
 * and where that is stored.
 */

const DAY_MS = 86_400_000;
const HOURS = 24;
const PAGE = 100;
const BARS = "▁▂▃▄▅▆▇█";

interface Device {
  readonly properties: {
    readonly nodeId: string;
    readonly name?: string;
    readonly nodeInfluxSeries?: readonly Measured[];
  };
}

interface Page {
  readonly device: readonly Device[];
  readonly nextCursor?: string | null;
}

/** What a device measures: the fields of a measurement, and its place. */
interface Measured {
  readonly database: string;
  readonly retentionPolicy: string;
  readonly measurement: string;
  readonly fields: readonly string[];
}

interface Result {
  readonly error?: string;
  /** One series per tag set; absent if there is no data. */
  readonly series?: readonly {
    readonly values: readonly (readonly [time: string, ...means: (number | null)[]])[];
  }[];
}

/** All devices, read page by page. */
async function readDevices(token: string): Promise<Device[]> {
  const devices: Device[] = [];
  let next: { cursor?: string } | undefined = {};
  while (next !== undefined) {
    const page: Page = await ask("POST", "/v1/device/query", { token, body: { limit: PAGE, ...next } });
    devices.push(...page.device);
    next = page.nextCursor ? { cursor: page.nextCursor } : undefined;
  }
  return devices;
}

/** Queries the means of the hours from `start` on (in milliseconds). Hours without data are absent from the result. */
function hourlyMeans(nodeId: string, measured: Measured, start: number): unknown {
  const { measurement, database, retentionPolicy, fields } = measured;
  return {
    select: fields.map((field) => ({ field, function: "mean" })),
    from: { measurement, database, retentionPolicy },
    where: {
      time: [{ operator: ">=", value: start }, { operator: "<", value: start + DAY_MS }],
      tags: { nodeId },
    },
    groupBy: { time: "1h" },
  };
}

/** A bar for each value, scaled from the smallest to the largest; a gap for a missing value. */
function draw(values: readonly (number | null)[]): string {
  const known = values.filter((value) => value !== null);
  const [least, greatest] = [Math.min(...known), Math.max(...known)];
  const bars = values.map((value) => {
    if (value === null) return " ";
    const height = greatest === least ? 0 : (value - least) / (greatest - least);
    return BARS[Math.round(height * (BARS.length - 1))];
  });
  return `${bars.join("")}  ${least.toFixed(2)} to ${greatest.toFixed(2)}`;
}

/** Shows each field of a device over the day. */
function show({ fields }: Measured, { error, series = [] }: Result): void {
  if (error !== undefined) return say(`  ${error}`);
  if (series.length === 0) return say("  No data on this day.");
  for (const { values } of series) {
    for (const [i, field] of fields.entries()) {
      const hours = Array<number | null>(HOURS).fill(null);
      for (const [time, ...means] of values) hours[new Date(time).getUTCHours()] = means[i] ?? null;
      say(`  ${field.padEnd(8)} ${draw(hours)}`);
    }
  }
}

const yesterday = new Date(Date.now() - DAY_MS).toISOString().slice(0, "2026-01-31".length);
const day = Deno.args[0] ?? yesterday;
const start = Date.parse(`${day}T00:00:00Z`);
if (Number.isNaN(start)) throw new Error("Give the day as 2026-01-31");

const login = { username: setting("LOGIN_EMAIL"), password: setting("LOGIN_PASSWORD") };
const refreshToken = await ask<string>("POST", "/auth/login", { body: login });
const token = await ask<string>("GET", "/auth/accesstoken", { token: refreshToken });

const devices = await readDevices(token);
const asked = devices.flatMap(({ properties: { nodeId, name = nodeId, nodeInfluxSeries = [] } }) =>
  nodeInfluxSeries.map((measured) => ({ nodeId, name, measured }))
);
say(`${devices.length} devices, ${asked.length} series: the hours of ${day}, from 0 to 23 (UTC).`);

// One call for all devices: up to 1000 queries. A malformed one does not affect the others. Results come in the same
// order.
const queries = asked.map(({ nodeId, measured }) => hourlyMeans(nodeId, measured, start));
const results = queries.length === 0
  ? []
  : await ask<Result[]>("POST", "/v1/telemetry/query", { token, body: queries });
for (const [i, { nodeId, name, measured }] of asked.entries()) {
  say(`${name} (${nodeId}), ${measured.measurement}`);
  show(measured, results[i] ?? {});
}

await ask("POST", "/auth/logout", { token: refreshToken });
