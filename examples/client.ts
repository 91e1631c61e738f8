/** What the example programs share: settings from the environment, and requests with JSON bodies. */

export interface Asked {
  /** Bearer token. */
  readonly token?: string;
  /** Sent as JSON. */
  readonly body?: unknown;
}

/** A response other than a success: its status, the service's stable message, and the whole body. */
export class Refusal extends Error {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;

  constructor(status: number, body: Readonly<Record<string, unknown>>) {
    super(`${status} ${String(body["message"])}`);
    this.status = status;
    this.body = body;
  }
}

/** Reads a required setting. Throws an `Error` that names it. */
export function setting(name: string): string {
  const value = Deno.env.get(name);
  if (value === undefined || value === "") throw new Error(`Set the environment variable ${name}`);
  return value;
}

/**
 * Sends a request and returns the body of the response: parsed if it is JSON, as text if it is a token. Throws a
 * `Refusal` for any status but a success.
 */
export async function ask<T>(method: string, path: string, { token, body }: Asked = {}): Promise<T> {
  const response = await fetch(new URL(path, setting("BASE_URL")), {
    method,
    headers: {
      ...(token === undefined ? {} : { "Authorization": `Bearer ${token}` }),
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const isJson = response.headers.get("Content-Type")?.startsWith("application/json") ?? false;
  const content = isJson ? await response.json() : await response.text();
  if (!response.ok) throw new Refusal(response.status, isJson ? content : { message: content });
  return content as T;
}

/** Prints what the program does. */
export function say(line: string): void {
  // deno-lint-ignore no-console -- an example shows on the terminal what it does
  console.log(line);
}
