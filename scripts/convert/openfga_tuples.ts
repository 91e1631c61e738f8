import { CsvError, parse as parseCsv } from "csv-parse/sync";
import * as v from "valibot";
import { TaskError } from "../lib/run_task.ts";
import { check, MAX_MEGABYTES, parseJson, readInput } from "./input.ts";
import type { LeftOut } from "./left_out.ts";

/** The parser of YAML needs about a hundred times the file's size in memory. */
export const MAX_YAML_MEGABYTES = 20;

/** `type:id`, or with a relation `type:id#relation`. */
export interface Subject {
  readonly type: string;
  readonly id: string;
  /** Of a userset: all that have this relation to the object. */
  readonly relation: string | undefined;
}

/** That the user has the relation to the object. */
export interface Tuple {
  readonly user: Subject;
  readonly relation: string;
  readonly object: Subject;
  /** The name of a condition under which alone it holds. */
  readonly condition: string | undefined;
}

const subject = (form: RegExp, expected: string) => v.pipe(v.string(), v.regex(form, `must be ${expected}`));

const TupleSchema = v.object({
  user: subject(/^[^:#\s]+:[^#\s]+(#[^:#\s]+)?$/, '"type:id", or "type:id#relation"'),
  relation: v.pipe(v.string(), v.nonEmpty("must not be empty")),
  object: subject(/^[^:#\s]+:[^#\s]+$/, '"type:id"'),
  condition: v.optional(v.nullable(v.object({ name: v.optional(v.string(), "") }))),
});

/** What `fga tuple read` writes, and a store file; each tuple is checked by itself. */
const FileSchema = v.union([
  v.array(v.unknown()),
  v.looseObject({
    tuples: v.optional(v.nullable(v.array(v.unknown()))),
    tuple_file: v.optional(v.string()),
    tuple_files: v.optional(v.array(v.string())),
    continuation_token: v.optional(v.nullable(v.string())),
  }),
], "expected a list of tuples, or an object with a field tuples");

const READS_ALL = '"fga tuple read --max-pages 0" writes all tuples';
/** How many tuples that program reads by default: 20 pages of 50 or 100. Its file does not tell whether there are more. */
const DEFAULT_COUNTS: readonly number[] = [1000, 2000];

const CsvSchema = v.object({
  user_type: v.string(),
  user_id: v.string(),
  user_relation: v.optional(v.string(), ""),
  relation: v.string(),
  object_type: v.string(),
  object_id: v.string(),
  condition_name: v.optional(v.string(), ""),
});

/**
 * Reads a file of tuples as the `fga` program writes and reads it: .json, .jsonl, .csv, and .yaml, also a store file.
 * Throws a `TaskError` that names the place of a fault.
 */
export async function readTuples(path: string, leftOut: LeftOut): Promise<Tuple[]> {
  const tuples = await readFile(path, leftOut);
  if (DEFAULT_COUNTS.includes(tuples.length)) {
    leftOut.add(
      `converted, but perhaps not all tuples: just as many as are read by default; ${READS_ALL}`,
      path,
    );
  }
  return tuples;
}

async function readFile(path: string, leftOut: LeftOut): Promise<Tuple[]> {
  const form = /\.([^.]+)$/.exec(path)?.[1]?.toLowerCase();
  const isYaml = form === "yaml" || form === "yml";
  const text = await readInput(path, isYaml ? MAX_YAML_MEGABYTES : MAX_MEGABYTES);
  if (form === "csv") return readCsv(path, text);
  if (form === "jsonl") {
    return text.split("\n").flatMap((line, i) => {
      if (line.trim() === "") return [];
      return readTuple(path, `line ${i + 1}`, parseJson(path, line, i + 1));
    });
  }
  const content = check(path, "", FileSchema, isYaml ? await parseYaml(path, text) : parseJson(path, text));
  if (Array.isArray(content)) return content.map((tuple, i) => readTuple(path, `[${i}]`, tuple));
  const { continuation_token: further, tuples, tuple_file: one, tuple_files: several } = content;
  if ("changes" in content) throw new TaskError(`${path} has changes of tuples: ${READS_ALL}.`);
  if (further) {
    throw new TaskError(
      `${path} has one page of the tuples, and a continuation_token for more: ${READS_ALL}.`,
    );
  }
  if (tuples === undefined && one === undefined && several === undefined) {
    throw new TaskError(`${path} has no tuples: ${READS_ALL}.`);
  }
  for (
    const file of [
      ...several ?? [],
      ...one === undefined ? [] : [one],
    ]
  ) {
    leftOut.add("files that a store names, but that are read only if they are given, too", file);
  }
  return (tuples ?? []).map((tuple, i) => readTuple(path, `tuples[${i}]`, tuple));
}

async function parseYaml(path: string, text: string): Promise<unknown> {
  const { parseDocument } = await import("yaml");
  const document = parseDocument(text, { prettyErrors: true });
  const [error] = document.errors;
  if (error === undefined) return document.toJS();
  const [{ line, col } = { line: 1, col: 1 }] = error.linePos ?? [];
  throw new TaskError(`${path} is no YAML. Line ${line}, column ${col}: ${error.code}.`);
}

/** The API puts the three parts into a key, beside the time of writing. */
function readTuple(path: string, place: string, value: unknown): Tuple {
  const isObject = typeof value === "object" && value !== null;
  if (isObject && "tuple_key" in value) {
    throw new TaskError(`${path}: ${place}: it is a change of a tuple: ${READS_ALL}.`);
  }
  const isWrapped = isObject && "key" in value;
  return toTuple(check(path, isWrapped ? `${place}.key` : place, TupleSchema, isWrapped ? value.key : value));
}

function readCsv(path: string, text: string): Tuple[] {
  let records: unknown[];
  try {
    records = parseCsv(text, { columns: true, skip_records_with_empty_values: true, skip_empty_lines: true });
  } catch (error) {
    if (error instanceof CsvError) throw new TaskError(`${path}: ${error.message}.`);
    throw error;
  }
  return records.map((record, i) => {
    const place = `row ${i + 1}`;
    const row = check(path, place, CsvSchema, record);
    const relation = row.user_relation === "" ? "" : `#${row.user_relation}`;
    const tuple = {
      user: `${row.user_type}:${row.user_id}${relation}`,
      relation: row.relation,
      object: `${row.object_type}:${row.object_id}`,
      condition: row.condition_name === "" ? undefined : { name: row.condition_name },
    };
    return toTuple(check(path, place, TupleSchema, tuple));
  });
}

function toTuple({ user, relation, object, condition }: v.InferOutput<typeof TupleSchema>): Tuple {
  return { user: toSubject(user), relation, object: toSubject(object), condition: condition?.name };
}

function toSubject(text: string): Subject {
  const [, type = "", id = "", relation] = /^([^:]+):([^#]+)(?:#(.+))?$/.exec(text) ?? [];
  return { type, id, relation };
}

/** Writes a tuple as OpenFGA's documentation does. */
export function describeTuple({ user, relation, object }: Tuple): string {
  return `${describeSubject(user)} ${relation} ${describeSubject(object)}`;
}

function describeSubject({ type, id, relation }: Subject): string {
  return `${type}:${id}${relation === undefined ? "" : `#${relation}`}`;
}
