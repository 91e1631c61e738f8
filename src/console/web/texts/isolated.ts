/** A name that cannot change the writing direction of the plain text around it. Texts take names as such only. */
export type Isolated = string & { readonly isolated: true };

/** Opens, and closes, an isolate (Unicode, UAX #9); and all of its characters. */
const [OPENING, CLOSING, ISOLATES] = ["\u2068", "\u2069", /[\u2066-\u2069]/g];

/** Isolates a name within plain text. It loses isolates of its own: with one too few, it would end this one. */
export function isolate(name: string): Isolated {
  return `${OPENING}${name.replaceAll(ISOLATES, "")}${CLOSING}` as Isolated;
}
