import type { Client as FullClient } from "openapi-fetch";
import type { paths } from "./openapi_types.ts";

/**
 * Typed requests, with the types of openapi-fetch but without its code, which is five times as long as needed. Throws
 * like `fetch`.
 */
export type Client = Pick<FullClient<paths>, "GET" | "PUT" | "POST" | "DELETE">;

interface Options {
  readonly params?: {
    readonly path?: Readonly<Record<string, unknown>>;
    readonly query?: Readonly<Record<string, unknown>>;
    readonly header?: Readonly<Record<string, string>>;
  };
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** How to read the body of a success, unless JSON; "stream": unread. */
  readonly parseAs?: "text" | "blob" | "stream";
  readonly signal?: AbortSignal;
}

/** Creates a client that sends requests with `send`. */
export function createClient(send: (request: Request) => Promise<Response>): Client {
  const withMethod = (method: string) => async (path: string, options: Options = {}) => {
    const response = await send(makeRequest(method, path, options));
    if (!response.ok) return { response, error: await response.json().catch(() => undefined) };
    return { response, data: await readData(response, options) };
  };
  const client = {
    GET: withMethod("GET"),
    PUT: withMethod("PUT"),
    POST: withMethod("POST"),
    DELETE: withMethod("DELETE"),
  };
  // The types distinguish paths; here a path is any text.
  return client as unknown as Client;
}

function makeRequest(method: string, path: string, { params = {}, headers, body, signal }: Options): Request {
  const url = new URL(path.replaceAll(/\{(\w+)\}/g, (_, name) => encode(params.path?.[name])), location.href);
  for (const [name, value] of Object.entries(params.query ?? {})) {
    if (value !== undefined) url.searchParams.append(name, String(value));
  }
  return new Request(url, {
    method,
    headers: {
      ...body !== undefined && { "Content-Type": "application/json" },
      ...headers,
      ...params.header,
    },
    body: body === undefined ? null : JSON.stringify(body),
    signal: signal ?? null,
  });
}

async function readData(response: Response, { parseAs }: Options): Promise<unknown> {
  if (parseAs === "stream") return response.body;
  if (parseAs !== undefined) return await response[parseAs]();
  const text = await response.text();
  return text === "" ? undefined : JSON.parse(text);
}

/** Encodes a value, or several with commas. */
function encode(value: unknown): string {
  return [value].flat().map((each) => encodeURIComponent(String(each))).join(",");
}
