import assert from "node:assert/strict";
import { STRANGERS_REFUSED } from "../../src/core/strangers_refused.ts";
import { createStrangersDoor } from "../../src/http/strangers_door.ts";
import { largestNetworkOf } from "../../src/throttle/networks.ts";

Deno.test("strangers: one network can fill the door, and two of each other network still enter", () => {
  const door = createStrangersDoor(largestNetworkOf);
  const leaving = Array.from({ length: 64 }, (_, i) => door.enter(`192.0.2.${i}`));
  assert.throws(() => door.enter("192.0.2.200"), STRANGERS_REFUSED);
  for (const address of ["198.51.100.1", "198.51.100.2", "2001:db8::1", "2001:db8:0:1::1"]) {
    door.enter(address);
  }
  for (const address of ["198.51.100.3", "2001:db8:0:2::1"]) {
    assert.throws(() => door.enter(address), STRANGERS_REFUSED);
  }
  for (const leave of leaving.slice(0, 5)) leave();
  door.enter("192.0.2.200");
  assert.throws(() => door.enter("192.0.2.200"), STRANGERS_REFUSED);
});
