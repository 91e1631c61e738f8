import { AsyncLocalStorage } from "node:async_hooks";
import type { WaitingAsker } from "./asker_queue.ts";

/** Who asks for the work of the current request, so that those who wait for one thing take turns. */
interface Asker {
  key: string;
  isUser: boolean;
}

const scope = new AsyncLocalStorage<Asker>();

/** Runs a request on behalf of its client's network, until a guard knows the user. */
export function runForNetwork<T>(network: string, task: () => T): T {
  return scope.run({ key: network, isUser: false }, task);
}

/**
 * From here on the current request counts as this user's, wherever it comes from: a token, a code or a link says who
 * they are, or for a password their account knows the client's address.
 */
export function setAskingUser(userId: number): void {
  setAskingPayer(String(userId));
}

/** The same for the payer of an actor (`actor.ts`): a key's requests wait and count as its maker's, or its root's. */
export function setAskingPayer(payer: string): void {
  setAsker(payer.startsWith("root ") ? payer : `user ${payer}`);
}

/**
 * From here on the current request is no stranger's: its token was made here, though it does not tell whose it is. It counts
 * together with all such requests of the client's network, since one user has any number of tokens, old ones, too.
 */
export function setAskingSession(network: string): void {
  setAsker(`sessions of ${network}`);
}

function setAsker(key: string): void {
  const asker = scope.getStore();
  if (asker !== undefined) Object.assign(asker, { key, isUser: true });
}

/** Whether the current request counts as a user's, or as a root's: a guard knows who acts. */
export function isUserAsking(): boolean {
  return scope.getStore()?.isUser ?? false;
}

/** Whether the current request counts only as its client's network's. Jobs are no strangers. */
export function isStrangerAsking(): boolean {
  return scope.getStore()?.isUser === false;
}

/** Who asks: `user 5`, `root 2` or a network; the empty text outside of a request, as in jobs. */
export function currentAsker(): string {
  return scope.getStore()?.key ?? "";
}

/** Who asks, for a queue that serves users before strangers. */
export function currentWaitingAsker(): WaitingAsker {
  return { asker: currentAsker(), isStranger: isStrangerAsking() };
}
