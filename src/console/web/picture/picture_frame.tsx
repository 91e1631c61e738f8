import { useSignal } from "@preact/signals";
import type { ComponentChildren, RefObject } from "preact";
import { walkByArrows } from "./arrow_keys.ts";
import { Legend } from "./legend.tsx";
import { Placeholder } from "./placeholder.tsx";
import { curve, type Picture, type Point } from "./scene.ts";
import { wholeZoom, ZoomButtons } from "./zoom_buttons.tsx";

/** An element of a picture, and its middle. */
export interface Mark {
  readonly place: Point;
  readonly mark: ComponentChildren;
}

interface PictureFrameProps {
  readonly stage: RefObject<HTMLDivElement | null>;
  /** Undefined until it is laid out. */
  readonly picture: Picture | undefined;
  readonly label: string;
  /** Whether a line is faint, because it is not a relation. */
  readonly isFaint: (id: number) => boolean;
  readonly marks: readonly Mark[];
}

/** A picture with scrolling, zoom and a legend. */
export function PictureFrame({ stage, picture, label, isFaint, marks }: PictureFrameProps) {
  const zoom = useSignal(wholeZoom());
  return (
    <>
      <div class="stage" ref={stage} onKeyDown={walkByArrows}>
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
              <Lines picture={picture} isFaint={isFaint} />
              {inReadingOrder(marks)}
            </div>
          </div>
        )}
      </div>
      <div class="foot">
        <Legend />
        {picture && <ZoomButtons stage={stage} picture={picture} zoom={zoom} />}
      </div>
    </>
  );
}

function Lines({ picture, isFaint }: Pick<PictureFrameProps, "isFaint"> & { readonly picture: Picture }) {
  const drawn = [...picture.lines].map(([id, { points }]) => ({ id, path: curve(points) }));
  return (
    <svg width={picture.width} height={picture.height} aria-hidden="true">
      {drawn.map(({ id, path }) => isFaint(id) && <path key={id} d={path} class="faint" />)}
      {drawn.map(({ id, path }) => !isFaint(id) && <path key={id} d={path} />)}
    </svg>
  );
}

/** Sorts elements from top to bottom, the order of reading and Tab. */
function inReadingOrder(marks: readonly Mark[]): ComponentChildren[] {
  return marks.toSorted((a, b) => a.place.y - b.place.y || a.place.x - b.place.x).map(({ mark }) => mark);
}
