import { useSignal } from "@preact/signals";
import type { ComponentChildren, RefObject } from "preact";
import { walkByArrows } from "./arrow_keys.ts";
import { Legend, LegendToBe } from "./legend.tsx";
import { Placeholder } from "./placeholder.tsx";
import { curve, type Picture, type Point } from "./scene.ts";
import { wholeZoom, ZoomButtons } from "./zoom_buttons.tsx";

/** An element of a picture, and its middle. */
export interface Mark {
  readonly place: Point;
  readonly mark: ComponentChildren;
}

export type LineKind = "faint" | "new" | "deleted" | "changed";

interface PictureFrameProps {
  readonly stage: RefObject<HTMLDivElement | null>;
  /** Undefined until it is laid out. */
  readonly picture: Picture | undefined;
  readonly label: string;
  /** The kind of a line: one that is not a relation is faint. */
  readonly kindOf: (id: number) => LineKind | undefined;
  /** Whether it shows what a change would make of it. */
  readonly isToBe?: boolean;
  readonly marks: readonly Mark[];
}

/** A picture with scrolling, zoom and a legend. */
export function PictureFrame(
  { stage, picture, label, kindOf, isToBe = false, marks }: PictureFrameProps,
) {
  const zoom = useSignal(wholeZoom());
  return (
    <>
      <div class="stage" ref={stage} onKeyDown={(event) => walkByArrows(event, picture)}>
        {picture === undefined ? <Placeholder /> : (
          <div
            class="extent"
            style={{ width: `${picture.width * zoom.value}px`, height: `${picture.height * zoom.value}px` }}
          >
            <div
              class="graph"
              role="group"
              aria-label={label}
              style={{
                width: `${picture.width}px`,
                height: `${picture.height}px`,
                transform: `scale(${zoom.value})`,
              }}
            >
              <Lines picture={picture} kindOf={kindOf} />
              {inReadingOrder(marks)}
            </div>
          </div>
        )}
      </div>
      <div class="foot beside">
        {isToBe && <LegendToBe />}
        <Legend />
        {picture && <ZoomButtons stage={stage} picture={picture} zoom={zoom} />}
      </div>
    </>
  );
}

function Lines({ picture, kindOf }: Pick<PictureFrameProps, "kindOf"> & { readonly picture: Picture }) {
  const drawn = [...picture.lines].map(([id, { points }]) => ({ id, kind: kindOf(id), path: curve(points) }));
  return (
    <svg width={picture.width} height={picture.height} aria-hidden="true">
      {drawn.map(({ id, kind, path }) => kind === "faint" && <path key={id} d={path} class={kind} />)}
      {drawn.map(({ id, kind, path }) => kind !== "faint" && <path key={id} d={path} class={kind} />)}
    </svg>
  );
}

/** Sorts elements from top to bottom, the order of reading and Tab. */
function inReadingOrder(marks: readonly Mark[]): ComponentChildren[] {
  return marks.toSorted((a, b) => a.place.y - b.place.y || a.place.x - b.place.x).map(({ mark }) => mark);
}
