/** Which part of a query's range the periods of the caller's roles make readable. */
import assert from "node:assert/strict";
import type { Grant } from "../../src/device/grant_service.ts";
import {
  grantsOfEach,
  type ReadableParts,
  ReadablePeriods,
} from "../../src/telemetry/collect/readable_periods.ts";
import { MAX_TIME, MIN_TIME } from "../../src/telemetry/points/time.ts";

const MS = 1_000_000n;

type Bounds = readonly [from: number | null, until: number | null, deviceId?: number];
type Part = readonly [from: bigint, to: bigint];

function grant([from, until, deviceId = 1]: Bounds, roleId: number): Grant {
  return { nodeId: "meter", deviceId, roleId, monitorsId: roleId, actingId: 9, meantId: null, from, until };
}

function read(
  periods: readonly Bounds[],
  { from, to, most = 10 }: { from?: bigint | undefined; to?: bigint | undefined; most?: number },
): ReadableParts | undefined {
  return new ReadablePeriods(periods.map(grant)).partsOf({ from, to }, most);
}

/** What of a query in nanoseconds is readable in one part, with the roles of the grants. */
function partOf(periods: readonly Bounds[], from?: bigint, to?: bigint, most = 10): unknown {
  const found = read(periods, { from, to, most });
  if (found === undefined) return undefined;
  const { grants, parts, ...rest } = found;
  assert.deepEqual(parts, [{ from: rest.from ?? MIN_TIME, to: rest.to ?? MAX_TIME }]);
  return { ...rest, roles: grants.map(({ roleId }) => roleId).sort((a, b) => a - b) };
}

/** The same in several parts. */
function partsOf(periods: readonly Bounds[], from?: bigint, to?: bigint, most = 10): unknown {
  const { deviceId, clipped, grants = [], parts = [] } = read(periods, { from, to, most }) ?? {};
  return { deviceId, clipped, roles: grants.map(({ roleId }) => roleId), parts };
}

function parts(deviceId: number, roles: readonly number[], ...all: readonly Part[]): unknown {
  return { deviceId, clipped: true, roles, parts: all.map(([from, to]) => ({ from, to })) };
}

function part(from: bigint | undefined, to: bigint | undefined, clipped: boolean, ...roles: number[]) {
  return { deviceId: 1, from, to, clipped, roles };
}

Deno.test("a query is read whole where a period has all of it, and otherwise cut to whole milliseconds", () => {
  assert.deepEqual(partOf([]), undefined);
  assert.deepEqual(partOf([[null, null]]), part(undefined, undefined, false, 0));
  assert.deepEqual(partOf([[2, 5]]), part(2n * MS, 5n * MS - 1n, true, 0));
  assert.deepEqual(partOf([[2, null]], 1n), part(2n * MS, undefined, true, 0));
  assert.deepEqual(partOf([[null, 5]], undefined, 9n * MS), part(undefined, 5n * MS - 1n, true, 0));
  assert.deepEqual(partOf([[2, 5]], 2n * MS, 5n * MS - 1n), part(2n * MS, 5n * MS - 1n, false, 0));
  assert.deepEqual(partOf([[2, 5]], 2n * MS - 1n, 5n * MS - 1n), part(2n * MS, 5n * MS - 1n, true, 0));
  assert.deepEqual(partOf([[2, 5]], 2n * MS, 5n * MS), part(2n * MS, 5n * MS - 1n, true, 0));
  assert.deepEqual(partOf([[2, 5]], 5n * MS), undefined);
  assert.deepEqual(partOf([[2, 5]], undefined, 2n * MS - 1n), undefined);
  assert.deepEqual(partOf([[2, 5]], 5n * MS - 1n, 5n * MS - 1n), part(5n * MS - 1n, 5n * MS - 1n, false, 0));
  assert.deepEqual(partOf([[-3, -2]], -3n * MS, -3n * MS), part(-3n * MS, -3n * MS, false, 0));
});

Deno.test("a range that has no time is read as it is, in any period", () => {
  assert.deepEqual(partOf([[2, 5]], 9n, 8n), part(9n, 8n, false, 0));
  assert.deepEqual(partOf([], 9n, 8n), undefined);
});

Deno.test("periods that touch are one, and all that meet the range are read, cut to it", () => {
  const apart: Bounds[] = [[1, 3], [5, 7], [9, null]];
  assert.deepEqual(
    partsOf(apart),
    parts(1, [2, 1, 0], [1n * MS, 3n * MS - 1n], [5n * MS, 7n * MS - 1n], [9n * MS, MAX_TIME]),
  );
  assert.deepEqual(
    partsOf(apart, 2n * MS + 1n, 5n * MS + 1n),
    parts(1, [1, 0], [2n * MS + 1n, 3n * MS - 1n], [5n * MS, 5n * MS + 1n]),
  );
  assert.deepEqual(partOf(apart, 3n * MS, 5n * MS), part(5n * MS, 5n * MS, true, 1));
  assert.deepEqual(partOf(apart, 3n * MS, 5n * MS - 1n), undefined);
  assert.deepEqual(partOf(apart, 0n, 4n * MS), part(1n * MS, 3n * MS - 1n, true, 0));
  const touching: Bounds[] = [[5, null], [null, 3], [3, 5]];
  assert.deepEqual(partOf(touching), part(undefined, undefined, false, 0, 1, 2));
  assert.deepEqual(partOf(touching, 4n * MS, 4n * MS), part(4n * MS, 4n * MS, false, 2));
  // Of several grants, the one that reaches back furthest.
  assert.deepEqual(partOf([[4, 9], [1, 9], [2, 9]], 3n * MS, 8n * MS), part(3n * MS, 8n * MS, false, 1));
  assert.deepEqual(partOf([[1, 9], [3, 4]], 1n * MS, 8n * MS), part(1n * MS, 8n * MS, false, 0));
});

Deno.test("periods of devices that had one nodeId stay apart", () => {
  const devices: Bounds[] = [[1, 5, 7], [5, 9, 8]];
  assert.deepEqual(partOf(devices), { ...part(5n * MS, 9n * MS - 1n, true, 1), deviceId: 8 });
  assert.deepEqual(partOf(devices, 0n, 4n * MS), {
    ...part(1n * MS, 4n * MS, true, 0),
    deviceId: 7,
  });
  // Of a device, all periods, also those before the other one's.
  assert.deepEqual(
    partsOf([[1, 2, 8], [3, 5, 7], [5, 9, 8]]),
    parts(8, [2, 0], [1n * MS, 2n * MS - 1n], [5n * MS, 9n * MS - 1n]),
  );
  assert.deepEqual(partOf([[1, null, 7], [5, null, 8]], 6n * MS), {
    ...part(6n * MS, undefined, false, 1),
    deviceId: 8,
  });
});

Deno.test("of more relations than a query may need, the latest are read", () => {
  const chain = Array.from({ length: 12 }, (_, i): Bounds => [i, i + 1]);
  const ten = [2, 3, 4, 5, 6, 7, 8, 9, 10, 11];
  assert.deepEqual(partOf(chain), part(2n * MS, 12n * MS - 1n, true, ...ten));
  assert.deepEqual(partOf(chain, 2n * MS, 12n * MS - 1n), part(2n * MS, 12n * MS - 1n, false, ...ten));
  assert.deepEqual(partOf(chain, 0n, 12n * MS - 1n, 12), part(0n, 12n * MS - 1n, false, 0, 1, ...ten));
  const apart: Bounds[] = [[0, 1], [2, 3], [3, 4], [6, 7]];
  assert.deepEqual(
    partsOf(apart, 0n, 9n * MS, 2),
    parts(1, [3, 2], [3n * MS, 4n * MS - 1n], [6n * MS, 7n * MS - 1n]),
  );
  assert.deepEqual([1, 7, 1000].map(grantsOfEach), [1000, 142, 10]);
});

Deno.test("bounds beyond all times of points do not count, and are never passed on", () => {
  const [early, late] = [-9_000_000_000_000_000, 9_000_000_000_000_000];
  assert.deepEqual(partOf([[early, late]]), part(MIN_TIME, MAX_TIME, true, 0));
  assert.deepEqual(partOf([[late, null]]), undefined);
  assert.deepEqual(partOf([[null, early]]), undefined);
});
