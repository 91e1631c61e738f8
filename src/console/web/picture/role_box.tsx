import { Name } from "../components/name.tsx";
import { describeRights, describeToBe, RightsTicks } from "../components/rights.tsx";
import { formatNumber, texts } from "../language.ts";
import type { SomeRights } from "../rights.ts";
import type { Role, Summary } from "../schemas.ts";
import type { Hidden } from "./hidden.ts";
import { leadingTo } from "./leading_to.ts";
import { NODE, type Point } from "./scene.ts";
import { rightsOf, type Standing } from "./standing.ts";
import type { BoxToBe } from "./to_be.ts";

interface RoleBoxProps {
  readonly role: Role;
  readonly place: Point;
  /** Undefined for a role that does not exist yet. */
  readonly to: string | undefined;
  readonly isFocus: boolean;
  /** Undefined: nothing is said about it. */
  readonly standing: Standing | undefined;
  /** Rights marked as lost on the role itself unless held. */
  readonly before?: SomeRights | undefined;
  readonly summary: Summary | undefined;
  readonly hidden: Hidden;
  /** Whether a box represents undrawn roles above it. */
  readonly hasBoxAbove: boolean;
  /** Whether another role of the picture has the same name. */
  readonly hasNamesake: boolean;
  readonly toBe?: BoxToBe | undefined;
}

/** The box of a role: the person's rights on it, and the neighbours that are not drawn. */
export function RoleBox(props: RoleBoxProps) {
  const { role, place, to, isFocus, standing, before, hidden, hasBoxAbove, hasNamesake, toBe } = props;
  const { hierarchy } = texts.value;
  // A person without access may gain some.
  const ticks = rightsOf(standing) ?? (toBe !== undefined && toBe.gained.length > 0 ? {} : undefined);
  return (
    <a
      {...leadingTo(to)}
      data-key={`role ${role.id}`}
      class={classOf(props)}
      style={placed(place)}
      title={describeTitle(props)}
      aria-label={describeBox(props)}
      aria-current={isFocus ? "true" : undefined}
    >
      <span class="box-name">
        <Name>{toBe?.name ?? role.name}</Name>
        {hasNamesake && <small>{role.id}</small>}
      </span>
      {ticks !== undefined && <RightsTicks rights={ticks} before={before} toBe={toBe} />}
      {ticks === undefined && standing === "none" && <small>{hierarchy.noAccess}</small>}
      {ticks === undefined && standing === "unknown" && <small>{hierarchy.notKnown}</small>}
      {toBe?.fate !== undefined && <span class="chip fate">{hierarchy.toBe[toBe.fate]}</span>}
      {hidden.parents > 0 && !hasBoxAbove && (
        <span class="chip up">{hierarchy.more(formatNumber(hidden.parents))}</span>
      )}
      {hidden.children > 0 && !isFocus && (
        <span class="chip down">{hierarchy.more(formatNumber(hidden.children, hidden.isLeast))}</span>
      )}
    </a>
  );
}

function classOf({ before, standing, toBe }: RoleBoxProps): string {
  if (toBe !== undefined) {
    const { fate, lost, gained } = toBe;
    return `box to-be ${fate ?? (lost.length > 0 ? "less" : gained.length > 0 ? "more" : "")}`;
  }
  return before !== undefined ? "box cut" : typeof standing === "string" ? "box without" : "box";
}

/** Returns the position of a box, as properties for scripts: the page's policy allows no style in markup. */
export function placed({ x, y }: Point): Record<string, string> {
  return { left: `${x - NODE.width / 2}px`, top: `${y - NODE.height / 2}px` };
}

function describeTitle({ role, summary }: RoleBoxProps): string {
  const { boxBelow } = texts.value.hierarchy;
  return summary === undefined || summary.descendants === 0
    ? role.name
    : `${role.name} · ${boxBelow(summary.descendants)}`;
}

function describeBox({ role, standing, summary, hidden, hasNamesake, toBe }: RoleBoxProps): string {
  const { hierarchy } = texts.value;
  const rights = rightsOf(standing);
  const text = rights === undefined
    ? standing === "none" ? hierarchy.noAccess : hierarchy.notKnown
    : describeRights(rights);
  const called = toBe?.name ?? role.name;
  const name = hasNamesake ? `${called}, ${hierarchy.role(role.id)}` : called;
  const fate = toBe?.fate;
  return [
    standing === undefined ? name : hierarchy.box(name, text),
    // Of a deleted role, all rights are lost.
    ...toBe === undefined || fate === "deleted" ? [] : describeToBe(toBe),
    fate === undefined ? "" : hierarchy.toBe[fate],
    hierarchy.boxMore(hidden.parents, hidden.children, hidden.isLeast),
    summary !== undefined && summary.descendants > 0 ? hierarchy.boxBelow(summary.descendants) : "",
  ].filter((part) => part !== "").join("; ");
}
