import { describeRights, RightsTicks } from "../components/rights.tsx";
import { texts } from "../language.ts";
import { follow, ROOT } from "../router.ts";
import { RIGHT_NAMES } from "../../../role/rights.ts";
import { ALL, isSame, type SomeRights } from "../rights.ts";
import type { Point, Size } from "./scene.ts";

/** Sizes of the mark on a relation: with some rights, and with all. Two fit above a box. */
const CAPSULE: Size = { width: 100, height: 26 };
const DOT: Size = { width: 24, height: 24 };

/** Returns the size of a relation's mark. */
export function markOf(relation: SomeRights): Size {
  return isSame(relation, ALL) ? DOT : CAPSULE;
}

/** Returns the style of a mark centered at a place. */
export function placedMark({ x, y }: Point, { width, height }: Size): Record<string, string> {
  return {
    left: `${x - width / 2}px`,
    top: `${y - height / 2}px`,
    width: `${width}px`,
    height: `${height}px`,
  };
}

interface RelationMarkProps {
  readonly relation: SomeRights & { readonly id: number };
  readonly place: Point;
  readonly to: string;
  /** Whether it is shown in the panel. */
  readonly isChosen?: boolean;
  readonly parentName: string;
  readonly childName: string;
  /** The person's rights on the parent. */
  readonly before: SomeRights | undefined;
}

/** A link to a relation: its rights, with those lost on it marked, or a dot for all. */
export function RelationMark(props: RelationMarkProps) {
  const { relation, place, to, isChosen = false, parentName, childName, before } = props;
  const { hierarchy } = texts.value;
  const lost = lostOn(relation, before);
  const rights = describeRights(relation);
  const isCut = Object.keys(lost).length > 0;
  const size = markOf(relation);
  return (
    <a
      href={ROOT + to}
      onClick={follow}
      data-key={`relation ${relation.id}`}
      class={isCut ? "mark cut" : "mark"}
      aria-current={isChosen ? "true" : undefined}
      style={placedMark(place, size)}
      aria-label={isCut
        ? hierarchy.relationLoses(parentName, childName, rights, describeRights(lost))
        : hierarchy.relation(parentName, childName, rights)}
    >
      {size === CAPSULE ? <RightsTicks rights={relation} before={before} /> : <i />}
    </a>
  );
}

/** Returns the person's rights on the parent that the relation does not carry. */
function lostOn(relation: SomeRights, before: SomeRights | undefined): SomeRights {
  return Object.fromEntries(
    RIGHT_NAMES.flatMap((name) =>
      before?.[name] === true && relation[name] !== true ? [[name, true] as const] : []
    ),
  );
}
