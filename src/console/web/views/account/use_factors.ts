import { api, dataOf } from "../../api.ts";
import type { components } from "../../openapi_types.ts";
import { type Loaded, useLoad } from "../../use_load.ts";

/** The active second factors, when each was activated, and how many recovery codes are left. */
export type Factors = components["schemas"]["SecondFactors"];

/** Loads the user's second factors when the component appears. */
export function useFactors(): Loaded<Factors> {
  return useLoad("factors", (signal) => dataOf(api.GET("/user/2fa", { signal })));
}
