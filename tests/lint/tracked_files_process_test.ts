/** A clone stays small: files that programs write for one machine, or large ones, are not tracked. */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { ROOT } from "./project_files.ts";

const MAX_BYTES = 300_000;
/** The interface's document: clients are generated from it without a build. */
const LARGE = new Set(["openapi.json"]);

Deno.test("no tracked file is a profile or larger than 300 kB", async () => {
  const { stdout, success } = await new Deno.Command("git", {
    args: ["ls-files", "-z"],
    cwd: fileURLToPath(ROOT),
  }).output();
  assert.ok(success, "git does not list the files");
  const files = new TextDecoder().decode(stdout).split("\0").filter((file) => file !== "");
  assert.ok(files.includes("deno.json"));
  const sizes = await Promise.all(files.map(async (file) => {
    // One that was just deleted is still tracked.
    const { size } = await Deno.stat(new URL(file, ROOT)).catch(() => ({ size: 0 }));
    return { file, size };
  }));
  const unwanted = sizes.filter(({ file, size }) =>
    file.endsWith(".cpuprofile") || size > MAX_BYTES && !LARGE.has(file)
  );
  assert.deepEqual(unwanted, []);
});
