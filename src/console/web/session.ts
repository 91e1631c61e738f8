import { signal } from "@preact/signals";
import { Problem, problemOf, toProblem } from "./problem.ts";
import { pauseAfter } from "./retry.ts";
import { ROOT } from "./router.ts";

/**
 * The session of this browser. The refresh token is in a cookie that no script can read; this module has the access token,
 * in memory alone. Tabs share the cookie: they renew one at a time, and tell one another when somebody signs in or out.
 */

/**
 * `starting`: not known yet. `over`: it ended while the page was in use, so that what is on the page should be kept.
 * `unsure`: it may have ended while the page was in the browser's back/forward cache.
 */
type SessionState = "starting" | "in" | "out" | "over" | "unsure";

/** What is known of the session now. */
export const sessionState = signal<SessionState>("starting");
/** Who is signed in, or was until the session ended. */
export const userId = signal<string | undefined>(undefined);

/** Shortly before this, another token is asked for. Milliseconds since 1970. */
let freshUntil = 0;
let token: string | undefined;
let renewing: Promise<string> | undefined;

/** An access token lives for 10 minutes. */
const FRESH_MS = 9 * 60_000;
const PATH = "/console/session";
/** One tab's request holds up those of the others, and an aborted one costs nothing. */
const TIMEOUT_MS = 20_000;

const channel = new BroadcastChannel("rolegrid-session");
channel.addEventListener("message", ({ data }) => {
  forget();
  if (data === "in") void start();
  else sessionState.value = "out";
});
// A page in the back/forward cache hears nothing of that. Whoever comes back to it may be somebody else.
addEventListener("pagehide", ({ persisted }) => {
  if (persisted && sessionState.value === "in") sessionState.value = "unsure";
});
addEventListener("pageshow", ({ persisted }) => {
  if (!persisted) return;
  forget();
  void start();
});
// A hidden page does not renew its token, so it asks when it is shown again.
document.addEventListener("visibilitychange", () => {
  if (!document.hidden && sessionState.value === "in" && Date.now() >= freshUntil) void start();
});

/** Why it is not known yet whether somebody is signed in. */
export const startProblem = signal<Problem | undefined>(undefined);

let starting: AbortController | undefined;

/** Finds out whether somebody is signed in, and goes on trying. */
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

/** An access token of the session. Throws a `Problem` with status 401 if there is none, which is then also the state. */
export async function accessToken(): Promise<string> {
  if (token !== undefined && Date.now() < freshUntil) return token;
  return await renew();
}

/** The token was refused: the next one is asked for. */
export function dropToken(refused: string): void {
  if (token === refused) forget();
}

/** Signs in with the refresh token of a login. */
export async function keepSession(refreshToken: string): Promise<void> {
  // In turn, or the response to an earlier request of a tab would replace the cookie.
  await navigator.locks.request(PATH, () => ask("PUT", { Authorization: `Bearer ${refreshToken}` }));
  channel.postMessage("in");
  await renew();
}

/** Ends the session, in all tabs. */
export async function signOut(): Promise<void> {
  await navigator.locks.request(PATH, () => ask("DELETE"));
  forget();
  sessionState.value = "out";
  channel.postMessage("out");
}

function forget(): void {
  token = undefined;
  freshUntil = 0;
}

/** One request at a time, of all tabs: each replaces the token in the cookie. */
function renew(): Promise<string> {
  renewing ??= navigator.locks.request(PATH, askForToken).finally(() => {
    renewing = undefined;
  });
  return renewing;
}

async function askForToken(): Promise<string> {
  const asked = Date.now();
  const response = await ask("POST");
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
 * Somebody else has signed in. Nothing that is still on the page or in its memory may be seen by them, and no request that
 * waits may be sent in their name: so it waits for ever, and the page is loaded anew.
 */
function beginAnew(): Promise<never> {
  forget();
  sessionState.value = "starting";
  location.replace(ROOT);
  return new Promise(() => {});
}

/** The subject of a JWT (RFC 7519, 4.1.2), which here is a number in digits. Throws a `Problem` for anything else. */
function readUserId(token: string): string {
  const payload = token.split(".")[1] ?? "";
  try {
    return JSON.parse(atob(payload.replaceAll("-", "+").replaceAll("_", "/"))).sub;
  } catch {
    // A page of something in between.
    throw new Problem(502, "", undefined, {});
  }
}

async function ask(method: string, headers: Record<string, string> = {}): Promise<Response> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await fetch(PATH, { method, headers, signal, cache: "no-store" });
  if (response.ok) return response;
  throw problemOf(response, await response.json().catch(() => undefined));
}
