import { type Chain, chainOfPrincipal } from "../../core/chain.ts";
import { type Clock, SECOND_MS } from "../../core/clock.ts";
import type { Chains } from "../../core/request_scope.ts";
import type { Database } from "../../db/database.ts";
import { bind } from "../../db/statement.ts";
import { CHAIN_OF_PRINCIPAL } from "./chain_queries.ts";

/** How long a chain is kept. Memberships change meanwhile, but whoever brought a member is seldom another. */
const KEPT_MS = 300 * SECOND_MS;
/** Maximum number of kept chains, and of kept headers; the oldest is dropped. */
const KEPT = 10_000;
/**
 * The headers worth keeping. Tokens have about 550 characters; white space is excluded, as it could vary one token
 * endlessly, and so are the names of users that clients of InfluxDB may put before it.
 */
const KEPT_HEADER = /^(?:Bearer|Token) [^\s:]{1,1000}$/;

/** The chains of principals, and of the tokens that guards have accepted. */
export interface KeptChains extends Chains {
  /** Returns the chain of a header that a guard has accepted; undefined for others. */
  ofHeader(authorization: string): Chain | undefined;
}

interface Kept {
  readonly at: number;
  chain: Chain;
}

/** Creates the chains of a process, which reads each once in some minutes, beside the request that needs it. */
export function createChains(
  { database, clock }: { readonly database: Database; readonly clock: Clock },
): KeptChains {
  const chains = new Map<number, Kept>();
  const principals = new Map<string, number>();

  async function read(principalId: number, kept: Kept): Promise<void> {
    try {
      const [row] = await database.read(bind(CHAIN_OF_PRINCIPAL, { principalId, now: kept.at }));
      kept.chain = chainOfPrincipal(principalId, row?.chain);
    } catch {
      // The next request asks again.
      if (chains.get(principalId) === kept) chains.delete(principalId);
    }
  }

  function of(principalId: number): Chain {
    const now = clock();
    const known = chains.get(principalId);
    if (known !== undefined && Math.abs(now - known.at) < KEPT_MS) return known.chain;
    const kept = { at: now, chain: known?.chain ?? chainOfPrincipal(principalId, undefined) };
    keep(chains, principalId, kept);
    void read(principalId, kept);
    return kept.chain;
  }

  return {
    of,
    note(authorization, principalId) {
      if (!principals.has(authorization) && KEPT_HEADER.test(authorization)) {
        keep(principals, authorization, principalId);
      }
    },
    ofHeader(authorization) {
      const principalId = principals.get(authorization);
      return principalId === undefined ? undefined : of(principalId);
    },
  };
}

function keep<K, V>(kept: Map<K, V>, key: K, value: V): void {
  kept.delete(key);
  const [oldest] = kept.keys();
  if (oldest !== undefined && kept.size >= KEPT) kept.delete(oldest);
  kept.set(key, value);
}
