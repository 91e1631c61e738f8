import fc from "fast-check";
import { createInfluxStore } from "../../src/telemetry/influx/influx_store.ts";
import type { StoreResult, TelemetryStore } from "../../src/telemetry/store.ts";
import type { DatabaseKind } from "../helpers/databases.ts";
import { hasInfluxd, sharedInfluxd } from "../helpers/influxd.ts";
import { canonicalTags, type StoreUnderTest } from "./telemetry_scene.ts";
import type { TestApp } from "../helpers/test_app.ts";

let databases = 0;

/** The InfluxDB store, each time with its own database in a server that all tests of the process share. */
export const INFLUX_AND_FILE: StoreUnderTest = onInflux("file", "InfluxDB, file");
export const INFLUX_AND_SQLD: StoreUnderTest = onInflux("remote", "InfluxDB, sqld");

/** The InfluxDB store on an empty database of a server. */
export function openInfluxStore(
  { database, deps: { clock, log } }: TestApp,
  { host, timeoutMs }: { readonly host: string; readonly timeoutMs?: number },
): TelemetryStore {
  databases += 1;
  return createInfluxStore({ url: `influxdb://${host}/test_${databases}`, database, clock, log, timeoutMs });
}

/** Any character, the first 256 most often. fast-check's `binary` takes seconds to create. */
export const anyCharacter: fc.Arbitrary<string> = fc.oneof(
  fc.integer({ min: 0, max: 0xff }),
  fc.integer({ min: 0x100, max: 0xd7ff }),
  fc.integer({ min: 0xe000, max: 0x10ffff }),
).map((code) => String.fromCodePoint(code));

/** A result with one series, whose rows are given as JSON texts. */
export function found(tags: Readonly<Record<string, string>>, ...rows: string[]): StoreResult {
  return { series: [{ tagsJson: canonicalTags(tags), rows: [rows.join(",")] }] };
}

function onInflux(kind: DatabaseKind, label: string): StoreUnderTest {
  return {
    label,
    kind,
    ignore: !hasInfluxd(),
    open: async (target) => openInfluxStore(target, { host: (await sharedInfluxd()).host }),
  };
}
