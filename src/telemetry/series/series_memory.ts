import type { Actor } from "../../core/actor.ts";
import type { Grant } from "../../device/grant_service.ts";
import type { Destination, FieldKind, SeriesWrite } from "../points/point.ts";

/** A series as an earlier write found it. */
export interface KnownSeries {
  readonly id: number;
  readonly kind: FieldKind;
  /** All grants of the writer for its device. */
  readonly grants: readonly Grant[];
  /** The revision at which these held. */
  revision: number;
}

/** What one writer knows of the series of a destination. */
export interface WriterMemory {
  /** Returns what is known of a series, if it has this kind. */
  find(series: SeriesWrite): KnownSeries | undefined;
  keep(series: SeriesWrite, known: KnownSeries): void;
}

/** Each series takes some 300 bytes. */
const MAX_SERIES_KNOWN = 250_000;

/**
 * Remembers the series and grants of a process's writes, so that a fleet's devices are not searched for each time. A
 * write that relies on it states the revision of rights, and the number of deleted series, as of the finding, and has
 * no effect if these have changed and its grants do not hold anew.
 */
export class SeriesMemory {
  /** By writer and series, in order of arrival. */
  readonly #known = new Map<string, KnownSeries>();
  /** The number of series deleted so far when these were found. */
  #deletedSeries = -1;

  constructor(readonly most: number = MAX_SERIES_KNOWN) {}

  get deletedSeries(): number {
    return this.#deletedSeries;
  }

  /** Forgets everything if series were deleted since, whose ids may be given again. */
  isAsOf(deletedSeries: number): void {
    if (deletedSeries !== this.#deletedSeries) this.#known.clear();
    this.#deletedSeries = deletedSeries;
  }

  /** Returns the memory of an actor's writes to a destination. */
  of({ userId }: Actor, { database, retentionPolicy, roleId }: Destination): WriterMemory {
    const writer = `\0${userId}\0${roleId ?? ""}\0${database}\0${retentionPolicy}`;
    const nameOf = ({ measurement, tags, field }: SeriesWrite): string =>
      `${tags}${measurement}\0${field}${writer}`;
    return {
      find: (series) => {
        const known = this.#known.get(nameOf(series));
        return known?.kind === series.kind ? known : undefined;
      },
      keep: (series, known) => {
        this.#known.set(ownCopy(nameOf(series)), known);
        if (this.#known.size <= this.most) return;
        const [oldest = ""] = this.#known.keys();
        this.#known.delete(oldest);
      },
    };
  }
}

/** Returns a copy of a text: a part of a request's text would keep the whole of it in memory. */
export function ownCopy(text: string): string {
  return JSON.parse(JSON.stringify(text)) as string;
}
