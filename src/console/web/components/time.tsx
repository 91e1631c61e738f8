import { formatTime } from "../language.ts";

/** A time in the format of the language, in the browser's time zone. */
export function Time({ at }: { readonly at: string }) {
  return <time dateTime={at}>{formatTime(at)}</time>;
}
