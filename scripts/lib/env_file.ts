import { TaskError } from "./run_task.ts";

const BLANK_OR_COMMENT = /^\s*(#.*)?$/;
const ASSIGNMENT =
  /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(?:'([^']*)'|"([^"]*)"|`([^`]*)`|([^'"`#][^#]*)?)\s*(?:#.*)?$/;

/**
 * Reads the variables of a `.env` file: `NAME=value` a line, with `#` comments, and quotes (of any of three kinds, taken
 * off and nothing in them replaced) around values with spaces at their ends or a `#`. Throws a `TaskError` that names
 * the line which is none of these, and not what stands there. (The runtime's own reader came after version 2.5.)
 */
export function parseEnvFile(text: string): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [i, line] of text.replace(/^\uFEFF/, "").split(/\r?\n/).entries()) {
    if (BLANK_OR_COMMENT.test(line)) continue;
    const [, name, single, double, back, bare = ""] = ASSIGNMENT.exec(line) ?? [];
    if (name === undefined) throw new TaskError(`Line ${i + 1} of .env must be NAME=value or a # comment.`);
    values[name] = single ?? double ?? back ?? bare.trim();
  }
  return values;
}
