import { useSignal } from "@preact/signals";
import { texts } from "./language.ts";
import { readLocal, toLocal } from "./local_time.ts";

/** A time that may be left out, and the state of its field. */
export interface Moment {
  /** ISO 8601; undefined if none is given. */
  readonly at: string | undefined;
  readonly fault: string | undefined;
  readonly text: string;
  readonly isTyped: boolean;
  readonly onText: (text: string, isIncomplete: boolean) => void;
}

/**
 * Returns a time to start from, by default none. An untouched one keeps its seconds, which the field lacks. `preset`: the
 * text that the field has instead at first.
 */
export function useMoment(first?: string, preset?: string): Moment {
  const firstText = first === undefined ? "" : toLocal(new Date(first));
  const typed = useSignal(preset === undefined ? undefined : { text: preset, isIncomplete: false });
  const { text, isIncomplete } = typed.value ?? { text: firstText, isIncomplete: false };
  const at = text === firstText ? first : readLocal(text);
  // An unreadable time must not count as none.
  const isUnreadable = isIncomplete || (text !== "" && at === undefined);
  return {
    at,
    fault: isUnreadable ? texts.value.change.member.incomplete : undefined,
    text,
    isTyped: at !== first,
    onText: (text, isIncomplete) => typed.value = { text, isIncomplete },
  };
}
