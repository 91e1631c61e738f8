import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Problem } from "../../problem.ts";
import { useLoad } from "../../use_load.ts";
import { PAUSE_MS, type PreviewRequest } from "./requests.ts";

/** The known effect of a change. */
export interface Preview<A> {
  /** The preview of the form's current change. */
  readonly shown: A | undefined;
  readonly problem: Problem | undefined;
  readonly isAsking: boolean;
  askAgain(): void;
}

/**
 * Previews the change, and again when the form changes. Previews are kept, because one of an invitation counts as
 * sending it.
 */
export function usePreview<A>(request: PreviewRequest<A> | undefined): Preview<A> {
  const asked = useSignal(request);
  const known = useRef(new Map<string, A>());
  const key = request?.key;
  useEffect(() => {
    const timer = setTimeout(() => asked.value = request, request && (request.pauseMs ?? PAUSE_MS));
    return () => clearTimeout(timer);
  }, [key]);
  const { data, problem, isLoading, reload } = useLoad(`effect of ${asked.value?.key}`, async (signal) => {
    const { value: request } = asked;
    if (request === undefined) return undefined;
    const { key } = request;
    const answer = known.current.get(key) ?? await request.send({ kind: "preview", signal });
    known.current.set(key, answer);
    return { key, answer };
  });
  const isAsked = asked.value?.key === key;
  return {
    shown: data !== undefined && data.key === key && problem === undefined ? data.answer : undefined,
    problem: isAsked && !isLoading && key !== undefined ? problem : undefined,
    isAsking: key !== undefined && (!isAsked || isLoading),
    askAgain: () => {
      known.current.clear();
      reload();
    },
  };
}
