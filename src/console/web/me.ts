import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { api, dataOf } from "./api.ts";
import type { components } from "./openapi_types.ts";
import type { Problem } from "./problem.ts";
import { useLoad } from "./use_load.ts";

/** The own account as the interface gives it. */
export type Account = components["schemas"]["OwnAccount"];

/** The account of the signed-in user, once it is known. */
export const me = signal<Account | undefined>(undefined);

/** Why it cannot be loaded. */
export const meProblem = signal<Problem | undefined>(undefined);

/** Loads the account when the component appears. */
export function useMe(): void {
  const { data, problem } = useLoad("me", (signal) => dataOf(api.GET("/user", { signal }))).state.value;
  useEffect(() => {
    if (data !== undefined) me.value = data;
    meProblem.value = problem;
  }, [data, problem]);
}
