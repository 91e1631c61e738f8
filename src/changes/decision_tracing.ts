import { typedRows } from "../db/rows.ts";
import type { Row } from "../db/database.ts";
import type { SpanFacts } from "../db/tracing.ts";
import type { DecisionRow } from "./decision.ts";

/**
 * Returns a change's attributes in a trace: whether it was allowed, its decision (see `decision.ts`) and its cost in
 * closure rows. Empty for a batch that reads back no decision.
 */
export function describeDecision(lastRows: readonly Row[]): SpanFacts {
  const [row] = typedRows<Partial<DecisionRow>>(lastRows);
  if (typeof row?.decision !== "string") return {};
  const { decision, cost } = row;
  return {
    "rolegrid.decision": decision === "ok" || decision === "noop" ? "allowed" : "denied",
    "rolegrid.decision.kind": decision,
    ...(typeof cost === "number" && decision !== "too_much_stored" ? { "rolegrid.decision.cost": cost } : {}),
  };
}
