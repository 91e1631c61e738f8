import type { Actor } from "../../core/actor.ts";
import { AppError } from "../../core/errors.ts";
import type { Row } from "../../db/database.ts";
import type { SqlArgs, Statement } from "../../db/statement.ts";
import { readOwn } from "../../identity/own_reading.ts";
import { toRights } from "../../graph/rights.ts";
import type { AccountDeps } from "./deps.ts";
import { EXPORT_LISTS, EXPORT_PAGES, type ListPages } from "./export_queries.ts";

/** Rows per statement: few enough to keep a thread or the event loop busy only briefly. */
const PAGE_ROWS = 500;

/** Seconds after which a user with an export under way may try again. */
const RETRY_SECONDS = 5;

/**
 * Allows one export per user at a time. Returns a function that starts a user's export and returns a function to end
 * it. Throws `TOO_MANY_EXPORTS` while another export of the user is under way.
 */
export function createExportTurns(): (userId: number) => () => void {
  const users = new Set<number>();
  return (userId) => {
    if (users.has(userId)) throw new AppError("TOO_MANY_EXPORTS", { retryAfterSeconds: RETRY_SECONDS });
    users.add(userId);
    return () => void users.delete(userId);
  };
}

/**
 * Yields all data about the actor as parts of a JSON text, by list, without hashes and secrets. Reads the first page
 * of every list in one snapshot, and each later page when its part is sent. Throws `TOKEN_INVALID`, also from a later
 * part if the session has ended.
 */
export async function* exportAccount(deps: AccountDeps, actor: Actor): AsyncGenerator<string, void> {
  const pages: Readonly<Record<string, ListPages<Row>>> = EXPORT_PAGES;
  const firstReads = Object.entries(pages).map(([name, { read }]) => [name, read] as const);
  const reads: Readonly<Record<string, Statement<SqlArgs, Row>>> = {
    ...EXPORT_LISTS,
    ...Object.fromEntries(firstReads),
  };
  const args: SqlArgs = Object.assign({}, ...Object.values(pages).map(({ first }) => first));
  const results = await readOwn(deps, actor, Object.values(reads), { ...args, limit: PAGE_ROWS });
  const named = Object.keys(reads).map((name, i) => [name, results[i] ?? []] as const);
  const { account: [account] = [], ...lists } = Object.fromEntries(named);
  if (account === undefined) throw new AppError("TOKEN_INVALID");
  yield* writeParts(deps, actor, { account, lists, pages });
}

interface FirstPages {
  readonly account: Row;
  /** The first page of each list. */
  readonly lists: Readonly<Record<string, Row[]>>;
  /** The lists that may have further pages. */
  readonly pages: Readonly<Record<string, ListPages<Row>>>;
}

async function* writeParts(deps: AccountDeps, actor: Actor, read: FirstPages): AsyncGenerator<string, void> {
  const { account, lists, pages } = read;
  yield `{"account":${JSON.stringify({ ...spellOut(account), hasPassword: account["hasPassword"] === 1 })}`;
  /** Collected while events are read: users get few mails. */
  const mail: Row[] = [];
  for (const [name, first] of Object.entries(lists)) {
    yield `,"${name}":[`;
    let separator = "";
    for await (const rows of readPages(deps, actor, first, pages[name])) {
      const split = name === "event" ? rows.map(splitEvent) : undefined;
      mail.push(...(split ?? []).map((row) => row.mail).filter(({ template }) => template !== null));
      const shown = split?.map(({ event }) => event) ?? rows.map(spellOut);
      yield separator + JSON.stringify(shown).slice(1, -1);
      separator = ",";
    }
    yield "]";
  }
  yield `,"mail":${JSON.stringify(mail.reverse().map(spellOut))}}`;
}

/** Yields the pages of a list, except empty ones. */
async function* readPages(
  deps: AccountDeps,
  actor: Actor,
  first: Row[],
  list: ListPages<Row> | undefined,
): AsyncGenerator<Row[]> {
  let page = first;
  for (;;) {
    const last = page.at(-1);
    if (last === undefined) return;
    yield page;
    if (list === undefined || page.length < PAGE_ROWS) return;
    [page] = await readOwn(deps, actor, [list.read], { ...list.after(last), limit: PAGE_ROWS });
  }
}

/** Splits a row into the event and its mail, if any. */
function splitEvent(row: Row): { event: Row; mail: Row } {
  const { template, language, recipient, createdAt, deliveredAt, at, ...event } = row;
  return {
    event: { ...event, at: new Date(Number(at)).toISOString() },
    mail: { template, language, recipient, createdAt, deliveredAt },
  };
}

/**
 * Formats times (columns named `…At`, `…Until` and `until`) as ISO 8601, and the mask in `rights` as a list of
 * rights.
 */
function spellOut({ cursor: _, ...row }: Row): Row {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, spellValue(name, value)]));
}

function spellValue(name: string, value: unknown): unknown {
  if (typeof value !== "number") return value;
  if (name === "rights") return toRights(value);
  return /(?:At|[Uu]ntil)$/.test(name) ? new Date(value).toISOString() : value;
}
