import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { PastLink } from "../../components/as_of.tsx";
import { late } from "../../components/late.tsx";
import { Listed } from "../../components/listed.tsx";
import { Name } from "../../components/name.tsx";
import { texts } from "../../language.ts";
import { toProblem } from "../../problem.ts";
import { loadRoles } from "../../roles.ts";
import type { Role } from "../../schemas.ts";
import { usePages } from "../../use_pages.ts";
import { NONE_HIDDEN } from "../../picture/hidden.ts";
import { query } from "../../router.ts";
import { useTitle } from "../../use_title.ts";
import { lateParts } from "../late_parts.ts";
import { GoneRole, LostRole } from "./absent_roles.tsx";
import { Canvas } from "./canvas.tsx";
import type { Extras } from "./extra_boxes.tsx";
import { GraphPicture } from "./graph_picture.tsx";
import { CHILDREN, loadNeighbourhood, type Subject } from "./load_neighbourhood.ts";
import { joinParts, MAX_ROLES, type Neighbourhood, type Person, standingOn } from "./neighbourhood.ts";
import { PersonChooser } from "./person_chooser.tsx";
import { chooseShown, type Shown } from "./shown.ts";

/** The picture does not wait for it. */
const RolePanel = late(() => lateParts().loadRole().then(({ RolePanel }) => RolePanel));

/** How often it is asked whether the role is still as it is shown. */
const LOOK_MS = 30_000;

interface RolePictureProps {
  readonly subject: Subject;
  /** What is wrong with the address of the person. */
  readonly fault: string | undefined;
}

/** The picture around a role, whose rights it shows, and the role's panel. */
export function RolePicture({ subject, fault }: RolePictureProps) {
  const { focusId, email, asOf } = subject;
  const isPast = asOf !== undefined;
  const last = useRef<Neighbourhood | undefined>(undefined);
  const pages = usePages("hierarchy", loadNeighbourhood, subject);
  const data = useMemo(() => joinParts(pages.items ?? []), [pages.items?.length, pages.items?.[0]]);
  const openedFor = useSignal<number | undefined>(undefined);
  const areAllLevels = openedFor.value === data?.focusId;
  const shown = useMemo(() => data && chooseShown(data, areAllLevels), [data, areAllLevels]);
  const focus = data?.roles.get(data.focusId);
  if (focus !== undefined && !isPast) last.current = data;
  // The past does not change.
  useSecondLook(isPast ? undefined : focus, pages.reload);
  const { hierarchy } = texts.value;
  const isAbsent = data !== undefined && focus === undefined && data.focusId === focusId;
  useTitle(isAbsent && !isPast ? undefined : focus?.name ?? texts.value.views.role);
  if (isAbsent) {
    if (isPast) {
      return (
        <Canvas
          isLoading={pages.isLoading}
          onAgain={pages.reload}
          toolbar={!pages.isLoading && <p class="note" role="status">{hierarchy.past.none}</p>}
        />
      );
    }
    return last.current?.focusId === focusId ? <LostRole last={last.current} /> : <GoneRole />;
  }
  const state = { isLoading: pages.isLoading, problem: pages.problem, onAgain: pages.reload };
  if (data === undefined || shown === undefined || focus === undefined) {
    return <Canvas {...state} />;
  }
  // Nothing is counted in the past.
  const summary = data.summaries.get(data.focusId) ??
    { id: focusId, parents: 0, children: 0, descendants: 0 };
  const hidden = shown.hidden.get(data.focusId) ?? NONE_HIDDEN;
  const extras: Extras = {
    onAllLevels: () => openedFor.value = focusId,
    children: pages.hasMore
      ? {
        count: hidden.children,
        isLeast: hidden.isLeast,
        isLoading: pages.isLoading,
        onMore: data.roles.size + CHILDREN <= MAX_ROLES ? () => void pages.more() : undefined,
      }
      : undefined,
  };
  const waiting = <aside class="panel" />;
  // The role before stays until the next is loaded, but a form must not be about it.
  const isFormOfOther = focus.id !== focusId && query.value.has("do");
  return (
    <Canvas
      {...state}
      toolbar={
        <Toolbar
          shown={shown}
          focus={focus}
          email={email}
          fault={fault}
          childCount={summary.children}
          isPast={isPast}
        />
      }
      panel={isFormOfOther ? waiting : (
        <RolePanel
          role={focus}
          summary={summary}
          isMember={data.memberOf.has(focusId)}
          waiting={waiting}
        />
      )}
    >
      <GraphPicture
        shown={shown}
        email={email}
        extras={extras}
        toRole={(id) => addressOf(id, email, query.value.get("asOf"))}
      />
    </Canvas>
  );
}

/** The address of the picture of a role, with the rights of a person, now or as of a moment. */
export function addressOf(roleId: number, email: string | undefined, asOf: string | null = null): string {
  const shown = new URLSearchParams({
    ...email === undefined ? {} : { person: email },
    ...asOf === null ? {} : { asOf },
  });
  return `/role/${roleId}${shown.size === 0 ? "" : `?${shown}`}`;
}

/** Looks again whether the role is still as it is shown: now and then, and when somebody comes back to the page. */
function useSecondLook(role: Role | undefined, onChanged: () => void): void {
  useEffect(() => {
    if (role === undefined) return;
    const look = async (): Promise<void> => {
      if (document.hidden) return;
      try {
        const now = await loadRoles([role.id]);
        if (JSON.stringify(now.get(role.id)) !== JSON.stringify(role)) onChanged();
      } catch (error) {
        // Next time.
        toProblem(error);
      }
    };
    const timer = setInterval(look, LOOK_MS);
    document.addEventListener("visibilitychange", look);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", look);
    };
  }, [role]);
}

interface ToolbarProps {
  readonly shown: Shown;
  readonly focus: Role;
  readonly email: string | undefined;
  readonly fault: string | undefined;
  /** How many the focus has. */
  readonly childCount: number;
  readonly isPast: boolean;
}

function Toolbar({ shown, focus, email, fault, childCount, isPast }: ToolbarProps) {
  const { hierarchy } = texts.value;
  const { summaries, relations, person } = shown.neighbourhood;
  const drawn = relations.filter(({ parentRoleId }) => parentRoleId === focus.id).length;
  const note = fault ?? describePerson(shown);
  return (
    <>
      <PersonChooser email={email} focus={focus} />
      {note === undefined && person && <Memberships person={person} />}
      {note !== undefined && <p class="note" role="status">{note}</p>}
      {!isPast && (
        <p class="hint extent-note">
          <span role="status">
            {hierarchy.below(childCount, drawn, summaries.get(focus.id)?.descendants ?? 0)}
          </span>
          {" · "}
          <PastLink />
        </p>
      )}
    </>
  );
}

/** The roles from which the person's rights come. */
function Memberships({ person: { memberOf } }: { readonly person: Person }) {
  const { person } = texts.value.hierarchy;
  if (memberOf.size === 0) return <p class="hint">{person.memberElsewhere}</p>;
  return (
    <p class="hint">
      {person.memberOf}{" "}
      <Listed>
        {Array.from(memberOf.values(), (name) => (
          <strong>
            <Name>{name}</Name>
          </strong>
        ))}
      </Listed>
    </p>
  );
}

/** Why the picture shows no rights of the person; undefined if it shows some. */
function describePerson({ neighbourhood, roles }: Shown): string | undefined {
  const { person } = texts.value.hierarchy;
  if (neighbourhood.person === undefined) return undefined;
  const standings = roles.map((role) => standingOn(role, neighbourhood));
  if (standings.some((standing) => typeof standing === "object")) return undefined;
  return standings.includes("none") ? person.noAccess : person.mayNotAsk;
}
