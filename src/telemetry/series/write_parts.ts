import { Buffer } from "node:buffer";
import { AppError } from "../../core/errors.ts";
import { yieldToEventLoop } from "../../core/yield_to_event_loop.ts";
import { text, type ValuesOf } from "../../db/sql.ts";
import type { SeriesWrite } from "../points/point.ts";

// A libSQL server accepts texts of up to 5,000,000 bytes, so a write passes each list in several parts, each in its
// own parameter. Unused parts are empty lists.

const PART_BYTES = 4_500_000;
const EMPTY_PART = "[]";

/** Characters after which values continue in another text: few compared to a part, so that parts are filled well. */
const CHUNK_LENGTH = 200_000;

/** Bytes joined before other requests get a turn: some 10 ms. */
const TURN_BYTES = 400_000;

/** The parameters of each list, whose number bounds its size. */
export const PARTS = {
  tagSets: { tagSets0: text, tagSets1: text },
  described: { described0: text },
  points: { points0: text, points1: text, points2: text },
  recent: { recent0: text, recent1: text, recent2: text },
} as const;
export type ListName = keyof typeof PARTS;
export type ListArgs<N extends ListName> = ValuesOf<(typeof PARTS)[N]>;

const LIST_CONTENTS: Readonly<Record<ListName, string>> = {
  tagSets: "different tags",
  described: "field names",
  points: "values and times",
  recent: "values and times",
};

/**
 * Returns the arguments of a list of JSON texts, joined in turns with other requests. Throws `TELEMETRY_REFUSED` if
 * they do not fit.
 */
export async function bindList<N extends ListName>(
  name: N,
  elements: Iterable<string>,
): Promise<ListArgs<N>> {
  return toArgs(name, await joinParts(elements, "[]"));
}

function toArgs<N extends ListName>(name: N, parts: readonly string[]): ListArgs<N> {
  const parameters = Object.keys(PARTS[name]);
  const count = parameters.length;
  if (parts.length > count || parts.some((part) => Buffer.byteLength(part) > PART_BYTES)) {
    const megabytes = (count * PART_BYTES) / 1_000_000;
    throw tooLarge(`The ${LIST_CONTENTS[name]} of a request can take up to ${megabytes} MB as JSON text`);
  }
  return Object.fromEntries(parameters.map((name, i) => [name, parts[i] ?? EMPTY_PART])) as ListArgs<N>;
}

/** Values of a series as JSON, by time. */
export interface SeriesValues {
  readonly id: number;
  readonly values: SeriesWrite["values"];
}

/**
 * Returns the arguments of values: objects with a value for each `id of the series, space, time`. Throws like
 * `bindList`.
 */
export async function bindValues(series: readonly SeriesValues[]): Promise<ListArgs<"points">> {
  return toArgs("points", await joinParts(listValues(series), "{}"));
}

/**
 * Returns the arguments of recent values: objects with an object for each time, which has a value for each id of a
 * series. A fleet's points have few times. Throws like `bindList`.
 */
export async function bindRecent(series: readonly SeriesValues[]): Promise<ListArgs<"recent">> {
  return toArgs("recent", await joinParts(listRecent(series), "{}"));
}

/** Returns the error for a request that is too large, which advises to write fewer points at once. */
export function tooLarge(message: string, cause?: unknown): AppError {
  return new AppError("TELEMETRY_REFUSED", { message: `${message}: write fewer points at once`, cause });
}

/** Joins JSON texts to parts within brackets, those of a list or of an object. */
async function joinParts(elements: Iterable<string>, brackets: "[]" | "{}"): Promise<string[]> {
  const [opening, closing] = brackets;
  const parts: string[] = [];
  let part = "";
  let bytes = 0;
  let turn = 0;
  for (const element of elements) {
    const size = Buffer.byteLength(element) + 2;
    if (part !== "" && bytes + size > PART_BYTES) {
      parts.push(`${opening}${part}${closing}`);
      part = "";
    }
    turn += size;
    if (turn > TURN_BYTES) {
      turn = 0;
      await yieldToEventLoop();
    }
    bytes = part === "" ? size : bytes + size;
    part += part === "" ? element : `,${element}`;
  }
  if (part !== "") parts.push(`${opening}${part}${closing}`);
  return parts;
}

/** Joins the JSON texts of the values without parsing them. */
function* listValues(series: readonly SeriesValues[]): Generator<string> {
  let chunk = "";
  for (const { id, values } of series) {
    for (const [time, value] of values) {
      chunk += `${chunk === "" ? "" : ","}"${id} ${time}":${value}`;
      if (chunk.length < CHUNK_LENGTH) continue;
      yield chunk;
      chunk = "";
    }
  }
  if (chunk !== "") yield chunk;
}

/** The same by time. A time may come again in another text. */
function* listRecent(series: readonly SeriesValues[]): Generator<string> {
  const byTime = new Map<bigint, string>();
  for (const { id, values } of series) {
    for (const [time, value] of values) {
      const others = byTime.get(time);
      const all = others === undefined ? `"${id}":${value}` : `${others},"${id}":${value}`;
      if (all.length < CHUNK_LENGTH) byTime.set(time, all);
      else {
        byTime.delete(time);
        yield `"${time}":{${all}}`;
      }
    }
  }
  for (const [time, all] of byTime) yield `"${time}":{${all}}`;
}
