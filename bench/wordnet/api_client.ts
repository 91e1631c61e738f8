/** A response other than a success. */
export class RefusedError extends Error {
  override readonly name = "RefusedError";
  readonly status: number;

  constructor(request: string, status: number, body: string) {
    super(`${request} got status ${status}: ${body}`);
    this.status = status;
  }
}

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** How long an access token is used before it is renewed; it is valid for ten minutes. */
const TOKEN_AGE_MS = 5 * 60_000;

/** Calls the service as one user, and records the duration of each request by kind. */
export class ApiClient {
  readonly #url: string;
  readonly #times: Map<string, number[]>;
  #refreshToken = "";
  #accessToken = "";
  #renewAt = 0;

  private constructor(url: string, times: Map<string, number[]>) {
    this.#url = url;
    this.#times = times;
  }

  /** Logs in. `times` collects milliseconds by kind of request. */
  static async logIn(
    url: string,
    credentials: Credentials,
    times: Map<string, number[]>,
  ): Promise<ApiClient> {
    const client = new ApiClient(url, times);
    client.#refreshToken = await client.#fetchText("POST", "/auth/login", { body: credentials });
    return client;
  }

  /** Sends a request and returns its JSON. Throws a `RefusedError` for any status but a success. */
  async send<T>(kind: string, method: string, path: string, body?: unknown): Promise<T> {
    if (performance.now() >= this.#renewAt) await this.#renew();
    const startedAt = performance.now();
    const text = await this.#fetchText(method, path, { token: this.#accessToken, body });
    const times = this.#times.get(kind) ?? [];
    this.#times.set(kind, times);
    times.push(performance.now() - startedAt);
    return JSON.parse(text);
  }

  async #renew(): Promise<void> {
    this.#accessToken = await this.#fetchText("GET", "/auth/accesstoken", { token: this.#refreshToken });
    this.#renewAt = performance.now() + TOKEN_AGE_MS;
  }

  async #fetchText(
    method: string,
    path: string,
    options: { token?: string; body?: unknown },
  ): Promise<string> {
    const { token, body } = options;
    const headers = new Headers();
    if (token !== undefined) headers.set("Authorization", `Bearer ${token}`);
    if (body !== undefined) headers.set("Content-Type", "application/json");
    const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) };
    const response = await fetch(this.#url + path, init);
    const text = await response.text();
    if (!response.ok) throw new RefusedError(`${method} ${path}`, response.status, text);
    return text;
  }
}

/** Runs a task for each item, up to `width` at a time. The first failure ends it. */
export async function forEachAtOnce<T>(
  width: number,
  items: readonly T[],
  task: (item: T) => Promise<void>,
): Promise<void> {
  let next = 0;
  async function work(): Promise<void> {
    while (next < items.length) await task(items[next++] as T);
  }
  await Promise.all(Array.from({ length: width }, work));
}
