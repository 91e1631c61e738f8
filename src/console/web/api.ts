import { type Client, createClient } from "./client.ts";
import { needsOf, problemOf, toProblem } from "./problem.ts";
import { accessToken, dropToken } from "./session.ts";
import { stepUp } from "./step_up.ts";

/** The service's public interface: all that the console uses besides its session. */

/** Requests as the signed-in user. */
export const api = createClient(fetchAsUser);
/** Requests without a session: signing in. */
export const openApi = createClient((request) => fetch(request));

/** Creates a client with another token than the session's. Calls `onRefused` when that token is no longer valid. */
export function apiWith(token: string, onRefused: () => void): Client {
  return createClient(async (request) => {
    const response = await fetchWith(token, request);
    if (refusesToken(response)) onRefused();
    return response;
  });
}

/**
 * Sends a request of the user. If the session would have to prove more for it, asks for that, and sends it once more. A
 * GET does not ask: views load by themselves, and show a button.
 */
export async function fetchAsUser(request: Request): Promise<Response> {
  const again = request.clone();
  const response = await fetchWithFreshToken(request);
  const needs = needsOf(response);
  if (needs === undefined || again.method === "GET" || !await stepUp(needs, again.signal)) return response;
  return await fetchWithFreshToken(again);
}

/** Sends a request with an access token, and retries once with the next if the service refuses that token. */
async function fetchWithFreshToken(request: Request): Promise<Response> {
  const token = await accessToken();
  const again = request.clone();
  const response = await fetchWith(token, request);
  if (!refusesToken(response)) return response;
  dropToken(token);
  return await fetchWith(await accessToken(), again);
}

/**
 * Milliseconds after which the connection counts as lost. The service responds earlier, even to requests that wait
 * for changes.
 */
const TIMEOUT_MS = 60_000;

/** Sends a request with a token. */
export async function fetchWith(token: string, request: Request): Promise<Response> {
  request.headers.set("Authorization", `Bearer ${token}`);
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new DOMException("", "TimeoutError")), TIMEOUT_MS);
  try {
    return await fetch(request, { signal: AbortSignal.any([request.signal, late.signal]) });
  } finally {
    // The body may take longer.
    clearTimeout(timer);
  }
}

/** Whether the token was refused. A wrong code or password is a 401, too, and a retry would count twice. */
export function refusesToken(response: Response): boolean {
  return response.headers.get("WWW-Authenticate")?.includes("invalid_token") === true;
}

/** Returns the data of a response. Throws a `Problem` for errors. */
export async function dataOf<T>(
  request: Promise<{ data?: T; response: Response; error?: unknown }>,
): Promise<T> {
  const { data, response, error } = await request.catch((thrown) => {
    throw toProblem(thrown);
  });
  if (response.ok) return data as T;
  throw problemOf(response, error);
}

/** Returns the revision of the change that a response is about. */
export function revisionOf({ headers }: Response): number {
  return Number(headers.get("X-Rolegrid-Revision"));
}
