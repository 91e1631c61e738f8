import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { navigate, query, withQuery } from "../../router.ts";

const PAUSE_MS = 250;

export interface TypedQuery {
  /** What is typed. */
  readonly text: string;
  readonly onText: (text: string) => void;
  /** What the address has: what was typed a moment ago, without spaces around it. */
  readonly asked: string;
}

/** A parameter of the address that follows what is typed, so that what was found can be linked. */
export function useTypedQuery(name: string): TypedQuery {
  const asked = query.value.get(name) ?? "";
  const typed = useSignal<string | undefined>(undefined);
  useEffect(() => {
    const text = typed.value?.trim();
    if (text === undefined) return;
    const timer = setTimeout(
      () => navigate(withQuery({ [name]: text || undefined }), { replace: true }),
      PAUSE_MS,
    );
    return () => clearTimeout(timer);
  }, [typed.value]);
  return { text: typed.value ?? asked, onText: (text) => typed.value = text, asked };
}
