/** Python matches the same texts as JavaScript with every pattern of the document. */
import assert from "node:assert/strict";
import { isInstalled } from "../helpers/processes.ts";
import { readPatterns } from "./openapi_patterns.ts";

const TEXTS = [
  ...Array.from({ length: 0x120 }, (_, code) => String.fromCodePoint(code)),
  ...["", "  ", " a", "a ", "\u00a0", "\u{1d7d8}", "a\tb", "é", "\u2028", "\ufeff"],
  ...["15m", "0m", "en", "EN", "12", "0123456789012345", "7.k_-", "key-1", "12345\u{1d7d8}"],
  // Only in Python and Java does `$` also match before a line break at the end.
].filter((text) => !text.endsWith("\n"));

/** Reads patterns and texts, and prints which of the texts each pattern matches. */
const PROGRAM = `
import json, re, sys
patterns, texts = json.load(sys.stdin)
print(json.dumps([[bool(re.search(pattern, text)) for text in texts] for pattern in patterns]))`;

Deno.test({
  name: "Python matches the same texts as JavaScript with every pattern of the document",
  ignore: !await isInstalled("python3"),
  async fn() {
    const patterns = await readPatterns();
    const child = new Deno.Command("python3", { args: ["-c", PROGRAM], stdin: "piped", stdout: "piped" })
      .spawn();
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(JSON.stringify([patterns, TEXTS])));
    await writer.close();
    const { stdout } = await child.output();
    assert.deepEqual(
      JSON.parse(new TextDecoder().decode(stdout)),
      patterns.map((pattern) => TEXTS.map((text) => new RegExp(pattern).test(text))),
    );
  },
});
