import { TaskError } from "./run_task.ts";

const BLANK_OR_COMMENT = /^\s*(#.*)?$/;
const ASSIGNMENT =
  /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(?:'([^']*)'|"([^"]*)"|`([^`]*)`|([^'"`#][^#]*)?)\s*(?:#.*)?$/;

/**
 * Parses a `.env` file: `NAME=value` lines and `#` comments. Quotes (three kinds) keep a `#` or outer spaces; nothing
 * inside is replaced. Throws a `TaskError` that names a malformed line by number, not text. (Deno's own parser is
 * newer than 2.5.)
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
