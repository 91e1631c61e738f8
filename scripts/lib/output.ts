/** The used part of a stream: `Deno.stdout`, or a stand-in of a test. */
export interface Output {
  writeSync(bytes: Uint8Array): number;
}

const encoder = new TextEncoder();

/** Writes a line to standard output. */
export function print(line = "", output: Output = Deno.stdout): void {
  const bytes = encoder.encode(`${line}\n`);
  // A pipe may take only a part at a time.
  for (let written = 0; written < bytes.length;) written += output.writeSync(bytes.subarray(written));
}

/** Writes a whole text to a file or stream. */
export async function writeText(
  output: { write(bytes: Uint8Array): Promise<number> },
  text: string,
): Promise<void> {
  const bytes = encoder.encode(text);
  for (let written = 0; written < bytes.length;) written += await output.write(bytes.subarray(written));
}

/** Writes a line to standard error. */
export function printError(line: string): void {
  print(line, Deno.stderr);
}

/** Formats a table: columns as wide as their longest cell, two spaces apart, the first row underlined. */
export function formatTable(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, [...cell].length);
  }
  const lines = rows.map((row) => row.map((cell, i) => cell + spaces((widths[i] ?? 0) - [...cell].length)));
  const rule = widths.map((width) => "-".repeat(width));
  return [...lines.slice(0, 1), rule, ...lines.slice(1)].map((cells) => cells.join("  ").trimEnd());
}

function spaces(count: number): string {
  return " ".repeat(count);
}

/** Removes control characters, so that names chosen by users cannot control the administrator's terminal. */
export function toPlainText(text: string): string {
  return text.replace(/\p{C}/gu, "");
}
