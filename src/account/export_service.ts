import type { Actor } from "../core/actor.ts";
import { AppError } from "../core/errors.ts";
import type { Row } from "../db/database.ts";
import { bind } from "../db/statement.ts";
import { actingArgs, listEvents, type SecurityEvent } from "./account_service.ts";
import type { AccountDeps } from "./deps.ts";
import { EXPORT_ACCOUNT, EXPORT_LISTS } from "./export_queries.ts";

/** Events that one round trip reads. */
const PAGE_EVENTS = 1000;

/**
 * Everything that is held about the actor, by lists, without hashes and secrets. Times are ISO 8601. Throws
 * `TOKEN_INVALID`.
 */
export async function exportAccount(deps: AccountDeps, actor: Actor): Promise<Record<string, unknown>> {
  const names = Object.keys(EXPORT_LISTS);
  const statements = [EXPORT_ACCOUNT, ...Object.values(EXPORT_LISTS)];
  const args = actingArgs(deps, actor);
  const [accounts = [], ...lists] = await deps.database.readAll(statements.map((each) => bind(each, args)));
  const [account] = accounts;
  if (account === undefined) throw new AppError("TOKEN_INVALID");
  return {
    account: { ...spellTimes(account), hasPassword: account["hasPassword"] === 1 },
    ...Object.fromEntries(names.map((name, i) => [name, (lists[i] ?? []).map(spellTimes)])),
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

/** Columns named `…At` and `…Until` hold milliseconds. */
function spellTimes(row: Row): Row {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => {
      const isTime = /(?:At|Until)$/.test(name) && typeof value === "number";
      return [name, isTime ? new Date(value).toISOString() : value];
    }),
  );
}
