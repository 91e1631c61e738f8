import { type Clock, SECOND_MS } from "../../core/clock.ts";
import type { Database } from "../../db/database.ts";
import { bind } from "../../db/statement.ts";
import type { Payers } from "../../identity/graph_guards.ts";
import { PAYER_OF_KEY } from "./payer_queries.ts";

/** How long a process charges the payer that it found for a key. The maker may leave in between. */
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
 * Finds the payer of a key: its maker while they are a member, directly or indirectly, of the key's role; otherwise the
 * root above that role, together with all such keys. So one person with many keys takes one person's turns.
 *
 * It asks the database once for all requests of a key within some seconds. The first of them counts to its client's
 * network, since the payer is still unknown.
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
