import { createLog, type Log, type LogLevel } from "../../src/core/log.ts";

/** Creates a log for developers: one short line per event, instead of JSON. */
export function createDevelopmentLog(level: LogLevel, write: (line: string) => void): Log {
  return createLog(level, (line) => write(formatLogLine(line)));
}

/** Formats a JSON line as `12:03:04 info  request POST /v1/role/query 200 3.1 ms userId=1`. */
function formatLogLine(line: string): string {
  const { time, level, event, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const head = `${String(time).slice(11, 19)} ${String(level).padEnd(5)} ${event}`;
  if (event !== "request") return [head, ...formatFields(fields)].join(" ");
  const { method, route, status, milliseconds, requestId: _, ...others } = fields;
  return [head, method, route, status, milliseconds, "ms", ...formatFields(others)].join(" ");
}

function formatFields(fields: Record<string, unknown>): string[] {
  return Object.entries(fields).map(([name, value]) => `${name}=${value}`);
}
