/** Mutants that may survive, by the names that `deno task mutate:sql` prints. */
export interface Acceptance {
  readonly module: string;
  readonly mutants: readonly string[];
  /** Why no test can or should notice; or "no test yet: …", which is a gap to fill. */
  readonly reason: string;
}

export const ACCEPTED: readonly Acceptance[] = [];
