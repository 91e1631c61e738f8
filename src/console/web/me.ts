import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { api, dataOf } from "./api.ts";
import type { components } from "./openapi_types.ts";
import { useLoad } from "./use_load.ts";

/** The own account as the interface gives it. */
export type Account = components["schemas"]["OwnAccount"];

/** The account of the signed-in user, once it is known. */
export const me = signal<Account | undefined>(undefined);

let loading: Promise<Account> | undefined;

/** Loads the account, with one request for all who ask at the same time. */
export function loadMe(): Promise<Account> {
  return loading ??= dataOf(api.GET("/user")).finally(() => loading = undefined);
}

/** Loads the account when the component appears. */
export function useMe(): void {
  const { data } = useLoad("me", loadMe);
  useEffect(() => {
    if (data !== undefined) me.value = data;
  }, [data]);
}
