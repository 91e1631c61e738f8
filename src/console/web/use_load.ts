import { signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { isPassing, Problem, toProblem } from "./problem.ts";
import { pauseAfter } from "./retry.ts";

/** Data of the service for a view: loading, loaded, or refused. */
export interface Loaded<T> {
  readonly data: T | undefined;
  readonly problem: Problem | undefined;
  readonly isLoading: boolean;
}

interface Loading<T> extends Loaded<T> {
  reload(): void;
}

const everything = signal(0);

/** Reloads all shown data, after a change that may concern it. */
export function reloadAll(): void {
  everything.value++;
}

const signIns = signal(0);

/** Reloads the data refused after a session ended, once signed in again. */
export function reloadRefused(): void {
  signIns.value++;
}

/**
 * Loads data whenever `key` changes, and again on `reload`. Old data stays until new data arrives, without flicker.
 * Late responses are dropped, and passing failures retried.
 */
export function useLoad<T>(key: string, load: (signal: AbortSignal) => Promise<T>): Loading<T> {
  const state = useSignal<Loaded<T>>({ data: undefined, problem: undefined, isLoading: true });
  const round = useSignal(0);
  useEffect(() => {
    const abort = new AbortController();
    const run = async (): Promise<void> => {
      for (let failures = 1; !abort.signal.aborted; failures++) {
        try {
          const data = await load(abort.signal);
          if (!abort.signal.aborted) state.value = { data, problem: undefined, isLoading: false };
          return;
        } catch (error) {
          if (abort.signal.aborted) return;
          const problem = toProblem(error);
          state.value = { ...state.value, problem, isLoading: false };
          if (!isPassing(problem)) return;
          await pauseAfter(failures, problem, abort.signal);
        }
      }
    };
    state.value = { ...state.value, isLoading: true };
    void run();
    return () => abort.abort();
  }, [key, round.value, everything.value]);
  useEffect(() => {
    if (state.value.problem?.status === 401) round.value++;
  }, [signIns.value]);
  return { ...state.value, reload: () => void round.value++ };
}
