import assert from "node:assert/strict";
import jsqr from "jsqr";
import type { Locator } from "playwright-core";

/** What is used of a canvas's context, which Deno's types do not have. */
interface Canvas {
  drawImage(image: ImageBitmap, x: number, y: number): void;
  getImageData(x: number, y: number, width: number, height: number): { readonly data: Uint8ClampedArray };
}

/** Reads the QR code that an element shows, from a picture of it, as a phone's camera would. */
export async function readQrCode(element: Locator): Promise<string> {
  const png = (await element.screenshot({ scale: "css" })).toString("base64");
  // In an empty window, because the policy of the page itself allows less.
  const window = await element.page().context().newPage();
  const { data, width, height } = await window.evaluate(async (png) => {
    const response = await fetch(`data:image/png;base64,${png}`);
    const image = await createImageBitmap(await response.blob());
    const { width, height } = image;
    const canvas = new OffscreenCanvas(width, height).getContext("2d") as unknown as Canvas;
    canvas.drawImage(image, 0, 0);
    return { data: [...canvas.getImageData(0, 0, width, height).data], width, height };
  }, png);
  await window.close();
  const code = jsqr.default(Uint8ClampedArray.from(data), width, height);
  assert.ok(code, "the picture holds no QR code");
  return code.data;
}
