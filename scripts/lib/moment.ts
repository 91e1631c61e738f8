import * as v from "valibot";
import { AppError, type ErrorCode } from "../../src/core/errors.ts";
import type { AsOf } from "../../src/graph/history/as_of.ts";
import { AsOfSchema } from "../../src/role/schemas.ts";
import { TaskError } from "./run_task.ts";

/** The option `--as-of`, for tasks that can show the past. */
export const AS_OF_OPTION = {
  "as-of": {
    type: "string",
    placeholder: "MOMENT",
    description: "A revision, or a time with its zone: as things were then (default: now)",
  },
} as const;

const REFUSALS: Readonly<Partial<Record<ErrorCode, string>>> = {
  MALFORMED_REQUEST: "--as-of must not be in the future.",
  BEFORE_HISTORY: "The history that is kept begins later.",
  LINEAGE_TOO_LARGE: "More than 10,000 relations lead to the role: its past cannot be shown.",
};

/** Parses the value of `--as-of`. Throws a `TaskError` unless it is a moment. */
export function parseAsOf(text: string | undefined): AsOf | undefined {
  if (text === undefined) return undefined;
  const parsed = v.safeParse(AsOfSchema, /^\d+$/.test(text) ? Number(text) : text);
  if (parsed.success) return parsed.output;
  throw new TaskError("--as-of must be a revision, or a time such as 2026-03-01T00:00:00Z.");
}

/** Throws a `TaskError` in place of the refusal of a moment. */
export function refuseMoment(error: unknown): never {
  const refusal = error instanceof AppError ? REFUSALS[error.code] : undefined;
  throw refusal === undefined ? error : new TaskError(refusal, { cause: error });
}
