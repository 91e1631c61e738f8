import { AppError, LoggableError } from "./errors.ts";

export const LOG_LEVELS = ["debug", "info", "warn", "error", "silent"] as const;
export type LogLevel = typeof LOG_LEVELS[number];

/** Fields of a log line. Callers never pass bodies, headers, tokens, or URLs with a query. */
export type LogFields = Record<string, string | number | boolean | null | undefined>;

export interface Log {
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
}

/** Creates a log with one JSON object per line. Drops lines below `level`; `write` gets each line without a newline. */
export function createLog(level: LogLevel, write: (line: string) => void): Log {
  const threshold = LOG_LEVELS.indexOf(level);
  const at = (lineLevel: Exclude<LogLevel, "silent">) => (event: string, fields: LogFields = {}): void => {
    if (LOG_LEVELS.indexOf(lineLevel) < threshold) return;
    // Joined as text: copying the fields into one object takes longer than writing them.
    const head = `{"time":"${currentTime()}","level":"${lineLevel}","event":${JSON.stringify(event)}`;
    const rest = JSON.stringify(fields);
    write(rest === "{}" ? `${head}}` : `${head},${rest.slice(1)}`);
  };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

let formattedAt = 0;
let formatted = "";

/** Returns the time in ISO 8601, formatted at most once a millisecond. */
function currentTime(): string {
  const now = Date.now();
  if (now !== formattedAt) {
    formattedAt = now;
    formatted = new Date(now).toISOString();
  }
  return formatted;
}

/**
 * Returns the loggable parts of an unexpected error: its class, code and stack frames, and the class and code of its
 * cause. Messages of database errors contain SQL and parameters, so only those of trusted classes are kept; see
 * `LoggableError`.
 */
export function describeError(error: unknown): LogFields {
  if (!(error instanceof Error)) return { error: typeof error };
  const frames = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line)).slice(0, 8);
  return {
    error: error.name,
    errorCode: codeOf(error),
    message: isLoggable(error) ? error.message : undefined,
    cause: error.cause instanceof Error ? describeCause(error.cause) : undefined,
    stack: frames.map((frame) => frame.trim()).join(" | "),
  };
}

function isLoggable(error: Error): boolean {
  return error instanceof TypeError || error instanceof RangeError || error instanceof AppError ||
    error instanceof LoggableError;
}

/** Names the causes of an error: the message if it may be logged, else class and code. */
export function nameCause(error: Error): string {
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  const name = isLoggable(cause) ? cause.message : describeCause(cause);
  return cause.cause instanceof Error ? `${name} (${nameCause(cause)})` : name;
}

function describeCause(cause: Error): string {
  const code = codeOf(cause);
  return code === undefined ? cause.name : `${cause.name} ${code}`;
}

function codeOf(error: Error): string | undefined {
  return "code" in error && typeof error.code === "string" ? error.code : undefined;
}
