import { AppError } from "../../core/errors.ts";
import type { Database, Row } from "../../db/database.ts";
import { typedRows } from "../../db/rows.ts";
import { isTooLarge } from "../../db/sql_errors.ts";
import type { BoundStatement, SqlArgs } from "../../db/statement.ts";
import type { Destination, SeriesWrite } from "../points/point.ts";
import { bindList, tooLarge } from "./write_parts.ts";
import { MAX_SERIES, type WriteVerdictRow } from "./write_queries.ts";

/** The part of a write that both stores share: the database registers the series, whichever engine keeps the points. */

/**
 * Returns the parameters of `REGISTER_SERIES`. A tag set is listed once, however many fields it has. Throws
 * `TELEMETRY_REFUSED` if a list is larger than a server accepts.
 */
export async function describeSeries(
  destination: Destination,
  series: readonly SeriesWrite[],
): Promise<SqlArgs> {
  const nodeIds = new Set<string>();
  const tagSets = new Map<string, number>();
  const described = function* (): Generator<string> {
    for (const [n, { nodeId, measurement, tags, field, kind, line }] of series.entries()) {
      nodeIds.add(nodeId);
      const tagSet = JSON.stringify([nodeId, measurement, tags]).slice(1);
      const t = tagSets.get(tagSet) ?? tagSets.size;
      tagSets.set(tagSet, t);
      yield JSON.stringify([n, t, field, kind, line]);
    }
  };
  // First, because it finds the tag sets and devices.
  const list = await bindList("described", described());
  return {
    nodeIds: JSON.stringify([...nodeIds]),
    database: destination.database,
    retentionPolicy: destination.retentionPolicy,
    roleId: destination.roleId ?? null,
    ...list,
    ...await bindList("tagSets", Array.from(tagSets, ([tagSet, t]) => `[${t},${tagSet}`)),
  };
}

/**
 * Runs the batch of a write, which begins with `REGISTER_SERIES`, and returns its rows. Throws like `checkVerdict`, and
 * `TELEMETRY_REFUSED` if the batch is too large for the database.
 */
export async function runWrite(database: Database, batch: readonly BoundStatement[]): Promise<Row[][]> {
  const results = await writeOrRefuse(database, batch);
  checkVerdict(typedRows<WriteVerdictRow>(results[0])[0]);
  return results;
}

async function writeOrRefuse(database: Database, batch: readonly BoundStatement[]): Promise<Row[][]> {
  try {
    return await database.write(batch);
  } catch (error) {
    throw isTooLarge(error) ? tooLarge("The request is too large for the database", error) : error;
  }
}

/** Throws `TOKEN_INVALID`, `FORBIDDEN` or `TELEMETRY_REFUSED` unless the write was accepted. */
function checkVerdict(verdict: WriteVerdictRow | undefined): void {
  if (verdict === undefined) throw new AppError("TOKEN_INVALID");
  if (verdict.isForeign) throw new AppError("FORBIDDEN");
  if (verdict.line !== null) {
    const message =
      `Line ${verdict.line} (in JSON: point ${verdict.line}, counted from 1): the field already has the type ${verdict.kind}`;
    throw new AppError("TELEMETRY_REFUSED", { message });
  }
  if (verdict.isCrowded) {
    const message = `A device can have at most ${MAX_SERIES} series (combinations of tag set and field)`;
    throw new AppError("TELEMETRY_REFUSED", { message });
  }
}
