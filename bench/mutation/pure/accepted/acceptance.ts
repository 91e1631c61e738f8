/** Mutants that may survive, because no test can or should notice them. */
export interface Acceptance {
  /** As in `targets.ts`. */
  readonly target: string;
  /** The first line of the mutants, without its indentation, so that other changes of the module do not matter. */
  readonly lineText: string;
  /** Pairs of original and mutated text. */
  readonly changes: readonly (readonly [original: string, replacement: string])[];
  readonly reason: string;
}

/** Stryker's replacements of an empty string and an empty list. */
export const ANY_TEXT = '"Stryker was here!"';
export const ANY_ENTRY = '["Stryker was here"]';
