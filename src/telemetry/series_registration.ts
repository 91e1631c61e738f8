import { AppError } from "../core/errors.ts";
import type { SqlArgs } from "../db/statement.ts";
import type { Namespace, SeriesWrite } from "./point.ts";
import { MAX_SERIES, type WriteVerdictRow } from "./write_queries.ts";

/** What both stores do alike when series are written: the database knows them, whichever engine keeps the points. */

/** Parameters of `REGISTER_SERIES`. A tag set is named once, however many fields it has. */
export function describeSeries(namespace: Namespace, series: readonly SeriesWrite[]): SqlArgs {
  const nodeIds = new Set<string>();
  const tagSets = new Map<string, number>();
  const described = series.map(({ nodeId, measurement, tags, field, kind, line }) => {
    nodeIds.add(nodeId);
    const tagSet = JSON.stringify([nodeId, measurement, tags]);
    const known = tagSets.get(tagSet);
    if (known === undefined) tagSets.set(tagSet, tagSets.size);
    return [known ?? tagSets.size - 1, field, kind, line];
  });
  return {
    nodeIds: JSON.stringify([...nodeIds]),
    database: namespace.database,
    retentionPolicy: namespace.retentionPolicy,
    tagSets: `[${[...tagSets.keys()].join(",")}]`,
    described: JSON.stringify(described),
  };
}

/** Throws what a verdict says: `TOKEN_INVALID`, `FORBIDDEN`, `TELEMETRY_REFUSED`. */
export function checkVerdict(verdict: WriteVerdictRow | undefined): void {
  if (verdict === undefined) throw new AppError("TOKEN_INVALID");
  if (verdict.isForeign) throw new AppError("FORBIDDEN");
  if (verdict.line !== null) {
    const message =
      `Line ${verdict.line} (of JSON: point ${verdict.line}, from 1): the field was written as a ${verdict.kind} before`;
    throw new AppError("TELEMETRY_REFUSED", { message });
  }
  if (verdict.isCrowded) {
    const message = `A device can have ${MAX_SERIES} series (tag sets times fields) at most`;
    throw new AppError("TELEMETRY_REFUSED", { message });
  }
}
