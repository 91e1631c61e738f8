import type { Actor } from "../../core/actor.ts";
import { AppError, LoggableError } from "../../core/errors.ts";
import type { Row } from "../../db/database.ts";
import { typedRows } from "../../db/rows.ts";
import { isTooLarge, unavailable } from "../../db/sql_errors.ts";
import { bindBatch, type SqlArgs, type Statement } from "../../db/statement.ts";
import type { GrantDeps } from "../../device/grant_service.ts";
import { findGrants, toGrantsJson } from "../../device/grant_service.ts";
import type { Destination, SeriesWrite } from "../points/point.ts";
import { bindList, tooLarge } from "./write_parts.ts";
import { MAX_SERIES, type WriteVerdictRow } from "./write_queries.ts";

/** The part of a write that both stores share: the database registers the series, whichever engine keeps the points. */

/** Maximum number of times that a write is authorized anew because rights have changed since. */
const ATTEMPTS = 3;

/**
 * Returns the parameters of `REGISTER_SERIES` but the grants. A tag set is listed once, however many fields it has.
 * Throws `TELEMETRY_REFUSED` if a list is larger than a server accepts.
 */
async function describeSeries(destination: Destination, series: readonly SeriesWrite[]): Promise<SqlArgs> {
  const tagSets = new Map<string, number>();
  const described = function* (): Generator<string> {
    for (const [n, { nodeId, measurement, tags, field, kind, line }] of series.entries()) {
      const tagSet = JSON.stringify([nodeId, measurement, tags]).slice(1);
      const t = tagSets.get(tagSet) ?? tagSets.size;
      tagSets.set(tagSet, t);
      yield JSON.stringify([n, t, field, kind, line]);
    }
  };
  // First, because it finds the tag sets and devices.
  const list = await bindList("described", described());
  return {
    database: destination.database,
    retentionPolicy: destination.retentionPolicy,
    belowId: destination.roleId ?? null,
    ...list,
    ...await bindList("tagSets", Array.from(tagSets, ([tagSet, t]) => `[${t},${tagSet}`)),
  };
}

/** A write, and the statements that its batch needs besides the series. */
export interface SeriesRegistration {
  readonly destination: Destination;
  readonly series: readonly SeriesWrite[];
  /** Begins with `REGISTER_SERIES`. */
  readonly statements: readonly Statement[];
  readonly more: SqlArgs;
}

/**
 * Authorizes a write and runs its batch, and returns the rows of that. Throws `TOKEN_INVALID`, `FORBIDDEN`,
 * `TELEMETRY_REFUSED`, also if the batch is too large for the database, and `UNAVAILABLE` if rights change all the
 * time.
 */
export async function runWrite(
  deps: GrantDeps,
  actor: Actor,
  { destination, series, statements, more }: SeriesRegistration,
): Promise<Row[][]> {
  const nodeIds = new Set(series.map(({ nodeId }) => nodeId));
  const described = await describeSeries(destination, series);
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const asked = { kind: "write", nodeIds, belowId: destination.roleId } as const;
    const grants = await refuseTooLarge(findGrants(deps, actor, asked));
    if (grants.length < nodeIds.size) throw new AppError("FORBIDDEN");
    const args = {
      actorId: actor.userId,
      sessionId: actor.sessionId,
      now: deps.clock(),
      ...described,
      ...more,
    };
    const batch = bindBatch(statements, { ...args, grants: toGrantsJson(grants) });
    const results = await refuseTooLarge(deps.database.write(batch));
    if (isWritten(typedRows<WriteVerdictRow>(results[0])[0])) return results;
  }
  throw unavailable(
    new LoggableError("The rights of a write have changed each time since it was authorized"),
  );
}

async function refuseTooLarge<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw isTooLarge(error) ? tooLarge("The request is too large for the database", error) : error;
  }
}

/**
 * Whether the write took place: not if a grant is void. Throws `TOKEN_INVALID`, and `TELEMETRY_REFUSED` for its data.
 */
function isWritten(verdict: WriteVerdictRow | undefined): boolean {
  if (verdict === undefined) throw new AppError("TOKEN_INVALID");
  if (verdict.lacksGrant) return false;
  if (verdict.line !== null) {
    const message =
      `Line ${verdict.line} (in JSON: point ${verdict.line}, counted from 1): the field already has the type ${verdict.kind}`;
    throw new AppError("TELEMETRY_REFUSED", { message });
  }
  if (verdict.isCrowded) {
    const message = `A device can have at most ${MAX_SERIES} series (combinations of tag set and field)`;
    throw new AppError("TELEMETRY_REFUSED", { message });
  }
  return true;
}
