/** The networks of client addresses, by which throttles count. */
import assert from "node:assert/strict";
import { createSecrets } from "../../src/core/secrets.ts";
import { largestNetworkOf, networksOf, throttleKeys } from "../../src/throttle/networks.ts";

const CASES = [
  ["192.0.2.77", [["192.0.2.77", 1], ["192.0.2.0/24", 3]]],
  ["10.1.255.0", [["10.1.255.0", 1], ["10.1.255.0/24", 3]]],
  ["2001:db8:1:2345:6:7:8:9", [["2001:db8:1:2345::/64", 1], ["2001:db8:1:2300::/56", 2], [
    "2001:db8:1::/48",
    3,
  ]]],
  ["2001:DB8::1", [["2001:db8:0:0::/64", 1], ["2001:db8:0:0::/56", 2], ["2001:db8:0::/48", 3]]],
  ["2001:db8:0:ffff::", [["2001:db8:0:ffff::/64", 1], ["2001:db8:0:ff00::/56", 2], ["2001:db8:0::/48", 3]]],
  ["", [["", 1]]],
  ["unix:@", [["unix:@", 1]]],
] as const;

for (const [address, networks] of CASES) {
  Deno.test(`the networks of the address "${address}" grow, and so do their allowances`, () => {
    assert.deepEqual(Object.entries(networksOf(address)), networks);
    assert.equal(largestNetworkOf(address), networks.at(-1)?.[0]);
  });
}

Deno.test("throttle keys name the account by its keyed hash", async () => {
  const secrets = await createSecrets([{ id: "test", bytes: new Uint8Array(32).fill(7) }]);
  const [accountKey] = await secrets.macs("throttle", "ada@example.com");
  assert.deepEqual(await throttleKeys(secrets, "ada@example.com", "192.0.2.77"), {
    accountKey,
    pairKey: `${accountKey} 192.0.2.77`,
    addressBucket: "192.0.2.77",
    networks: '{"192.0.2.77":1,"192.0.2.0/24":3}',
  });
});
