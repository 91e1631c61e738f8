import { writeCsv } from "../../csv.ts";
import type { Line } from "./measured.ts";
import { nameOfLine } from "./plot_lines.ts";

const COLUMNS = ["time", "series", "unit", "min", "mean", "max", "count"] as const;

/** Returns the windows of lines as a file for a spreadsheet. */
export function writeLines(lines: readonly Line[]): string {
  const rows = lines.flatMap((line) => {
    const about = [nameOfLine(line), line.unit === "frac" ? "" : line.unit];
    return line.windows.map((
      { time, min, mean, max, count },
    ) => [writeIso(time), ...about, min, mean, max, count]);
  });
  return writeCsv([COLUMNS, ...rows]);
}

/** Formats a time as ISO 8601 with the offset of the browser's time zone: "2026-11-27T18:00:00+01:00". */
function writeIso(time: number): string {
  const offset = -new Date(time).getTimezoneOffset();
  const local = new Date(time + offset * 60_000).toISOString().slice(0, 19);
  const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60].map((part) =>
    String(part).padStart(2, "0")
  );
  return `${local}${offset < 0 ? "-" : "+"}${hours}:${minutes}`;
}
