/** Browsers by their `User-Agent`. Those that also contain others' names come first. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/ Edg(A|iOS)?\//, "Edge"],
  [/ OPR\//, "Opera"],
  [/ SamsungBrowser\//, "Samsung Internet"],
  [/ (Firefox|FxiOS)\//, "Firefox"],
  [/ (Headless)?(Chrome|CriOS)\//, "Chrome"],
  [/ Version\/.* Safari\//, "Safari"],
];

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/iPhone/, "iPhone"],
  [/iPad/, "iPad"],
  [/Android/, "Android"],
  [/Windows/, "Windows"],
  [/Mac OS X/, "macOS"],
  [/CrOS/, "ChromeOS"],
  [/Linux/, "Linux"],
];

/** Returns the browser and system in a `User-Agent`; undefined for other programs and old browsers. */
export function readClient(userAgent: string): { browser: string; system: string } | undefined {
  const details = /^Mozilla\/5\.0 \(([^)]*)\)/.exec(userAgent)?.[1];
  const browser = BROWSERS.find(([pattern]) => pattern.test(userAgent))?.[1];
  const system = SYSTEMS.find(([pattern]) => pattern.test(details ?? ""))?.[1];
  return browser && system ? { browser, system } : undefined;
}
