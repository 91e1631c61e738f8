import assert from "node:assert/strict";
import { parseJson } from "../../src/core/json.ts";
import { bind, bindBatch, type SqlArgs } from "../../src/db/statement.ts";
import type { Row } from "../../src/db/database.ts";
import { ANY_KIND, type DatabaseKind, DATABASES, forEachKind } from "./databases.ts";
import { openTestApp, type TestApp } from "./test_app.ts";
import { defineStatement } from "./text_statement.ts";

/** Requests as a client sends them, and responses as it sees them: status, headers, whole text. */

export interface Sent {
  /** Bearer token. */
  readonly token?: string | undefined;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is, in place of `body`. */
  readonly rawBody?: BodyInit;
  readonly headers?: Readonly<Record<string, string>>;
  /** The client's address. */
  readonly from?: string | undefined;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body of a JSON response; undefined for any other. */
  readonly body: unknown;
}

/** Sends one request to the app and reads the whole response. */
export async function send(
  target: Pick<TestApp, "request">,
  method: string,
  path: string,
  { token, body, rawBody, headers = {}, from }: Sent = {},
): Promise<Answer> {
  const init: RequestInit & { from?: string } = { method, headers: { ...headers } };
  if (from !== undefined) init.from = from;
  if (token !== undefined) init.headers = { ...init.headers, Authorization: `Bearer ${token}` };
  if (body !== undefined) {
    init.headers = { "Content-Type": "application/json", ...init.headers };
    init.body = JSON.stringify(body);
  }
  if (rawBody !== undefined) init.body = rawBody;
  return await readResponse(await target.request(path, init));
}

/** Reads a response to its end. */
export async function readResponse(response: Response): Promise<Answer> {
  const text = await response.text();
  const isJson = response.headers.get("Content-Type")?.startsWith("application/json") ?? false;
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson ? parseJson(text) : undefined,
  };
}

/** Sends a request that must succeed, and returns its JSON body as the type that the caller expects. */
export async function succeed<T>(
  target: Pick<TestApp, "request">,
  method: string,
  path: string,
  sent: Sent = {},
): Promise<T> {
  const answer = await send(target, method, path, sent);
  assert.equal(answer.status, 200, `${method} ${path}: ${answer.text}`);
  return answer.body as T;
}

/** Sends a login; the response is a refresh token or an error. */
export function login(
  target: Pick<TestApp, "request">,
  username: string,
  password: string,
  sent: Sent = {},
): Promise<Answer> {
  return send(target, "POST", "/auth/login", { ...sent, body: { username, password } });
}

/** Sends a request that must succeed, and returns its text: a token. */
export async function tokenFrom(
  target: Pick<TestApp, "request">,
  path: string,
  refreshToken: string,
): Promise<string> {
  const answer = await send(target, "GET", path, { token: refreshToken });
  assert.equal(answer.status, 200, `GET ${path}: ${answer.text}`);
  return answer.text;
}

/** Logs in and gets an access token, both of which must succeed. */
export async function logInFully(
  target: Pick<TestApp, "request">,
  username: string,
  password: string,
): Promise<{ refreshToken: string; accessToken: string }> {
  const answer = await login(target, username, password);
  assert.equal(answer.status, 200, `login: ${answer.text}`);
  const refreshToken = answer.text;
  return { refreshToken, accessToken: await tokenFrom(target, "/auth/accesstoken", refreshToken) };
}

export const STATUS_NAMES: Readonly<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  409: "Conflict",
  410: "Gone",
  412: "Precondition Failed",
  413: "Payload Too Large",
  415: "Unsupported Media Type",
  422: "Unprocessable Entity",
  429: "Too Many Requests",
  503: "Service Unavailable",
};

export const MALFORMED = "Missing or misformatted query parameter or body";
export const UNVERIFIED = "Failed to verify token";
export const NO_TOKEN = "NO_TOKEN_PROVIDED";
export const DENIED = "User does not have sufficient rights";

/** Asserts that the response is exactly this error, with its three fields alone (and `retryAfter` on a 429). */
export function assertError(answer: Answer, status: number, message: string, context = ""): void {
  const expected: Record<string, unknown> = { statusCode: status, error: STATUS_NAMES[status], message };
  const seconds = answer.headers.get("Retry-After");
  if (status === 429) expected.retryAfter = Number(seconds);
  assert.deepEqual({ status: answer.status, body: answer.body }, { status, body: expected }, context);
  assert.equal(answer.headers.get("Content-Type"), "application/json", context);
  assert.equal(answer.headers.get("Cache-Control"), "no-store", context);
  if (status === 429 || status === 503) assert.match(String(seconds), /^[1-9][0-9]*$/, context);
  assert.equal(answer.headers.has("WWW-Authenticate"), status === 401, context);
}

/** Asserts that the response is a 200 with the body null. */
export function assertDone(answer: Answer): void {
  assert.deepEqual([answer.status, answer.text], [200, "null"]);
}

/** Asserts that the response is a 429 with exactly this wait. */
export function assertWait(answer: Answer, message: string, seconds: number, context = ""): void {
  assertError(answer, 429, message, context);
  assert.equal(answer.headers.get("Retry-After"), String(seconds), context);
}

/** All rows of one read statement. */
export function query<T extends object = Row>(
  { database }: Pick<TestApp, "database">,
  sql: string,
  args: Readonly<Record<string, string | number | null>> = {},
): Promise<T[]> {
  return database.read<T>(bind(defineStatement(sql), args));
}

/** Runs statements in one batch, for scenes. */
export async function execute(
  { database }: Pick<TestApp, "database">,
  sql: string | readonly string[],
  args: SqlArgs = {},
): Promise<void> {
  await database.write(bindBatch([sql].flat().map(defineStatement), args));
}

/** One number from the database, such as a count. */
export async function queryNumber(target: Pick<TestApp, "database">, sql: string): Promise<number> {
  const [row] = await query(target, sql);
  return Number(Object.values(row ?? {})[0]);
}

const STATE_TABLES = [
  "id_sequence",
  "role",
  "manages",
  "member",
  "role_key",
  "role_closure",
  "device",
  "monitors",
  "gone_device",
  "user_account",
  "session",
  "known_address",
  "password_link",
  "outbox",
  "setting",
].map((table) => bind(defineStatement(`SELECT * FROM ${table} ORDER BY 1, 2`), {}));

/** Everything in the database except logs and counters, as one text. */
export async function dumpState({ database }: Pick<TestApp, "database">): Promise<string> {
  return JSON.stringify(await database.readAll(STATE_TABLES));
}

/**
 * Asserts that the requests of `body`, all together, leave the database as it was. Put it around many requests, not
 * each: reading all tables takes longer than a refusal.
 */
export async function assertUnchanged(
  target: Pick<TestApp, "database">,
  context: string,
  body: () => Promise<void>,
): Promise<void> {
  const before = await dumpState(target);
  await body();
  assert.equal(await dumpState(target), before, `${context}: something changed`);
}

/**
 * Registers a test for each kind of database, "… (file)" and "… (sqld)", with an app of its own each: for what a server
 * could do differently.
 */
export function forEachApp(
  name: string,
  body: (target: TestApp, kind: DatabaseKind) => Promise<void>,
  open: (kind: DatabaseKind) => Promise<TestApp> = openTestApp,
  kinds: readonly DatabaseKind[] = DATABASES,
): void {
  forEachKind(name, async (kind) => {
    await using target = await open(kind);
    await body(target, kind);
  }, { kinds });
}

/** Registers a test with an app of its own on a file, or on a server in a run with servers alone. */
export function testApp(
  name: string,
  body: (target: TestApp, kind: DatabaseKind) => Promise<void>,
  open?: (kind: DatabaseKind) => Promise<TestApp>,
): void {
  forEachApp(name, body, open, [ANY_KIND]);
}
