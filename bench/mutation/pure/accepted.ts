import type { Acceptance } from "./accepted/acceptance.ts";
import { OF_CORE } from "./accepted/core.ts";
import { OF_IDENTITY } from "./accepted/identity.ts";
import { OF_EXPLAIN } from "./accepted/explain.ts";
import { OF_PASSWORD } from "./accepted/password.ts";
import { OF_ROLE } from "./accepted/role.ts";
import { OF_TELEMETRY } from "./accepted/telemetry.ts";

/** All mutants that may survive, with their reasons. */
export const ACCEPTED: readonly Acceptance[] = [
  ...OF_CORE,
  ...OF_IDENTITY,
  ...OF_EXPLAIN,
  ...OF_PASSWORD,
  ...OF_ROLE,
  ...OF_TELEMETRY,
];
