import { Buffer } from "node:buffer";
import { AppError } from "../../core/errors.ts";
import type { SqlArgs } from "../../db/statement.ts";
import type { SeriesWrite } from "../points/point.ts";

// A libSQL server takes no text of more than 5,000,000 bytes. So what a write hands to its statements are lists in several
// parts, parameters of their own, of which those that are not needed are empty.

const PART_BYTES = 4_500_000;
const EMPTY_PART = "[]";

/** Values of a series that are one element of a list, in characters: small against a part, so that parts get full. */
const CHUNK_LENGTH = 200_000;

/** How many parts each list may have, and so its greatest size. */
export const PART_COUNTS = { tagSets: 2, described: 1, points: 3 } as const;
export type ListName = keyof typeof PART_COUNTS;

const LIST_CONTENTS: Readonly<Record<ListName, string>> = {
  tagSets: "different tags",
  described: "names of fields",
  points: "values and times",
};

/**
 * The parameters (`name0`, `name1`, …) of a list of JSON texts. Throws `TELEMETRY_REFUSED` where they are more than its
 * parts can hold.
 */
export function bindList(name: ListName, elements: Iterable<string>): SqlArgs {
  const parts = joinParts(elements);
  const count = PART_COUNTS[name];
  if (parts.length > count || parts.some((part) => Buffer.byteLength(part) > PART_BYTES)) {
    const megabytes = (count * PART_BYTES) / 1_000_000;
    throw tooLarge(`The ${LIST_CONTENTS[name]} of a request can take up to ${megabytes} MB as JSON text`);
  }
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`${name}${i}`, parts[i] ?? EMPTY_PART]));
}

/** The parameters of the values of series: `[number of its series, values by time]`. Throws as `bindList`. */
export function bindValues(series: readonly SeriesWrite[]): SqlArgs {
  return bindList("points", listValues(series));
}

/** Says that a request is too large, and what to do about it. */
export function tooLarge(message: string, cause?: unknown): AppError {
  return new AppError("TELEMETRY_REFUSED", { message: `${message}: write fewer points at once`, cause });
}

function joinParts(elements: Iterable<string>): string[] {
  const parts: string[] = [];
  let part = "";
  let bytes = 0;
  for (const element of elements) {
    const size = Buffer.byteLength(element) + 2;
    if (part !== "" && bytes + size > PART_BYTES) {
      parts.push(`[${part}]`);
      part = "";
    }
    bytes = part === "" ? size : bytes + size;
    part += part === "" ? element : `,${element}`;
  }
  if (part !== "") parts.push(`[${part}]`);
  return parts;
}

/** The values as they were sent: their JSON texts are joined, never read. */
function* listValues(series: readonly SeriesWrite[]): Generator<string> {
  for (const [n, { values }] of series.entries()) {
    let object = "";
    for (const [time, value] of values) {
      object += `${object === "" ? "" : ","}"${time}":${value}`;
      if (object.length < CHUNK_LENGTH) continue;
      yield `[${n},{${object}}]`;
      object = "";
    }
    if (object !== "") yield `[${n},{${object}}]`;
  }
}
