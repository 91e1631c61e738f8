import { signal } from "@preact/signals";
import { page } from "./page.ts";
import { Problem, problemOf, toProblem } from "./problem.ts";
import { pauseAfter } from "./retry.ts";
import { ROOT } from "./router.ts";

/**
 * The session of this browser. Its refresh token is in a cookie hidden from scripts; the access token is in memory
 * only. Tabs share the cookie: they renew one at a time, and tell each other about sign-ins and sign-outs.
 */

/**
 * `starting`: unknown yet. `over`: ended while the page was in use, so its content stays. `unsure`: may have ended
 * while the page was in the back/forward cache.
 */
type SessionState = "starting" | "in" | "out" | "over" | "unsure";

/** The known state of the session. */
export const sessionState = signal<SessionState>("starting");
/** The id of the signed-in user, also after the session has ended. */
export const userId = signal<string | undefined>(undefined);

/** Time of the next renewal, shortly before the token expires. Milliseconds since 1970. */
let freshUntil = 0;
let token: string | undefined;
let renewing: Promise<string> | undefined;

/** An access token lives for 10 minutes; renewed after 9. */
const FRESH_MS = 9 * 60_000;
const PATH = "/console/session";
/** A tab's request holds up the other tabs, and aborting it costs nothing. */
const TIMEOUT_MS = 20_000;

const channel = new BroadcastChannel("rolegrid-session");
channel.addEventListener("message", ({ data }) => {
  forget();
  if (data === "in") void start();
  else sessionState.value = "out";
});
// A page in the back/forward cache misses these messages, and the user may have changed since.
addEventListener("pagehide", ({ persisted }) => {
  if (persisted && sessionState.value === "in") sessionState.value = "unsure";
});
addEventListener("pageshow", ({ persisted }) => {
  if (!persisted) return;
  forget();
  void start();
});
// A hidden page does not renew its token, so it checks when shown again.
document.addEventListener("visibilitychange", () => {
  if (!document.hidden && sessionState.value === "in" && Date.now() >= freshUntil) void start();
});

/** The reason why the session is still unknown. */
export const startProblem = signal<Problem | undefined>(undefined);

let starting: AbortController | undefined;

/** Checks whether a user is signed in, and retries until it is known. */
export async function start(): Promise<void> {
  starting?.abort();
  starting = new AbortController();
  const { signal } = starting;
  for (let failures = 1; !signal.aborted; failures++) {
    try {
      await renew();
      return;
    } catch (error) {
      const problem = toProblem(error);
      if (problem.status === 401) return;
      startProblem.value = problem;
      await pauseAfter(failures, problem, signal);
    }
  }
}

/**
 * Returns an access token of the session. Without a session, throws a `Problem` with status 401, and updates the
 * state.
 */
export async function accessToken(): Promise<string> {
  if (token !== undefined && Date.now() < freshUntil) return token;
  return await renew();
}

/** Drops a refused token; the next request renews it. */
export function dropToken(refused: string): void {
  if (token === refused) forget();
}

/** Where a browser keeps whether a click began its session, as only the demo offers. */
export const BY_CLICK = "rolegrid-by-click";

/** Stores the refresh token of a login as the session. */
export async function keepSession(refreshToken: string, isByClick = false): Promise<void> {
  // In turn: the response to a tab's earlier request would replace the cookie.
  const headers = { Authorization: `Bearer ${refreshToken}` };
  await navigator.locks.request(PATH, () => askConsole(PATH, { method: "PUT", headers }));
  if (page.hasDemo) localStorage.setItem(BY_CLICK, String(isByClick));
  channel.postMessage("in");
  await renew();
}

/** Ends the session, in all tabs. */
export async function signOut(): Promise<void> {
  await navigator.locks.request(PATH, () => askConsole(PATH, { method: "DELETE" }));
  localStorage.removeItem(BY_CLICK);
  forget();
  sessionState.value = "out";
  channel.postMessage("out");
}

function forget(): void {
  token = undefined;
  freshUntil = 0;
}

/** Renews the token, one tab at a time: each renewal replaces the token in the cookie. */
function renew(): Promise<string> {
  renewing ??= navigator.locks.request(PATH, askForToken).finally(() => {
    renewing = undefined;
  });
  return renewing;
}

async function askForToken(): Promise<string> {
  const asked = Date.now();
  const response = await askConsole(PATH, { method: "POST" });
  if (response.status === 204) {
    forget();
    sessionState.value = ["in", "over", "unsure"].includes(sessionState.value) ? "over" : "out";
    throw new Problem(401, "NO_SESSION", undefined, {});
  }
  const received = await response.text();
  const user = readUserId(received);
  if (userId.value !== undefined && userId.value !== user) return await beginAnew();
  token = received;
  freshUntil = asked + FRESH_MS;
  userId.value = user;
  sessionState.value = "in";
  return received;
}

/**
 * Reloads the page for another user. They must not see its content, nor may a pending request be sent in their name:
 * the returned promise never settles.
 */
function beginAnew(): Promise<never> {
  forget();
  sessionState.value = "starting";
  location.replace(ROOT);
  return new Promise(() => {});
}

/** Returns the subject of a JWT (RFC 7519, 4.1.2), here a number in digits. Throws a `Problem` for malformed tokens. */
function readUserId(token: string): string {
  const payload = token.split(".")[1] ?? "";
  try {
    return JSON.parse(atob(payload.replaceAll("-", "+").replaceAll("_", "/"))).sub;
  } catch {
    // A page of a proxy.
    throw new Problem(502, "", undefined, {});
  }
}

/** Sends a request to a route that only the console has. Throws a `Problem` for errors. */
export async function askConsole(path: string, options: RequestInit): Promise<Response> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await fetch(path, { signal, cache: "no-store", ...options });
  if (response.ok) return response;
  throw problemOf(response, await response.json().catch(() => undefined));
}
