import { createHash } from "node:crypto";
import fc from "fast-check";
import { boundTexts, replaceTexts } from "./replaced_text.ts";

/** Loaded before the tests of the copy. It runs them in its own way, as a job says. */

/** The variable that names a file with a `Job`. */
export const JOB = "ROLEGRID_MUTATION_JOB";

/** Results are appended to files in the folder `output`, one JSON text to a line. */
export type Job =
  /** Runs all tests on other texts, and writes `RecordedUse`s. */
  | { readonly kind: "record"; readonly output: string; readonly texts: Readonly<Record<string, string>> }
  /** Runs the tests of one file on wrong texts again and again, and writes `Attempted`s, in this order. */
  | { readonly kind: "try"; readonly output: string; readonly attempts: readonly Attempt[] };

/** The statements that a test binds. */
export interface RecordedUse {
  /** Path from the project's root. */
  readonly file: string;
  readonly test: string;
  readonly ms: number;
  /** By `keyOf`. */
  readonly texts: readonly string[];
}

export interface Attempt {
  /** Wrong texts by right ones. */
  readonly texts: Readonly<Record<string, string>>;
  /** Names of tests. */
  readonly tests: readonly string[];
}

/** A test that noticed wrong texts, if there is one; `unclear` says why it does not count. */
export interface Attempted {
  readonly failed?: string;
  readonly unclear?: Unclear;
}

/** It fails on the right texts, too; passes at a second try; takes too long; or its process ends without a result. */
type Unclear = "fails always" | "fails sometimes" | "late" | "no end";

type Run = (t: Deno.TestContext) => unknown;

/** A test that takes longer is late; on the right texts much sooner. */
const MOST_MS = 60_000;
const MOST_MS_IF_RIGHT = 15_000;

// A failing random sequence is enough, and shrinking it takes a minute.
fc.configureGlobal({ endOnFailure: true });

const path = Deno.env.get(JOB);
if (path !== undefined) {
  const job: Job = JSON.parse(Deno.readTextFileSync(path));
  const file = Deno.mainModule.replace(new URL("../../../", import.meta.url).href, "");
  const write = (result: RecordedUse | Attempted): void =>
    Deno.writeTextFileSync(`${job.output}/${keyOf(file)}`, `${JSON.stringify(result)}\n`, { append: true });
  if (job.kind === "record") recordUses(job.texts, file, write);
  else tryAll(job.attempts, write);
}

/** A short name for a text. */
export function keyOf(text: string): string {
  return createHash("sha1").update(text).digest("hex").slice(0, 16);
}

/** What was used before the first test counts to all of the file. */
function recordUses(
  texts: Readonly<Record<string, string>>,
  file: string,
  write: (use: RecordedUse) => void,
): void {
  replaceTexts(texts);
  let shared: ReadonlySet<string> | undefined;
  interceptTests((test, run, register) =>
    register(async (t) => {
      shared ??= new Set(boundTexts);
      boundTexts.clear();
      const startedAt = performance.now();
      await run(t);
      const ms = Math.round(performance.now() - startedAt);
      write({ file, test, ms, texts: [...shared.union(boundTexts)].map(keyOf) });
    })
  );
}

/** Ends early, to be called again for the rest, where a test may have left something wrong behind for the others. */
function tryAll(attempts: readonly Attempt[], write: (result: Attempted) => void): void {
  const runs = new Map<string, Run>();
  Deno.test({
    name: "mutants",
    sanitizeOps: false,
    sanitizeResources: false,
    sanitizeExit: false,
    async fn(t): Promise<void> {
      for (const [i, { texts, tests }] of attempts.entries()) {
        const attempted = await attempt(texts, tests);
        const isSpoilt = attempted.unclear === "fails always";
        if (!isSpoilt || i === 0) write(attempted);
        if (isSpoilt || attempted.unclear === "late") break;
      }
      // A statement that does not end keeps its thread.
      Deno.exit();

      async function attempt(texts: Attempt["texts"], tests: Attempt["tests"]): Promise<Attempted> {
        let doubtful: Attempted = {};
        for (const failed of tests) {
          const first = await outcomeOn(texts, failed);
          if (first === "passed") continue;
          if (first === "late") return { failed, unclear: "late" };
          if (await outcomeOn({}, failed) !== "passed") return { failed, unclear: "fails always" };
          if (await outcomeOn(texts, failed) === "failed") return { failed };
          doubtful = { failed, unclear: "fails sometimes" };
        }
        return doubtful;
      }

      function outcomeOn(texts: Attempt["texts"], test: string): Promise<Outcome> {
        replaceTexts(texts);
        return outcomeOf(runs.get(test), t, Object.keys(texts).length === 0 ? MOST_MS_IF_RIGHT : MOST_MS);
      }
    },
  });
  interceptTests((test, run) => runs.set(test, run));
}

type Outcome = "passed" | "failed" | "late";

async function outcomeOf(run: Run | undefined, t: Deno.TestContext, mostMs: number): Promise<Outcome> {
  const timeout = Promise.withResolvers<"late">();
  const timer = setTimeout(() => timeout.resolve("late"), mostMs);
  const outcome = Promise.try(async () => await run?.(t)).then(
    () => "passed" as const,
    () => "failed" as const,
  );
  try {
    return await Promise.race([outcome, timeout.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Has `take` decide what becomes of each test that is registered; `register` registers it with another body. */
function interceptTests(take: (name: string, run: Run, register: (run: Run) => void) => void): void {
  const test = new Proxy(Deno.test, {
    apply(target, self, args: readonly unknown[]): void {
      const options = args.find((arg) => typeof arg === "object" && arg !== null) ?? {};
      const given: { name?: unknown; fn?: unknown; ignore?: unknown } = options;
      const name = args.find((arg) => typeof arg === "string") ?? given.name;
      const run = args.find((arg) => typeof arg === "function") ?? given.fn;
      if (typeof name !== "string" || typeof run !== "function" || given.ignore === true) return;
      take(name, run as Run, (fn) => Reflect.apply(target, self, [{ ...given, name, fn }]));
    },
  });
  Object.assign(Deno, { test });
}
