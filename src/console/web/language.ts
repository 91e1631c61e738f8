import { signal } from "@preact/signals";
import type { Texts } from "./texts/en.ts";
import { EN_START } from "./texts/en_start.ts";

/** The languages of the service's mails. */
export const LANGUAGES = { en: "English", nl: "Nederlands", fr: "Français", de: "Deutsch" } as const;
/** The tag of one of them. */
export type Language = keyof typeof LANGUAGES;

const LOADERS: Readonly<Record<Language, () => Promise<Texts>>> = {
  en: () => import("./texts/en.ts").then(({ EN }) => ({ ...EN_START, ...EN })),
  nl: () => import("./texts/nl.ts").then(({ NL }) => NL),
  fr: () => import("./texts/fr.ts").then(({ FR }) => FR),
  de: () => import("./texts/de.ts").then(({ DE }) => DE),
};

const KEPT = "rolegrid-language";

/** The language of the page. */
export const language = signal<Language>("en");
/**
 * The texts of the page's language. Read it where it is rendered, so that a change of language shows. Those of the views
 * may be missing at first: views wait for them (`loadTexts`).
 */
export const texts = signal<Texts>(EN_START as Texts);
let hasAll = false;

/** The language that was chosen here before, or else the browser's first that there is. */
export async function startLanguage(): Promise<void> {
  const wanted = [localStorage.getItem(KEPT) ?? "", ...navigator.languages].map((tag) => tag.slice(0, 2));
  const chosen = wanted.find(isLanguage) ?? "en";
  // What is said first in English is there already. Without other texts, the page says in English what is wrong.
  if (chosen !== "en") await LOADERS[chosen]().then((loaded) => show(chosen, loaded)).catch(reportError);
}

/** Loads the texts of the views, unless they are there. */
export async function loadTexts(): Promise<void> {
  if (hasAll) return;
  const tag = language.value;
  const loaded = await LOADERS[tag]();
  // Somebody may have chosen another language meanwhile.
  if (!hasAll) show(tag, loaded);
}

/** Shows another language, and keeps it. */
export async function chooseLanguage(chosen: Language): Promise<void> {
  show(chosen, await LOADERS[chosen]());
  localStorage.setItem(KEPT, chosen);
}

function show(chosen: Language, loaded: Texts): void {
  texts.value = loaded;
  hasAll = true;
  language.value = chosen;
  document.documentElement.lang = chosen;
}

/** Whether a text is the tag of a language that the console speaks. */
export function isLanguage(text: string): text is Language {
  return Object.hasOwn(LANGUAGES, text);
}

/** A number as people of the language write it. */
export function formatNumber(value: number): string {
  return new Intl.NumberFormat(language.value).format(value);
}

/** A time of the interface: "27 Nov 2026, 18:00", in the time zone of the browser. */
export function formatTime(at: string): string {
  return new Intl.DateTimeFormat(language.value, { dateStyle: "medium", timeStyle: "short" })
    .format(new Date(at));
}

/** The day of a time: "27 Nov 2026", in the time zone of the browser. Of anything else, what it is. */
export function formatDate(at: string): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return at;
  return new Intl.DateTimeFormat(language.value, { dateStyle: "medium" }).format(date);
}

/** A wait in seconds, in the greatest fitting unit: "27 seconds", "3 minutes". */
export function formatWait(seconds: number): string {
  const [amount, unit] = seconds < 60
    ? [seconds, "second"]
    : seconds < 5400
    ? [Math.ceil(seconds / 60), "minute"]
    : [Math.ceil(seconds / 3600), "hour"];
  return new Intl.NumberFormat(language.value, { style: "unit", unit, unitDisplay: "long" }).format(amount);
}

/** A name inside of a plain text, whose other words it cannot turn around (Unicode, UAX #9: isolates). */
export function isolate(name: string): string {
  return `\u2068${name}\u2069`;
}
