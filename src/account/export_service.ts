import type { Actor } from "../core/actor.ts";
import { AppError } from "../core/errors.ts";
import type { Row } from "../db/database.ts";
import { readOwn } from "../identity/own_reading.ts";
import { listEvents, type SecurityEvent } from "./account_service.ts";
import type { AccountDeps } from "./deps.ts";

/** Events per round trip. */
const PAGE_EVENTS = 1000;

/**
 * All data about the actor, by list, without hashes and secrets. Times are ISO 8601. Throws `TOKEN_INVALID`.
 */
export async function exportAccount(deps: AccountDeps, actor: Actor): Promise<Record<string, unknown>> {
  const { EXPORT_LISTS } = await import("./export_reads.ts");
  const { account: [account], ...lists } = await readOwn(deps, actor, EXPORT_LISTS);
  if (account === undefined) throw new AppError("TOKEN_INVALID");
  return {
    account: { ...spellTimes(account), hasPassword: account.hasPassword === 1 },
    ...Object.fromEntries(Object.entries(lists).map(([name, rows]) => [name, rows.map(spellTimes)])),
    event: await readEvents(deps, actor),
  };
}

async function readEvents(deps: AccountDeps, actor: Actor): Promise<SecurityEvent[]> {
  const events: SecurityEvent[] = [];
  let cursor: string | undefined;
  do {
    const page = await listEvents(deps, actor, { limit: PAGE_EVENTS, cursor });
    events.push(...page.event);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return events;
}

/** Turns the milliseconds in columns named `…At` and `…Until` into ISO 8601. */
function spellTimes(row: Row): Row {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => {
      const isTime = /(?:At|Until)$/.test(name) && typeof value === "number";
      return [name, isTime ? new Date(value).toISOString() : value];
    }),
  );
}
