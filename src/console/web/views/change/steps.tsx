import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { describeProblem, ProblemNote } from "../../components/form.tsx";
import { texts } from "../../language.ts";
import { useAskBeforeLeaving } from "../../use_ask_before_leaving.ts";
import { describeRefusal, describeWith } from "./describe_refusal.ts";
import type { Steps } from "./run_steps.ts";

/** Steps of a form that are taken one by one, and what became of the last of them. */
export interface Stepping<T> {
  /** How many are taken; undefined while none runs. */
  readonly taken: number | undefined;
  readonly ended: Steps<T> | undefined;
  /** Runs them. The page asks before it is left, and a form that closes ends them. */
  run<S extends Steps<T>>(
    steps: (onStep: (taken: number) => void, signal: AbortSignal) => Promise<S>,
  ): Promise<S>;
  /** Ends them after the current one. */
  stop(): void;
}

/** Steps that a form takes. */
export function useSteps<T>(): Stepping<T> {
  const taken = useSignal<number | undefined>(undefined);
  const ended = useSignal<Steps<T> | undefined>(undefined);
  const running = useRef(new AbortController());
  useEffect(() => () => running.current.abort(), []);
  useAskBeforeLeaving(taken.value !== undefined);
  return {
    taken: taken.value,
    ended: ended.value,
    run: async (steps) => {
      running.current = new AbortController();
      ended.value = undefined;
      taken.value = 0;
      try {
        const end = await steps((n) => taken.value = n, running.current.signal);
        ended.value = end;
        return end;
      } finally {
        taken.value = undefined;
      }
    },
    stop: () => running.current.abort(),
  };
}

interface StepsNoteProps<T> {
  readonly stepping: Stepping<T>;
  /** Identifies an item, and names it. */
  readonly keyOf: (item: T) => string | number;
  readonly name: (item: T) => ComponentChildren;
  /** The text if the viewer may not take a step. */
  readonly forbidden: string;
}

/** The button that stops the steps, and afterwards the reasons for which some were not taken. */
export function StepsNote<T>({ stepping, keyOf, name, forbidden }: StepsNoteProps<T>) {
  const { taken, ended, stop } = stepping;
  return (
    <>
      {taken !== undefined && <button type="button" onClick={stop}>{texts.value.change.many.stop}</button>}
      {ended !== undefined && ended.refused.length > 0 && (
        <ul class="fault">
          {ended.refused.map(({ item, problem }) => (
            <li key={keyOf(item)}>
              {name(item)}: {describeRefusal(problem, 0, forbidden) ?? describeProblem(problem)}
            </li>
          ))}
        </ul>
      )}
      <ProblemNote problem={ended?.problem} describe={describeWith(forbidden)} />
    </>
  );
}
