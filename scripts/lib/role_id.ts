import { TaskError } from "./run_task.ts";

/** Parses the role id in an option; undefined without the option. Throws a `TaskError` for other texts. */
export function parseRoleId(text: string | undefined, option: string): number | undefined {
  if (text === undefined) return undefined;
  return parseId(text, `--${option} must be the id of a role.`);
}

/** Parses the id in an argument. Throws a `TaskError` with the message for other texts. */
export function parseId(text: string, message: string): number {
  const id = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(id)) return id;
  throw new TaskError(message);
}
