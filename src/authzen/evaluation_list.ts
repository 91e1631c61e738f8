import * as v from "valibot";
import { AppError, type ErrorDetail } from "../core/errors.ts";
import { toDetail } from "../http/error_detail.ts";
import { findLooseField } from "../http/strict_fields.ts";
import { type Evaluation, type Evaluations, EvaluationSchema } from "./schemas.ts";

/** The items of a list of evaluations, each with the defaults that it does not replace (7.1.1). */

/** An item, or its fault. */
export type Item = { readonly evaluation: Evaluation } | { readonly fault: ErrorDetail };

/** Returns the only evaluation of a request without a list, or with an empty one. Throws `MALFORMED_REQUEST`. */
export function parseSingle({ evaluations: _, options: __, ...evaluation }: Evaluations): Evaluation {
  const parsed = parseItem({}, evaluation, "body");
  if ("fault" in parsed) throw new AppError("MALFORMED_REQUEST", { details: [parsed.fault] });
  return parsed.evaluation;
}

/** Returns the items in their order. Takes as long as deciding on them. */
export function parseItems({ evaluations = [], options: _, ...defaults }: Evaluations): Item[] {
  return evaluations.map((item, i) => parseItem(item, defaults, `body.evaluations.${i}`));
}

function parseItem(item: unknown, defaults: object, path: string): Item {
  if (typeof item !== "object" || item === null || Array.isArray(item)) {
    return { fault: { path, message: "Expected an object" } };
  }
  const whole = { ...defaults, ...item };
  const result = v.safeParse(EvaluationSchema, whole, { abortEarly: true, message: "" });
  if (!result.success) return { fault: toDetail(result.issues[0], path) };
  const fault = findLooseField(EvaluationSchema, whole, path);
  return fault === undefined ? { evaluation: result.output } : { fault };
}

/** The event that ends a list before its last item (7.1.2.1). */
export type Semantic = "execute_all" | "deny_on_first_deny" | "permit_on_first_permit";

/** Returns how many of the decisions a response has. */
export function countReturned(decisions: readonly boolean[], semantic: Semantic): number {
  if (semantic === "execute_all") return decisions.length;
  const end = decisions.indexOf(semantic === "permit_on_first_permit");
  return end === -1 ? decisions.length : end + 1;
}
