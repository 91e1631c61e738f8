import { AsyncLocalStorage } from "node:async_hooks";
import { type Chain, chainOfPrincipal, chainOfUnknown } from "../../core/chain.ts";
import { type Clock, SECOND_MS } from "../../core/clock.ts";
import type { Chains } from "../../core/request_scope.ts";
import type { Database } from "../../db/database.ts";
import { bind } from "../../db/statement.ts";
import { CHAIN_OF_PRINCIPAL } from "./chain_queries.ts";

/** How long a chain is kept. The oldest membership of a caller seldom changes meanwhile. */
const KEPT_MS = 300 * SECOND_MS;
/** Time after which a chain that could not be read is asked for again. */
const RETRY_MS = SECOND_MS;
/** Maximum number of kept principals, of which the least recently used is dropped, and of credentials of each. */
const KEPT = 10_000;
const KEPT_CREDENTIALS = 16;
/**
 * The credentials worth keeping: of headers, tokens have about 550 characters; white space is excluded, as it could vary
 * one token endlessly, and so are the names of users that clients of InfluxDB may put before it.
 */
const CREDENTIAL = /^(?:(?:Bearer|Token) [^\s:]{1,1000}|refresh family \S+)$/;

interface Kept {
  readAt: number;
  chain: Chain;
  /** The first read of the chain. */
  first: Promise<void> | undefined;
  readonly credentials: string[];
}

/** Creates the chains of a process, which reads each once in some minutes, beside the request that needs it. */
export function createChains(
  { database, clock }: { readonly database: Database; readonly clock: Clock },
): Chains {
  const kept = new Map<number, Kept>();
  const principals = new Map<string, number>();
  // As the request's own, the read would wait with strangers until it tells who is asking.
  const outsideRequests = AsyncLocalStorage.snapshot();

  async function read(principalId: number, entry: Kept): Promise<void> {
    const now = clock();
    entry.readAt = now;
    try {
      const [row] = await database.read(bind(CHAIN_OF_PRINCIPAL, { principalId, now }));
      entry.chain = chainOfPrincipal(principalId, row?.chain);
    } catch {
      entry.readAt = now - KEPT_MS + RETRY_MS;
    }
  }

  function find(principalId: number): Kept {
    const known = kept.get(principalId);
    const entry: Kept = known ??
      { readAt: -Infinity, chain: chainOfUnknown(principalId), first: undefined, credentials: [] };
    kept.delete(principalId);
    kept.set(principalId, entry);
    if (known === undefined && kept.size > KEPT) dropOldest();
    if (Math.abs(clock() - entry.readAt) >= KEPT_MS) {
      const reading = outsideRequests(read, principalId, entry);
      entry.first ??= reading;
    }
    return entry;
  }

  function dropOldest(): void {
    for (const [principalId, { credentials }] of kept) {
      kept.delete(principalId);
      for (const credential of credentials) principals.delete(credential);
      return;
    }
  }

  return {
    of: (principalId) => find(principalId).chain,
    async known(principalId) {
      const entry = find(principalId);
      await entry.first;
      return entry.chain;
    },
    note(credential, principalId) {
      if (principals.has(credential) || !CREDENTIAL.test(credential)) return;
      const { credentials } = find(principalId);
      principals.set(credential, principalId);
      if (credentials.push(credential) > KEPT_CREDENTIALS) principals.delete(credentials.shift() ?? "");
    },
    ofCredential(credential) {
      const principalId = principals.get(credential);
      return principalId === undefined ? undefined : find(principalId).chain;
    },
  };
}
