import {
  type FieldKind,
  findKnown,
  type KnownSeries,
  nodeIdOf,
  type Point,
  type SeriesKey,
  type SeriesWrite,
} from "../points/point.ts";
import { MAX_REQUEST_SERIES, PointError, RequestLimitError } from "../points/point_rules.ts";
import type { FindFault } from "../points/points_refused.ts";

interface TagSet {
  readonly nodeId: string;
  readonly tags: string;
  /** By measurement, then by field. */
  readonly byMeasurement: Map<string, Map<string, SeriesDraft>>;
}

interface SeriesDraft extends SeriesWrite {
  readonly values: Map<bigint, string>;
}

/** A known series, whose tags are parsed only if needed. */
class KnownDraft implements SeriesDraft {
  readonly values = new Map<bigint, string>();

  constructor(readonly key: SeriesKey, readonly known: KnownSeries, readonly line: number) {}

  get nodeId(): string {
    return nodeIdOf(this.key.tags);
  }

  get measurement(): string {
    return this.key.measurement;
  }

  get tags(): string {
    return toTagsJson(this.key.tags);
  }

  get text(): string {
    return this.key.text;
  }

  get field(): string {
    return this.known.field;
  }

  get kind(): FieldKind {
    return this.known.kind;
  }
}

/**
 * Groups points into series. The last value for a series and time counts. As long as all series are known, tags remain
 * unparsed.
 */
export class PointGroups {
  readonly #series: SeriesDraft[] = [];
  /** By id: a known series may have several texts. Undefined since the first point of another. */
  #known: Map<number, KnownDraft> | undefined = new Map();
  readonly #tagSets = new Map<string, TagSet>();
  readonly #tagSetsByKey = new Map<SeriesKey, TagSet>();

  /** The series so far, in order of first occurrence. */
  get series(): readonly SeriesWrite[] {
    return this.#series;
  }

  /**
   * Adds a point. Throws `PointError` if a field's kind differs from an earlier point's, and `RequestLimitError` beyond
   * `MAX_REQUEST_SERIES`.
   */
  add(point: Point): void {
    const { line, time, fields } = point;
    const byField = this.#draftsOf(point);
    for (const [field, { kind, json }] of fields) {
      const draft = byField === undefined
        ? this.#knownDraft(point, field)
        : byField.get(field) ?? this.#newDraft(byField, point, { field, kind });
      if (draft.kind !== kind) throw new PointError(line, kindRule(draft.kind));
      draft.values.set(time, json);
    }
  }

  /** Returns the message of the `PointError` that `add` would throw: by then, it may have added other fields. */
  findFault(point: Point): string | undefined {
    const byField = this.#draftsOf(point);
    if (byField === undefined) return undefined;
    for (const [field, { kind }] of point.fields) {
      const draft = byField.get(field);
      if (draft !== undefined && draft.kind !== kind) return kindRule(draft.kind);
    }
    return undefined;
  }

  /** Returns the drafts of the point's measurement and tags; undefined as long as all series are known. */
  #draftsOf(point: Point): Map<string, SeriesDraft> | undefined {
    if (this.#known !== undefined && !isKnown(point)) {
      for (const draft of this.#known.values()) this.#fieldsOf(draft.key).set(draft.field, draft);
      this.#known = undefined;
    }
    return this.#known === undefined ? this.#fieldsOf(point.key) : undefined;
  }

  #knownDraft({ line, key }: Point, field: string): SeriesDraft {
    const known = findKnown(key.known, field) as KnownSeries;
    let draft = this.#known?.get(known.id);
    if (draft === undefined) {
      draft = new KnownDraft(key, known, line);
      this.#known?.set(known.id, draft);
      this.#push(draft);
    }
    return draft;
  }

  #newDraft(
    byField: Map<string, SeriesDraft>,
    { line, key }: Point,
    { field, kind }: Pick<SeriesWrite, "field" | "kind">,
  ): SeriesDraft {
    const { nodeId, tags } = this.#tagSetOf(key);
    const { measurement, text, known } = key;
    const draft = {
      nodeId,
      measurement,
      tags,
      field,
      kind,
      line,
      values: new Map<bigint, string>(),
      text,
      known: findKnown(known, field),
    };
    this.#push(draft);
    byField.set(field, draft);
    return draft;
  }

  #push(draft: SeriesDraft): void {
    if (this.#series.length === MAX_REQUEST_SERIES) throw seriesError(draft.line);
    this.#series.push(draft);
  }

  #fieldsOf(key: SeriesKey): Map<string, SeriesDraft> {
    const { byMeasurement } = this.#tagSetOf(key);
    let byField = byMeasurement.get(key.measurement);
    if (byField === undefined) byMeasurement.set(key.measurement, byField = new Map());
    return byField;
  }

  #tagSetOf(key: SeriesKey): TagSet {
    let tagSet = this.#tagSetsByKey.get(key);
    if (tagSet === undefined) {
      tagSet = findTagSet(this.#tagSets, key.tags);
      this.#tagSetsByKey.set(key, tagSet);
    }
    return tagSet;
  }
}

/** Whether all series of a point are known, with these kinds. */
function isKnown({ key, fields }: Point): boolean {
  if (key.known === undefined) return false;
  for (const [field, { kind }] of fields) if (findKnown(key.known, field)?.kind !== kind) return false;
  return true;
}

function findTagSet(tagSets: Map<string, TagSet>, tags: SeriesKey["tags"]): TagSet {
  const json = toTagsJson(tags);
  const found = tagSets.get(json);
  if (found !== undefined) return found;
  const tagSet = { nodeId: nodeIdOf(tags), tags: json, byMeasurement: new Map() };
  tagSets.set(json, tagSet);
  return tagSet;
}

/**
 * Returns the tags as a JSON object with keys ordered by UTF-16 code units. Built by hand, because an object would
 * put integer-like keys first.
 */
function toTagsJson(tags: SeriesKey["tags"]): string {
  const keys = [...tags.keys()].sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${JSON.stringify(tags.get(key))}`).join(",")}}`;
}

function seriesError(line: number): PointError {
  return new RequestLimitError(
    line,
    `Expected at most ${MAX_REQUEST_SERIES} series (combinations of tag set and field)`,
  );
}

function kindRule(kind: FieldKind): string {
  return `Expected the field to have the type of an earlier point (${kind})`;
}

/** What is wrong with values of a series: any of them, or those that have not the kind of the stored ones. */
export interface SeriesFault {
  readonly series: SeriesWrite;
  readonly message: string;
  readonly storedKind?: FieldKind;
}

/** Returns the function that finds the points with a value that is at fault. */
export function findFaultOf(faults: readonly SeriesFault[]): FindFault {
  const bySet = new Map<string, Map<string, SeriesFault>>();
  for (const fault of faults) {
    const { measurement, tags, field } = fault.series;
    const name = JSON.stringify([measurement, tags]);
    const byField = bySet.get(name) ?? new Map<string, SeriesFault>();
    bySet.set(name, byField.set(field, fault));
  }
  const byKey = new Map<SeriesKey, ReadonlyMap<string, SeriesFault> | undefined>();
  return ({ key, fields }) => {
    if (!byKey.has(key)) {
      byKey.set(key, bySet.get(JSON.stringify([key.measurement, toTagsJson(key.tags)])));
    }
    const byField = byKey.get(key);
    if (byField === undefined) return undefined;
    for (const [field, { kind }] of fields) {
      const fault = byField.get(field);
      if (fault !== undefined && fault.storedKind !== kind) return fault.message;
    }
    return undefined;
  };
}
