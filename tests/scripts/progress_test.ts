/** A terminal gets a growing bar, and a pipe or file nothing. */
import assert from "node:assert/strict";
import { progress, type ProgressOutput } from "../../scripts/lib/progress.ts";

function recorder(terminal: boolean): { output: ProgressOutput; written: string[] } {
  const written: string[] = [];
  const decoder = new TextDecoder();
  return {
    written,
    output: {
      isTerminal: () => terminal,
      writeSync: (bytes) => {
        written.push(decoder.decode(bytes));
        return bytes.byteLength;
      },
    },
  };
}

Deno.test("A terminal gets a growing bar that disappears at the end", () => {
  const { output, written } = recorder(true);
  const bar = progress(4, output);
  bar.advance();
  bar.advance(3);
  bar.finish();
  assert.deepEqual(written, [
    `\r\x1b[K[${"#".repeat(10)}${"-".repeat(30)}] 25%`,
    `\r\x1b[K[${"#".repeat(40)}] 100%`,
    "\r\x1b[K",
  ]);
});

Deno.test("A pipe or file gets nothing", () => {
  const { output, written } = recorder(false);
  const bar = progress(2, output);
  bar.advance(2);
  bar.finish();
  assert.deepEqual(written, []);
});

Deno.test("The bar is drawn only when the percentage changes", () => {
  const { output, written } = recorder(true);
  const bar = progress(10_000, output);
  for (let i = 0; i < 10_000; i++) bar.advance();
  assert.equal(written.length, 101);
});

Deno.test("Zero steps draw nothing, and surplus steps stay at 100%", () => {
  const empty = recorder(true);
  progress(0, empty.output).advance();
  assert.deepEqual(empty.written, []);
  const full = recorder(true);
  progress(1, full.output).advance(5);
  assert.match(full.written.at(-1) ?? "", / 100%$/);
});
