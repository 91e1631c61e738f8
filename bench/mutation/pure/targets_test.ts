/** The mutated modules exist, their tests reach them, and accepted mutants are of their lines. */
import assert from "node:assert/strict";
import { posix } from "node:path";
import { ACCEPTED } from "./accepted.ts";
import { LOCK, PROJECT, STRYKER } from "./stryker.ts";
import { TARGETS } from "./targets.ts";

const IMPORT = /from "(\.[^"]+\.ts)"/g;

/** Adds a file and everything it imports, directly or indirectly. Paths are relative to the project's root. */
async function addReached(file: string, reached: Set<string>): Promise<void> {
  if (reached.has(file)) return;
  reached.add(file);
  const text = await Deno.readTextFile(PROJECT + file);
  for (const [, path = ""] of text.matchAll(IMPORT)) {
    await addReached(posix.join(posix.dirname(file), path), reached);
  }
}

Deno.test("each mutated module exists, and each of its tests reaches it", async () => {
  for (const { source, tests } of TARGETS) {
    assert.ok((await Deno.stat(PROJECT + source)).isFile);
    for (const test of tests) {
      const reached = new Set<string>();
      await addReached(test, reached);
      assert.ok(reached.has(source), `${test} does not reach ${source}`);
    }
  }
});

Deno.test("each accepted mutant is in a line of a mutated module", async () => {
  for (const { target, lineText, changes } of ACCEPTED) {
    const source = TARGETS.find(({ name }) => name === target)?.source ??
      assert.fail(`${target} is no target`);
    const lines = (await Deno.readTextFile(PROJECT + source)).split("\n").map((line) => line.trim());
    assert.ok(lines.includes(lineText), `${source} has no line: ${lineText}`);
    assert.ok(changes.length > 0);
  }
});

Deno.test("the lock file pins the version of Stryker", async () => {
  const { specifiers }: { specifiers: Record<string, string> } = JSON.parse(await Deno.readTextFile(LOCK));
  assert.deepEqual(Object.keys(specifiers), [STRYKER]);
});
