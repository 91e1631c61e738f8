/** Rights as bits of a mask and as objects, and their union over paths. */
import assert from "node:assert/strict";
import {
  ALL_RIGHTS,
  includesRights,
  maskOf,
  NO_RIGHTS,
  overPaths,
  RIGHT_NAMES,
  toMask,
  toRights,
} from "../../src/graph/rights.ts";

const MASKS = Array.from({ length: 64 }, (_, mask) => mask);

Deno.test("each right has its own bit, in the order of the names", () => {
  assert.deepEqual(RIGHT_NAMES.map(maskOf), [1, 2, 4, 8, 16, 32]);
  assert.deepEqual(RIGHT_NAMES, [
    "roleManagement",
    "userManagement",
    "viewManagement",
    "deviceManagement",
    "reportManagement",
    "alarmManagement",
  ]);
});

Deno.test("a set of rights is included if each of its rights is", () => {
  for (const held of MASKS) {
    for (const wanted of MASKS) {
      const each = [0, 1, 2, 3, 4, 5].every((bit) => (wanted >> bit) % 2 === 0 || (held >> bit) % 2 === 1);
      assert.equal(includesRights(held, wanted), each, `${held} ${wanted}`);
    }
  }
});

Deno.test("rights over several paths add up, and no path gives none", () => {
  assert.equal(overPaths([0b000001, 0b100000, 0b000101]), 0b100101);
  assert.equal(overPaths([]), NO_RIGHTS);
  assert.equal(overPaths(RIGHT_NAMES.map(maskOf)), ALL_RIGHTS);
});

Deno.test("a mask and its rights object convert into each other", () => {
  for (const mask of MASKS) {
    const rights = toRights(mask);
    assert.deepEqual(Object.keys(rights), [...RIGHT_NAMES]);
    assert.equal(toMask(rights), mask);
  }
  assert.deepEqual(toRights(0b001010), {
    roleManagement: false,
    userManagement: true,
    viewManagement: false,
    deviceManagement: true,
    reportManagement: false,
    alarmManagement: false,
  });
});

Deno.test("an absent right is not held", () => {
  assert.equal(toMask({}), NO_RIGHTS);
  assert.equal(toMask({ alarmManagement: true, userManagement: false }), 32);
});
