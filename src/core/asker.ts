import { AsyncLocalStorage } from "node:async_hooks";
import type { WaitingAsker } from "./asker_queue.ts";

/** Who asks for the work of the current request, so that those who wait for one thing take turns. */
interface Asker {
  key: string;
  isUser: boolean;
  /** The request, until it has its response: see `letRequestGo`. */
  request: Request | undefined;
  /** Whether the response is made while it is sent. */
  isStreamed: boolean;
}

const scope = new AsyncLocalStorage<Asker>();

/** Runs a request on behalf of its client's network, until a guard knows the user. */
export function runForNetwork<T>(network: string, task: () => T, request?: Request): T {
  return scope.run({ key: network, isUser: false, request, isStreamed: false }, task);
}

/** Whether the client of the current request has closed its connection. */
export function hasClientLeft(): boolean {
  return scope.getStore()?.request?.signal.aborted ?? false;
}

/** From here on, the current request goes on after it has a response: its client may still leave. */
export function noteStreaming(): void {
  const asker = scope.getStore();
  if (asker !== undefined) asker.isStreamed = true;
}

/**
 * Ends a request that has its whole response. The runtime keeps the context of each request until V8 collects all of
 * its garbage: with the request in it, a check took a third more time.
 */
export function letRequestGo(): void {
  const asker = scope.getStore();
  if (asker?.isStreamed === false) asker.request = undefined;
}

/**
 * From here on the current request counts as this user's, wherever it comes from: a token, a code or a link says who
 * they are, or for a password their account knows the client's address.
 */
export function setAskingUser(userId: number): void {
  setAskingPayer(String(userId));
}

/** The same for the payer of an actor (`actor.ts`): a key's requests wait and count as those of its maker or root. */
export function setAskingPayer(payer: string): void {
  setAsker(payer.startsWith("root ") ? payer : `user ${payer}`);
}

/**
 * From here on, the current request does not count as a stranger's: this service signed its token, although the token
 * does not name the user. All such requests from the client's network count together, because one user has any number
 * of tokens, expired ones included.
 */
export function setAskingSession(network: string): void {
  setAsker(`sessions of ${network}`);
}

function setAsker(key: string): void {
  const asker = scope.getStore();
  if (asker !== undefined) Object.assign(asker, { key, isUser: true });
}

/** Whether the current request counts to a user or a root: a guard has identified the caller. */
export function isUserAsking(): boolean {
  return scope.getStore()?.isUser ?? false;
}

/** Whether the current request counts only as its client's network's. Jobs are no strangers. */
export function isStrangerAsking(): boolean {
  return scope.getStore()?.isUser === false;
}

/** The current asker: `user 5`, `root 2` or a network; the empty text outside of a request, as in jobs. */
export function currentAsker(): string {
  return scope.getStore()?.key ?? "";
}

/** The current asker, for a queue that serves users before strangers. */
export function currentWaitingAsker(): WaitingAsker {
  return { asker: currentAsker(), isStranger: isStrangerAsking() };
}
