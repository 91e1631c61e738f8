import type * as v from "valibot";
import type { ErrorDetail } from "../core/errors.ts";

/** Returns the path of the field and the expected value. Never uses `received`, which repeats the submitted value. */
export function toDetail(issue: v.BaseIssue<unknown>, root: string): ErrorDetail {
  const keys = (issue.path ?? []).map((item) => String(item.key));
  // The key of an unknown field is submitted text, so only its parent is named.
  const unknownKey = issue.type === "strict_object" && issue.expected === "never";
  const path = toPath(root, unknownKey ? keys.slice(0, -1) : keys);
  if (unknownKey) return { path, message: "Unknown field" };
  const missingKey = issue.type.endsWith("object") && issue.expected?.startsWith('"');
  if (missingKey) return { path, message: "Required field is missing" };
  return { path, message: `Expected ${issue.message || describeExpected(issue)}` };
}

/** Returns the path of a field. Long names are cut. */
export function toPath(root: string, keys: readonly string[]): string {
  return [root, ...keys.map((key) => key.slice(0, 64))].join(".");
}

const TYPE_TEXTS: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  integer: "an integer",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  strict_object: "an object",
  loose_object: "an object",
};

function describeExpected({ type, requirement, expected }: v.BaseIssue<unknown>): string {
  switch (type) {
    case "min_length":
      return `at least ${requirement} elements`;
    case "max_length":
      return `at most ${requirement} elements`;
    case "min_value":
      return `at least ${requirement}`;
    case "max_value":
      return `at most ${requirement}`;
    default:
      return TYPE_TEXTS[type] ?? expected ?? "another value";
  }
}
