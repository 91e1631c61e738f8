const NEWLINE = 10;
const SPACE = 32;
const QUOTE = 34;
const HASH = 35;
const COMMA = 44;
const EQUALS = 61;
const BACKSLASH = 92;

/** Returns the end of the line that begins at `start`. */
type FindEnd = (text: string, start: number) => number;

/** How the texts of a malformed line can be meant. The last one is for tags that end in a backslash. */
const READINGS: readonly FindEnd[] = [
  findOwnEnd,
  (text, start) => findInfluxEnd(text, start, true),
  (text, start) => findInfluxEnd(text, start, false),
];

/**
 * Returns where the malformed point from `start` on ends: a line feed, or the end of the text. It is often unclear which
 * of its quotes begin and end texts. So it ends only where a line ends in each reading, so that no line of a text is
 * taken for a point. Takes linear time.
 */
export function findEndOfFault(text: string, start: number): number {
  let ends = READINGS.map((findEnd) => findEnd(text, start));
  for (;;) {
    const last = Math.max(...ends);
    if (ends.every((end) => end === last)) return last;
    ends = ends.map((end, i) => end < last ? READINGS[i]?.(text, end + 1) ?? last : end);
  }
}

/** As well-formed points are read here: a text begins right after an equals sign among the fields. */
function findOwnEnd(text: string, start: number): number {
  let at = start;
  while (text[at] === " " || text[at] === "\t") at++;
  if (text.charCodeAt(at) === HASH) {
    const end = text.indexOf("\n", at);
    return end === -1 ? text.length : end;
  }
  let isAmongFields = false;
  let isQuoted = false;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (isQuoted) {
      if (code === BACKSLASH) at += 1;
      else if (code === QUOTE) isQuoted = false;
    } else if (code === NEWLINE) return at;
    else if (code === SPACE) isAmongFields ||= text.charCodeAt(at - 1) !== BACKSLASH;
    else if (code === QUOTE && isAmongFields) {
      isQuoted = text.charCodeAt(at - 1) === EQUALS && text.charCodeAt(at - 2) !== BACKSLASH;
    }
  }
  return text.length;
}

/** As InfluxDB splits a body: a quote counts anywhere in a value, and a backslash escapes any character, or all but spaces. */
function findInfluxEnd(text: string, start: number, escapesSpaces: boolean): number {
  let isAmongFields = false;
  let isQuoted = false;
  /** How many more unquoted equals signs than commas there were. */
  let open = 0;
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH && (escapesSpaces || text.charCodeAt(at + 1) !== SPACE)) at += 1;
    else if (code === NEWLINE && !isQuoted) return at;
    else if (code === SPACE) isAmongFields = true;
    else if (!isAmongFields) continue;
    else if (code === QUOTE && open > 0) isQuoted = !isQuoted;
    else if (code === EQUALS && !isQuoted) open += 1;
    else if (code === COMMA && !isQuoted) open -= 1;
  }
  return text.length;
}
