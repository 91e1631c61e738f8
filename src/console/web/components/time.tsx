import { formatTime } from "../language.ts";

/** A time of the interface, as people of the language write it, in the time zone of the browser. */
export function Time({ at }: { readonly at: string }) {
  return <time dateTime={at}>{formatTime(at)}</time>;
}
