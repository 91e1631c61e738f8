/** If-Unmodified-Since is read in each form of an HTTP-date and of RFC 3339, and in no other. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { readUnmodifiedSince } from "../../src/http/unmodified_since.ts";

const NOW = Date.UTC(2026, 0, 1);
const seconds = (iso: string): number => Date.parse(iso) / 1000;

Deno.test("a time is accepted in each form of an HTTP-date and in that of RFC 3339", () => {
  const forms = {
    "Sun, 06 Nov 1994 08:49:37 GMT": "1994-11-06T08:49:37Z",
    "Sunday, 06-Nov-94 08:49:37 GMT": "1994-11-06T08:49:37Z",
    "Tuesday, 01-Dec-75 00:00:00 GMT": "2075-12-01T00:00:00Z",
    "Wednesday, 01-Jan-76 00:00:00 GMT": "2076-01-01T00:00:00Z",
    "Saturday, 01-Jan-77 00:00:00 GMT": "1977-01-01T00:00:00Z",
    "Sun Nov  6 08:49:37 1994": "1994-11-06T08:49:37Z",
    "Wed Nov 16 08:49:37 1994": "1994-11-16T08:49:37Z",
    "Thu, 29 Feb 2024 23:59:59 GMT": "2024-02-29T23:59:59Z",
    "2026-01-01T00:00:00Z": "2026-01-01T00:00:00Z",
    "2026-01-01T00:00:00.999Z": "2026-01-01T00:00:00Z",
    "2026-01-01t00:00:00.123456789z": "2026-01-01T00:00:00Z",
    "2026-01-01T00:30:00+01:30": "2025-12-31T23:00:00Z",
    "2025-12-31T22:15:00-00:45": "2025-12-31T23:00:00Z",
  };
  for (const [text, iso] of Object.entries(forms)) {
    assert.equal(readUnmodifiedSince(text, NOW), seconds(iso), text);
  }
});

Deno.test("a text that is not a time is ignored", () => {
  const others = [
    "",
    "0",
    "1767225600",
    "2026",
    "2026-01-01",
    "2026-01-01T00:00:00",
    "2026-01-01 00:00:00Z",
    "2026-01-01T24:00:00Z",
    "2026-01-01T23:60:00Z",
    "2026-01-01T23:59:60Z",
    "2026-01-01T00:00:00+24:00",
    "2026-01-01T00:00:00+01",
    "2026-13-01T00:00:00Z",
    "2026-00-01T00:00:00Z",
    "2026-01-00T00:00:00Z",
    "2025-02-29T00:00:00Z",
    "0099-01-01T00:00:00Z",
    "Thu, 31 Apr 2026 00:00:00 GMT",
    "Thu, 1 Jan 2026 00:00:00 GMT",
    "Thu, 01 Jan 2026 00:00:00 UTC",
    "Thu, 01 Jan 2026 00:00:00",
    "thu, 01 jan 2026 00:00:00 gmt",
    "Thu, 01 Jan 26 00:00:00 GMT",
    "Thursday, 01 Jan 2026 00:00:00 GMT",
    "Thu Jan 1 00:00:00 2026",
    " Thu, 01 Jan 2026 00:00:00 GMT",
    "Thu, 01 Jan 2026 00:00:00 GMT ",
    "Thu, 01 Jan 2026 00:00:00 GMT, Thu, 01 Jan 2026 00:00:00 GMT",
    "2026-01-01T00:00:00Z, 2026-01-01T00:00:00Z",
  ];
  for (const text of others) assert.equal(readUnmodifiedSince(text, NOW), undefined, text);
});

Deno.test("a written time is read back to the second", () => {
  const range = {
    min: new Date(seconds("0100-01-01T00:00:00Z") * 1000),
    max: new Date(8e12),
    noInvalidDate: true,
  };
  fc.assert(
    fc.property(fc.date(range), (date) => {
      const expected = Math.floor(date.getTime() / 1000);
      assert.equal(readUnmodifiedSince(date.toUTCString(), NOW), expected);
      assert.equal(readUnmodifiedSince(date.toISOString(), NOW), expected);
    }),
  );
});
