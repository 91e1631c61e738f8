import type { ComponentChildren } from "preact";
import { Heading } from "../../components/heading.tsx";
import { Link } from "../../components/link.tsx";
import { Name } from "../../components/name.tsx";
import { isolate, texts } from "../../language.ts";
import { me, useMe } from "../../me.ts";
import { loadRoles } from "../../roles.ts";
import { useLoad } from "../../use_load.ts";
import { useTitle } from "../../use_title.ts";
import type { Neighbourhood } from "./neighbourhood.ts";

/** For somebody who is not a member of any role. */
export function NoRoles() {
  const { dormant, empty: { title, text, address } } = texts.value.hierarchy;
  if (hasDormant()) {
    return (
      <Absent title={dormant.title}>
        <p>{texts.value.demands.dormant.text}</p>
      </Absent>
    );
  }
  return (
    <Absent title={title}>
      <p>{text}</p>
      {me.value && (
        <p>
          {address} <Name>{me.value.email}</Name>
        </p>
      )}
    </Absent>
  );
}

/** A role that does not exist, or that whoever looks may not see: nobody can tell which. */
export function GoneRole() {
  const { title, text, back } = texts.value.hierarchy.gone;
  return (
    <Absent title={title}>
      <p>{text}</p>
      <DormantNote />
      <Link to="/">{back}</Link>
    </Absent>
  );
}

/** A role that went away while it was looked at, and the way to one of those around it. */
export function LostRole({ last }: { readonly last: Neighbourhood }) {
  const { lost, gone } = texts.value.hierarchy;
  const { focusId, roles, relations } = last;
  const parents = relations.flatMap((each) => each.childRoleId === focusId ? [each.parentRoleId] : []);
  const { state } = useLoad(`roles ${parents}`, (signal) => loadRoles(parents, signal));
  const [parent] = state.value.data?.values() ?? [];
  return (
    <Absent title={lost.title(isolate(roles.get(focusId)?.name ?? ""))}>
      <p>{lost.text}</p>
      <DormantNote />
      {parent === undefined
        ? <Link to="/">{gone.back}</Link>
        : <Link to={`/role/${parent.id}`}>{lost.toParent(isolate(parent.name))}</Link>}
    </Absent>
  );
}

/** The hint that a dormant membership may be the reason. */
function DormantNote() {
  return hasDormant() ? <p>{texts.value.hierarchy.dormant.text}</p> : null;
}

function hasDormant(): boolean {
  return me.value !== undefined && me.value.dormant.length > 0;
}

function Absent({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  useTitle(title);
  // A demand may be new.
  useMe();
  return (
    <main class="alone absent">
      <svg width="96" height="64" viewBox="0 0 96 64" aria-hidden="true">
        <path d="M48 22v8M20 46v-4a8 8 0 0 1 8-8h40a8 8 0 0 1 8 8v4" />
        <rect x="30" y="2" width="36" height="18" rx="5" />
        <rect x="2" y="46" width="36" height="16" rx="5" />
        <rect x="58" y="46" width="36" height="16" rx="5" />
      </svg>
      <Heading>{title}</Heading>
      {children}
    </main>
  );
}
