import * as v from "valibot";
import { TaskError } from "../lib/run_task.ts";

/** A file is read as a whole. */
export const MAX_MEGABYTES = 200;
const MEGABYTE = 1024 * 1024;

/** Reads a text file. Throws a `TaskError` if it is missing, too large or not UTF-8. */
export async function readInput(path: string, maxMegabytes = MAX_MEGABYTES): Promise<string> {
  let bytes: Uint8Array;
  try {
    const { size } = await Deno.stat(path);
    if (size > maxMegabytes * MEGABYTE) {
      throw new TaskError(
        `${path} has ${Math.ceil(size / MEGABYTE)} MiB. At most ${maxMegabytes} MiB are read: split it.`,
      );
    }
    bytes = await Deno.readFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) throw new TaskError(`The file ${path} does not exist.`);
    throw error;
  }
  try {
    // The decoder removes a byte order mark.
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new TaskError(`${path} is not UTF-8.`);
  }
}

/** Parses JSON. Throws a `TaskError` that names the line and column of a fault, and repeats nothing of the file. */
export function parseJson(path: string, text: string, firstLine = 1): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const { fault, at } = findFault(text);
    const before = text.slice(0, at).split("\n");
    const line = before.length - 1 + firstLine;
    throw new TaskError(
      `${path} is no JSON. Line ${line}, column ${(before.at(-1) ?? "").length + 1}: ${fault}.`,
    );
  }
}

interface Fault {
  readonly fault: string;
  readonly at: number;
}

/** Finds the first fault of a text that is no JSON. */
function findFault(text: string): Fault {
  const told = tellFault(text);
  if (told === undefined || told.at !== undefined) return { fault: told?.fault ?? "", at: told?.at ?? 0 };
  // The engine tells no position of an unexpected character: find the longest beginning that could be continued.
  let [good, bad] = [0, text.length];
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2);
    const fault = tellFault(text.slice(0, middle));
    if (fault === undefined || fault.at === middle) good = middle;
    else bad = middle;
  }
  return { fault: told.fault, at: bad - 1 };
}

/** Returns the engine's fault, without its excerpts of the text, which may be secret. */
function tellFault(text: string): { readonly fault: string; readonly at: number | undefined } | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    const message = error instanceof Error ? error.message : "";
    if (message.startsWith("Unexpected end")) return { fault: "the text ends too early", at: text.length };
    const [, fault, position] = /^(.*) in JSON at position (\d+)/s.exec(message) ?? [];
    if (fault !== undefined) return { fault, at: Number(position) };
    return { fault: "a value, a quoted text or a bracket is missing", at: undefined };
  }
}

/** Checks a part of a file. Throws a `TaskError` that names the place, such as `users[3].email`. */
export function check<const S extends v.GenericSchema>(
  path: string,
  place: string,
  schema: S,
  value: unknown,
): v.InferOutput<S> {
  const read = v.safeParse(schema, value);
  if (read.success) return read.output;
  const [issue] = read.issues;
  const within = issue.path?.map(({ key }) => typeof key === "number" ? `[${key}]` : `.${key}`).join("") ??
    "";
  const fault = issue.expected === "never"
    ? "it is not known here"
    : issue.received === "undefined"
    ? "it is missing"
    // The standard message repeats the value, which may be secret.
    : issue.message.startsWith("Invalid ")
    ? `expected ${issue.expected}`
    : issue.message;
  throw new TaskError(`${path}: ${`${place}${within}`.replace(/^\./, "") || "the file"}: ${fault}.`);
}
