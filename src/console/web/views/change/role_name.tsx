import { Name } from "../../components/name.tsx";
import { texts } from "../../language.ts";
import type { Role } from "../../schemas.ts";

/** The name of a role, if the viewer sees it. */
export function RoleName({ role }: { readonly role: Role | undefined }) {
  return role === undefined ? <>{texts.value.change.hiddenRole}</> : <Name>{role.name}</Name>;
}

const NAME_LENGTH = 256;

/** Whether a role can have the name. */
export function isRoleName(name: string): boolean {
  // deno-lint-ignore no-control-regex -- exactly what no name may contain
  return name !== "" && [...name].length <= NAME_LENGTH && !/[\x00-\x1f\x7f-\x9f]/.test(name);
}
