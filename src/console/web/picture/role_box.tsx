import { Name } from "../components/name.tsx";
import { describeRights, RightsTicks } from "../components/rights.tsx";
import { formatNumber, texts } from "../language.ts";
import { follow, ROOT } from "../router.ts";
import type { SomeRights } from "../rights.ts";
import type { Role, Summary } from "../schemas.ts";
import type { Hidden } from "./hidden.ts";
import { NODE, type Point } from "./scene.ts";
import { rightsOf, type Standing } from "./standing.ts";

interface RoleBoxProps {
  readonly role: Role;
  readonly place: Point;
  readonly to: string;
  readonly isFocus: boolean;
  readonly standing: Standing;
  /** Rights marked as lost on the role itself unless held. */
  readonly before?: SomeRights | undefined;
  readonly summary: Summary | undefined;
  readonly hidden: Hidden;
  /** Whether a box represents undrawn roles above it. */
  readonly hasBoxAbove: boolean;
  /** Whether another role of the picture has the same name. */
  readonly hasNamesake: boolean;
}

/** The box of a role: the person's rights on it, and the neighbours that are not drawn. */
export function RoleBox(props: RoleBoxProps) {
  const { role, place, to, isFocus, standing, before, hidden, hasBoxAbove, hasNamesake } = props;
  const { hierarchy } = texts.value;
  return (
    <a
      href={ROOT + to}
      onClick={follow}
      data-key={`role ${role.id}`}
      class={before !== undefined ? "box cut" : typeof standing === "string" ? "box without" : "box"}
      style={placed(place)}
      title={describeTitle(props)}
      aria-label={describeBox(props)}
      aria-current={isFocus ? "true" : undefined}
    >
      <span class="box-name">
        <Name>{role.name}</Name>
        {hasNamesake && <small>{role.id}</small>}
      </span>
      {standing === "none" && <small>{hierarchy.noAccess}</small>}
      {standing === "unknown" && <small>{hierarchy.notKnown}</small>}
      {typeof standing === "object" && <RightsTicks rights={standing} before={before} />}
      {hidden.parents > 0 && !hasBoxAbove && (
        <span class="chip up">{hierarchy.more(formatNumber(hidden.parents))}</span>
      )}
      {hidden.children > 0 && !isFocus && (
        <span class="chip down">{hierarchy.more(formatNumber(hidden.children))}</span>
      )}
    </a>
  );
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

function describeBox({ role, standing, summary, hidden, hasNamesake }: RoleBoxProps): string {
  const { hierarchy } = texts.value;
  const rights = rightsOf(standing);
  const text = rights === undefined
    ? standing === "none" ? hierarchy.noAccess : hierarchy.notKnown
    : describeRights(rights);
  return [
    hierarchy.box(hasNamesake ? `${role.name}, ${hierarchy.role(role.id)}` : role.name, text),
    hierarchy.boxMore(hidden.parents, hidden.children),
    summary !== undefined && summary.descendants > 0 ? hierarchy.boxBelow(summary.descendants) : "",
  ].filter((part) => part !== "").join("; ");
}
