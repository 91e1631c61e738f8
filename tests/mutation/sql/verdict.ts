import type { CommandOutcome } from "./project_copy.ts";

/** The result of a wrong statement. */
export interface Verdict {
  readonly kind: "caught" | "missed" | "invalid";
  /** How it was caught, or why it is invalid. */
  readonly detail: string;
}

/** Failures that are unrelated to a statement's behaviour. */
const BROKEN =
  /syntax error|no such (column|table|function)|Cannot bind|misuse of|ambiguous column|SyntaxError|Module not found/;

/** The result of a test run with a wrong statement. */
export function judge({ code, stdout, stderr }: CommandOutcome): Verdict {
  const failure = firstFailure(stdout);
  if (failure === undefined) {
    if (code === 0) return { kind: "missed", detail: "all of its tests pass" };
    const said = /^error: (.*)$/m.exec(stderr)?.[1] ?? "it says nothing";
    return { kind: "invalid", detail: `no test failed, and the run ended with status ${code}: ${said}` };
  }
  return { kind: BROKEN.test(failure) ? "invalid" : "caught", detail: failure };
}

/** Number of passed tests in a run. */
export function countPassed(stdout: string): number {
  return Number(/\b(\d+) passed/.exec(stdout)?.[1] ?? 0);
}

/**
 * The first entry under "ERRORS" in a run's output: the test's name, and the first lines of its error and the
 * cause.
 */
function firstFailure(stdout: string): string | undefined {
  const [, errors] = stdout.split("\n ERRORS \n");
  const [, test, rest] = /^(.*) => \.\/.*:\d+:\d+\n([^]*)$/m.exec(errors ?? "") ?? [];
  if (test === undefined || rest === undefined) return undefined;
  const [first = ""] = rest.split(/^.* => \.\/.*:\d+:\d+$/m);
  const reasons = Array.from(first.matchAll(/^(?:error|Caused by): (.*)$/gm), (match) => match[1]);
  return `${test}: ${reasons.join("; ")}`;
}
