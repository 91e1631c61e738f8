import { texts } from "../../language.ts";
import type { Asked } from "./load_answer.ts";

/** Whose right it is, in words. */
export function nameOfAsked(asked: Asked): string {
  const { why } = texts.value;
  if (asked === undefined) return why.you;
  return "userEmail" in asked ? asked.userEmail : why.key(asked.keyId);
}
