import { describeRights, describeToBe, RightsTicks } from "../components/rights.tsx";
import { texts } from "../language.ts";
import { leadingTo } from "./leading_to.ts";
import { RIGHT_NAMES } from "../../../graph/rights.ts";
import { ALL, isSame, rightsAfter, type SomeRights } from "../rights.ts";
import type { Point, Size } from "./scene.ts";
import type { LineToBe } from "./to_be.ts";

/** Sizes of the mark on a relation: with some rights, which two fit above a box; with rights that change; and with all. */
const CAPSULE: Size = { width: 100, height: 26 };
const CHANGED: Size = { width: 120, height: 26 };
const DOT: Size = { width: 24, height: 24 };

/** Returns the size of a relation's mark, which names rights if it lacks some or they change. */
export function markOf(relation: SomeRights, toBe?: LineToBe): Size {
  if (toBe !== undefined && toBe.gained.length + toBe.lost.length > 0) return CHANGED;
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
  /** Undefined for a relation that does not exist yet. */
  readonly to: string | undefined;
  /** Whether it is shown in the panel. */
  readonly isChosen?: boolean;
  readonly parentName: string;
  readonly childName: string;
  /** The person's rights on the parent. */
  readonly before: SomeRights | undefined;
  readonly toBe?: LineToBe | undefined;
}

/** A link to a relation: its rights, with those lost on it marked, or a dot for all. */
export function RelationMark(props: RelationMarkProps) {
  const { relation, place, to, isChosen = false, parentName, childName, before, toBe } = props;
  const { hierarchy } = texts.value;
  const lost = lostOn(relation, before, toBe);
  const rights = describeRights(relation);
  const isCut = Object.keys(lost).length > 0;
  const size = markOf(relation, toBe);
  const text = isCut
    ? hierarchy.relationLoses(parentName, childName, rights, describeRights(lost))
    : hierarchy.relation(parentName, childName, rights);
  const change = toBe?.fate === undefined ? toBe && describeToBe(toBe) : [hierarchy.toBe[toBe.fate]];
  return (
    <a
      {...leadingTo(to)}
      data-key={`relation ${relation.id}`}
      class={`mark${isCut ? " cut" : ""}${toBe === undefined ? "" : ` to-be ${toBe.fate ?? ""}`}`}
      aria-current={isChosen ? "true" : undefined}
      style={placedMark(place, size)}
      aria-label={[text, ...change ?? []].join("; ")}
    >
      {size === DOT ? <i /> : <RightsTicks rights={relation} before={before} toBe={toBe} />}
    </a>
  );
}

/** Returns the person's rights on the parent that the relation does not carry, apart from those that a change takes. */
function lostOn(
  relation: SomeRights,
  before: SomeRights | undefined,
  toBe: LineToBe | undefined,
): SomeRights {
  const carried = toBe === undefined ? relation : rightsAfter(relation, toBe);
  return Object.fromEntries(
    RIGHT_NAMES.flatMap((name) =>
      before?.[name] === true && carried[name] !== true && !toBe?.lost.includes(name)
        ? [[name, true] as const]
        : []
    ),
  );
}
