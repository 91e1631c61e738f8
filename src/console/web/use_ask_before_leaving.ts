import { useEffect } from "preact/hooks";

/** Has the browser ask before the page is closed or left, while `asks`. */
export function useAskBeforeLeaving(asks: boolean): void {
  useEffect(() => {
    if (!asks) return;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [asks]);
}
