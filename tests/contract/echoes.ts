import type { Answer } from "../helpers/http.ts";
import { holds, SECRET_FIELDS } from "../every_operation/secret_recorder.ts";
import { MARK } from "./hostile_values.ts";
import type { Outgoing } from "./steps.ts";

/** Shorter texts may occur in a response by chance. */
const MIN_LENGTH = 6;

/** All secrets in a request, which only its sender may know. */
export function secretsIn({ body, headers, query }: Outgoing): Set<string> {
  const found = new Set<string>();
  const add = (text: string | null | undefined): void => {
    if (typeof text === "string" && text.length >= MIN_LENGTH) found.add(text);
  };
  add(headers.get("Authorization")?.split(" ")[1]);
  add(headers.get("X-Child-Role-Password"));
  for (const text of query.getAll("childRolePassword")) add(text);
  if (typeof body === "string" && headers.get("Content-Type")?.startsWith("application/json")) {
    addFields(parseJson(body), "", add);
  }
  return found;
}

/** The value of a JSON text; undefined if it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function addFields(value: unknown, name: string, add: (text: string) => void): void {
  if (typeof value === "string" && SECRET_FIELDS.has(name)) add(value);
  if (typeof value !== "object" || value === null) return;
  for (const [key, inner] of Object.entries(value)) addFields(inner, Array.isArray(value) ? name : key, add);
}

/**
 * The places that wrongly repeat something submitted: a secret anywhere, or a marked text in an error, a header or the
 * log. Texts that are not secret may be returned, such as the name of a role.
 */
export function echoesOf(outgoing: Outgoing, answer: Answer, log: readonly string[]): string[] {
  const faults: string[] = [];
  const headers = JSON.stringify([...answer.headers]);
  const logged = log.join("\n");
  for (const secret of secretsIn(outgoing)) {
    const written = JSON.stringify(secret).slice(1, -1);
    for (const [place, text] of [["answer", answer.text], ["headers", headers], ["log", logged]] as const) {
      if (holds(text, secret) || holds(text, written)) faults.push(`a secret is repeated in the ${place}`);
    }
  }
  const told = answer.status >= 400 ? answer.text : errorsWithin(answer.body).join("\n");
  for (const [place, text] of [["error", told], ["headers", headers], ["log", logged]] as const) {
    if (text.includes(MARK)) faults.push(`something submitted is repeated in the ${place}`);
  }
  return faults;
}

/** Errors of single queries within a success. */
function errorsWithin(body: unknown): string[] {
  return [body].flat().flatMap((item) => {
    const error: unknown = typeof item === "object" && item !== null ? Reflect.get(item, "error") : undefined;
    return typeof error === "string" ? [error] : [];
  });
}
