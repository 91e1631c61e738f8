import type { Actor } from "../../core/actor.ts";
import type { Clock } from "../../core/clock.ts";
import type { Database } from "../../db/database.ts";
import { bind, bindBatch } from "../../db/statement.ts";
import type { Cutoffs } from "../retention.ts";
import { bindCutoffs } from "./cutoff_parts.ts";
import {
  CLEAR_AGED,
  CLEAR_SERIES_BATCH,
  FORGET_SERIES,
  NEXT_AGED,
  REGISTER_SENDING,
  type RegisteredRow,
} from "./register_queries.ts";
import type { Destination, KnownSeries, SeriesWrite } from "../points/point.ts";
import { floorTime } from "../points/time.ts";
import { SeriesMemory, type WriterMemory } from "./series_memory.ts";
import { runWrite } from "./settled_write.ts";

const DAY_NS = 86_400_000_000_000n;

export interface RegisteredSeries {
  /** In the order of the request. */
  readonly ids: readonly number[];
  /** By nodeId. */
  readonly deviceIds: ReadonlyMap<string, number>;
  /** JSON list of `[id, id of the root that it counts to]` of the series that may be new. */
  readonly roots: string;
  /** To be called once the points are stored. Until then, further writes list these series as new. */
  noteStored(): void;
}

/** The series of points that are kept elsewhere: the database counts them and holds their kinds. */
export interface SeriesRegister {
  /** See `TelemetryStore.recall`. */
  recall(actor: Actor, destination: Destination): WriterMemory;
  /**
   * Authorizes a write and registers its series before the points are sent. Throws like `runWrite`.
   */
  register(
    actor: Actor,
    destination: Destination,
    series: readonly SeriesWrite[],
  ): Promise<RegisteredSeries>;
  /** Deletes the series of deleted devices, in batches. Stops early and returns false once `signal` is aborted. */
  forget(deviceIds: readonly number[], signal?: AbortSignal): Promise<boolean>;
  /** Deletes series whose points are all before their cutoffs, to the day. Stops early like `forget`. */
  deleteBefore(cutoffs: Cutoffs, signal?: AbortSignal): Promise<boolean>;
}

interface RegisterDeps {
  readonly database: Database;
  readonly clock: Clock;
  /** Maximum bytes of what is remembered of writes, about. */
  readonly memoryBytes?: number | undefined;
}

/** Creates the register in the service's own database. */
export function createSeriesRegister({ database, clock, memoryBytes }: RegisterDeps): SeriesRegister {
  const memory = new SeriesMemory(memoryBytes);
  return {
    recall: (actor, destination) => memory.of(actor, destination),

    async register(actor, destination, series) {
      const days = series.map(({ values }) => lastDay(values));
      let roots = "[]";
      const { grants, ids } = await runWrite({ database, clock, memory }, actor, {
        destination,
        series,
        bind: (ids) => ({
          statements: REGISTER_SENDING,
          args: { lastDays: JSON.stringify(listNewDays(series, ids, days)) },
        }),
        notice: (row: RegisteredRow) => {
          roots = row.roots;
        },
      });
      return {
        ids,
        roots,
        deviceIds: new Map(grants.map(({ nodeId, deviceId }) => [nodeId, deviceId])),
        noteStored(): void {
          for (const [n, { known }] of series.entries()) {
            const day = days[n] as number;
            if (known !== undefined && known.id === ids[n] && !isNoted(known, day)) known.lastDay = day;
          }
        },
      };
    },

    async forget(deviceIds, signal) {
      for (const deviceId of deviceIds) if (!await forgetSeries(database, deviceId, signal)) return false;
      return true;
    },

    async deleteBefore(cutoffs, signal) {
      const times = [cutoffs.others, ...cutoffs.named].map(({ time, hours = time }) => hours);
      const newest = times.reduce((before, time) => time > before ? time : before);
      const given = { day: dayOf(newest), ...bindCutoffs(cutoffs) };
      let [afterDay, afterId] = [Number.MIN_SAFE_INTEGER, 0];
      while (signal?.aborted !== true) {
        const page = await database.read(bind(NEXT_AGED, { ...given, afterDay, afterId }));
        const old = page.filter(({ isOld }) => isOld === 1)
          .map(({ id, lastDay, tagSetId }) => [id, lastDay, tagSetId]);
        if (old.length > 0) await database.write(bindBatch(CLEAR_AGED, { old: JSON.stringify(old) }));
        const last = page.at(-1);
        if (last === undefined || page.length < CLEAR_SERIES_BATCH) return true;
        ({ lastDay: afterDay, id: afterId } = last);
      }
      return false;
    },
  };
}

/** Deletes the series of a device, whose points are deleted. Stops early like `SeriesRegister.forget`. */
export async function forgetSeries(
  database: Database,
  deviceId: number,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const batch = bindBatch(FORGET_SERIES, { deviceId });
  for (let isForgotten = false; !isForgotten;) {
    if (signal?.aborted === true) return false;
    isForgotten = (await database.write(batch)).every((rows) => rows.length < CLEAR_SERIES_BATCH);
  }
  return true;
}

/** Returns `[id, day]` of the series whose days the database may not have noted. */
function listNewDays(
  series: readonly SeriesWrite[],
  ids: readonly number[],
  days: readonly number[],
): [id: number, day: number][] {
  const listed: [number, number][] = [];
  for (const [n, { known }] of series.entries()) {
    const [id, day] = [ids[n] as number, days[n] as number];
    if (known === undefined || known.id !== id || !isNoted(known, day)) listed.push([id, day]);
  }
  return listed;
}

function isNoted({ lastDay }: KnownSeries, day: number): boolean {
  return lastDay !== undefined && lastDay >= day;
}

function lastDay(values: SeriesWrite["values"]): number {
  let newest: bigint | undefined;
  for (const time of values.keys()) if (newest === undefined || time > newest) newest = time;
  return Number(dayOf(newest ?? 0n));
}

/** Returns the day of a time, counted from 1970, negative before. */
function dayOf(time: bigint): bigint {
  return floorTime(time, DAY_NS) / DAY_NS;
}
