import { dashOf, readInk } from "./line_style.tsx";
import type { ShownLine } from "./plot.tsx";
import { isolate } from "../../language.ts";
import { nameOfLine } from "./plot_lines.ts";

/** Pixels of the page. */
const EDGE = 16;
const ROW = 20;
const SWATCH = 28;

/** What is written above a plot in its picture. */
interface Caption {
  readonly title: string;
  readonly shown: readonly ShownLine[];
  /** The values of each line as text. */
  readonly told: readonly string[];
}

/** Draws a plot of the page with its lines' names, in the colours of the page, as PNG. */
export async function drawPicture(section: HTMLElement, { title, shown, told }: Caption): Promise<Blob> {
  const plot = section.querySelector("canvas");
  const canvas = document.createElement("canvas");
  const context = canvas.getContext("2d");
  if (plot === null || context === null) throw new Error("There is no plot to draw");
  const ratio = plot.width / plot.clientWidth;
  const top = 2 * EDGE + ROW * (1 + shown.length);
  canvas.width = plot.width + 2 * EDGE * ratio;
  canvas.height = plot.height + (top + EDGE) * ratio;
  const { backgroundColor, color, fontFamily } = getComputedStyle(section);
  context.fillStyle = backgroundColor;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(plot, EDGE * ratio, top * ratio);
  context.scale(ratio, ratio);
  context.textBaseline = "middle";
  const width = plot.clientWidth;
  const write = (text: string, left: number, row: number): void => {
    context.fillText(shortenTo(context, text, width - left), EDGE + left, EDGE + ROW * (row + 0.5));
  };
  context.fillStyle = color;
  context.font = `600 14px ${fontFamily}`;
  write(title, 0, 0);
  context.font = `12px ${fontFamily}`;
  for (const [i, { line, style }] of shown.entries()) {
    const y = EDGE + ROW * (i + 1.5);
    context.beginPath();
    context.strokeStyle = readInk(section, `line-${style}`);
    context.lineWidth = 2;
    context.setLineDash(dashOf(style));
    context.moveTo(EDGE, y);
    context.lineTo(EDGE + SWATCH, y);
    context.stroke();
    write(`${isolate(nameOfLine(line))}: ${told[i]}`, SWATCH + 8, i + 1);
  }
  return await new Promise((resolve, reject) =>
    canvas.toBlob((blob) => blob === null ? reject(new Error("The picture is too large")) : resolve(blob))
  );
}

/** Returns a text, or as much of it as fits. */
function shortenTo(context: CanvasRenderingContext2D, text: string, width: number): string {
  if (context.measureText(text).width <= width) return text;
  const characters = [...text];
  while (characters.length > 0 && context.measureText(`${characters.join("")}…`).width > width) {
    characters.pop();
  }
  return `${characters.join("")}…`;
}
