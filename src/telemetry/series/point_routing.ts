import { AppError } from "../../core/errors.ts";
import type { SqlArgs, Statement } from "../../db/statement.ts";
import type { SeriesWrite } from "../points/point.ts";
import { HOUR_NS } from "../points/slots.ts";
import { MAX_RECENT, type NoticedRow, type OpenHours, type PointWrites } from "./point_write_queries.ts";
import { bindRecent, bindValues, type SeriesValues } from "./write_parts.ts";

/** Longer values lie better in `point`: a read takes all recent ones of a series at once. */
const MAX_RECENT_VALUE = 64;

/** Maximum recent points of a write: with full slots they hold the lock four times as long as those in `point`. */
const MAX_RECENTS = 20_000;

/** The statements of a write, and their arguments about points. */
export interface RoutedWrite {
  readonly statements: readonly Statement[];
  readonly args: SqlArgs;
}

/** Decides where the points of writes go: those of a fleet to the recent ones. */
export class PointRouter {
  readonly #writes: PointWrites;
  #open: OpenHours = { openFrom: -1, openUntil: -1 };

  readonly #mostBytes: number | undefined;

  /** `mostBytes`: maximum bytes of a root's points; undefined without a limit. */
  constructor(writes: PointWrites, mostBytes?: number) {
    this.#writes = writes;
    this.#mostBytes = mostBytes;
  }

  /**
   * Takes what a write returned about the hours that take recent points. Throws `TELEMETRY_STORE_FULL` if it was refused
   * for that.
   */
  notice({ openFrom, openUntil, accepted, isFull }: NoticedRow): void {
    this.#open = { openFrom, openUntil };
    if (accepted === 0 && isFull === 1) throw new AppError("TELEMETRY_STORE_FULL");
  }

  /** Returns the statements for the values of series, whose ids are in the same order. Throws like `bindList`. */
  async route(series: readonly SeriesWrite[], ids: readonly number[]): Promise<RoutedWrite> {
    const recent: SeriesValues[] = [];
    const others: SeriesValues[] = [];
    let recents = 0;
    for (const [n, { values }] of series.entries()) {
      const id = ids[n] as number;
      if (recents + values.size <= MAX_RECENTS && this.#isRecent(values)) {
        recents += values.size;
        recent.push({ id, values });
      } else others.push({ id, values });
    }
    const { openFrom } = this.#open;
    const limit = this.#mostBytes === undefined
      ? { mostBytes: null, seriesIds: "[]" }
      : { mostBytes: this.#mostBytes, seriesIds: JSON.stringify(ids) };
    if (recent.length === 0) {
      return {
        statements: this.#writes.points,
        args: { ...limit, openFrom: -1, ...await bindValues(others) },
      };
    }
    const args = { ...limit, openFrom, recents, ...await bindRecent(recent) };
    if (others.length === 0) return { statements: this.#writes.recent, args };
    return { statements: this.#writes.both, args: { ...args, ...await bindValues(others) } };
  }

  /** Whether these are few short values, all in the open hours. */
  #isRecent(values: SeriesWrite["values"]): boolean {
    const { openFrom, openUntil } = this.#open;
    if (openFrom < 0 || values.size > MAX_RECENT) return false;
    const begin = BigInt(openFrom) * BigInt(HOUR_NS);
    const end = BigInt(openUntil + 1) * BigInt(HOUR_NS);
    for (const [time, value] of values) {
      if (time < begin || time >= end || value.length > MAX_RECENT_VALUE) return false;
    }
    return true;
  }
}
