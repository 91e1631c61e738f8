import { useMemo } from "preact/hooks";
import { encode } from "uqr";

/** Light modules around the code, without which scanners do not find it (ISO/IEC 18004, 6.3.8). */
const BORDER = 4;

interface QrCodeProps {
  readonly text: string;
  readonly label: string;
}

/** A QR code, dark on light whatever the theme: not all scanners read the reverse. */
export function QrCode({ text, label }: QrCodeProps) {
  const { size, path } = useMemo(() => draw(text), [text]);
  return (
    <svg
      class="totp-qr"
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shape-rendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}

/** The dark modules as a path of squares with sides of 1. */
function draw(text: string): { size: number; path: string } {
  const { data, size } = encode(text, { ecc: "M", border: BORDER });
  const path = data.flatMap((row, y) => row.map((isDark, x) => isDark ? `M${x} ${y}h1v1h-1z` : "")).join("");
  return { size, path };
}
