import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { navigate, query, withQuery } from "./router.ts";

/** A field whose text becomes a parameter of the address. */
interface TypedQuery {
  /** What is typed. */
  readonly text: string;
  readonly onText: (text: string) => void;
  /** The text in the address: the recently typed one, trimmed. */
  readonly asked: string;
}

/** Returns a parameter of the address that follows typing after a pause, so that results can be linked. */
export function useTypedQuery(name: string, pauseMs = 250): TypedQuery {
  const asked = query.value.get(name) ?? "";
  const typed = useSignal<string | undefined>(undefined);
  /** The value that typing last set. More may have been typed since. */
  const sent = useRef(asked);
  useLayoutEffect(() => {
    // Changed otherwise than by typing, for example by a click that removes a filter.
    if (sent.current !== asked) typed.value = undefined;
    sent.current = asked;
  }, [asked]);
  useEffect(() => {
    if (typed.value === undefined) return;
    const timer = setTimeout(() => {
      if (typed.value === undefined) return;
      sent.current = typed.value.trim();
      navigate(withQuery({ [name]: sent.current || undefined }), { replace: true });
    }, pauseMs);
    return () => clearTimeout(timer);
  }, [typed.value]);
  return { text: typed.value ?? asked, onText: (text) => typed.value = text, asked };
}
