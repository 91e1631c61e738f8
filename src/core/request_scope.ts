import { AsyncLocalStorage } from "node:async_hooks";
import { branchOf, type Chain, chainOfSession, chainOfStranger, OWN_WORK } from "./chain.ts";

/** Keeps the chains of principals (`graph/rules/chains.ts`): of accounts, and of keys by their negative ids. */
export interface Chains {
  /** Returns a principal's chain; one of its own until it is read from the database. */
  of(principalId: number): Chain;
  /** Returns the same once it is read, or could not be. */
  known(principalId: number): Promise<Chain>;
  /** Notes that a credential (an `Authorization` header, or a session) is a principal's: a guard has accepted it. */
  note(credential: string, principalId: number): void;
  /** Returns the chain of a credential that was noted; undefined for others. */
  ofCredential(credential: string): Chain | undefined;
}

/** What a request is known by while it is handled: the one context that is carried through all its calls. */
interface RequestScope {
  /** The account or key that the request counts to, once it is known. */
  principalId: number | undefined;
  /** The chain by which shares are divided, of a request without a principal; undefined until it is asked for. */
  chain: Chain | undefined;
  isStranger: boolean;
  /** The networks of the client, the largest first. */
  readonly networks: () => readonly string[];
  readonly chains: Chains | undefined;
  /** The request, until it has its response: see `letRequestGo`. */
  request: Request | undefined;
  /** Whether the response is made while it is sent. */
  isStreamed: boolean;
  /** The lowest revision that a read of this request saw, or that its write created (`db/revisions.ts`). */
  revision?: number;
}

/** `networks` are those of the client. Without `chains`, all callers count to them. */
export type ScopeInput = Pick<RequestScope, "networks"> & Partial<Pick<RequestScope, "chains" | "request">>;

const scope = new AsyncLocalStorage<RequestScope>();

/** Runs a request as that of a stranger, a caller whom nothing has identified yet. */
export function runForStranger<T>({ networks, chains, request }: ScopeInput, task: () => T): T {
  return scope.run({
    principalId: undefined,
    chain: undefined,
    isStranger: true,
    networks,
    chains,
    request,
    isStreamed: false,
  }, task);
}

/**
 * Counts the current request to this account or key from now on: a token, code, link or right password identifies the
 * caller, or before it is compared, their account knows the client's address. Requests with the same `credential` count
 * to it before they begin.
 */
export function countToPrincipal(principalId: number, credential?: string): void {
  const current = scope.getStore();
  if (current === undefined) return;
  current.isStranger = false;
  current.principalId = principalId;
  if (credential !== undefined) current.chains?.note(credential, principalId);
  // Reads the chain, if it is not known.
  current.chains?.of(principalId);
}

/** Counts the current request to a session, whose token is genuine: to its account if that was noted before. */
export function countToSession(credential: string): void {
  const current = scope.getStore();
  if (current === undefined) return;
  current.isStranger = false;
  current.chain = current.chains?.ofCredential(credential) ?? chainOfSession(current.networks(), credential);
}

/** Whether the current request counts to its client's networks only. Jobs are not strangers. */
export function isStrangerAsking(): boolean {
  return scope.getStore()?.isStranger ?? false;
}

/** Whether the caller of the current request is identified. */
export function isUserAsking(): boolean {
  return scope.getStore()?.isStranger === false;
}

/** Returns the chain of the current request, wherever it is asked for; outside of requests that of the service itself. */
export function currentChain(): () => Chain {
  const current = scope.getStore();
  if (current === undefined) return () => OWN_WORK;
  return () => {
    const { principalId, chains } = current;
    if (principalId !== undefined && chains !== undefined) return chains.of(principalId);
    return current.chain ??= chainOfStranger(current.networks());
  };
}

/** Returns the branch of the current request (`branchOf`): the same for all requests of a caller, also the first one. */
export async function currentBranch(): Promise<string> {
  const { principalId, chains } = scope.getStore() ?? {};
  const isKnown = principalId !== undefined && chains !== undefined;
  return branchOf(isKnown ? await chains.known(principalId) : currentChain()());
}

/** Returns the note of the current request's revision; undefined outside of a request. */
export function currentRequest(): Pick<RequestScope, "revision"> | undefined {
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
  const current = scope.getStore();
  if (current !== undefined) current.isStreamed = true;
}

/**
 * Releases the request object once the response is complete. The runtime keeps each context until V8 collects
 * garbage; with requests in it, a collection took a third longer.
 */
export function letRequestGo(): void {
  const current = scope.getStore();
  if (current?.isStreamed === false) current.request = undefined;
}
