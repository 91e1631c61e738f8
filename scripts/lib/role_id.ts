import { TaskError } from "./run_task.ts";

/** The role id in an option; undefined if the option is not given. Throws a `TaskError` on any other text. */
export function parseRoleId(text: string | undefined, option: string): number | undefined {
  if (text === undefined) return undefined;
  const id = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(id)) return id;
  throw new TaskError(`--${option} must be the id of a role.`);
}
