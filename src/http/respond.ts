import type { Context, TypedResponse } from "hono";
import type { AppEnv } from "./env.ts";
import type { AnsweredRequest, TextParts, TextSource } from "./sender.ts";

/** Responds with a text in memory; see `Sender.sendText`. */
export function respondText(c: Context<AppEnv>, type: string, text: TextParts): Response {
  return c.body(c.get("sender").sendText(requestOf(c), text), 200, { "Content-Type": type });
}

/** Responds with a text that is made while it is sent; see `Sender.sendParts`. */
export async function respondParts(
  c: Context<AppEnv>,
  type: string,
  source: TextSource,
  onEnd?: () => void,
): Promise<Response> {
  const body = await c.get("sender").sendParts(requestOf(c), source, onEnd);
  return c.body(body, 200, { "Content-Type": type });
}

/** Responds with bytes in memory; see `Sender.sendBytes`. */
export function respondBytes(c: Context<AppEnv>, bytes: Uint8Array<ArrayBuffer>): Response {
  const body = c.get("sender").sendBytes(requestOf(c), bytes);
  return c.body(body, 200, { "Content-Length": String(bytes.length) });
}

/** Responds with JSON that may be long. Throws the errors of `make`, and those of `Sender.sendParts`. */
export async function respondJson<T>(
  c: Context<AppEnv>,
  make: () => Promise<T>,
): Promise<Response & TypedResponse<T, 200, "json">> {
  const source: TextSource = async () => ({ text: JSON.stringify(await make()), isLast: true });
  return await respondParts(c, "application/json", source) as Response & TypedResponse<T, 200, "json">;
}

function requestOf(c: Context<AppEnv>): AnsweredRequest {
  return { method: c.req.method, log: c.get("log"), requestId: c.get("requestId") };
}
