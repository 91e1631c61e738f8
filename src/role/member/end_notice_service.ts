import { DAY_MS, SECOND_MS } from "../../core/clock.ts";
import { bindBatch, pickNamed } from "../../db/statement.ts";
import { NOTICE_LIFE_SECONDS } from "../../mail/outbox.ts";
import { NOTICE_BATCH, TELL_ENDS } from "./end_notice_queries.ts";
import type { GraphDeps } from "../../graph/deps.ts";

/** Days before its end at which a membership or key is told of; up to a day more, so that a day's ends share a mail. */
const NOTICE_DAYS = 7;

/**
 * Mails the members and makers of keys whose memberships and keys end in about a week: each person at most once a day
 * (UTC). Safe to run at any time, in several instances: each end is told at most once. Throws the errors of the
 * database.
 */
export async function tellEnds(
  { database, clock }: GraphDeps,
  signal?: AbortSignal,
): Promise<void> {
  while (signal?.aborted !== true) {
    const now = clock();
    const args = {
      day: new Date(now).toISOString().slice(0, 10),
      now,
      dueBefore: now - now % DAY_MS + (NOTICE_DAYS + 1) * DAY_MS,
      mailExpiresAt: now + NOTICE_LIFE_SECONDS * SECOND_MS,
    };
    const results = await database.write(bindBatch(TELL_ENDS, pickNamed(TELL_ENDS, args)));
    if ((results.at(-1)?.length ?? 0) < NOTICE_BATCH) return;
  }
}
