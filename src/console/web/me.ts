import { signal } from "@preact/signals";
import type { components } from "./openapi_types.ts";

type Account = components["schemas"]["Account"];

/** The account of the signed-in user, once it is known. */
export const me = signal<Account | undefined>(undefined);
