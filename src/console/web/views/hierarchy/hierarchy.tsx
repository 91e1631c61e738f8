import { useEffect } from "preact/hooks";
import { isEmail, normalizeEmail } from "../../../../core/email.ts";
import { isolate, texts } from "../../language.ts";
import { navigate, query, readId } from "../../router.ts";
import { useLoad } from "../../use_load.ts";
import { useTitle } from "../../use_title.ts";
import type { ViewProps } from "../view_props.ts";
import { GoneRole, NoRoles } from "./absent_roles.tsx";
import { Canvas } from "./canvas.tsx";
import { findFirstRole } from "./load_neighbourhood.ts";
import { addressOf, RolePicture } from "./role_picture.tsx";

/** `/role/12`: the picture of the hierarchy around a role; without one, around the first that the person sees. */
export function Hierarchy({ parts: [id] }: ViewProps) {
  const focusId = readId(id);
  const typed = query.value.get("person") ?? undefined;
  const email = typed !== undefined && isEmail(typed) ? normalizeEmail(typed) : undefined;
  if (id === undefined) return <FirstRole email={email} />;
  if (focusId === undefined) return <GoneRole />;
  const fault = email === undefined && typed !== undefined
    ? texts.value.hierarchy.person.badAddress(isolate(typed))
    : undefined;
  return <RolePicture subject={{ focusId, email }} fault={fault} />;
}

/** Goes to the first role that whoever looks sees. */
function FirstRole({ email }: { readonly email: string | undefined }) {
  const { state, reload } = useLoad("first role", async (signal) => ({ id: await findFirstRole(signal) }));
  const { data, problem, isLoading } = state.value;
  useTitle(texts.value.hierarchy.title);
  useEffect(() => {
    if (data?.id !== undefined) navigate(addressOf(data.id, email), { replace: true });
  }, [data]);
  if (data !== undefined && data.id === undefined) return <NoRoles />;
  return <Canvas isLoading={isLoading || data !== undefined} problem={problem} onAgain={reload} />;
}
