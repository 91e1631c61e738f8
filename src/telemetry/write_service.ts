import type { Actor } from "../core/actor.ts";
import { AppError } from "../core/errors.ts";
import type { Shares } from "../core/shares.ts";
import { LineFaults, nameLine } from "./body/line_faults.ts";
import { type PointsFormat, type PointsSize, readFaulty, readPoints } from "./body/read_points.ts";
import { costOfWrite, type WriteSize } from "./bucket/bucket.ts";
import type { Meter } from "./bucket/meter.ts";
import type { TelemetryDeps } from "./deps.ts";
import type { Destination, SeriesWrite } from "./points/point.ts";
import { type FindFault, PointsRefused } from "./points/points_refused.ts";

export interface WriteDeps extends TelemetryDeps {
  /** Limits concurrent writes of long texts, which take several times the memory once parsed. */
  readonly writeLimiter: Pick<Shares, "run">;
}

export interface WriteRequest {
  readonly destination: Destination;
  readonly format: PointsFormat;
  /** Whether lines that cannot be written are left out, so that the others are written. */
  readonly isPartial: boolean;
  /** Reads the body. Called after the write is admitted. */
  readonly readText: () => Promise<string>;
}

/**
 * Maximum characters of a text written without a turn, in a millisecond: a caller's 160 connections may all send one
 * at once.
 */
const SHORT_TEXT = 4096;

/**
 * Maximum times that a partial write leaves out further lines: for the device, the period, the kind and the number of
 * series, and where one hid another. Rights may change meanwhile, too.
 */
const ROUNDS = 8;

/**
 * Writes the points of a body: all or none, or those that can be written. Returns the lines that were left out. Every
 * request is charged, even a refused one, and a line that is left out as one that is written; so is reading the body more
 * than twice. Throws the errors of the meter, `readText`, `readPoints` and `TelemetryStore.write`, with the lines at fault.
 */
export async function writeTelemetry(
  deps: WriteDeps,
  actor: Actor,
  { destination, format: given, isPartial, readText }: WriteRequest,
  meter: Meter,
): Promise<LineFaults> {
  await meter.beginWrite();
  const text = await readText();
  const { recall } = deps.telemetryStore.recall(actor, destination);
  const format = { ...given, recall };

  /** Sorts out the lines that a refusal or an earlier one is about. */
  const sortOut = (findFaults: readonly FindFault[], faults: LineFaults, size?: PointsSize) =>
    readFaulty(text, format, {
      faults,
      findFault: (point) => findFirst(findFaults, (findFault) => findFault(point)),
      keepsOthers: isPartial,
    }, size);

  async function store(series: readonly SeriesWrite[]): Promise<void> {
    if (series.length > 0) await deps.telemetryStore.write(actor, destination, series);
    deps.metrics?.add("rolegrid.telemetry.points", series.length, { "rolegrid.direction": "written" });
  }

  async function writeAll(parsed: readonly SeriesWrite[]): Promise<LineFaults> {
    const faults = new LineFaults();
    try {
      await store(parsed);
      return faults;
    } catch (error) {
      if (!(error instanceof PointsRefused)) throw error;
      await sortOut([error.findFault], faults);
      throw withLines(error, faults, format.mediaType);
    }
  }

  async function writeSome(
    parsed: readonly SeriesWrite[],
    left: LineFaults,
    size: WriteSize & PointsSize,
  ): Promise<LineFaults> {
    let [good, faults, read] = [parsed, left, size];
    const findFaults: FindFault[] = [];
    for (let round = 1;; round++) {
      try {
        await store(good);
        return faults;
      } catch (error) {
        if (!(error instanceof PointsRefused)) throw error;
        if (round === ROUNDS) throw withLines(error, faults, format.mediaType);
        findFaults.push(error.findFault);
        if (round > 1) {
          const { characters, values } = read;
          read = { ...size, characters: characters + size.characters, values: values + size.values };
          await meter.spendUpTo(costOfWrite(read));
        }
        faults = new LineFaults();
        good = await sortOut(findFaults, faults);
      }
    }
  }

  async function write(): Promise<LineFaults> {
    const size = { characters: text.length, values: 0, knownSeries: 0, newSeries: 0 };
    const faults = new LineFaults();
    const reading = isPartial ? sortOut([], faults, size) : readPoints(text, format, size);
    const parsed = await reading.catch(async (error: unknown) => {
      await meter.spendUpTo(costOfWrite(size));
      throw error;
    });
    await meter.spendUpTo(costOfWrite(size));
    return isPartial ? await writeSome(parsed, faults, size) : await writeAll(parsed);
  }

  return text.length <= SHORT_TEXT ? await write() : await deps.writeLimiter.run(write);
}

/** Whose client sends: of this interface, or of a version of InfluxDB. */
export type ClientKind = "own" | "influx1" | "influx2";

/**
 * Returns the error that tells the sender which lines were left out, as InfluxDB does it. Its clients look for `partial
 * write`, those of 1.x in `error`, and those of 2.x expect a 422. They repeat nothing then.
 */
export function partialWrite(faults: LineFaults, mediaType: string, client: ClientKind): AppError {
  const named = faults.first.map((fault) => `${nameLine(fault)}: ${fault.message}`);
  const more = faults.count > named.length ? `; and ${faults.count - named.length} more lines` : "";
  const message = `partial write: ${named.join("; ")}${more} dropped=${faults.count}`;
  return new AppError(client === "influx2" ? "TELEMETRY_REFUSED" : "PARTIAL_WRITE", {
    message,
    extra: {
      ...(client === "influx1" ? { error: message } : {}),
      dropped: faults.count,
      details: faults.describe(mediaType),
    },
  });
}

/** Returns the error with its lines. */
function withLines(error: PointsRefused, faults: LineFaults, mediaType: string): AppError {
  const [first] = faults.first;
  // The points that were refused are in the body, unless their periods or kinds have changed meanwhile.
  if (first === undefined) return error;
  const message = error.code === "TELEMETRY_REFUSED" ? `${nameLine(first)}: ${first.message}` : undefined;
  return new AppError(error.code, {
    ...(message === undefined ? {} : { message }),
    acr: error.acr,
    extra: { details: faults.describe(mediaType) },
  });
}

function findFirst<T, R>(list: readonly T[], find: (item: T) => R | undefined): R | undefined {
  for (const item of list) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
