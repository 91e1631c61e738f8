import { foldText } from "../../../../core/text.ts";

/** Words of phrases that people type the beginnings of, whatever the case and the accents. */

function wordsOf(text: string): string[] {
  return fold(text).match(/[\p{L}\p{N}]+/gu) ?? [];
}

function fold(text: string): string {
  return foldText(text).normalize("NFD").replace(/\p{M}/gu, "");
}

/** Whether each typed word begins a word of the phrase. Nothing typed matches nothing. */
export function matchesPhrase(phrase: string, typed: string): boolean {
  return afterPhrase(phrase, typed) === "";
}

/**
 * Returns what was typed after words that begin those of the phrase: of "invite kerk" and "Invite a person to {role}",
 * "kerk". Undefined if not even the first does.
 */
export function afterPhrase(phrase: string, typed: string): string | undefined {
  const words = wordsOf(phrase.replace(/\{\w+\}/, ""));
  const parts = typed.split(/\s+/).filter((part) => part !== "");
  const begins = (part: string): boolean =>
    wordsOf(part).every((typedWord) => words.some((word) => word.startsWith(typedWord)));
  const rest = parts.findIndex((part) => wordsOf(part).length === 0 || !begins(part));
  if (parts.length === 0 || rest === 0) return undefined;
  return rest === -1 ? "" : parts.slice(rest).join(" ");
}
