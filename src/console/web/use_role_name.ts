import { loadRoles } from "./roles.ts";
import { useLoad } from "./use_load.ts";

/** Returns the name of a role; its id until loaded, or if the viewer does not see it. */
export function useRoleName(id: number | undefined): string | undefined {
  const { data } = useLoad(`role name ${id}`, (signal) => loadRoles(id === undefined ? [] : [id], signal));
  return id === undefined ? undefined : data?.get(id)?.name ?? String(id);
}
