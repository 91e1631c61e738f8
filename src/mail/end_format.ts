import type { Language } from "./languages.ts";

/** Formats an end as date and time, with the time zone: a mail does not know that of its reader. */
export function formatEnd(language: Language, time: number): string {
  const options = { dateStyle: "long", timeStyle: "short", timeZone: "UTC" } as const;
  return `${new Intl.DateTimeFormat(language === "en" ? "en-GB" : language, options).format(time)} (UTC)`;
}
