import { signal } from "@preact/signals";
import { createClient } from "../../client.ts";
import { fetchAsUser, fetchWith, refusesToken } from "../../api.ts";
import { Problem } from "../../problem.ts";
import { userId } from "../../session.ts";

/**
 * Sensitive changes need fresh proof: a sudo token, earned by a second factor or the password. It stays in memory for
 * its lifetime, so one proof serves several changes. A change of password, address or factor voids it.
 */

/** Requests that may need proof; then they wait for `SudoDialog`, and are sent afterwards. */
export const sudoApi = createClient(fetchWithProof);

/** Requests whose results outlast the session. They always need proof, so they ask for it first. */
export const lastingApi = createClient(fetchProven);

interface Sudo {
  readonly token: string;
  readonly user: string | undefined;
  /** Milliseconds since 1970. */
  readonly until: number;
}

/** A request that waits for proof. */
export interface Waiting {
  readonly confirm: (sudoToken: string) => void;
  readonly cancel: () => void;
}

/** A sudo token lives for 5 minutes. */
const FRESH_MS = 4.5 * 60_000;

/** The request that waits for proof, if any. */
export const waiting = signal<Waiting | undefined>(undefined);
let sudo: Sudo | undefined;

async function fetchWithProof(request: Request): Promise<Response> {
  const again = request.clone();
  const response = await sendWithFreshToken(request);
  return needsProof(response) ? await fetchWith(await proveAgain(), again) : response;
}

async function fetchProven(request: Request): Promise<Response> {
  const again = request.clone();
  const response = await sendProven(freshToken() ?? await proveAgain(), request);
  if (!needsProof(response) && !refusesToken(response)) return response;
  return await sendProven(await proveAgain(), again);
}

/** Sends a request with proof. Under /v1 the sudo token accompanies the access token; elsewhere it replaces it. */
async function sendProven(token: string, request: Request): Promise<Response> {
  if (!new URL(request.url).pathname.startsWith("/v1/")) return await fetchWith(token, request);
  request.headers.set("X-Sudo-Token", token);
  return await fetchAsUser(request);
}

async function proveAgain(): Promise<string> {
  sudo = undefined;
  const token = await askForProof();
  keepProof(token);
  return token;
}

/** Keeps the sudo token of a proof that was given now. */
export function keepProof(token: string): void {
  sudo = { token, user: userId.value, until: Date.now() + FRESH_MS };
}

/** Returns the sudo token of an earlier proof, if still valid. */
function freshToken(): string | undefined {
  const isFresh = sudo !== undefined && sudo.user === userId.value && Date.now() <= sudo.until;
  return isFresh ? sudo?.token : undefined;
}

async function sendWithFreshToken(request: Request): Promise<Response> {
  const token = freshToken();
  if (token === undefined) return await fetchAsUser(request);
  const response = await fetchWith(token, request.clone());
  if (!refusesToken(response)) return response;
  // A change has voided it. Without a second factor, the recent password sign-in may be enough.
  sudo = undefined;
  return await fetchAsUser(request);
}

/** Whether the response demands fresh proof (RFC 9470, 3): request and token are valid, but the proof is too old. */
function needsProof(response: Response): boolean {
  return response.headers.get("WWW-Authenticate")?.includes("max_age") === true;
}

/** Returns the sudo token of a new proof. Throws a `Problem` if the user gives none. */
function askForProof(): Promise<string> {
  waiting.value?.cancel();
  return new Promise<string>((resolve, reject) => {
    const end = (): void => {
      waiting.value = undefined;
    };
    waiting.value = {
      confirm: (sudoToken) => {
        end();
        resolve(sudoToken);
      },
      cancel: () => {
        end();
        reject(new Problem(401, "NOT_CONFIRMED", undefined, {}));
      },
    };
  });
}
