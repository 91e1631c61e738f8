import { TaskError } from "./run_task.ts";

/** The role id in an option; undefined if the option is not given. Throws a `TaskError` on any other text. */
export function parseRoleId(text: string | undefined, option: string): number | undefined {
  if (text === undefined) return undefined;
  return parseId(text, `--${option} must be the id of a role.`);
}

/** The id in an argument. Throws a `TaskError` with the message on any other text. */
export function parseId(text: string, message: string): number {
  const id = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(id)) return id;
  throw new TaskError(message);
}
