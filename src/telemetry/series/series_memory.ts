import type { Actor } from "../../core/actor.ts";
import { type Destination, findKnown, type KnownSeries, type SeriesWrite } from "../points/point.ts";

/** What one writer knows of the series of a destination. */
export interface WriterMemory {
  /** Returns the first series of a text (`SeriesKey.text`), if any is known. */
  recall(text: string): KnownSeries | undefined;
  /** Keeps a series that a write has found. */
  keep(series: SeriesWrite, found: FoundSeries): void;
}

/** What a write found besides the field and its kind. */
type FoundSeries = Omit<KnownSeries, "field" | "kind" | "next">;

/** Estimated bytes of all that is remembered, by default: some 250,000 devices with short names. */
export const DEFAULT_MEMORY_BYTES = 100_000_000;

/** Estimated bytes of a series besides names: its own, and its share of those of its text and device. */
const SERIES_BYTES = 250;
/** Of a character of a name. */
const CHARACTER_BYTES = 2;

/** Maximum characters of a text. A series with the longest tags would take the memory of thirty others. */
const MAX_TEXT = 512;

/** Maximum series of a text, which are searched one by one. */
const MAX_SERIES_OF_TEXT = 64;

/**
 * Remembers the series and grants of a process's writes, so that a fleet's devices are not searched for each time. A
 * write that relies on it states the revision of rights, and the number of deleted series, as of the finding, and has
 * no effect if these have changed and its grants do not hold anew.
 */
export class SeriesMemory {
  /** The first series of each text by writer, the writer last asked for at the end. */
  readonly #writers = new Map<string, Map<string, KnownSeries>>();
  #bytes = 0;
  #deletedSeries = -1;

  /** @param maxBytes Of all that is remembered, about. */
  constructor(readonly maxBytes: number = DEFAULT_MEMORY_BYTES) {}

  /** The number of deleted series as of which the series were found. */
  get deletedSeries(): number {
    return this.#deletedSeries;
  }

  /** Forgets everything if more series were deleted than when it was found: it may have their ids. */
  isAsOf(deletedSeries: number): void {
    if (deletedSeries === this.#deletedSeries) return;
    this.#writers.clear();
    this.#bytes = 0;
    this.#deletedSeries = deletedSeries;
  }

  /** Returns the memory of an actor's writes to a destination. */
  of({ userId }: Actor, { database, retentionPolicy, roleId }: Destination): WriterMemory {
    const name = JSON.stringify([userId, roleId ?? null, database, retentionPolicy]);
    const writer = this.#writers.get(name);
    if (writer !== undefined) {
      this.#writers.delete(name);
      this.#writers.set(name, writer);
    }
    return {
      recall: (text) => this.#writers.get(name)?.get(text),
      keep: (series, found) => this.#keep(name, series, found),
    };
  }

  #keep(name: string, { text, field, kind }: SeriesWrite, found: FoundSeries): void {
    if (text === undefined || text.length > MAX_TEXT) return;
    let writer = this.#writers.get(name);
    if (writer === undefined) this.#writers.set(name, writer = new Map());
    const first = writer.get(text);
    const others = without(first, field);
    if (lengthOf(others) === MAX_SERIES_OF_TEXT) return;
    const kept = { ...found, field: ownCopy(field), kind, next: others };
    this.#bytes += bytesOf(text, kept) - bytesOf(text, first);
    writer.set(first === undefined ? ownCopy(text) : text, kept);
    if (this.#bytes > this.maxBytes) this.#forgetWriter();
  }

  /** Forgets the writer that was asked for longest ago. */
  #forgetWriter(): void {
    const [oldest] = this.#writers;
    if (oldest === undefined) return;
    const [name, writer] = oldest;
    this.#writers.delete(name);
    for (const [text, first] of writer) this.#bytes -= bytesOf(text, first);
  }
}

/** Returns the series of a text without that of a field: new ones, since a write may be reading these. */
function without(first: KnownSeries | undefined, field: string): KnownSeries | undefined {
  if (findKnown(first, field) === undefined) return first;
  let others: KnownSeries | undefined;
  for (let known = first; known !== undefined; known = known.next) {
    if (known.field !== field) others = { ...known, next: others };
  }
  return others;
}

function lengthOf(first: KnownSeries | undefined): number {
  let length = 0;
  for (let known = first; known !== undefined; known = known.next) length++;
  return length;
}

/** Returns the estimated bytes of the series of a text; 0 if there are none. */
function bytesOf(text: string, first: KnownSeries | undefined): number {
  if (first === undefined) return 0;
  let bytes = CHARACTER_BYTES * text.length;
  for (let known: KnownSeries | undefined = first; known !== undefined; known = known.next) {
    bytes += SERIES_BYTES + CHARACTER_BYTES * known.field.length;
  }
  return bytes;
}

/** Returns a copy of a text: a part of a request's text would keep the whole of it in memory. */
export function ownCopy(text: string): string {
  return JSON.parse(JSON.stringify(text)) as string;
}
