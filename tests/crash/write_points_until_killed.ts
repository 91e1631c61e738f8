/**
 * Writes points of two devices to a points' file until it is killed, eight requests at a time: `write_points_until_killed.ts
 * ORDER`, where ORDER is JSON. Prints the time of each request as soon as it is acknowledged.
 */
import type { Actor } from "../../src/core/actor.ts";
import { openDatabase } from "../../src/db/open_database.ts";
import { createFileStore } from "../../src/telemetry/file/file_store.ts";
import { openPointsFile } from "../../src/telemetry/file/points_file.ts";
import { NAMESPACE, series } from "../telemetry/telemetry_scene.ts";

export interface PointsOrder {
  readonly url: string;
  readonly pointsUrl: string;
  readonly actor: Actor;
  readonly now: number;
  /** The time of the first request; those that follow count up. */
  readonly begin: number;
}

/** The points of one request, all at its time: of each device a series that all share, and one of its own. */
export function pointsOf(time: number): ReturnType<typeof series>[] {
  const values = new Map([[BigInt(time), time]]);
  return ["left", "right"].flatMap((nodeId) => [
    series({ nodeId }, values),
    series({ nodeId, field: `request ${time}` }, values),
  ]);
}

async function writeUntilKilled({ url, pointsUrl, actor, now, begin }: PointsOrder): Promise<void> {
  const encoder = new TextEncoder();
  const database = await openDatabase(url, { timeoutMs: 60_000 });
  const points = await openPointsFile(pointsUrl, { database, timeoutMs: 60_000 });
  if (points === undefined) throw new Error(`${pointsUrl} is no file`);
  const store = createFileStore({ database, points, clock: () => now });
  let next = begin;
  const lane = async (): Promise<void> => {
    for (;;) {
      const time = next++;
      await store.write(actor, NAMESPACE, pointsOf(time));
      Deno.stdout.writeSync(encoder.encode(`${time}\n`));
    }
  };
  await Promise.all(Array.from({ length: 8 }, lane));
}

if (import.meta.main) await writeUntilKilled(JSON.parse(Deno.args[0] ?? "{}") as PointsOrder);
