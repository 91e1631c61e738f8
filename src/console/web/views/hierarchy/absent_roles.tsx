import { Absent, DormantNote } from "../../components/absent.tsx";
import { Link } from "../../components/link.tsx";
import { isolate, texts } from "../../language.ts";
import { loadRoles } from "../../roles.ts";
import { useLoad } from "../../use_load.ts";
import type { Neighbourhood } from "./neighbourhood.ts";

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
  const { data } = useLoad(`roles ${parents}`, (signal) => loadRoles(parents, signal));
  const [parent] = data?.values() ?? [];
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
