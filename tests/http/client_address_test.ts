/** The address of a client, behind trusted proxies or without one, and which addresses count as one client. */
import assert from "node:assert/strict";
import { AsyncLocalStorage } from "node:async_hooks";
import { hasClientLeft, noteStreaming } from "../../src/core/request_scope.ts";
import { createLog } from "../../src/core/log.ts";
import { addressBucket, ipv6Network, parseTrustedProxies } from "../../src/http/client_address.ts";
import { createFramedApp } from "../../src/http/frame.ts";

const log = createLog("silent", () => undefined);
const app = createFramedApp({ log, trustedProxies: parseTrustedProxies(["10.0.0.0/8", "2001:db8:ffff::1"]) })
  .get("/", (c) => c.text(c.var.clientAddress));

async function clientOf(peer: string, forwarded?: string): Promise<string> {
  const headers: Record<string, string> = forwarded === undefined ? {} : { "X-Forwarded-For": forwarded };
  return await (await app.request("/", { headers }, { remoteAddr: { hostname: peer } })).text();
}

const CASES: Readonly<Record<string, [peer: string, forwarded: string | undefined, client: string]>> = {
  "a peer that is no proxy is the client and cannot claim another address": [
    "192.0.2.1",
    "8.8.8.8",
    "192.0.2.1",
  ],
  "a proxy's client is the rightmost entry": ["10.0.0.1", "8.8.8.8, 192.0.2.7", "192.0.2.7"],
  "a chain of proxies is skipped": ["10.0.0.1", "192.0.2.7, 10.2.3.4", "192.0.2.7"],
  "a proxy without the header is the client": ["10.0.0.1", undefined, "10.0.0.1"],
  "an entry that is no address is ignored": ["10.0.0.1", "unknown", "10.0.0.1"],
  "a port is dropped": ["10.0.0.1", "192.0.2.7:5000", "192.0.2.7"],
  "brackets are dropped": ["10.0.0.1", "[2001:db8::7]:5000", "2001:db8::7"],
  "an IPv4-mapped address counts as the IPv4 address": ["::ffff:10.0.0.1", "::ffff:192.0.2.7", "192.0.2.7"],
  "an IPv4-mapped address in hexadecimal counts as the IPv4 address": [
    "10.0.0.1",
    "::ffff:c000:207",
    "192.0.2.7",
  ],
  "an IPv4-mapped address written in full counts as the IPv4 address": [
    "10.0.0.1",
    "0:0:0:0:0:ffff:192.0.2.7",
    "192.0.2.7",
  ],
};

for (const [name, [peer, forwarded, client]] of Object.entries(CASES)) {
  Deno.test(`client address: ${name}`, async () => assert.equal(await clientOf(peer, forwarded), client));
}

Deno.test("client address: a long list of forged entries costs no noticeable time", async () => {
  const forwarded = `${"::,".repeat(100_000)} 192.0.2.7`;
  const startedAt = performance.now();
  for (let i = 0; i < 30; i++) assert.equal(await clientOf("10.0.0.1", forwarded), "192.0.2.7");
  assert.ok(performance.now() - startedAt < 3000);
});

Deno.test("client address: an IPv6 /64 counts as one client, and so does an IPv4 address", () => {
  assert.equal(addressBucket("192.0.2.1"), "192.0.2.1");
  assert.equal(addressBucket("2001:db8:1:2:3:4:5:6"), addressBucket("2001:DB8:1:2::9"));
  assert.notEqual(addressBucket("2001:db8:1:2::1"), addressBucket("2001:db8:1:3::1"));
  assert.equal(addressBucket("fe80::1%eth0"), addressBucket("fe80::2"));
  assert.equal(addressBucket(""), "");
});

Deno.test("client address: an IPv6 network is the address without the bits after its prefix", () => {
  const address = "2001:db8:abcd:ef12:3456::9";
  assert.equal(ipv6Network(address, 64), "2001:db8:abcd:ef12::/64");
  assert.equal(ipv6Network(address, 60), "2001:db8:abcd:ef10::/60");
  assert.equal(ipv6Network(address, 56), "2001:db8:abcd:ef00::/56");
  assert.equal(ipv6Network(address, 48), "2001:db8:abcd::/48");
});

Deno.test("client address: a trusted proxy that is neither an address nor a range is rejected", () => {
  const entries = ["10.0.0.0/", "10.0.0.0/8/8", "10.0.0.0/33", "proxy", "2001:db8::/129", "10.0.0.0/-1"];
  for (const entry of entries) assert.throws(() => parseTrustedProxies([entry]), RangeError, entry);
});

Deno.test("proxies are still recognized after thousands of other addresses", async () => {
  for (let i = 0; i < 3000; i++) {
    const client = `198.51.${i >> 8}.${i & 255}`;
    assert.equal(await clientOf("10.0.0.1", client), client);
  }
  assert.equal(await clientOf("192.0.2.1", "8.8.8.8"), "192.0.2.1");
  assert.equal(await clientOf("10.0.0.1", "192.0.2.7, 10.2.3.4"), "192.0.2.7");
});

for (const isStreamed of [false, true]) {
  Deno.test(`a request with a ${isStreamed ? "streamed" : "whole"} response ${isStreamed ? "notices" : "ignores"} that its client leaves afterwards`, async () => {
    let inRequest: ReturnType<typeof AsyncLocalStorage.snapshot> | undefined;
    const asking = createFramedApp({ log, trustedProxies: () => false }).get("/", (c) => {
      inRequest = AsyncLocalStorage.snapshot();
      if (isStreamed) noteStreaming();
      return c.text("");
    });
    const client = new AbortController();
    await asking.request("/", { signal: client.signal }, { remoteAddr: { hostname: "192.0.2.1" } });
    assert.equal(inRequest?.(hasClientLeft), false);
    client.abort();
    assert.equal(inRequest?.(hasClientLeft), isStreamed);
  });
}
