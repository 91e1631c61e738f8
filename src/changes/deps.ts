import type { Metrics } from "../core/metrics.ts";
import type { Secrets } from "../core/secrets.ts";
import type { GraphDeps } from "../graph/deps.ts";
import type { StoreLimits } from "./store_limits.ts";

/** Dependencies of changes. */
export interface ChangeDeps extends GraphDeps {
  readonly secrets: Secrets;
  /** What may be stored below each root. */
  readonly storeLimits: StoreLimits;
  readonly metrics?: Metrics | undefined;
}
