import { formatTime } from "../language.ts";

/** A time in the format of the language, in the browser's time zone. */
export function Time({ at }: { readonly at: string }) {
  return <time dateTime={at}>{formatTime(at)}</time>;
}

interface TimeFactProps {
  readonly label: string;
  readonly at: string | null | undefined;
}

/** A time in a list of facts; nothing without one. */
export function TimeFact({ label, at }: TimeFactProps) {
  return typeof at !== "string" ? null : (
    <li>
      {label} <Time at={at} />
    </li>
  );
}
