import { isFileUrl } from "../db/file_url.ts";
import { parseInfluxUrl } from "./influx/influx_url.ts";

/**
 * Validates and returns the URL of a file for points, or of a telemetry engine. Throws a `RangeError` that repeats nothing
 * of it, because it may contain a password.
 */
export function parseTelemetryUrl(text: string): string {
  if (isFileUrl(text)) return text;
  if (text.startsWith("file:")) throw new RangeError('must have a path after "file:"');
  parseInfluxUrl(text);
  return text;
}
