/** Periods, windows, gaps and means of plots. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { edgesOf, periodsAsRead } from "../../src/console/web/periods.ts";
import { timeFormat } from "../../src/console/web/views/devices/time_format.ts";
import { columnsOf, windowAt } from "../../src/console/web/views/devices/plot_columns.ts";
import { drawSparkline } from "../../src/console/web/views/devices/draw_sparkline.ts";
import {
  daysOf,
  readFixed,
  shift,
  stretch,
  windowOf,
  writeSpan,
} from "../../src/console/web/views/devices/span.ts";
import { sumUp, type Window } from "../../src/console/web/views/devices/windows.ts";

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;
const NOW = Date.UTC(2026, 0, 1);

/** Anything that the address may name. */
const anySpan = fc.tuple(
  fc.integer({ min: 10_000, max: 3650 * DAY }),
  fc.integer({ min: 0, max: 3650 * DAY }),
)
  .map(([length, age]) => ({ from: NOW - age - length, to: NOW - age }));

function windowsAt(minutes: readonly number[]): Window[] {
  return minutes.map((minute) => ({ time: minute * MINUTE, min: 1, mean: 2, max: 3, count: 1 }));
}

Deno.test("a plot has up to 500 points, and more than 90 unless its windows are a second long", () => {
  fc.assert(fc.property(anySpan, (span) => {
    const points = (span.to - span.from) / windowOf(span);
    assert.ok(points <= 500);
    assert.ok(points > 90 || windowOf(span) === 1000, String(points));
  }));
});

Deno.test("the buttons stay within the longest and shortest period, and out of the future", () => {
  fc.assert(fc.property(anySpan, fc.constantFrom(0.5, 2), fc.constantFrom(-1, 1), (span, times, way) => {
    for (const next of [stretch(span, times, NOW), shift(span, way, NOW)]) {
      assert.ok(next.to <= NOW);
      const read = readFixed(new URLSearchParams(writeSpan(next)));
      // To the second, at both ends.
      assert.ok(read !== undefined && Math.abs(read.from - next.from) <= 2000, JSON.stringify(next));
    }
  }));
});

Deno.test("an address without a valid beginning and end names no period", () => {
  for (
    const query of ["", "from=x&to=y", "from=2026-01-01", "from=2026-01-02&to=2026-01-01", "to=2026-01-01"]
  ) {
    assert.equal(readFixed(new URLSearchParams(query)), undefined, query);
  }
});

Deno.test("days in an address are whole in the browser's time zone, and stay so when moved", () => {
  const query = { from: "2026-03-27", to: "2026-03-30" };
  const span = readFixed(new URLSearchParams(query));
  assert.ok(span !== undefined);
  assert.deepEqual(writeSpan(span), query);
  assert.deepEqual(daysOf({ from: span.from + 1, to: span.to - DAY + 1 }), query);
  // One of these days may be 23 hours long.
  const now = span.to + 2 * DAY + MINUTE;
  assert.deepEqual(writeSpan(shift(span, -1, now)), { from: "2026-03-23", to: "2026-03-26" });
  assert.deepEqual(writeSpan(shift(span, 1, now)), { from: "2026-03-30", to: "2026-04-02" });
  assert.deepEqual(writeSpan(shift(span, 1, span.to)), query);
});

/** A line of these minutes with the mean 2. */
function lineAt(minutes: readonly number[], window = MINUTE): { windows: Window[]; window: number } {
  return { windows: windowsAt(minutes), window };
}

Deno.test("a gap is recognized by the usual distance between two windows", () => {
  const { columns, lonely } = columnsOf([lineAt([0, 15, 30, 75, 90, 180])]);
  assert.deepEqual(columns[3], [2, 2, 2, null, 2, 2, null, 2]);
  assert.deepEqual(lonely[3], [7]);
  assert.deepEqual(columnsOf([lineAt([0, 1, 2, 4, 5])]).columns[1], [3, 3, 3, 3, 3]);
  assert.deepEqual(columnsOf([lineAt([])]).columns, [[], [], [], []]);
  assert.deepEqual(columnsOf([]).columns, [[]]);
});

Deno.test("a line has no gap where only another one has a value", () => {
  const lines = [lineAt([0, 10, 20, 30]), lineAt([5, 15, 60, 65, 70])];
  const { columns, lonely } = columnsOf(lines);
  const minutes = [0, 5, 10, 15, 20, 30, 37.5, 60, 65, 70];
  assert.deepEqual(columns[0], minutes.map((minute) => minute * MINUTE));
  assert.deepEqual(Array.from(columns[1] ?? [], (value) => value ?? String(value)), [
    2,
    "undefined",
    2,
    "undefined",
    2,
    2,
    ...Array(4).fill("undefined"),
  ]);
  assert.deepEqual([columns[2]?.[6], lonely], [null, [[], [], []]]);
  const found = lines.map((line) => windowAt(line, 13 * MINUTE)?.time);
  assert.deepEqual(found, [10 * MINUTE, 15 * MINUTE]);
  assert.equal(windowAt({ ...lineAt([5, 15, 60, 65, 70]) }, 37.5 * MINUTE), undefined);
});

Deno.test("the mean of a period counts each value once", () => {
  const windows = [{ time: 0, min: 1, mean: 1, max: 1, count: 3 }, {
    time: 1,
    min: 5,
    mean: 5,
    max: 5,
    count: 1,
  }];
  assert.deepEqual(sumUp(windows), { min: 1, mean: 2, max: 5, count: 4 });
  assert.equal(sumUp([]), undefined);
});

Deno.test("a sparkline has its gaps, and a dot for a value between two of them", () => {
  const draw = (minutes: readonly number[], means: readonly number[]): string =>
    drawSparkline({
      windows: minutes.map((minute, i) => ({ time: minute * MINUTE, mean: means[i] ?? 0 })),
      window: MINUTE,
      span: { from: 0, to: 120 * MINUTE },
    });
  assert.equal(draw([], []), "");
  assert.equal(draw([5], [7]), "M5.0 16.0h0");
  assert.equal(
    draw([0, 1, 2, 3, 60, 90], [0, 1, 2, 1, 0, 2]),
    "M0.0 30.0L1.0 16.0L2.0 2.0L3.0 16.0M60.0 30.0h0M90.0 2.0h0",
  );
});

Deno.test("times of plots have hours of two digits where a day has 24 of them", () => {
  const time = new Date(2026, 1, 3, 8, 30);
  const hours = { hour: "numeric", minute: "2-digit" } as const;
  const write = (tag: string, options: Intl.DateTimeFormatOptions): string =>
    timeFormat(tag, options).format(time);
  for (const tag of ["en-GB", "nl", "fr", "de"]) {
    assert.equal(write(tag, hours), "08:30");
    assert.match(write(tag, { day: "numeric", month: "short", ...hours }), /^0?3.* 08:30$/);
    assert.equal(write(tag, { timeStyle: "short" }), "08:30");
    assert.equal(write(tag, { year: "numeric" }), "2026");
  }
  assert.match(write("en-US", hours), /^8:30\sAM$/);
});

Deno.test("periods are told to the minute: none without a length, and none apart without a time between them", () => {
  const at = (minute: number, second = 0): string =>
    new Date(NOW + minute * MINUTE + second * 1000).toISOString();
  const told = (...periods: { from?: string; until?: string }[]) => periodsAsRead(periods);
  assert.deepEqual(told({ from: at(1, 10), until: at(1, 40) }), []);
  // A hand-over that is undone at once.
  assert.deepEqual(told({ until: at(5, 3) }, { from: at(5, 50) }), [{ until: undefined }]);
  assert.deepEqual(edgesOf([{ until: at(5, 3) }, { from: at(5, 50) }]), []);
  // The return is given first, and a period lies within another.
  const apart = [{ from: at(9) }, { from: at(2), until: at(4) }, { from: at(1), until: at(6) }];
  assert.deepEqual(told(...apart), [{ from: at(1), until: at(6) }, { from: at(9) }]);
  assert.deepEqual(edgesOf(apart), [NOW + MINUTE, NOW + 6 * MINUTE, NOW + 9 * MINUTE]);
});
