import { type Clock, SECOND_MS } from "../../core/clock.ts";
import { normalizeEmail } from "../../core/email.ts";
import type { Secrets } from "../../core/secrets.ts";
import type { Database } from "../../db/database.ts";
import { readTogether } from "../../db/rows.ts";
import type { RowOf, SqlArgs, Statement } from "../../db/statement.ts";
import type { MainFactor } from "../../identity/factors.ts";
import type { SecurityResult } from "../../identity/security_result.ts";
import { writeEvent } from "../../identity/security_service.ts";
import { NOTICE_LIFE_SECONDS } from "../../mail/outbox.ts";
import { makeInvitation } from "../../role/member/invitation.ts";
import { deleteKeysAsAdministrator } from "../../key/made_key_service.ts";
import {
  DISABLE_FACTOR,
  END_SESSIONS,
  END_SESSIONS_BEFORE_KEYS,
  LOOK_UP,
  RESEND_INVITATION,
  UNLOCK,
} from "./administrator_queries.ts";

/** Maximum number of events in a look-up. */
const SHOWN_EVENTS = 20;

export interface AdministratorDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly secrets: Secrets;
  /** Base of the links in mails, without a trailing slash. */
  readonly publicUrl: string;
}

/** An action of the administrator for an account. */
export type AdministratorAction =
  | { readonly kind: "disableFactor"; readonly factor: MainFactor }
  | { readonly kind: "unlock" }
  /** With `keys`, also deletes all keys that the user made. */
  | { readonly kind: "endSessions"; readonly keys?: boolean | undefined }
  | { readonly kind: "resendInvitation" };

/** `ok`, or the reason for doing nothing. */
export type AdministratorResult =
  | Extract<SecurityResult, "ok" | "inactive" | "has_password" | "no_role">
  | "unknown";

/**
 * Acts on an account as the administrator. The same batch records an event without an actor and mails the owner; keys
 * are deleted afterwards, in batches. If interrupted, call it again. Only tasks call it, no request.
 */
export async function actAsAdministrator(
  deps: AdministratorDeps,
  address: string,
  action: AdministratorAction,
): Promise<AdministratorResult> {
  const now = deps.clock();
  const email = normalizeEmail(address);
  const { batch, args } = await plan(deps, email, action);
  const row = await writeEvent<{ result: AdministratorResult }>(deps.database, batch, {
    ...args,
    email,
    opId: crypto.randomUUID(),
    now,
    mailExpiresAt: now + NOTICE_LIFE_SECONDS * SECOND_MS,
  });
  if (row?.result === "ok" && action.kind === "endSessions" && action.keys) {
    const found = await lookUpAccount(deps, email);
    if (found !== undefined) await deleteKeysAsAdministrator(deps, found.id);
  }
  return row?.result ?? "unknown";
}

async function plan(
  deps: AdministratorDeps,
  email: string,
  action: AdministratorAction,
): Promise<{ batch: readonly Statement[]; args: SqlArgs }> {
  switch (action.kind) {
    case "disableFactor":
      return { batch: DISABLE_FACTOR[action.factor], args: {} };
    case "unlock": {
      const [accountKey] = await deps.secrets.macs("throttle", email);
      return { batch: UNLOCK, args: { accountKey } };
    }
    case "endSessions":
      return { batch: action.keys ? END_SESSIONS_BEFORE_KEYS : END_SESSIONS, args: {} };
    case "resendInvitation":
      return { batch: RESEND_INVITATION, args: { ...await makeInvitation(deps) } };
  }
}

/** An account as the administrator sees it. Times are milliseconds since the Unix epoch. */
export interface AccountOverview extends Omit<RowOf<typeof LOOK_UP.account>, "hasPassword"> {
  readonly hasPassword: boolean;
  /** The active factors, with the number of unused recovery codes. */
  readonly factors: readonly RowOf<typeof LOOK_UP.factor>[];
  /** Oldest first. */
  readonly passkeys: readonly RowOf<typeof LOOK_UP.passkey>[];
  /** Newest first. */
  readonly sessions: readonly RowOf<typeof LOOK_UP.session>[];
  /** Newest first. */
  readonly events: readonly RowOf<typeof LOOK_UP.event>[];
}

/** Reads the account of an address; undefined if there is none. */
export async function lookUpAccount(
  { database, clock }: Pick<AdministratorDeps, "database" | "clock">,
  address: string,
): Promise<AccountOverview | undefined> {
  const email = normalizeEmail(address);
  const args = { email, now: clock(), events: SHOWN_EVENTS };
  const reads = [LOOK_UP.account, LOOK_UP.factor, LOOK_UP.passkey, LOOK_UP.session, LOOK_UP.event] as const;
  const [[account], factors, passkeys, sessions, events] = await readTogether(database, reads, args);
  return account &&
    { ...account, hasPassword: account.hasPassword === 1, factors, passkeys, sessions, events };
}
