import { formatTime } from "../language.ts";

/** A time in the format of the language, in the browser's time zone. */
export function Time({ at }: { readonly at: string }) {
  return <time dateTime={at}>{formatTime(at)}</time>;
}

interface SaidTimeProps {
  readonly label: string;
  readonly at: string;
}

/** A time after what it is. */
export function SaidTime({ label, at }: SaidTimeProps) {
  return (
    <>
      {label} <Time at={at} />
    </>
  );
}

/** A time in a list of facts; nothing without one. */
export function TimeFact({ label, at }: { readonly label: string; readonly at: string | null | undefined }) {
  return typeof at !== "string" ? null : (
    <li>
      <SaidTime label={label} at={at} />
    </li>
  );
}
