import { formatNumber, texts } from "../../language.ts";
import { follow, ROOT, withQuery } from "../../router.ts";
import { placed } from "../../picture/role_box.tsx";
import { CHILDREN } from "./load_neighbourhood.ts";
import type { Point } from "../../picture/scene.ts";
import type { Above } from "./shown.ts";

/** Boxes that stand for roles which are not drawn, by ids that no role has. */
export const ABOVE_ID = -1;
export const MORE_ID = -2;

/** What is not drawn, and how it comes to be. */
export interface Extras {
  readonly onAllLevels: () => void;
  /** The children that are not drawn; undefined if there are none. */
  readonly children: MoreChildren | undefined;
}

interface MoreChildren {
  readonly count: number;
  /** Whether there may be more. */
  readonly isLeast: boolean;
  readonly isLoading: boolean;
  /** Undefined if the picture has no room for more. */
  readonly onMore: (() => void) | undefined;
}

interface AboveBoxProps extends Pick<Extras, "onAllLevels"> {
  readonly place: Point;
  readonly above: Above;
}

/** The roles above those that are drawn. */
export function AboveBox({ place, above, onAllLevels }: AboveBoxProps) {
  const { hierarchy } = texts.value;
  const text = hierarchy.more(hierarchy.above(above.count, above.isMore));
  if (!above.canOpen) return <ListLink name="above" place={place} text={text} />;
  return (
    <ExtraButton name="above" place={place} text={text} hint={hierarchy.openAbove} onClick={onAllLevels} />
  );
}

/** The children of the focus that are not drawn. */
export function MoreBox(
  { place, count, isLeast, isLoading, onMore }: MoreChildren & { readonly place: Point },
) {
  const { hierarchy, loading } = texts.value;
  const text = hierarchy.more(formatNumber(count, isLeast));
  if (onMore === undefined) return <ListLink name="more" place={place} text={text} />;
  const hint = isLoading ? loading : hierarchy.moreChildren(Math.min(count, CHILDREN));
  return (
    <ExtraButton name="more" place={place} text={text} hint={hint} onClick={isLoading ? undefined : onMore} />
  );
}

interface ExtraProps {
  readonly name: string;
  readonly place: Point;
  readonly text: string;
}

interface ExtraButtonProps extends ExtraProps {
  readonly hint: string;
  /** Undefined while it is done. */
  readonly onClick: (() => void) | undefined;
}

function ExtraButton({ name, place, text, hint, onClick }: ExtraButtonProps) {
  return (
    <button
      type="button"
      class="box extra"
      data-key={name}
      style={placed(place)}
      aria-disabled={onClick === undefined}
      onClick={onClick}
    >
      {text}
      <small>{hint}</small>
    </button>
  );
}

/** What the picture has no room for is listed in the panel. */
function ListLink({ name, place, text }: ExtraProps) {
  return (
    <a
      href={ROOT + withQuery({ tab: "relations" })}
      onClick={follow}
      class="box extra"
      data-key={name}
      style={placed(place)}
    >
      {text}
      <small>{texts.value.hierarchy.pictureFull}</small>
    </a>
  );
}
