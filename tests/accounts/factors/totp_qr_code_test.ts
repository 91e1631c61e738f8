/** A reader of QR codes reads the text back. */
import assert from "node:assert/strict";
import jsqr from "jsqr";
import { drawQrCode } from "../../../src/accounts/factors/totp/qr_code.ts";

/** Pixels for each module, in both directions. */
const SCALE = 3;

/** Reads a code from its picture's rows of dark squares. */
function readQrCode(svg: string): string | undefined {
  const size = Number(/viewBox="0 0 (\d+) \1"/.exec(svg)?.[1]);
  const width = size * SCALE;
  const pixels = new Uint8ClampedArray(width * width * 4).fill(255);
  for (const [, ...numbers] of svg.matchAll(/M(\d+) (\d+)h(\d+)v1h-\3/g)) {
    const [from = 0, top = 0, length = 0] = numbers.map((number) => Number(number) * SCALE);
    for (let y = top; y < top + SCALE; y++) {
      for (let x = from; x < from + length; x++) pixels.fill(0, (y * width + x) * 4, (y * width + x) * 4 + 3);
    }
  }
  return jsqr.default(pixels, width, width)?.data;
}

Deno.test("a QR code holds its text, up to the longest that fits", () => {
  for (const length of [1, 100, 250, 1000, 2331]) {
    const text = "otpauth%".repeat(300).slice(0, length);
    assert.equal(readQrCode(drawQrCode(text) ?? ""), text);
  }
});

Deno.test("a text too long for a QR code gives none", () => {
  assert.equal(drawQrCode("a".repeat(2332)), null);
});
