import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";
import type UPlot from "uplot";

/** Minimum length of a drag, in pixels; a shorter one is a click. */
const SHORTEST = 8;

interface Dragging {
  readonly onSelect: (from: number, to: number) => void;
  readonly onReset: () => void;
}

/** Selects a stretch of time by dragging with mouse, pen or finger. A double click resets. */
export function useDragging(
  plot: RefObject<UPlot | undefined>,
  { onSelect, onReset }: Dragging,
  inputs: readonly unknown[],
): void {
  useEffect(() => {
    const made = plot.current ?? undefined;
    if (made === undefined) return;
    const { over } = made;
    const listening = new AbortController();
    const { signal } = listening;
    let start: number | undefined;
    const leftOf = ({ clientX }: PointerEvent): number =>
      Math.min(over.clientWidth, Math.max(0, clientX - over.getBoundingClientRect().left));
    const show = (from: number, to: number): void =>
      made.setSelect({
        left: Math.min(from, to),
        top: 0,
        width: Math.abs(to - from),
        height: over.clientHeight,
      }, false);
    const stop = (): void => {
      start = undefined;
      show(0, 0);
    };
    over.addEventListener("pointerdown", (event) => {
      if (!event.isPrimary || event.button !== 0) return;
      start = leftOf(event);
      over.setPointerCapture(event.pointerId);
    }, { signal });
    over.addEventListener("pointermove", (event) => {
      if (start === undefined || !event.isPrimary) return;
      show(start, leftOf(event));
      // Only a mouse moves uPlot's cursor by itself.
      made.setCursor({ left: leftOf(event), top: 0 });
    }, { signal });
    over.addEventListener("pointerup", (event) => {
      if (start === undefined || !event.isPrimary) return;
      const [from, to] = [start, leftOf(event)].sort((a, b) => a - b) as [number, number];
      stop();
      if (to - from >= SHORTEST) onSelect(made.posToVal(from, "x"), made.posToVal(to, "x"));
    }, { signal });
    over.addEventListener("pointercancel", stop, { signal });
    over.addEventListener("dblclick", onReset, { signal });
    return () => listening.abort();
  }, inputs);
}
