/** The languages of mails and pages. */
export const LANGUAGES = ["en", "nl", "fr", "de"] as const;
export type Language = typeof LANGUAGES[number];

/** Returns the language for a tag such as `nl` or `nl-BE`; English if it is not offered. */
export function toLanguage(tag: string): Language {
  const primary = tag.toLowerCase().split("-")[0];
  return LANGUAGES.find((language) => language === primary) ?? "en";
}
