import type { SqlArgs } from "../statement.ts";

/** What a batch does; see `Statement.decided`. */
export interface ThreadDecision {
  /** The decision as JSON, for the statement. Null if the session has ended: nothing is written then. */
  readonly text: string | null;
  /** Statements for other steps are left out; see `Statement.onSteps`. */
  readonly step: string;
}

/** Decides on facts, given as JSON. */
export type Decider = (facts: string, input: SqlArgs) => ThreadDecision;

/** What a thread can decide, by name. */
export type Deciders = Readonly<Record<string, Decider>>;
