import type { Signal } from "@preact/signals";
import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { texts } from "../language.ts";
import type { Size } from "./scene.ts";

const STEP = 1.25;
const LEAST = 0.1;
const MOST = 4;
/** The text size that boxes are designed for. */
const TEXT_PX = 16;

/** Returns the initial zoom: that of the page's text, which browser settings may enlarge. */
export function wholeZoom(): number {
  return parseFloat(getComputedStyle(document.documentElement).fontSize) / TEXT_PX;
}

interface ZoomButtonsProps {
  readonly stage: RefObject<HTMLDivElement | null>;
  readonly picture: Size;
  readonly zoom: Signal<number>;
}

/** Buttons for the zoom. The middle of the stage stays in place. */
export function ZoomButtons({ stage, picture, zoom }: ZoomButtonsProps) {
  const { zoom: text } = texts.value.hierarchy;
  const last = useRef(zoom.value);
  useLayoutEffect(() => {
    const ratio = zoom.value / last.current;
    last.current = zoom.value;
    if (stage.current === null || ratio === 1) return;
    const { scrollLeft, scrollTop, clientWidth, clientHeight } = stage.current;
    stage.current.scrollTo(
      (scrollLeft + clientWidth / 2) * ratio - clientWidth / 2,
      (scrollTop + clientHeight / 2) * ratio - clientHeight / 2,
    );
  }, [zoom.value]);
  const set = (value: number): void => {
    zoom.value = Math.max(LEAST, Math.min(MOST, value));
  };
  const fit = (): void => {
    const { clientWidth = 0, clientHeight = 0 } = stage.current ?? {};
    set(Math.min(wholeZoom(), clientWidth / picture.width, clientHeight / picture.height));
  };
  return (
    <div class="zoom" role="group" aria-label={text.label}>
      <button type="button" aria-label={text.out} title={text.out} onClick={() => set(zoom.value / STEP)}>
        −
      </button>
      <button type="button" onClick={() => set(wholeZoom())}>{text.whole}</button>
      <button type="button" aria-label={text.in} title={text.in} onClick={() => set(zoom.value * STEP)}>
        +
      </button>
      <button type="button" onClick={fit}>{text.fit}</button>
    </div>
  );
}
