import { type Client, createClient } from "./client.ts";
import { problemOf, toProblem } from "./problem.ts";
import { accessToken, dropToken } from "./session.ts";

/** The service's public interface, which is all that the console uses besides its session. */

/** Requests in the name of whoever is signed in. */
export const api = createClient(fetchAsUser);
/** Requests without a session: signing in. */
export const openApi = createClient((request) => fetch(request));

/** Requests with another token than that of the session. `onRefused` hears that it is not valid any more. */
export function apiWith(token: string, onRefused: () => void): Client {
  return createClient(async (request) => {
    const response = await fetchWith(token, request);
    if (refusesToken(response)) onRefused();
    return response;
  });
}

/** Sends a request with an access token, and once more with the next if that one is not valid any more. */
export async function fetchAsUser(request: Request): Promise<Response> {
  const token = await accessToken();
  const again = request.clone();
  const response = await fetchWith(token, request);
  if (!refusesToken(response)) return response;
  dropToken(token);
  return await fetchWith(await accessToken(), again);
}

/** The service takes less to respond, also to a request that waits for changes. Without a response, the connection is lost. */
const TIMEOUT_MS = 60_000;

/** Sends a request with a token. */
export async function fetchWith(token: string, request: Request): Promise<Response> {
  request.headers.set("Authorization", `Bearer ${token}`);
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new DOMException("", "TimeoutError")), TIMEOUT_MS);
  try {
    return await fetch(request, { signal: AbortSignal.any([request.signal, late.signal]) });
  } finally {
    // What a response holds may take longer to arrive.
    clearTimeout(timer);
  }
}

/** Whether the token is at fault. A wrong code or password is a 401, too, and sent again it would count twice. */
export function refusesToken(response: Response): boolean {
  return response.headers.get("WWW-Authenticate")?.includes("invalid_token") === true;
}

/** The data of a response. Throws a `Problem` for anything else. */
export async function dataOf<T>(
  request: Promise<{ data?: T; response: Response; error?: unknown }>,
): Promise<T> {
  const { data, response, error } = await request.catch((thrown) => {
    throw toProblem(thrown);
  });
  if (response.ok) return data as T;
  throw problemOf(response, error);
}
