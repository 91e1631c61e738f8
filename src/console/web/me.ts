import { signal } from "@preact/signals";
import type { components } from "./openapi_types.ts";

type Account = components["schemas"]["Account"];

/** The account of whoever is signed in, as soon as it is known. */
export const me = signal<Account | undefined>(undefined);
