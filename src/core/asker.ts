import { AsyncLocalStorage } from "node:async_hooks";
import type { WaitingAsker } from "./asker_queue.ts";

/** The asker of the current request, by which queues take turns. */
interface Asker {
  key: string;
  isUser: boolean;
  /** The request, until it has its response: see `letRequestGo`. */
  request: Request | undefined;
  /** Whether the response is made while it is sent. */
  isStreamed: boolean;
  /** The lowest revision that a read of this request saw, or that its write created (`db/revisions.ts`). */
  revision?: number;
}

const scope = new AsyncLocalStorage<Asker>();

/** Runs a request as its client's network, until a guard identifies the user. */
export function runForNetwork<T>(network: string, task: () => T, request?: Request): T {
  return scope.run({ key: network, isUser: false, request, isStreamed: false }, task);
}

/** Returns the note of the current request's revision; undefined outside of a request. */
export function currentRequest(): Pick<Asker, "revision"> | undefined {
  return scope.getStore();
}

/** Whether the client of the current request has closed its connection. */
export function hasClientLeft(): boolean {
  return scope.getStore()?.request?.signal.aborted ?? false;
}

/**
 * Marks the current request as streaming: it continues after its response has begun, and its client may still leave.
 */
export function noteStreaming(): void {
  const asker = scope.getStore();
  if (asker !== undefined) asker.isStreamed = true;
}

/**
 * Releases the request object once the response is complete. The runtime keeps each context until V8 collects
 * garbage; with requests in it, a collection took a third longer.
 */
export function letRequestGo(): void {
  const asker = scope.getStore();
  if (asker?.isStreamed === false) asker.request = undefined;
}

/**
 * Counts the current request to this user from now on: a token, code, link or right password identifies them, or before
 * it is compared, their account knows the client's address.
 */
export function setAskingUser(userId: number): void {
  setAskingPayer(String(userId));
}

/** The same for the payer of an actor (`actor.ts`): a key's requests count to its maker or root. */
export function setAskingPayer(payer: string): void {
  setAsker(payer.startsWith("root ") ? payer : `user ${payer}`);
}

/**
 * Counts the current request to the sessions of its network from now on: this service signed its token, which does
 * not name the user. All of a network's share one key, because a user may hold any number of tokens, even expired
 * ones.
 */
export function setAskingSession(network: string): void {
  setAsker(`sessions of ${network}`);
}

function setAsker(key: string): void {
  const asker = scope.getStore();
  if (asker !== undefined) Object.assign(asker, { key, isUser: true });
}

/** Whether a guard has identified the caller, so that the request counts to a user or a root. */
export function isUserAsking(): boolean {
  return scope.getStore()?.isUser ?? false;
}

/** Whether the current request counts to its client's network only. Jobs are not strangers. */
export function isStrangerAsking(): boolean {
  return scope.getStore()?.isUser === false;
}

/** Returns the current asker: `user 5`, `root 2` or a network; the empty text outside of a request, as in jobs. */
export function currentAsker(): string {
  return scope.getStore()?.key ?? "";
}

/** Returns the current asker, for a queue that serves users before strangers. */
export function currentWaitingAsker(): WaitingAsker {
  return { asker: currentAsker(), isStranger: isStrangerAsking() };
}
