import type { Grant, Period } from "../../device/grant_service.ts";
import { nodeIdOf, type SeriesWrite } from "../points/point.ts";
import { type FindFault, PointsRefused } from "../points/points_refused.ts";
import { formatMs, formatTime, msOf } from "../points/time.ts";

/** The grants that a write needs: its points must lie in the periods in which the actor may write for their devices. */

/** The least and the greatest time of some points, in whole milliseconds. */
interface Span {
  first: number;
  last: number;
}

/** Maximum periods that an error names. */
const MAX_NAMED_PERIODS = 5;

/** The refusal of points outside of the periods of their devices. */
export class OutsidePeriods extends PointsRefused {
  constructor(line: number, readonly nodeIds: ReadonlySet<string>, findFault: FindFault) {
    const message =
      `Line ${line} (in JSON: point ${line}, counted from 1), or a later one of the same series: ` +
      "its time is outside the period in which you may write for the device";
    super("TELEMETRY_REFUSED", findFault, { message });
  }
}

/** Grants for periods that are over, by nodeId. */
export type PastGrants = ReadonlyMap<string, readonly PastGrant[]>;

/** With one for the present, of the same device and role of the actor. */
interface PastGrant {
  readonly past: Grant;
  readonly present: Grant;
}

/**
 * Returns one grant per device, or two where no period has all of its points; those of the present have no gap between
 * them. Points of an earlier period need a past grant, too. Each grant is limited to what it is needed for. Throws
 * `OutsidePeriods`.
 */
export function grantsToWrite(
  grants: ReadonlyMap<string, readonly Grant[]>,
  series: readonly SeriesWrite[],
  past: PastGrants = new Map(),
): Grant[] {
  const limited = new Set<string>();
  const needed: Grant[] = [];
  for (const [nodeId, ofDevice] of grants) {
    const unlimited = ofDevice.find(({ from, until }) => from === null && until === null);
    if (unlimited === undefined) limited.add(nodeId);
    else needed.push(unlimited);
  }
  if (limited.size === 0) return needed;
  const outside = new Map<string, Periods>();
  for (const [nodeId, span] of spansOf(series, limited)) {
    const present = grants.get(nodeId) ?? [];
    const found = grantsFor(present, span);
    if (found === undefined) outside.set(nodeId, { present, past: past.get(nodeId) ?? [] });
    else needed.push(...found);
  }
  return outside.size === 0 ? needed : [...needed, ...grantsOfPeriods(series, outside)];
}

/** The grants for a device: for open relations, and for those that are over. */
interface Periods {
  readonly present: readonly Grant[];
  readonly past: readonly PastGrant[];
}

/** Returns the past grants among those by relations of any period, which name each role by which the actor manages a device. */
export function pastAmong(all: ReadonlyMap<string, readonly Grant[]>, now: number): PastGrants {
  return new Map(Array.from(all, ([nodeId, ofNodeId]) => {
    const over = ofNodeId.filter(({ until }) => until !== null && until <= now);
    const found = over.flatMap((past) => {
      const present = ofNodeId.find((grant) =>
        grant.deviceId === past.deviceId && grant.actingId === past.actingId && covers(grant, now)
      );
      return present === undefined ? [] : [{ past, present }];
    });
    return [nodeId, found];
  }));
}

function covers({ from, until }: Period, ms: number): boolean {
  return (from === null || from <= ms) && (until === null || ms < until);
}

/** Returns the grants of the periods that some points fall into. Throws `OutsidePeriods` if some fall into none. */
function grantsOfPeriods(
  series: readonly SeriesWrite[],
  periods: ReadonlyMap<string, Periods>,
): Grant[] {
  const needed = new Map<Grant, Grant>();
  const outside = new Set<string>();
  let line: number | undefined;
  for (const one of series) {
    const ofDevice = periods.get(one.nodeId);
    if (ofDevice === undefined) continue;
    for (const time of one.values.keys()) {
      const ms = msOf(time);
      const open = ofDevice.present.find((grant) => covers(grant, ms));
      const over = open === undefined ? ofDevice.past.find(({ past }) => covers(past, ms)) : undefined;
      if (open !== undefined) needed.set(open, extended(needed.get(open) ?? open, needed.has(open), ms));
      else if (over === undefined) {
        outside.add(one.nodeId);
        line ??= one.line;
      } else {
        const { past, present } = over;
        needed.set(past, extended(needed.get(past) ?? { ...past, isPast: true }, needed.has(past), ms));
        // It only has to be open, whatever its times are.
        const at = present.from ?? present.until ?? ms;
        needed.set(present, { ...present, from: at, until: at });
      }
    }
  }
  if (line === undefined) return [...needed.values()];
  throw new OutsidePeriods(line, outside, ({ key, time }) => {
    const ofDevice = periods.get(nodeIdOf(key.tags));
    if (ofDevice === undefined) return undefined;
    const ms = msOf(time);
    const allowed = [...ofDevice.present, ...ofDevice.past.map(({ past }) => past)];
    return allowed.some((grant) => covers(grant, ms)) ? undefined : describeOutside(time, allowed);
  });
}

/** Returns the grant for a time, and for those that it had been needed for. */
function extended(grant: Grant, wasNeeded: boolean, ms: number): Grant {
  if (!wasNeeded) return { ...grant, from: ms, until: ms + 1 };
  return { ...grant, from: Math.min(ms, grant.from ?? ms), until: Math.max(ms + 1, grant.until ?? ms) };
}

/** Names the time of a point, and the periods that the writer has. */
function describeOutside(time: bigint, periods: readonly Period[]): string {
  const named = new Set(periods.map(({ from, until }) =>
    [
      ...(from === null ? [] : [`from ${formatMs(from)}`]),
      ...(until === null ? [] : [`until ${formatMs(until)}`]),
    ].join(" ")
  ));
  const isEarlier = periods.every(({ from }) => from !== null && msOf(time) < from);
  return `The time, ${formatTime(time)}, is outside the period in which you may write for the device ` +
    `(${[...named].slice(0, MAX_NAMED_PERIODS).join(", ")})` +
    (isEarlier
      ? ": a caller who manages the roles of both periods, as of a role above them, may write it"
      : "");
}

/** Returns the grants of the present for these times, or undefined if some times are outside of all. */
function grantsFor(grants: readonly Grant[], { first, last }: Span): Grant[] | undefined {
  const beforeFirst = grants.filter(({ from }) => from === null || from <= first);
  const afterLast = grants.filter(({ until }) => until === null || last < until);
  const whole = beforeFirst.find((grant) => afterLast.includes(grant));
  if (whole !== undefined) return [{ ...whole, from: first, until: last + 1 }];
  const [early] = beforeFirst;
  const [late] = afterLast;
  if (early === undefined || late === undefined) return undefined;
  return [{ ...early, from: first, until: first + 1 }, { ...late, from: last, until: last + 1 }];
}

function spansOf(series: readonly SeriesWrite[], nodeIds: ReadonlySet<string>): Map<string, Span> {
  const spans = new Map<string, Span>();
  for (const { nodeId, values } of series) {
    if (!nodeIds.has(nodeId)) continue;
    let span = spans.get(nodeId);
    if (span === undefined) spans.set(nodeId, span = { first: Infinity, last: -Infinity });
    for (const time of values.keys()) {
      const ms = msOf(time);
      if (ms < span.first) span.first = ms;
      if (ms > span.last) span.last = ms;
    }
  }
  return spans;
}
