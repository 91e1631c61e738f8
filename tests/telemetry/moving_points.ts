import fc from "fast-check";
import type { Database } from "../../src/db/database.ts";
import { carryPoints } from "../../src/telemetry/carry/carry_service.ts";
import { createSqliteStore } from "../../src/telemetry/sqlite/sqlite_store.ts";
import type { TelemetryStore } from "../../src/telemetry/store.ts";
import { openTestPoints } from "../helpers/databases.ts";
import { LIBSQL_STORES, type StoreUnderTest, type Value } from "./telemetry_scene.ts";

/** Stores whose points move on while they are read, and what is written to them. */

export const MINUTE_NS = 60_000_000_000n;
export const FIELDS = ["watts", "volts", "note", "on"] as const;

const numbers = fc.oneof(
  fc.integer({ min: -1000, max: 1000 }),
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e6, max: 1e6 }),
);
export const VALUES: Readonly<Record<(typeof FIELDS)[number], fc.Arbitrary<Value>>> = {
  watts: numbers,
  volts: numbers,
  note: fc.string({ unit: "binary", maxLength: 80 }).map((text) => text.replaceAll("\0", "0").toWellFormed()),
  on: fc.boolean(),
};

/** Opens stores over the same points, or over `points`, which are those of such stores. */
export type OpenStores = (database: Database, clock: () => number, points?: Database) => Promise<
  { points: Database; stores: TelemetryStore[] } & AsyncDisposable
>;

/** The store with its usual limits and in the smallest steps: both over the same points. */
const inDatabase: OpenStores = (database, clock, points = database) =>
  Promise.resolve({
    points,
    stores: [
      createSqliteStore({ database: points, clock }),
      createSqliteStore({ database: points, clock, limits: { turnValues: 1, pieceValues: 2 } }),
    ],
    [Symbol.asyncDispose]: () => Promise.resolve(),
  });

const inFile: OpenStores = async (database, clock, given) => {
  const file = given === undefined ? await openTestPoints(database) : undefined;
  const points = given ?? file?.database as Database;
  return {
    points,
    stores: [createSqliteStore({ database, points, clock }), createSqliteStore({ database, points, clock })],
    [Symbol.asyncDispose]: async () => await file?.[Symbol.asyncDispose](),
  };
};

export const OPENED: readonly (readonly [StoreUnderTest, OpenStores])[] = [
  ...LIBSQL_STORES.map((under) => [under, inDatabase] as const),
  ...LIBSQL_STORES.filter(({ kind }) => kind === "file")
    .map((under) => [{ ...under, label: `points' file, ${under.label}` }, inFile] as const),
];

/** Runs a job on the points, which is told to stop after so many writes. */
export async function stopAfter(
  points: Database,
  writes: number,
  run: (points: Database, signal: AbortSignal) => Promise<unknown>,
): Promise<void> {
  const stop = new AbortController();
  let remaining = writes;
  const counting: Database = {
    ...points,
    write: (statements) => {
      if (--remaining <= 0) stop.abort();
      return points.write(statements);
    },
  };
  await run(counting, stop.signal);
}

/** Carries points over, and breaks off after so many writes. */
export async function carry(points: Database, clock: () => number, writes: number): Promise<void> {
  await stopAfter(points, writes, (counting, signal) => carryPoints({ points: counting, clock }, signal));
}
