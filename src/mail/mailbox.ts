import type { Clock } from "../core/clock.ts";
import type { Database } from "../db/database.ts";
import { bind, type RowOf } from "../db/statement.ts";
import type { RenderedMessage } from "./message_content.ts";
import type { SecretMailParams } from "./outbox.ts";
import { KEPT_MAILS_AFTER, TAKE_MAILS } from "./outbox_queries.ts";
import { openStoredMessage, type StoredMessageDeps } from "./stored_message.ts";

const PAGE = 200;

export interface MailboxDeps extends StoredMessageDeps {
  readonly database: Database;
  readonly clock: Clock;
}

/** An undelivered mail in the outbox. */
export interface KeptMail {
  readonly id: string;
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
  readonly template: string;
  /** Undefined if the requested address has no account; delivery drops such mail. */
  readonly recipient: string | undefined;
  /** Its code or link has expired, so it will not be sent. */
  readonly expired: boolean;
  readonly params: SecretMailParams;
  /** Undefined if rendering failed; `problem` says why. */
  readonly message: RenderedMessage | undefined;
  readonly problem: string | undefined;
}

/** Yields the undelivered mails in the outbox, oldest first: those to `recipient` (a normalized address), or all. */
export async function* openKeptMails(
  deps: MailboxDeps,
  filter: { readonly recipient?: string | undefined } = {},
): AsyncGenerator<KeptMail> {
  let after = { createdAt: -1, id: "" };
  for (;;) {
    const args = { ...after, recipient: filter.recipient ?? null, limit: PAGE };
    const rows = await deps.database.read(bind(KEPT_MAILS_AFTER, args));
    for (const row of rows) {
      yield await openMail(deps, row);
      after = { createdAt: row.createdAt, id: row.id };
    }
    if (rows.length < PAGE) return;
  }
}

/** Marks mails as delivered that the caller has handed over, and wipes their secrets. */
export async function takeMails(
  deps: Pick<MailboxDeps, "database" | "clock">,
  ids: readonly string[],
): Promise<void> {
  await deps.database.write([bind(TAKE_MAILS, { ids: JSON.stringify(ids), now: deps.clock() })]);
}

async function openMail(deps: MailboxDeps, row: RowOf<typeof KEPT_MAILS_AFTER>): Promise<KeptMail> {
  const mail = {
    id: row.id,
    createdAt: row.createdAt,
    template: row.template,
    recipient: row.recipient ?? undefined,
    expired: row.expiresAt <= deps.clock(),
  };
  try {
    const { params, message } = await openStoredMessage(deps, row);
    return { ...mail, params, message, problem: undefined };
  } catch (error) {
    return { ...mail, params: {}, message: undefined, problem: describeProblem(error) };
  }
}

/** A `RangeError` names the missing key or template. WebCrypto's errors have no useful message. */
function describeProblem(error: unknown): string {
  if (error instanceof RangeError) return error.message;
  return "It was sealed with another key of the same id, or altered";
}
