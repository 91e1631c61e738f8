import { useEffect } from "preact/hooks";
import { isEmail, normalizeEmail } from "../../../../core/email.ts";
import { readAsOf } from "../../components/as_of.tsx";
import { NoRoles } from "../../components/absent.tsx";
import { isolate, texts } from "../../language.ts";
import { loadMe } from "../../me.ts";
import { isPhone } from "../../phone.ts";
import { navigate, path, query, readId } from "../../router.ts";
import { useLoad } from "../../use_load.ts";
import { useTitle } from "../../use_title.ts";
import type { ViewProps } from "../view_props.ts";
import { GoneRole } from "./absent_roles.tsx";
import { Canvas } from "./canvas.tsx";
import { addressOf, RolePicture } from "./role_picture.tsx";

/** `/role/12`: the picture of the hierarchy around a role; without one, that around the viewer's only one. */
export function Hierarchy({ parts: [id] }: ViewProps) {
  const focusId = readId(id);
  const typed = query.value.get("person") ?? undefined;
  const email = typed !== undefined && isEmail(typed) ? normalizeEmail(typed) : undefined;
  if (id === undefined) return <FirstRole email={email} />;
  if (focusId === undefined) return <GoneRole />;
  const fault = email === undefined && typed !== undefined
    ? texts.value.hierarchy.person.badAddress(isolate(typed))
    : undefined;
  return <RolePicture subject={{ focusId, email, asOf: readAsOf() }} fault={fault} />;
}

/**
 * `/role`: goes to the viewer's first role. `/`, the start: to their only role, but on a phone, or if they have several,
 * to their home.
 */
function FirstRole({ email }: { readonly email: string | undefined }) {
  const { data, problem, isLoading, reload } = useLoad("first role", loadMe);
  const isEmpty = data?.memberOf.length === 0;
  useTitle(isEmpty ? undefined : texts.value.views.role);
  useEffect(() => {
    const [first, ...others] = data?.memberOf ?? [];
    if (first === undefined) return;
    const isStart = path.value.length === 0 && email === undefined;
    const isHome = isStart && (others.length > 0 || isPhone.value);
    navigate(isHome ? "/home" : addressOf(first.roleId, email), { replace: true });
  }, [data]);
  if (isEmpty) return <NoRoles />;
  return <Canvas isLoading={isLoading || data !== undefined} problem={problem} onAgain={reload} />;
}
