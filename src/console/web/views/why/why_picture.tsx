import { NONE_HIDDEN } from "../../picture/hidden.ts";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { describeRights, RightsTicks } from "../../components/rights.tsx";
import { Name } from "../../components/name.tsx";
import { texts } from "../../language.ts";
import { ALL, isSame } from "../../rights.ts";
import { useLayout } from "../../picture/late_layout.ts";
import { type Mark, PictureFrame } from "../../picture/picture_frame.tsx";
import { markOf, placedMark, RelationMark } from "../../picture/relation_mark.tsx";
import { placed, RoleBox } from "../../picture/role_box.tsx";
import type { Picture, Point, Scene } from "../../picture/scene.ts";
import { scrollToMiddle } from "../../picture/scroll_to_middle.ts";
import { type Answer, nameOfAsked } from "./load_answer.ts";
import { type Box, type Link, makeScene, PERSON, type WayScene } from "./way_scene.ts";

/** Maximum number of boxes side by side. */
const COLUMNS = 4;
const NO_LABEL = { width: 0, height: 0 };
const CAPSULE = { width: 106, height: 26 };
const TICK = { width: 32, height: 26 };

/** The ways from the person's memberships to the role, with each relation's rights and the places of loss. */
export function WhyPicture({ answer }: { readonly answer: Answer }) {
  const { why } = texts.value;
  const stage = useRef<HTMLDivElement>(null);
  const scene = useMemo(() => makeScene(answer), [answer]);
  const layOut = useLayout();
  const picture = useMemo(() => layOut?.(sizeWays(scene)), [layOut, scene]);
  const memberships = new Set(scene.links.flatMap(({ id, isMembership }) => isMembership ? [id] : []));
  useLayoutEffect(() => {
    const loss = stage.current?.querySelector(".cut") ?? null;
    if (stage.current !== null && loss !== null && !answer.explanation.allowed) {
      scrollToMiddle(stage.current, loss);
    }
  }, [picture]);
  return (
    <section class="ways" aria-label={why.picture}>
      <PictureFrame
        stage={stage}
        picture={picture}
        label={why.picture}
        kindOf={(id) => memberships.has(id) ? "faint" : undefined}
        marks={picture === undefined ? [] : listMarks(answer, scene, picture)}
      />
      {scene.left > 0 && <p class="hint">{why.notDrawn(scene.left)}</p>}
    </section>
  );
}

function sizeWays({ boxes, links }: WayScene): Scene {
  return {
    boxes: [...boxes.keys()],
    links: links.map((link) => ({ ...link, label: sizeOf(link) })),
    columns: COLUMNS,
  };
}

/** Returns the size of a line's label. */
function sizeOf({ rights, isMembership, isLostHere, isDormant }: Link) {
  if (isDormant) return CAPSULE;
  if (rights === undefined) return isLostHere ? TICK : NO_LABEL;
  if (!isMembership) return markOf(rights);
  return isSame(rights, ALL) ? NO_LABEL : CAPSULE;
}

function listMarks(answer: Answer, { boxes, links }: WayScene, { places, lines }: Picture): Mark[] {
  return [
    ...[...boxes].map(([id, box]) => {
      const place = places.get(id) ?? NOWHERE;
      return { place, mark: <WayBox key={`box ${id}`} id={id} box={box} place={place} answer={answer} /> };
    }),
    ...links.map((link) => {
      const place = lines.get(link.id)?.label ?? NOWHERE;
      return { place, mark: <WayMark key={`link ${link.id}`} link={link} place={place} answer={answer} /> };
    }),
  ];
}

const NOWHERE = { x: 0, y: 0 };

interface WayBoxProps {
  readonly id: number;
  readonly box: Box;
  readonly place: Point;
  readonly answer: Answer;
}

function WayBox({ id, box, place, answer }: WayBoxProps) {
  const { right, roleId } = answer.question;
  const role = answer.roles.get(id);
  if (role !== undefined) {
    return (
      <RoleBox
        role={role}
        place={place}
        to={`/role/${id}`}
        isFocus={id === roleId}
        standing={answer.rights.get(id) ?? "unknown"}
        before={box.kind === "role" && box.isLostHere ? { [right]: true } : undefined}
        summary={undefined}
        hidden={NONE_HIDDEN}
        hasBoxAbove={false}
        hasNamesake={false}
      />
    );
  }
  const name = nameOf(id, answer);
  return (
    <div class={box.kind === "person" ? "box person" : "box extra"} style={placed(place)} title={name}>
      <span class="box-name">
        <Name>{name}</Name>
      </span>
    </div>
  );
}

interface WayMarkProps {
  readonly link: Link;
  readonly place: Point;
  readonly answer: Answer;
}

function WayMark({ link, place, answer }: WayMarkProps) {
  const { why, rights: { names } } = texts.value;
  const { id, from, to, rights, isLostHere, isMembership, isDormant } = link;
  const { right } = answer.question;
  const before = isLostHere ? { [right]: true } : undefined;
  const [fromName, toName] = [nameOf(from, answer), nameOf(to, answer)];
  if (rights !== undefined && !isMembership) {
    return (
      <RelationMark
        relation={{ id, ...rights }}
        place={place}
        to={`/role/${to}?do=relation&relation=${id}`}
        parentName={fromName}
        childName={toName}
        before={before}
      />
    );
  }
  const size = sizeOf(link);
  const label = [
    isMembership ? why.linkOfMember(fromName, toName) : why.link(fromName, toName),
    ...(isDormant ? [why.dormantMark] : rights === undefined ? [] : [describeRights(rights)]),
    ...(isLostHere && right !== "member" ? [why.lostHere(names[right])] : []),
  ].join(": ");
  if (size.width === 0) return <span class="visually-hidden">{label}</span>;
  return (
    <span
      role="img"
      aria-label={label}
      class={isDormant ? "mark cut dormant" : isLostHere ? "mark cut" : "mark"}
      style={placedMark(place, size)}
    >
      {isDormant
        ? why.dormantMark
        : rights === undefined
        ? right !== "member" && <RightsTicks rights={{}} before={before} only={right} />
        : <RightsTicks rights={rights} before={before} />}
    </span>
  );
}

function nameOf(id: number, { names, question }: Answer): string {
  if (id === PERSON) return nameOfAsked(question.asked);
  const { hiddenBox, unknownRole } = texts.value.why;
  return names.get(id) ?? (id === question.roleId ? unknownRole(id) : hiddenBox);
}
