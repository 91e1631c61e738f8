import { HOUR_MS } from "../core/clock.ts";
import { bind, bindBatch, type BoundStatement } from "../db/statement.ts";
import type { RoleDeps } from "../role/deps.ts";
import { makeInvitation } from "../role/member/invitation.ts";
import { INVITE_PERSON, LAST_DUE } from "./invitation_queries.ts";

/** People per write. */
const CHUNK = 25;

export interface InviteOptions {
  readonly runId: string;
  readonly mailPerHour: number;
  readonly onProgress?: (done: number, total: number) => void;
}

/**
 * Queues an invitation for each of these accounts that has a role, no password, and no invitation that is still good:
 * one after the other at `mailPerHour`, behind all mails that wait already. Returns how many were queued.
 */
export async function invitePeople(
  deps: Pick<RoleDeps, "database" | "clock" | "secrets" | "publicUrl">,
  userIds: readonly number[],
  { runId, mailPerHour, onProgress }: InviteOptions,
): Promise<number> {
  const [last] = await deps.database.read(bind(LAST_DUE, {}));
  const distance = HOUR_MS / mailPerHour;
  let dueAt = Math.max(deps.clock(), last?.dueAt ?? 0);
  let queued = 0;
  for (let i = 0; i < userIds.length; i += CHUNK) {
    const batch: BoundStatement[] = [];
    for (const userId of userIds.slice(i, i + CHUNK)) {
      // The link's life begins when the mail is sent.
      const clock = (): number => Math.floor(dueAt += distance);
      const invitation = await makeInvitation({ ...deps, clock });
      const operation = { opId: crypto.randomUUID(), runId, now: deps.clock() };
      batch.push(
        ...bindBatch(INVITE_PERSON, { ...operation, userId, ...invitation, dueAt: Math.floor(dueAt) }),
      );
    }
    const results = await deps.database.write(batch);
    queued += results.flat().reduce((sum, { invited }) => sum + Number(invited ?? 0), 0);
    onProgress?.(Math.min(i + CHUNK, userIds.length), userIds.length);
  }
  return queued;
}
