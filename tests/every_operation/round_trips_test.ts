/** Each operation stays within its limit of round trips to the database. */
import assert from "node:assert/strict";
import { testKind } from "../helpers/databases.ts";
import { countRoundTrips } from "./round_trip_counts.ts";

testKind("remote", "each operation stays within its limit of round trips to the database", async () => {
  const counts = await countRoundTrips();
  assert.ok(counts.length >= 28, `only ${counts.length} operations were counted`);
  assert.deepEqual(counts.filter(({ count, atMost }) => count < 1 || count > atMost), []);
});
