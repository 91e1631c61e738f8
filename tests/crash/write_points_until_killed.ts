/**
 * Writes points of two devices to a points' file, eight requests at a time, carries past hours over, and keeps summaries
 * of those of former processes in place of their points, until it is killed: `write_points_until_killed.ts ORDER`, where ORDER is JSON. Prints the number of each request as soon as it is
 * acknowledged.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { Actor } from "../../src/core/actor.ts";
import { openDatabase } from "../../src/db/open_database.ts";
import { createSqliteStore } from "../../src/telemetry/sqlite/sqlite_store.ts";
import { openPointsFile } from "../../src/telemetry/sqlite/points_file.ts";
import { HOUR_NS } from "../../src/telemetry/points/slots.ts";
import { hourOf } from "../../src/telemetry/points/time.ts";
import { KEEP_ALL } from "../../src/telemetry/retention.ts";
import { NAMESPACE, series } from "../telemetry/telemetry_scene.ts";

export interface PointsOrder {
  readonly url: string;
  readonly pointsUrl: string;
  readonly actor: Actor;
  /** The time at which it begins, in milliseconds. */
  readonly now: number;
  /** The number of the first request. */
  readonly first: number;
}

/** How fast its clock goes: an hour passes in about as long as it lives. */
const SPEED = 20_000;
const MS_NS = 1_000_000n;

/** The points of a request, with its number as their value: for each device, of a series that all share, and of one of its own. */
export function pointsOf(request: number, now: number): ReturnType<typeof series>[] {
  const values = new Map([[BigInt(now) * MS_NS + BigInt(request), request]]);
  return ["left", "right"].flatMap((nodeId) => [
    series({ nodeId }, values),
    series({ nodeId, field: fieldOf(request) }, values),
  ]);
}

export function fieldOf(request: number): string {
  return `request ${request}`;
}

async function writeUntilKilled({ url, pointsUrl, actor, now, first }: PointsOrder): Promise<void> {
  const encoder = new TextEncoder();
  const begun = performance.now();
  const clock = (): number => Math.floor(now + (performance.now() - begun) * SPEED);
  const database = await openDatabase(url, { timeoutMs: 60_000 });
  const points = await openPointsFile(pointsUrl, { database, timeoutMs: 60_000 });
  if (points === undefined) throw new Error(`${pointsUrl} is no file`);
  const store = createSqliteStore({ database, points, clock });
  let next = first;
  const write = async (): Promise<void> => {
    for (;;) {
      const request = next++;
      await store.write(actor, NAMESPACE, pointsOf(request, clock()));
      Deno.stdout.writeSync(encoder.encode(`${request}\n`));
    }
  };
  const carry = async (): Promise<void> => {
    for (;;) {
      await store.carry?.();
      await delay(1);
    }
  };
  const keep = async (): Promise<void> => {
    const time = BigInt(hourOf(BigInt(now) * MS_NS)) * BigInt(HOUR_NS);
    for (;;) {
      await store.deleteBefore({ others: { time, hours: KEEP_ALL }, named: [] });
      await delay(1);
    }
  };
  await Promise.all([carry(), keep(), ...Array.from({ length: 8 }, write)]);
}

if (import.meta.main) await writeUntilKilled(JSON.parse(Deno.args[0] ?? "{}") as PointsOrder);
