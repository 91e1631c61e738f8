import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { texts } from "../../language.ts";
import { useLayout } from "../../picture/late_layout.ts";
import { type Mark, PictureFrame } from "../../picture/picture_frame.tsx";
import { markOf, RelationMark } from "../../picture/relation_mark.tsx";
import { RoleBox } from "../../picture/role_box.tsx";
import { countColumns, type Link, type Picture, type Point, type Scene } from "../../picture/scene.ts";
import { rightsOf } from "../../picture/standing.ts";
import { wholeZoom } from "../../picture/zoom_buttons.tsx";
import { query, readId, withQuery } from "../../router.ts";
import { useCamera } from "./camera.ts";
import { ABOVE_ID, AboveBox, type Extras, MORE_ID, MoreBox } from "./extra_boxes.tsx";
import type { Shown } from "./shown.ts";
import { standingOn } from "./person_rights.ts";

interface GraphPictureProps {
  readonly shown: Shown;
  readonly extras: Extras;
  /** The address of a role's picture. */
  readonly toRole: (id: number) => string;
}

/** Roles as boxes with the rights that the person has on them, relations as lines with those that they carry. */
export function GraphPicture({ shown, extras, toRole }: GraphPictureProps) {
  const stage = useRef<HTMLDivElement>(null);
  const width = useWidth(stage);
  const columns = countColumns(width / wholeZoom());
  const layOut = useLayout();
  const hasMore = extras.children !== undefined;
  const picture = useMemo(() => width === 0 ? undefined : layOut?.(makeScene(shown, hasMore, columns)), [
    layOut,
    shown,
    hasMore,
    width === 0,
    columns,
  ]);
  useCamera(stage, picture, shown.neighbourhood.focusId);
  const real = useMemo(() => new Set(shown.relations.map(({ id }) => id)), [shown]);
  return (
    <PictureFrame
      stage={stage}
      picture={picture}
      label={texts.value.hierarchy.title}
      isFaint={(id) => !real.has(id)}
      marks={picture === undefined ? [] : listMarks(shown, picture, extras, toRole)}
    />
  );
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
  hasMore: boolean,
  columns: number,
): Scene {
  const links: Link[] = relations.map((relation) => ({
    id: relation.id,
    from: relation.parentRoleId,
    to: relation.childRoleId,
    label: markOf(relation),
  }));
  const boxes = roles.map(({ id }) => id);
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

/** All that stands in the picture. */
function listMarks(
  shown: Shown,
  { places, lines }: Picture,
  extras: Extras,
  toRole: (id: number) => string,
): Mark[] {
  const { neighbourhood, roles, relations, hidden } = shown;
  const standings = new Map(roles.map((role) => [role.id, standingOn(role, neighbourhood)]));
  const nameOf = (id: number): string => neighbourhood.roles.get(id)?.name ?? "";
  const chosen = query.value.get("do") === "relation" ? readId(query.value.get("relation")) : undefined;
  const leadsTo = new Set(shown.above.leadsTo);
  const namesakes = countBy(roles.map(({ name }) => name));
  const marks: Mark[] = [];
  const put = (place: Point | undefined, make: (place: Point) => ComponentChildren): void => {
    if (place !== undefined) marks.push({ place, mark: make(place) });
  };
  for (const role of roles) {
    put(places.get(role.id), (place) => (
      <RoleBox
        key={`role ${role.id}`}
        role={role}
        place={place}
        to={toRole(role.id)}
        isFocus={role.id === neighbourhood.focusId}
        standing={standings.get(role.id) ?? "unknown"}
        summary={neighbourhood.summaries.get(role.id)}
        hidden={hidden.get(role.id) ?? { parents: 0, children: 0 }}
        hasBoxAbove={leadsTo.has(role.id)}
        hasNamesake={(namesakes.get(role.name) ?? 0) > 1}
      />
    ));
  }
  for (const relation of relations) {
    put(lines.get(relation.id)?.label, (place) => (
      <RelationMark
        key={`relation ${relation.id}`}
        relation={relation}
        place={place}
        to={withQuery({ do: "relation", relation: String(relation.id) })}
        isChosen={chosen === relation.id}
        parentName={nameOf(relation.parentRoleId)}
        childName={nameOf(relation.childRoleId)}
        before={rightsOf(standings.get(relation.parentRoleId))}
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

function countBy(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}
