import { TaskError } from "./run_task.ts";

/** The role that an option names by its id; undefined where the option is not given. */
export function parseRoleId(text: string | undefined, option: string): number | undefined {
  if (text === undefined) return undefined;
  const id = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(id)) return id;
  throw new TaskError(`--${option} must be the id of a role.`);
}
