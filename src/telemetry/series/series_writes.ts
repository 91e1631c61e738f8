import type { FieldKind, Point, SeriesWrite } from "../points/point.ts";
import { MAX_REQUEST_SERIES, PointError } from "../points/point_rules.ts";

interface TagSet {
  readonly nodeId: string;
  readonly tags: string;
  /** By measurement, then by field. */
  readonly byMeasurement: Map<string, Map<string, SeriesDraft>>;
}

interface SeriesDraft extends SeriesWrite {
  readonly values: Map<bigint, string>;
}

/** Groups points into series. The last value for a series and time counts. */
export class PointGroups {
  readonly #series: SeriesDraft[] = [];
  readonly #tagSets = new Map<string, TagSet>();
  /** By the `tags` that parsers share between points: most points find their tag set without its JSON text. */
  readonly #known = new Map<Point["tags"], TagSet>();

  /** The series so far, in order of first occurrence. */
  get series(): readonly SeriesWrite[] {
    return this.#series;
  }

  /**
   * Adds a point. Throws `PointError` if a field's kind differs from an earlier point's, or beyond
   * `MAX_REQUEST_SERIES`.
   */
  add({ line, measurement, tags, time, fields }: Point): void {
    let tagSet = this.#known.get(tags);
    if (tagSet === undefined) {
      tagSet = findTagSet(this.#tagSets, tags);
      this.#known.set(tags, tagSet);
    }
    let byField = tagSet.byMeasurement.get(measurement);
    if (byField === undefined) tagSet.byMeasurement.set(measurement, byField = new Map());
    for (const [field, { kind, json }] of fields) {
      let draft = byField.get(field);
      if (draft === undefined) {
        if (this.#series.length === MAX_REQUEST_SERIES) throw seriesError(line);
        draft = {
          nodeId: tagSet.nodeId,
          measurement,
          tags: tagSet.tags,
          field,
          kind,
          line,
          values: new Map(),
        };
        byField.set(field, draft);
        this.#series.push(draft);
      }
      if (draft.kind !== kind) throw kindError(line, draft.kind);
      draft.values.set(time, json);
    }
  }
}

function findTagSet(tagSets: Map<string, TagSet>, tags: Point["tags"]): TagSet {
  const json = toTagsJson(tags);
  const found = tagSets.get(json);
  if (found !== undefined) return found;
  const nodeId = tags.get("nodeId");
  if (nodeId === undefined) throw new Error("A point has no nodeId");
  const tagSet = { nodeId, tags: json, byMeasurement: new Map() };
  tagSets.set(json, tagSet);
  return tagSet;
}

/**
 * Returns the tags as a JSON object with keys ordered by UTF-16 code units. Built by hand, because an object would
 * put integer-like keys first.
 */
function toTagsJson(tags: Point["tags"]): string {
  const keys = [...tags.keys()].sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${JSON.stringify(tags.get(key))}`).join(",")}}`;
}

function seriesError(line: number): PointError {
  return new PointError(
    line,
    `Expected at most ${MAX_REQUEST_SERIES} series (combinations of tag set and field)`,
  );
}

function kindError(line: number, kind: FieldKind): PointError {
  return new PointError(line, `Expected the field to have the type of an earlier point (${kind})`);
}
