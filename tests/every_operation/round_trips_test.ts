import assert from "node:assert/strict";
import { countRoundTrips } from "./round_trip_counts.ts";

Deno.test({
  name: "each operation costs no more round trips to the database than it may (sqld)",
  // The server is left running for the tests that need one next.
  sanitizeResources: false,
  sanitizeOps: false,
  async fn(): Promise<void> {
    const counts = await countRoundTrips();
    assert.ok(counts.length >= 28, `only ${counts.length} operations were counted`);
    assert.deepEqual(counts.filter(({ count, atMost }) => count < 1 || count > atMost), []);
  },
});
