const LINE_FEED = 10;

/** Reads a response that is such a file. Calls `onLines` with the number of lines so far, without the first. */
export async function readCsv(file: unknown, onLines: (lines: number) => void): Promise<Blob> {
  // The first line has the names of the columns.
  let lines = -1;
  const counting = new TransformStream<Uint8Array, Uint8Array>({
    transform: (part, controller) => {
      for (const byte of part) if (byte === LINE_FEED) lines++;
      onLines(Math.max(0, lines));
      controller.enqueue(part);
    },
  });
  // Of a request with `parseAs: "stream"`.
  return await new Response((file as ReadableStream<Uint8Array>).pipeThrough(counting)).blob();
}

/** A cell of a file for a spreadsheet. */
export type Cell = string | number | null | undefined;

/** Writes rows as a file for a spreadsheet (RFC 4180). */
export function writeCsv(rows: readonly (readonly Cell[])[]): string {
  return rows.map((row) => `${row.map(writeCell).join(",")}\r\n`).join("");
}

/** Writes a cell. A spreadsheet takes a text that begins with = + - or @ for a formula, so a ' goes before it. */
function writeCell(cell: Cell): string {
  if (typeof cell !== "string") return String(cell ?? "");
  const safe = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Reads a text of a file as it was before it was kept from being a formula. */
export function readCell(text: string): string {
  return text.replace(/^'(?=[=+\-@])/, "");
}
