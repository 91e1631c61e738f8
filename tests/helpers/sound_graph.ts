import assert from "node:assert/strict";
import { verifyClosure } from "../../src/graph/closure/closure_service.ts";
import type { TestApp } from "./test_app.ts";

/** Asserts that the closure is that of the graph, which has no cycle and no unmanaged role. */
export async function assertSoundGraph({ database }: Pick<TestApp, "database">): Promise<void> {
  const { differences, cycle, unmanagedRoleIds } = await verifyClosure(database);
  const found = { differences, cycle, unmanagedRoleIds };
  assert.deepEqual(found, { differences: [], cycle: undefined, unmanagedRoleIds: [] });
}
