import { type Clock, SECOND_MS } from "../../core/clock.ts";
import type { Database } from "../../db/database.ts";
import { bind } from "../../db/statement.ts";
import type { Payers } from "../../identity/graph_guards.ts";
import { PAYER_OF_KEY } from "./payer_queries.ts";

/** How long a process remembers the payer of a key. The maker may leave in between. */
const REMEMBERED_MS = 5 * SECOND_MS;
const REMEMBERED_KEYS = 10_000;

export interface PayersDeps {
  readonly database: Database;
  readonly clock: Clock;
}

interface Found {
  readonly at: number;
  readonly payer: Promise<string | undefined>;
}

/**
 * Finds the payer of a key: its maker while they are a member of the key's role, directly or indirectly; otherwise the
 * root above, shared with other such keys. So all keys of one maker share that maker's turns. Asks the database once
 * per key in some seconds; the first request counts to its client's network, since the payer is still unknown.
 */
export function createPayers({ database, clock }: PayersDeps): Payers {
  const found = new Map<number, Found>();

  async function read(keyId: number, now: number): Promise<string | undefined> {
    const [row] = await database.read(bind(PAYER_OF_KEY, { keyId, now }));
    return row?.payer;
  }

  function remember(keyId: number, now: number): Promise<string | undefined> {
    const payer = read(keyId, now);
    const [oldest] = found.keys();
    if (oldest !== undefined && found.size >= REMEMBERED_KEYS) found.delete(oldest);
    const entry = { at: now, payer };
    found.set(keyId, entry);
    payer.catch(() => {
      if (found.get(keyId) === entry) found.delete(keyId);
    });
    return payer;
  }

  return {
    ofKey(keyId) {
      const now = clock();
      const known = found.get(keyId);
      if (known !== undefined && Math.abs(now - known.at) < REMEMBERED_MS) return known.payer;
      found.delete(keyId);
      return remember(keyId, now);
    },
  };
}
