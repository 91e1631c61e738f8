import assert from "node:assert/strict";
import { readMaxAge } from "../../src/http/request_max_age.ts";

/** Headers, and the age in seconds that they allow; undefined: they ask for fresh data. */
const HEADERS: readonly (readonly [string | undefined, number | undefined])[] = [
  ["max-age=5", 5],
  ["max-age=0", 0],
  ["Max-Age=5", 5],
  ["MAX-AGE=5", 5],
  ['max-age="5"', 5],
  ["max-age=005", 5],
  ["  max-age=5\t", 5],
  ["max-age=99999999999999999999", 1e20],
  // Other directives, and empty elements of the list.
  ["no-store, max-age=5", 5],
  ["max-age=5,max-stale=60", 5],
  ["max-stale, only-if-cached ,\tmax-age=5", 5],
  ['private="max-age=1, no-cache", max-age=5', 5],
  ['quoted="a \\" b, max-age=1", max-age=5', 5],
  [", ,max-age=5,,", 5],
  ["max-ages=1, max-age=5, s-maxage=1", 5],
  // Of several ages the smallest.
  ["max-age=5, max-age=3", 3],
  ["max-age=3, max-age=5", 3],
  // Fresh.
  [undefined, undefined],
  ["", undefined],
  [",", undefined],
  ["no-cache", undefined],
  ["no-store", undefined],
  ["no-cache, max-age=5", undefined],
  ["max-age=5, No-Cache", undefined],
  ['max-age=5, no-cache="x"', undefined],
  ["s-maxage=5", undefined],
  // Malformed, so fresh.
  ["max-age", undefined],
  ["max-age=", undefined],
  ['max-age=""', undefined],
  ["max-age=-1", undefined],
  ["max-age=+1", undefined],
  ["max-age=1.5", undefined],
  ["max-age=1e3", undefined],
  ["max-age=0x10", undefined],
  ["max-age=five", undefined],
  ["max-age=٥", undefined],
  ["max-age =5", undefined],
  ["max-age= 5", undefined],
  ["max-age=5 s", undefined],
  ["max-age=5;q=1", undefined],
  ["max-age=5 max-stale", undefined],
  ['max-age="5', undefined],
  ["max-age='5'", undefined],
  ['max-age="\\5"', undefined],
  ["max-age=5, max-age", undefined],
  ["max-age=5, max-age=five", undefined],
  ["max-age=5, =", undefined],
  ["max-age=5, a b", undefined],
  ['max-age=5, "max-age=5"', undefined],
  ["max-age=5\n", undefined],
];

Deno.test("a request allows data of some age if its Cache-Control has a max-age, and asks for fresh data otherwise", () => {
  for (const [header, seconds] of HEADERS) assert.equal(readMaxAge(header), seconds, JSON.stringify(header));
});

Deno.test("a header that never ends in a match is read as fast as any other", () => {
  for (const part of [" ", "a", ",", "a=", '"', "\\", "a, ", 'a="', 'a="\\"', "max-age=1,"]) {
    readMaxAge(`${part.repeat(200_000)}\0`);
  }
});
