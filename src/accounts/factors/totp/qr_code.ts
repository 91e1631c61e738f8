import { encode } from "uqr";

/** Light modules around the code, which scanners need (ISO/IEC 18004, 6.3.8). */
const BORDER = 4;

/** Capacity of the largest code at error correction level "M", in bytes (ISO/IEC 18004, table 7). */
const MAX_BYTES = 2331;

/**
 * Draws an ASCII text as a QR code: an SVG picture, dark on light, since not all scanners read the reverse. Null if
 * the text is too long.
 */
export function drawQrCode(text: string): string | null {
  if (text.length > MAX_BYTES) return null;
  const { data, size } = encode(text, { ecc: "M", border: BORDER });
  const dark = data.flatMap((row, y) =>
    listRuns(row).map(([from, length]) => `M${from} ${y}h${length}v1h-${length}`)
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges">` +
    `<path fill="#fff" d="M0 0h${size}v${size}H0"/><path d="${dark.join("")}"/></svg>`;
}

/** Returns start and length of each run of dark modules. */
function listRuns(row: readonly boolean[]): (readonly [from: number, length: number])[] {
  return row.flatMap((isDark, from) => {
    if (!isDark || row[from - 1]) return [];
    // The light border ends the last run.
    return [[from, row.indexOf(false, from) - from] as const];
  });
}
