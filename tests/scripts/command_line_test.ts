/** Arguments of tasks are parsed strictly, and --help shows the usage. */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { type CommandDescription, readCommandLine } from "../../scripts/lib/command_line.ts";
import { parseAsOf } from "../../scripts/lib/moment.ts";
import { parseRoleId } from "../../scripts/lib/role_id.ts";

const OPTIONS = {
  under: { type: "string", placeholder: "ROLE_ID", description: "The role to import under" },
  format: { type: "string", description: "The form of the answer", default: "text", short: "f" },
  "dry-run": { type: "boolean", description: "Change nothing" },
} as const;

const COMMAND = {
  name: "import",
  summary: "Imports roles.",
  options: OPTIONS,
  positionals: [
    { name: "FILE", description: "the CSV file to read" },
    { name: "COPY", description: "where to keep a copy", optional: true },
  ],
} as const satisfies CommandDescription<typeof OPTIONS>;

Deno.test("Flags, texts, defaults and positionals are parsed", () => {
  assert.deepEqual(readCommandLine(COMMAND, ["--under", "12", "roles.csv", "--dry-run"]), {
    values: { under: "12", format: "text", "dry-run": true },
    positionals: ["roles.csv"],
  });
  assert.deepEqual(readCommandLine(COMMAND, ["-f", "json", "--", "--under", "copy"]), {
    values: { under: undefined, format: "json", "dry-run": false },
    positionals: ["--under", "copy"],
  });
});

Deno.test("Values have the types of their options", () => {
  const { values } = readCommandLine(COMMAND, ["roles.csv"]);
  const format: string = values.format;
  const dryRun: boolean = values["dry-run"];
  const under: string | undefined = values.under;
  assert.deepEqual([format, dryRun, under], ["text", false, undefined]);
});

const REFUSED: readonly (readonly [string, readonly string[], RegExp])[] = [
  ["An unknown option", ["roles.csv", "--undr", "1"], /--undr/],
  ["A text option without its text", ["roles.csv", "--under"], /--under/],
  ["A flag with a value", ["roles.csv", "--dry-run=no"], /--dry-run/],
  [
    "A repeated option",
    ["roles.csv", "--under", "1", "--under=2"],
    /--under was given more than once/,
  ],
  ["A missing argument", [], /FILE is missing: the CSV file to read/],
  ["One argument too many", ["a", "b", "c"], /Unexpected argument "c"/],
];

for (const [name, args, message] of REFUSED) {
  Deno.test(`${name} is refused`, () => {
    assert.throws(() => readCommandLine(COMMAND, args), { name: "CommandLineError", message });
  });
}

Deno.test("an id is a whole number, and a moment a revision or a time with its zone", () => {
  assert.deepEqual([parseRoleId("12", "role"), parseRoleId(undefined, "role")], [12, undefined]);
  for (const text of ["x", "", "-1.5", "-1", "1e3", "0x1", " 1", "9007199254740992"]) {
    const message = "--role must be the id of a role.";
    assert.throws(() => parseRoleId(text, "role"), { name: "TaskError", message }, text);
  }
  assert.deepEqual([parseAsOf("17"), parseAsOf(undefined)], [{ revision: 17 }, undefined]);
  assert.deepEqual(parseAsOf("2026-03-01T00:00:00Z"), { atMs: Date.UTC(2026, 2, 1) });
  for (const text of ["noon", "yesterday", "2026-03-01", "-1"]) {
    const message = "--as-of must be a revision, or a time such as 2026-03-01T00:00:00Z.";
    assert.throws(() => parseAsOf(text), { name: "TaskError", message }, text);
  }
});

async function runTask(...given: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const module = new URL("../../scripts/lib/command_line.ts", import.meta.url).href;
  const program = `import { parseCommandLine } from ${JSON.stringify(module)};
    const { positionals } = parseCommandLine(${JSON.stringify(COMMAND)}, ${JSON.stringify(given)});
    console.log("read " + positionals[0]);`;
  // Quiet and without the project's packages, because a download would show on standard error.
  const args = ["eval", "--quiet", "--no-config", "--no-lock", program];
  const output = await new Deno.Command(Deno.execPath(), { args }).output();
  const decoder = new TextDecoder();
  return { code: output.code, stdout: decoder.decode(output.stdout), stderr: decoder.decode(output.stderr) };
}

Deno.test("A task runs with valid arguments", async () => {
  assert.deepEqual(await runTask("roles.csv"), { code: 0, stdout: "read roles.csv\n", stderr: "" });
});

Deno.test("--help shows the usage and exits with status 0, even beside wrong arguments", async () => {
  assert.deepEqual(await runTask("--wrong", "--help"), {
    code: 0,
    stdout: [
      "Usage: deno task import FILE [COPY] [options]",
      "",
      "Imports roles.",
      "",
      "  FILE               the CSV file to read",
      "  COPY               where to keep a copy",
      "  --under ROLE_ID    The role to import under",
      "  -f, --format TEXT  The form of the answer (default: text)",
      "  --dry-run          Change nothing",
      "  --help             Show this text",
      "",
    ].join("\n"),
    stderr: "",
  });
});

Deno.test("tasks that act through the service say that they need its settings", async () => {
  const scripts = fileURLToPath(new URL("../../scripts/", import.meta.url));
  for await (const { name } of Deno.readDir(scripts)) {
    if (!name.endsWith(".ts")) continue;
    const text = await Deno.readTextFile(scripts + name);
    assert.equal(/needsSettings: (true|"--)/.test(text), text.includes("openService("), name);
  }
});

Deno.test("Wrong arguments are named on standard error and exit with status 2", async () => {
  const { code, stdout, stderr } = await runTask("roles.csv", "--undr");
  assert.equal(code, 2);
  assert.equal(stdout, "");
  assert.match(stderr, /^import: .*--undr/);
  assert.match(stderr, /deno task import --help\n$/);
});
