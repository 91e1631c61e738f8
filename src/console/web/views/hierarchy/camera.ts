import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { hasContentFocus } from "../../focus_content.ts";
import type { Picture } from "../../picture/scene.ts";
import { scrollToMiddle } from "../../picture/scroll_to_middle.ts";

const MOVE: KeyframeAnimationOptions = { duration: 280, easing: "cubic-bezier(0.2, 0, 0, 1)" };

/** What was on the screen before a change. */
interface Before {
  readonly rects: ReadonlyMap<string, DOMRect>;
  readonly focused: string | undefined;
}

/**
 * Scrolls the stage when the picture changes. A role that is newly in focus goes to the middle; otherwise, the role in focus
 * stays where it is on the screen. Boxes glide from where they were, and what had the keyboard's focus keeps it.
 */
export function useCamera(
  stage: RefObject<HTMLDivElement | null>,
  picture: Picture | undefined,
  focusId: number,
): void {
  const last = useRef<{ picture: Picture | undefined; focusId: number | undefined }>({
    picture: undefined,
    focusId: undefined,
  });
  const element = stage.current;
  const before = element !== null && picture !== last.current.picture ? lookAt(element) : undefined;
  useLayoutEffect(() => {
    const { focusId: lastId } = last.current;
    last.current = { picture, focusId };
    if (stage.current === null || picture === undefined) return;
    const focus = stage.current.querySelector<HTMLElement>(".box[aria-current]");
    const from = focus === null ? undefined : before?.rects.get(keyOf(focus));
    if (focus !== null) {
      if (lastId !== focusId || from === undefined) scrollToMiddle(stage.current, focus);
      else scrollBack(stage.current, focus, from);
      // Whoever opened the view, or found the role by its name, begins at it.
      if (lastId !== focusId && hasContentFocus()) focus.focus({ preventScroll: true });
    }
    if (before === undefined) return;
    // An element that changed its place among the others has lost the focus.
    if (before.focused !== undefined && document.activeElement === document.body) {
      find(stage.current, before.focused)?.focus({ preventScroll: true });
    }
    moveFrom(stage.current, before.rects);
  }, [picture]);
}

function lookAt(stage: Element): Before {
  const { activeElement } = document;
  return {
    rects: new Map(listBoxes(stage).map((box) => [keyOf(box), box.getBoundingClientRect()])),
    focused: activeElement !== null && stage.contains(activeElement) ? keyOf(activeElement) : undefined,
  };
}

function listBoxes(stage: Element): HTMLElement[] {
  return [...stage.querySelectorAll<HTMLElement>("[data-key]")];
}

function keyOf(element: Element): string {
  return element.getAttribute("data-key") ?? "";
}

function find(stage: Element, key: string): HTMLElement | undefined {
  return listBoxes(stage).find((box) => keyOf(box) === key);
}

function scrollBack(stage: Element, box: Element, from: DOMRect): void {
  const now = box.getBoundingClientRect();
  stage.scrollBy(now.left - from.left, now.top - from.top);
}

function moveFrom(stage: Element, rects: ReadonlyMap<string, DOMRect>): void {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  for (const box of listBoxes(stage)) {
    const from = rects.get(keyOf(box));
    if (from === undefined) continue;
    const now = box.getBoundingClientRect();
    // The picture may be drawn smaller than its coordinates.
    const scale = box.offsetWidth / now.width;
    const [x, y] = [(from.left - now.left) * scale, (from.top - now.top) * scale];
    if (x !== 0 || y !== 0) box.animate({ transform: [`translate(${x}px, ${y}px)`, "none"] }, MOVE);
  }
  stage.querySelector("svg")?.animate({ opacity: [0, 1] }, MOVE);
}
