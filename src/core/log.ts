export const LOG_LEVELS = ["debug", "info", "warn", "error", "silent"] as const;
export type LogLevel = typeof LOG_LEVELS[number];

/** What a log line may carry: plain facts by name. Callers never pass bodies, headers, URLs with a query, or tokens. */
export type LogFields = Record<string, string | number | boolean | null | undefined>;

export interface Log {
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
}

/** A log of one JSON object a line. Lines below `level` are dropped; `write` gets each line without its newline. */
export function createLog(level: LogLevel, write: (line: string) => void): Log {
  const threshold = LOG_LEVELS.indexOf(level);
  const at = (lineLevel: Exclude<LogLevel, "silent">) => (event: string, fields: LogFields = {}): void => {
    if (LOG_LEVELS.indexOf(lineLevel) < threshold) return;
    write(JSON.stringify({ time: new Date().toISOString(), level: lineLevel, event, ...fields }));
  };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

/**
 * What may be logged of an unforeseen error: its class, its stack's frames and its causes' classes and codes.
 * Messages of database errors hold SQL and parameters (Drizzle's `DrizzleQueryError` does), so only messages of
 * errors that are known to carry none are kept.
 */
export function describeError(error: unknown): LogFields {
  if (!(error instanceof Error)) return { error: typeof error };
  const frames = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line)).slice(0, 8);
  const safe = error instanceof TypeError || error instanceof RangeError || error.name === "AppError";
  return {
    error: error.name,
    errorCode: codeOf(error),
    message: safe ? error.message : undefined,
    cause: error.cause instanceof Error ? describeCause(error.cause) : undefined,
    stack: frames.map((frame) => frame.trim()).join(" | "),
  };
}

function describeCause(cause: Error): string {
  const code = codeOf(cause);
  return code === undefined ? cause.name : `${cause.name} ${code}`;
}

function codeOf(error: Error): string | undefined {
  return "code" in error && typeof error.code === "string" ? error.code : undefined;
}
