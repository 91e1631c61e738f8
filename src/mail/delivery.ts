import { type Clock, SECOND_MS } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import type { Database } from "../db/database.ts";
import { writeOne } from "../db/rows.ts";
import { bind, type RowOf } from "../db/statement.ts";
import {
  CLAIM_MAILS,
  DROP_DEAD,
  FIND_DUE,
  FIND_OLDEST,
  MARK_DELIVERED,
  MARK_DROPPED,
  POSTPONE,
} from "./delivery_queries.ts";
import { DELIVERY_CLAIM_SIZE, DROP_BATCH, GIVE_UP_SECONDS, RETRY_WAITS_SECONDS } from "./lifetimes.ts";
import type { Sender } from "./sender.ts";
import { openStoredMessage, type StoredMessageDeps } from "./stored_message.ts";
import type { MailTransport, SendOutcome } from "./transport.ts";

export interface DeliveryDeps extends StoredMessageDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly transport: MailTransport;
  /** Returns the sender of a brand: the default sender if it is null or no longer configured. */
  readonly senderOf: (brand: string | null) => Sender;
}

/** Number of mails by outcome. */
export interface DeliveryReport {
  readonly delivered: number;
  /** To be retried. */
  readonly postponed: number;
  /** Given up: expired, permanently refused, or addressed to an address without an account. */
  readonly dropped: number;
}

type ClaimedMail = RowOf<typeof CLAIM_MAILS>;

/** Returns the age in seconds of the oldest mail to be delivered; 0 if there is none. */
export async function findOldestAge(
  { database, clock }: Pick<DeliveryDeps, "database" | "clock">,
): Promise<number> {
  const [oldest] = await database.read(bind(FIND_OLDEST, {}));
  // Mails of an import may be due later.
  return Math.max(clock() - (oldest?.createdAt ?? clock()), 0) / SECOND_MS;
}

/**
 * Delivers due mails. A lease on each keeps other instances from delivering it. After a crash, mails are claimed
 * again when the lease ends: a mail may arrive twice, but is never lost. Throws only database errors.
 */
export async function deliverMails(deps: DeliveryDeps, signal?: AbortSignal): Promise<DeliveryReport> {
  const report = { delivered: 0, postponed: 0, dropped: 0 };
  const [due] = await deps.database.read(bind(FIND_DUE, { now: deps.clock() }));
  if (due === undefined) return report;
  report.dropped += await dropDead(deps);
  while (signal?.aborted !== true) {
    const rows = await writeOne(deps.database, bind(CLAIM_MAILS, { now: deps.clock() }));
    const outcomes = await Promise.all(rows.map((row) => deliver(deps, row)));
    for (const outcome of outcomes) report[outcome]++;
    if (rows.length < DELIVERY_CLAIM_SIZE) break;
  }
  return report;
}

async function dropDead({ database, clock, log }: DeliveryDeps): Promise<number> {
  for (let dropped = 0;;) {
    const rows = await writeOne(database, bind(DROP_DEAD, { now: clock() }));
    dropped += rows.length;
    for (const row of rows) logDrop(log, row);
    if (rows.length < DROP_BATCH) return dropped;
  }
}

function logDrop(log: Log, { id, template, attempts, hasNoAccount }: RowOf<typeof DROP_DEAD>): void {
  // An address without an account is not a fault, and a log of such addresses would reveal which accounts exist.
  if (hasNoAccount) return;
  log.warn("mail.dropped", { mailId: id, template, attempts, reason: "too late" });
}

async function deliver(deps: DeliveryDeps, mail: ClaimedMail): Promise<keyof DeliveryReport> {
  const outcome = await send(deps, mail);
  const { id, attempts, template } = mail;
  const now = deps.clock();
  if (outcome.result === "sent") {
    await deps.database.write([bind(MARK_DELIVERED, { id, now })]);
    deps.log.info("mail.delivered", { mailId: id, template, attempts });
    return "delivered";
  }
  const fields = { mailId: id, template, attempts, reason: outcome.reason };
  const nextAttemptAt = now + retryWaitSeconds(attempts) * SECOND_MS;
  const end = Math.min(mail.expiresAt, mail.createdAt + GIVE_UP_SECONDS * SECOND_MS);
  if (outcome.result === "refused" || nextAttemptAt >= end) {
    await deps.database.write([bind(MARK_DROPPED, { id, attempts, now })]);
    deps.log.warn("mail.dropped", fields);
    return "dropped";
  }
  await deps.database.write([bind(POSTPONE, { id, attempts, nextAttemptAt })]);
  deps.log.warn("mail.postponed", fields);
  return "postponed";
}

async function send(deps: DeliveryDeps, mail: ClaimedMail): Promise<SendOutcome> {
  let message;
  try {
    ({ message } = await openStoredMessage(deps, mail));
  } catch {
    // Another instance, with another version or the missing key, may be able to render it.
    return { result: "failed", reason: "unreadable" };
  }
  const { id, brand, recipient: to, createdAt } = mail;
  return await deps.transport.send({ id, from: deps.senderOf(brand), to, createdAt, message });
}

/** Returns the seconds to wait after the nth failed attempt. */
export function retryWaitSeconds(attempts: number): number {
  return RETRY_WAITS_SECONDS[Math.min(attempts, RETRY_WAITS_SECONDS.length) - 1] ?? RETRY_WAITS_SECONDS[0];
}
