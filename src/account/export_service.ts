import type { Actor } from "../core/actor.ts";
import { AppError } from "../core/errors.ts";
import type { Row } from "../db/database.ts";
import { readOwn } from "../identity/own_reading.ts";
import { listEvents } from "./account_service.ts";
import type { AccountDeps } from "./deps.ts";

/** Events per round trip. */
const PAGE_EVENTS = 1000;
const encoder = new TextEncoder();

/**
 * All data about the actor, by list, without hashes and secrets, as parts of a JSON text. Times are ISO 8601.
 * Throws `TOKEN_INVALID`.
 */
export async function exportAccount(deps: AccountDeps, actor: Actor): Promise<Uint8Array[]> {
  const { EXPORT_LISTS } = await import("./export_reads.ts");
  const { account: [account], ...lists } = await readOwn(deps, actor, EXPORT_LISTS);
  if (account === undefined) throw new AppError("TOKEN_INVALID");
  const others = JSON.stringify({
    account: { ...spellTimes(account), hasPassword: account.hasPassword === 1 },
    ...Object.fromEntries(Object.entries(lists).map(([name, rows]) => [name, rows.map(spellTimes)])),
  });
  const parts = [encoder.encode(`${others.slice(0, -1)},"event":[`)];
  await readEvents(deps, actor, parts);
  parts.push(encoder.encode("]}"));
  return parts;
}

/**
 * Adds the events as JSON, without the brackets of their list. Each page becomes bytes when it is read: to do that
 * with all events at once would keep other requests waiting.
 */
async function readEvents(deps: AccountDeps, actor: Actor, parts: Uint8Array[]): Promise<void> {
  let cursor: string | undefined;
  do {
    const { event, nextCursor } = await listEvents(deps, actor, { limit: PAGE_EVENTS, cursor });
    const separator = cursor === undefined ? "" : ",";
    // Events of a later page may have been purged meanwhile.
    if (event.length > 0) parts.push(encoder.encode(separator + JSON.stringify(event).slice(1, -1)));
    cursor = nextCursor ?? undefined;
  } while (cursor !== undefined);
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
