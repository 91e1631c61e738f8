import { NONE_HIDDEN } from "../../picture/hidden.ts";
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { isPast } from "../../components/as_of.tsx";
import { late } from "../../components/late.tsx";
import { texts } from "../../language.ts";
import { useLayout } from "../../picture/late_layout.ts";
import { type LineKind, type Mark, PictureFrame } from "../../picture/picture_frame.tsx";
import { markOf, RelationMark } from "../../picture/relation_mark.tsx";
import { RoleBox } from "../../picture/role_box.tsx";
import { countColumns, type Link, type Picture, type Point, type Scene } from "../../picture/scene.ts";
import { rightsOf, type Standing } from "../../picture/standing.ts";
import { type BoxToBe, NEW_ID, type Pictured, type PictureToBe, pictureToBe } from "../../picture/to_be.ts";
import { wholeZoom } from "../../picture/zoom_buttons.tsx";
import { rightsAfter, type SomeRights } from "../../rights.ts";
import { query, readId, withQuery } from "../../router.ts";
import { lateParts } from "../late_parts.ts";
import { useCamera } from "./camera.ts";
import { ABOVE_ID, AboveBox, type Extras, MORE_ID, MoreBox } from "./extra_boxes.tsx";
import type { Shown } from "./shown.ts";
import { standingOn } from "./neighbourhood.ts";

/** The picture does not wait for it. */
const RoleMenu = late(() => lateParts().loadRole().then(({ RoleMenu }) => RoleMenu));

interface GraphPictureProps {
  readonly shown: Shown;
  /** The address of the person whose rights it shows; undefined for the viewer. */
  readonly email: string | undefined;
  readonly extras: Extras;
  /** The address of a role's picture. */
  readonly toRole: (id: number) => string;
}

/** Roles as boxes with the rights that the person has on them, relations as lines with those that they carry. */
export function GraphPicture({ shown, email, extras, toRole }: GraphPictureProps) {
  const stage = useRef<HTMLDivElement>(null);
  const width = useWidth(stage);
  const columns = countColumns(width / wholeZoom());
  const layOut = useLayout();
  const hasMore = extras.children !== undefined;
  const standings = useMemo(
    () => new Map(shown.roles.map((role) => [role.id, standingOn(role, shown.neighbourhood)])),
    [shown],
  );
  const draw = pictureToBe.value;
  const toBe = useMemo(() => draw?.(picturedOf(shown, standings, email)) ?? AS_IS, [draw, shown, email]);
  const scene = makeScene(shown, toBe, hasMore, columns);
  // A change of rights alone moves no box.
  const picture = useMemo(() => width === 0 ? undefined : layOut?.(scene), [
    layOut,
    width === 0,
    JSON.stringify(scene),
  ]);
  useCamera(stage, picture, shown.neighbourhood.focusId);
  const real = useMemo(() => new Set(shown.relations.map(({ id }) => id)), [shown]);
  const kindOf = (id: number): LineKind | undefined => {
    if (id === NEW_ID) return "new";
    const line = toBe.lines.get(id);
    return line === undefined ? real.has(id) ? undefined : "faint" : line.fate ?? "changed";
  };
  return (
    <PictureFrame
      stage={stage}
      picture={picture}
      label={texts.value.views.role}
      kindOf={kindOf}
      isToBe={toBe.lines.size + toBe.boxes.size > 0 || toBe.relation !== undefined}
      marks={picture === undefined ? [] : listMarks({ shown, standings, toBe }, picture, extras, toRole)}
    />
  );
}

/** A picture that no change is drawn in. */
const AS_IS: PictureToBe = { lines: new Map(), boxes: new Map(), roles: [], relation: undefined };

function picturedOf(
  { neighbourhood: { person, memberOf }, roles, relations }: Shown,
  standings: Pictured["standings"],
  email: string | undefined,
): Pictured {
  const own = person === undefined ? memberOf : new Set(person.memberOf.keys());
  return { email, roles, relations, standings, memberOf: own };
}

/** The width of an element; 0 until it is there. */
function useWidth(element: { readonly current: HTMLElement | null }): number {
  const width = useSignal(0);
  useLayoutEffect(() => {
    if (element.current === null) return;
    width.value = element.current.clientWidth;
    const observer = new ResizeObserver(([entry]) => {
      width.value = entry?.target.clientWidth ?? 0;
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return width.value;
}

const NO_LABEL = { width: 0, height: 0 };

function makeScene(
  { roles, relations, above, neighbourhood }: Shown,
  toBe: PictureToBe,
  hasMore: boolean,
  columns: number,
): Scene {
  const links: Link[] = [...relations, ...toBe.relation ? [toBe.relation] : []].map((relation) => ({
    id: relation.id,
    from: relation.parentRoleId,
    to: relation.childRoleId,
    label: markOf(relation, toBe.lines.get(relation.id)),
  }));
  const boxes = [...roles, ...toBe.roles.map(({ role }) => role)].map(({ id }) => id);
  if (above.leadsTo.length > 0) {
    boxes.unshift(ABOVE_ID);
    links.push(...above.leadsTo.map((to) => ({ id: -to, from: ABOVE_ID, to, label: NO_LABEL })));
  }
  if (hasMore) {
    boxes.push(MORE_ID);
    links.push({ id: -neighbourhood.focusId, from: neighbourhood.focusId, to: MORE_ID, label: NO_LABEL });
  }
  return { boxes, links, columns };
}

interface ShownToBe {
  readonly shown: Shown;
  readonly standings: Pictured["standings"];
  readonly toBe: PictureToBe;
}

/** All that stands in the picture. */
function listMarks(
  { shown, standings, toBe }: ShownToBe,
  { places, lines }: Picture,
  extras: Extras,
  toRole: (id: number) => string,
): Mark[] {
  const { neighbourhood, roles, relations, hidden } = shown;
  const added = new Map(toBe.roles.map(({ role, standing }) => [role.id, { role, standing }]));
  const nameOf = (id: number): string => (neighbourhood.roles.get(id) ?? added.get(id)?.role)?.name ?? "";
  const all = [...roles, ...toBe.roles.map(({ role }) => role)];
  const chosen = query.value.get("do") === "relation" ? readId(query.value.get("relation")) : undefined;
  // The past cannot be changed.
  const isFixed = isPast();
  const leadsTo = new Set(shown.above.leadsTo);
  const namesakes = Map.groupBy(all, ({ name }) => name);
  const marks: Mark[] = [];
  const put = (place: Point | undefined, make: (place: Point) => ComponentChildren): void => {
    if (place !== undefined) marks.push({ place, mark: make(place) });
  };
  for (const role of all) {
    put(places.get(role.id), (place) => (
      <RoleBox
        key={`role ${role.id}`}
        role={role}
        place={place}
        to={role.id === NEW_ID ? undefined : toRole(role.id)}
        isFocus={role.id === neighbourhood.focusId}
        standing={added.has(role.id) ? added.get(role.id)?.standing : standings.get(role.id) ?? "unknown"}
        summary={neighbourhood.summaries.get(role.id)}
        hidden={hidden.get(role.id) ?? NONE_HIDDEN}
        hasBoxAbove={leadsTo.has(role.id)}
        hasNamesake={role.id !== NEW_ID && (namesakes.get(role.name)?.length ?? 0) > 1}
        toBe={toBe.boxes.get(role.id)}
      />
    ));
  }
  const focus = neighbourhood.roles.get(neighbourhood.focusId);
  put(places.get(neighbourhood.focusId), (place) =>
    focus && !isFixed && (
      <RoleMenu
        key={`menu ${focus.id}`}
        role={focus}
        isMember={neighbourhood.memberOf.has(focus.id)}
        hasParents={(neighbourhood.summaries.get(focus.id)?.parents ?? 0) > 0}
        place={place}
        waiting={null}
      />
    ));
  for (const relation of [...relations, ...toBe.relation ? [toBe.relation] : []]) {
    const isNew = relation.id === NEW_ID;
    const parentId = relation.parentRoleId;
    put(lines.get(relation.id)?.label, (place) => (
      <RelationMark
        key={`relation ${relation.id}`}
        relation={relation}
        place={place}
        to={isNew || isFixed
          ? undefined
          : withQuery({ do: "relation", relation: String(relation.id), back: undefined })}
        isChosen={chosen === relation.id}
        parentName={nameOf(relation.parentRoleId)}
        childName={nameOf(relation.childRoleId)}
        before={rightsToBe(
          standings.get(parentId) ?? added.get(parentId)?.standing,
          toBe.boxes.get(parentId),
        )}
        toBe={isNew ? MADE : toBe.lines.get(relation.id)}
      />
    ));
  }
  put(
    places.get(ABOVE_ID),
    (place) => <AboveBox key="above" place={place} above={shown.above} {...extras} />,
  );
  put(places.get(MORE_ID), (place) => (
    extras.children && <MoreBox key="more" place={place} {...extras.children} />
  ));
  return marks;
}

/** The relation that the change would make. */
const MADE = { gained: [], lost: [], fate: "new" } as const;

/** Returns the person's rights on a role after the change. */
function rightsToBe(standing: Standing | undefined, toBe: BoxToBe | undefined): SomeRights | undefined {
  const rights = rightsOf(standing);
  return rights === undefined || toBe === undefined ? rights : rightsAfter(rights, toBe);
}
