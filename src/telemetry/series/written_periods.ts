import { AppError } from "../../core/errors.ts";
import type { Grant } from "../../device/grant_service.ts";
import type { SeriesWrite } from "../points/point.ts";
import { msOf } from "../points/time.ts";

/** The grants that a write needs: its points must lie in the periods in which the actor may write for their devices. */

/** The least and the greatest time of some points, in whole milliseconds. */
interface Span {
  first: number;
  last: number;
  /** The line of the series with that point. */
  firstLine: number;
  lastLine: number;
}

/**
 * Returns one grant per device, or two where no period has all of its points. All grants are for the present, so two
 * periods have no gap between them. Each grant is limited to what it is needed for. Throws `TELEMETRY_REFUSED` for a
 * point outside of them.
 */
export function grantsToWrite(
  grants: ReadonlyMap<string, readonly Grant[]>,
  series: readonly SeriesWrite[],
): Grant[] {
  const limited = new Set<string>();
  const needed: Grant[] = [];
  for (const [nodeId, ofDevice] of grants) {
    const unlimited = ofDevice.find(({ from, until }) => from === null && until === null);
    if (unlimited === undefined) limited.add(nodeId);
    else needed.push(unlimited);
  }
  if (limited.size === 0) return needed;
  for (const [nodeId, span] of spansOf(series, limited)) {
    needed.push(...grantsFor(grants.get(nodeId) ?? [], span));
  }
  return needed;
}

function grantsFor(grants: readonly Grant[], { first, last, firstLine, lastLine }: Span): Grant[] {
  const beforeFirst = grants.filter(({ from }) => from === null || from <= first);
  const afterLast = grants.filter(({ until }) => until === null || last < until);
  const whole = beforeFirst.find((grant) => afterLast.includes(grant));
  if (whole !== undefined) return [{ ...whole, from: first, until: last + 1 }];
  const [early] = beforeFirst;
  const [late] = afterLast;
  if (early === undefined) throw outside(firstLine);
  if (late === undefined) throw outside(lastLine);
  return [{ ...early, from: first, until: first + 1 }, { ...late, from: last, until: last + 1 }];
}

function spansOf(series: readonly SeriesWrite[], nodeIds: ReadonlySet<string>): Map<string, Span> {
  const spans = new Map<string, Span>();
  for (const { nodeId, line, values } of series) {
    if (!nodeIds.has(nodeId)) continue;
    let span = spans.get(nodeId);
    if (span === undefined) {
      span = { first: Infinity, last: -Infinity, firstLine: line, lastLine: line };
      spans.set(nodeId, span);
    }
    for (const time of values.keys()) {
      const ms = msOf(time);
      if (ms < span.first) [span.first, span.firstLine] = [ms, line];
      if (ms > span.last) [span.last, span.lastLine] = [ms, line];
    }
  }
  return spans;
}

function outside(line: number): AppError {
  const message =
    `Line ${line} (in JSON: point ${line}, counted from 1), or a later one of the same series: ` +
    "its time is outside the period in which you may write for the device";
  return new AppError("TELEMETRY_REFUSED", { message });
}
