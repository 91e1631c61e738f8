/** The languages that mails and pages are written in. */
export const LANGUAGES = ["en", "nl", "fr", "de"] as const;
export type Language = typeof LANGUAGES[number];

/** The language for a language tag such as `nl` or `nl-BE`; English if it is not offered. */
export function toLanguage(tag: string): Language {
  const primary = tag.toLowerCase().split("-")[0];
  return LANGUAGES.find((language) => language === primary) ?? "en";
}
