import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Problem } from "../../problem.ts";
import { useLoad } from "../../use_load.ts";
import type { Answer, ChangeRequest, Effect } from "./requests.ts";

/** The known effect of a change. */
interface Preview {
  /** The preview of the form's current change. */
  readonly shown: Previewed | undefined;
  readonly problem: Problem | undefined;
  readonly isAsking: boolean;
  askAgain(): void;
}

/** A preview, and its change. */
export interface Previewed extends Answer {
  readonly request: ChangeRequest;
  readonly effect: Effect;
}

/**
 * Previews the change, and again when the form changes. Previews are kept, because one of an invitation counts as
 * sending it.
 */
export function usePreview(request: ChangeRequest | undefined): Preview {
  const asked = useSignal(request);
  const known = useRef(new Map<string, Previewed>());
  const key = request?.key;
  useEffect(() => {
    const timer = setTimeout(() => asked.value = request, request?.pauseMs);
    return () => clearTimeout(timer);
  }, [key]);
  const { state, reload } = useLoad(`effect of ${asked.value?.key}`, async (signal) => {
    const { value: request } = asked;
    if (request === undefined) return undefined;
    const answer = known.current.get(request.key) ?? await ask(request, signal);
    known.current.set(request.key, answer);
    return answer;
  });
  const { data, problem, isLoading } = state.value;
  const isAsked = asked.value?.key === key;
  return {
    shown: data !== undefined && data.request.key === key && problem === undefined ? data : undefined,
    problem: isAsked && !isLoading && key !== undefined ? problem : undefined,
    isAsking: key !== undefined && (!isAsked || isLoading),
    askAgain: () => {
      known.current.clear();
      reload();
    },
  };
}

async function ask(request: ChangeRequest, signal: AbortSignal): Promise<Previewed> {
  const answer = await request.send({ kind: "preview", signal });
  return { ...answer, request, effect: answer.effect as Effect };
}
