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
