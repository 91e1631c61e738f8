import { computed, signal } from "@preact/signals";
import type { Texts } from "./texts/en.ts";
import { EN_START } from "./texts/en_start.ts";

export { isolate } from "./texts/isolated.ts";

/** The languages of the service's mails. */
export const LANGUAGES = { en: "English", nl: "Nederlands", fr: "Français", de: "Deutsch" } as const;
/** The tag of a language. */
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
/** The tag for numbers and times: the page's language as the browser's user writes it ("en-GB"), if they use it. */
export const locale = computed(() =>
  navigator.languages.find((tag) => tag.split("-")[0] === language.value) ?? language.value
);
/**
 * The texts of the page's language. Read it while rendering, so that changes show. Those of the views may be missing
 * at first (`loadTexts`).
 */
export const texts = signal<Texts>(EN_START as Texts);
let hasAll = false;

/** Starts with the language chosen earlier, or else the first supported one of the browser. */
export async function startLanguage(): Promise<void> {
  const wanted = [localStorage.getItem(KEPT) ?? "", ...navigator.languages].map((tag) => tag.slice(0, 2));
  const chosen = wanted.find(isLanguage) ?? "en";
  // The first English texts are built in. If loading fails, the page reports it in English.
  if (chosen !== "en") await LOADERS[chosen]().then((loaded) => show(chosen, loaded)).catch(reportError);
}

/** Loads the texts of the views, once. */
export async function loadTexts(): Promise<void> {
  if (hasAll) return;
  const tag = language.value;
  const loaded = await LOADERS[tag]();
  // The user may have chosen another language.
  if (!hasAll) show(tag, loaded);
}

/** Switches the language, and remembers it. */
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

/** Whether a text is the tag of a supported language. */
export function isLanguage(text: string): text is Language {
  return Object.hasOwn(LANGUAGES, text);
}

/** Formats a number for the language. `isLeast`: there may be more, where there is no room for words. */
export function formatNumber(value: number, isLeast = false): string {
  return `${isLeast ? "≥ " : ""}${new Intl.NumberFormat(locale.value).format(value)}`;
}

/** Formats a time: "27 Nov 2026, 18:00", in the browser's time zone. */
export function formatTime(at: string): string {
  return new Intl.DateTimeFormat(locale.value, { dateStyle: "medium", timeStyle: "short" })
    .format(new Date(at));
}

/** Formats the day of a time: "27 Nov 2026", in the browser's time zone. Returns other texts unchanged. */
export function formatDate(at: string): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return at;
  return new Intl.DateTimeFormat(locale.value, { dateStyle: "medium" }).format(date);
}

const DAY_MS = 86_400_000;

/** Formats a time to come: "tomorrow 18:00", "Friday 18:00" within six days, later ones like `formatTime`. */
export function formatComing(at: string, now: Date = new Date()): string {
  const date = new Date(at);
  const midnight = (time: Date): number => new Date(time).setHours(0, 0, 0, 0);
  // A day of 23 or 25 hours is a day.
  const days = Math.round((midnight(date) - midnight(now)) / DAY_MS);
  if (!(days >= 0 && days < 7)) return formatTime(at);
  const day = days < 2
    ? new Intl.RelativeTimeFormat(locale.value, { numeric: "auto" }).format(days, "day")
    : new Intl.DateTimeFormat(locale.value, { weekday: "long" }).format(date);
  return `${day} ${new Intl.DateTimeFormat(locale.value, { timeStyle: "short" }).format(date)}`;
}

/** Formats a wait in seconds, in the greatest fitting unit: "27 seconds", "3 minutes". */
export function formatWait(seconds: number): string {
  const [amount, unit] = seconds < 60
    ? [seconds, "second"]
    : seconds < 5400
    ? [Math.ceil(seconds / 60), "minute"]
    : [Math.ceil(seconds / 3600), "hour"];
  return formatUnit(amount, unit);
}

/** Formats an amount of a unit, such as "hour": "3 hours". */
export function formatUnit(amount: number, unit: string): string {
  return new Intl.NumberFormat(locale.value, { style: "unit", unit, unitDisplay: "long" }).format(amount);
}
