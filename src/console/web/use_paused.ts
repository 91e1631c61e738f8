import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

/** Long enough for the next key, in milliseconds. */
const PAUSE_MS = 150;

/** Returns a text that follows what is typed once typing pauses, or is set earlier. */
export function usePaused(typed: string, pauseMs = PAUSE_MS): Signal<string> {
  const paused = useSignal(typed);
  useEffect(() => {
    // Nothing typed is nothing to wait for.
    const timer = setTimeout(() => paused.value = typed, typed === "" ? 0 : pauseMs);
    return () => clearTimeout(timer);
  }, [typed]);
  return paused;
}
