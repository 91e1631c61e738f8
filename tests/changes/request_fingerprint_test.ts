/** Requests have one fingerprint exactly if they ask for the same. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { chooseBatch, fingerprintRequest } from "../../src/changes/idempotency.ts";

const REQUEST = {
  method: "POST",
  path: "/v1/role",
  query: {},
  body: { role: { name: "a", b: [1, { d: 1, c: 2 }] } },
};

Deno.test("a fingerprint is SHA-256 of the request with sorted keys", () => {
  const text = '["POST","/v1/role",{},{"role":{"b":[1,{"c":2,"d":1}],"name":"a"}}]';
  assert.equal(fingerprintRequest(REQUEST), createHash("sha256").update(text).digest("base64url"));
});

Deno.test("the order of keys does not change a fingerprint, at any depth", () => {
  const body = { role: { b: [1, { c: 2, d: 1 }], name: "a" } };
  assert.equal(fingerprintRequest({ ...REQUEST, body }), fingerprintRequest(REQUEST));
});

Deno.test("any other difference changes the fingerprint", () => {
  const others = [
    { ...REQUEST, method: "PUT" },
    { ...REQUEST, path: "/v1/roles" },
    { ...REQUEST, query: { id: "1" } },
    { ...REQUEST, body: { role: { name: "a", b: [{ d: 1, c: 2 }, 1] } } },
    { ...REQUEST, body: { role: { name: "a", b: null } } },
    { ...REQUEST, body: { role: { name: "a", b: {} } } },
    { ...REQUEST, body: { role: { name: "a", b: [] } } },
    { ...REQUEST, body: undefined },
  ];
  const all = [REQUEST, ...others].map(fingerprintRequest);
  assert.equal(new Set(all).size, all.length);
});

Deno.test("a request without a key has its own batch and parameters", () => {
  const variants = { keyed: "keyed", keyless: "keyless" };
  assert.deepEqual(chooseBatch(variants, undefined), { batch: "keyless", keyArgs: {} });
  assert.deepEqual(chooseBatch(variants, { key: "k", fingerprint: "f" }), {
    batch: "keyed",
    keyArgs: { idempotencyKey: "k", fingerprint: "f" },
  });
});
