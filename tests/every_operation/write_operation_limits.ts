import { print } from "../../scripts/lib/output.ts";
import { type Input, type InputName, INPUTS } from "../db/bounds/bound.ts";
import { listOperationLimits, type OperationLimits } from "./operation_limits.ts";

/** The list of operations in `docs/limits.md`, between two markers. As a program, it writes it. */

export const LIMITS_FILE = new URL("../../docs/limits.md", import.meta.url);
const BEGIN = "<!-- Written by `deno run -A tests/every_operation/write_operation_limits.ts` -->";
const END = "<!-- The end of what is written -->";

/** The text between the markers. Throws an `Error` if they are missing. */
export function findSection(page: string): string {
  const [start, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (start === -1 || end < start) {
    throw new Error("docs/limits.md has no markers for the list of operations");
  }
  return page.slice(start + BEGIN.length, end);
}

/** The text without differences in the alignment of tables and in line breaks. */
export function withoutLayout(text: string): string {
  return text.replaceAll(/-{3,}/g, "---").replaceAll(/\s+/g, " ").trim();
}

export async function renderSection(): Promise<string> {
  const operations = await listOperationLimits();
  const inputs = new Set(operations.flatMap(({ grows }) => grows.flatMap((product) => product.split(" x "))));
  return `
## Operations

What one request of each operation may cost, and who pays.

- **Rows**: what the number of rows that its statements look at grows with, at most as a multiple of each product.
  An empty field means that it is constant. [tests/db/bounds](../tests/db/bounds) has the multiples; a test measures
  them on a server.
- **Turns, counters**: whose turns a request takes where it waits for the database: those of its network while it is
  not known who asks, then those of the payer. What else is counted is named.
- **In pieces**: a long response is made and sent piece by piece, at the pace of its client.
- **Body after**: the last of the guards that a body of more than 4 KiB waits for: the host, the token's signature,
  or the life of the session or key.

${
    tableOf(
      ["Input", "What it is", "At most"],
      (Object.keys(INPUTS) as InputName[]).filter((name) => inputs.has(name)).map(rowOfInput),
    )
  }

${tableOf(["Operation", "Rows", "Turns, counters", "In pieces", "Body after"], operations.map(rowOf))}

`;
}

function rowOfInput(name: InputName): string[] {
  const { meaning, most }: Input = INPUTS[name];
  return [`\`${name}\``, meaning, most?.toLocaleString("en-US") ?? "what is stored"];
}

function rowOf({ route, grows, charged, isStreamed, bodyAfter }: OperationLimits): string[] {
  const products = grows.map((product) => product.replaceAll(" x ", " × "));
  return [`\`${route}\``, products.join(", "), charged.join(", "), isStreamed ? "yes" : "", bodyAfter ?? ""];
}

function tableOf(heads: readonly string[], rows: readonly string[][]): string {
  const lines = [heads, heads.map(() => "---"), ...rows];
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

async function format(text: string): Promise<string> {
  const formatter = new Deno.Command(Deno.execPath(), {
    args: ["fmt", "--ext", "md", "-"],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const writer = formatter.stdin.getWriter();
  await writer.write(new TextEncoder().encode(text));
  await writer.close();
  return new TextDecoder().decode((await formatter.output()).stdout);
}

if (import.meta.main) {
  const page = await Deno.readTextFile(LIMITS_FILE);
  const section = findSection(page);
  const rendered = await renderSection();
  const text = await format(page.replace(`${BEGIN}${section}`, () => `${BEGIN}\n${rendered}`));
  await Deno.writeTextFile(LIMITS_FILE, text);
  print("Wrote the list of operations in docs/limits.md");
  Deno.exit(0);
}
