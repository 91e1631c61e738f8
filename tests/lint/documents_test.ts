/** What the documents name, link and list exists, and agrees with the code. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { VERSION } from "../../src/core/version.ts";
import { GUESS_LOCK_FAILURES, GUESS_LOCK_SECONDS, GUESS_WAITS_SECONDS } from "../../src/throttle/limits.ts";
import { filesBelow, readText, ROOT } from "./project_files.ts";

const DOCUMENTS = [
  "README.md",
  "ARCHITECTURE.md",
  "CONTRIBUTING.md",
  "examples/README.md",
  ...filesBelow("docs/").filter((path) => path.endsWith(".md")),
];

const FILES = [
  "main.ts",
  ...["bench/", "src/", "scripts/", "tests/", "examples/"].flatMap(filesBelow),
];

/** The anchors that GitHub gives the headings of a document. */
function anchorsOf(text: string): Set<string> {
  const headings = Array.from(text.matchAll(/^#+ (.+)$/gm), ([, heading = ""]) => heading);
  return new Set(
    headings.map((heading) => heading.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-")),
  );
}

/** The names that begin the items of a document's lists. */
function namesInLists(text: string): Set<string> {
  const heads = Array.from(text.matchAll(/^- ((?:`[\w:]+`(?:, )?)+)/gm), ([, head = ""]) => head);
  return new Set(heads.flatMap((head) => Array.from(head.matchAll(/`([^`]+)`/g), ([, name = ""]) => name)));
}

Deno.test("every source file that a document names exists", () => {
  const missing = DOCUMENTS.flatMap((document) => {
    // `*_routes.ts` and `<area>.ts` are patterns. `rolegrid.ts` is a file that the reader creates.
    const named = readText(document).matchAll(/(?<![\w/*<>.-])[\w./-]+\.ts\b/g);
    return Array.from(named, ([path]) => path.replace(/^(\.\/)+/, ""))
      .filter((path) => path !== "rolegrid.ts")
      .filter((path) => !FILES.some((file) => file === path || file.endsWith(`/${path}`)))
      .map((path) => `${document}: ${path}`);
  });
  assert.deepEqual(missing, []);
});

Deno.test("every link of a document leads to an existing file and heading", () => {
  const broken = DOCUMENTS.flatMap((document) => {
    // `[text](path#anchor)`, or a definition: `[name]: path`.
    const links = readText(document).matchAll(
      /(?:\]\(|^\[[^\]]+\]: )(?!https?:)([^)#\s]*)(?:#([^)\s]+))?/gm,
    );
    return Array.from(links, ([, path = "", anchor]) => ({ path, anchor }))
      .filter(({ path, anchor }) => {
        const target = path === ""
          ? document
          : new URL(path, new URL(document, ROOT)).href.slice(ROOT.href.length);
        return !existsSync(new URL(target, ROOT)) ||
          (anchor !== undefined && !anchorsOf(readText(target)).has(anchor));
      })
      .map(({ path, anchor = "" }) => `${document}: ${path}#${anchor}`);
  });
  assert.deepEqual(broken, []);
});

Deno.test("no cell of a table is wider than 60 characters, so that a terminal can show it", () => {
  const wide = DOCUMENTS.flatMap((document) =>
    readText(document).split("\n").filter((line) => line.startsWith("|")).flatMap((line) =>
      line.split(/(?<!\\)\|/).map((cell) => cell.trim())
        .filter((cell) => cell.length > 60 && !/^-+$/.test(cell))
        .map((cell) => `${document}: ${cell}`)
    )
  );
  assert.deepEqual(wide, []);
});

Deno.test("docs/configuration.md lists every variable and every task, and no others", () => {
  const listed = namesInLists(readText("docs/configuration.md"));
  const [, variables = ""] = /const Variables = v\.object\(\{([^]*?)\n\}\);/.exec(
    readText("src/service/config.ts"),
  ) ?? [];
  const names = Array.from(variables.matchAll(/^ {2}([A-Z_]+):/gm), ([, name = ""]) => name);
  const tasks = Object.keys(JSON.parse(readText("deno.json")).tasks);
  assert.deepEqual([...listed].toSorted(), [...names, ...tasks].toSorted());
});

Deno.test("docs/limits.md shows the actual schedule of guesses", () => {
  const free = GUESS_WAITS_SECONDS.filter((seconds) => seconds === 0).length;
  const waits = GUESS_WAITS_SECONDS.slice(free);
  const numbers = waits.map((_, i) => String(free + 1 + i));
  numbers[waits.length - 1] += ` to ${GUESS_LOCK_FAILURES - 1}`;
  const rows = [
    ["Failures", `1 to ${free}`, ...numbers, `${GUESS_LOCK_FAILURES} and more`],
    ["Wait", "none", ...waits.map(duration), duration(GUESS_LOCK_SECONDS)],
  ];
  const lines = readText("docs/limits.md").split("\n");
  const shown = lines.map((line) => line.split("|").slice(1, -1).map((cell) => cell.trim()).join("|"));
  for (const row of rows) {
    assert.ok(shown.includes(row.join("|")), `docs/limits.md lacks the row ${row.join(" | ")}`);
  }
});

function duration(seconds: number): string {
  if (seconds >= 3600) return `${seconds / 3600} h`;
  return seconds >= 60 ? `${seconds / 60} min` : `${seconds} s`;
}

Deno.test("the changelog begins with the current version", () => {
  assert.equal(/^## (\S+)/m.exec(readText("CHANGELOG.md"))?.[1], VERSION);
});
