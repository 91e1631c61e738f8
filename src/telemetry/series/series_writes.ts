import type { FieldKind, Point, SeriesWrite } from "../points/point.ts";
import { MAX_REQUEST_SERIES, PointError } from "../points/point_rules.ts";

interface TagSet {
  readonly nodeId: string;
  readonly tags: string;
  /** By measurement and field. */
  readonly byMeasurement: Map<string, Map<string, SeriesDraft>>;
}

interface SeriesDraft extends SeriesWrite {
  readonly values: Map<bigint, string>;
}

/**
 * Sorts points into series, in the order in which the request first names them. Of values of one series and time the
 * last one counts. Throws `PointError` for the first point that gives a field another kind than a point before, or that
 * has one series too many.
 */
export function groupPoints(points: readonly Point[]): SeriesWrite[] {
  const series: SeriesDraft[] = [];
  const tagSets = new Map<string, TagSet>();
  // The parsers let points share their tags, which spares most of them the text that the others are found by.
  const known = new Map<Point["tags"], TagSet>();
  for (const { line, measurement, tags, time, fields } of points) {
    let tagSet = known.get(tags);
    if (tagSet === undefined) {
      tagSet = findTagSet(tagSets, tags);
      known.set(tags, tagSet);
    }
    let byField = tagSet.byMeasurement.get(measurement);
    if (byField === undefined) tagSet.byMeasurement.set(measurement, byField = new Map());
    for (const [field, { kind, json }] of fields) {
      let draft = byField.get(field);
      if (draft === undefined) {
        if (series.length === MAX_REQUEST_SERIES) throw seriesError(line);
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
        series.push(draft);
      }
      if (draft.kind !== kind) throw kindError(line, draft.kind);
      draft.values.set(time, json);
    }
  }
  return series;
}

function findTagSet(tagSets: Map<string, TagSet>, tags: Point["tags"]): TagSet {
  const json = toTagsJson(tags);
  const found = tagSets.get(json);
  if (found !== undefined) return found;
  const nodeId = tags.get("nodeId");
  if (nodeId === undefined) throw new Error("A point without nodeId");
  const tagSet = { nodeId, tags: json, byMeasurement: new Map() };
  tagSets.set(json, tagSet);
  return tagSet;
}

/** JSON object whose keys are in order of their UTF-16 code units; not by way of an object, which orders digits first. */
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
