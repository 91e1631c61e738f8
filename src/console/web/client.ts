import type { Client as FullClient } from "openapi-fetch";
import type { paths } from "./openapi_types.ts";

/**
 * Typed requests, with the types of openapi-fetch. Its code is not used: it is five times as long as what the console
 * needs. Throws what `fetch` throws.
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
  /** How the body of a success is read, unless it is JSON; "stream": not yet. */
  readonly parseAs?: "text" | "blob" | "stream";
  readonly signal?: AbortSignal;
}

/** A client whose requests are sent by `send`. */
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
  // The types tell apart what each path takes and gives; a path is one of many texts here.
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

/** One value, or several between commas. */
function encode(value: unknown): string {
  return [value].flat().map((each) => encodeURIComponent(String(each))).join(",");
}
