import { loadRoles } from "./roles.ts";
import { useLoad } from "./use_load.ts";

/** The name of a role; its id until that is known, or if whoever looks does not see it. */
export function useRoleName(id: number | undefined): string | undefined {
  const { state } = useLoad(`role name ${id}`, (signal) => loadRoles(id === undefined ? [] : [id], signal));
  return id === undefined ? undefined : state.value.data?.get(id)?.name ?? String(id);
}
