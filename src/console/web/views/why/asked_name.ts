import { texts } from "../../language.ts";
import type { Asked } from "./load_answer.ts";

/** Returns the name of the person or key of a question. */
export function nameOfAsked(asked: Asked): string {
  const { why } = texts.value;
  if (asked === undefined) return why.you;
  return "userEmail" in asked ? asked.userEmail : why.key(asked.keyId);
}
