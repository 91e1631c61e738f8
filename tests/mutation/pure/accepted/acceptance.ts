/** Mutants that may survive: no test can notice them, or none should. */
export interface Acceptance {
  /** As in `targets.ts`. */
  readonly target: string;
  /** The line that they begin in, without its indentation: other changes of the module do not move it. */
  readonly lineText: string;
  /** The text that is changed, and what it is changed to. */
  readonly changes: readonly (readonly [original: string, replacement: string])[];
  readonly reason: string;
}

/** What Stryker puts in the place of an empty text and of an empty list. */
export const ANY_TEXT = '"Stryker was here!"';
export const ANY_ENTRY = '["Stryker was here"]';
