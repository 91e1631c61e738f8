import type { SudoActor } from "../../core/actor.ts";
import { countToPrincipal } from "../../core/request_scope.ts";
import { SECOND_MS } from "../../core/clock.ts";
import { randomCrockford, readCrockford } from "../../core/codes.ts";
import { randomToken } from "../../core/encoding.ts";
import { AppError } from "../../core/errors.ts";
import type { Secrets } from "../../core/secrets.ts";
import { bind } from "../../db/statement.ts";
import { type MailOptions, readMailOptions } from "../../identity/mail_options.ts";
import { CODE_SECONDS, codeMacs } from "../../identity/factor/one_time_code.ts";
import { type ResultRow, runSecurityBatch, writeEvent } from "../../identity/security_service.ts";
import { NOTICE_LIFE_SECONDS, sealMailParams } from "../../mail/outbox.ts";
import type { EmailTransferDeps } from "./deps.ts";
import { TRANSFER_CODE_LENGTH, UNDO_SECONDS, UNDO_TOKEN_BYTES } from "./lifetimes.ts";
import { COMPLETE_TRANSFER, INITIATE_TRANSFER } from "./transfer_queries.ts";
import { FIND_UNDO_LINK, UNDO_TRANSFER } from "./undo_queries.ts";

interface InitiatedRow extends ResultRow {
  readonly freeAt: number;
}

export interface InitiateTransferInput extends MailOptions {
  /** The new address, normalized. */
  readonly email: string;
}

/**
 * Mails a code to the new address, without revealing whether another account has it. Throws `TRANSFER_TOO_SOON` while
 * the last transfer can be undone, `TOO_MANY_TRANSFER_ATTEMPTS` with the seconds to wait, `SUDO_TOKEN_REQUIRED`, and
 * `MALFORMED_REQUEST` for an unknown brand.
 */
export async function initiateTransfer(
  deps: EmailTransferDeps,
  actor: SudoActor,
  address: string,
  { email, ...options }: InitiateTransferInput,
): Promise<void> {
  const mailOptions = readMailOptions(deps, options);
  const otp = randomCrockford(TRANSFER_CODE_LENGTH);
  const opId = crypto.randomUUID();
  const now = deps.clock();
  const [[codeMac], sealedParams] = await Promise.all([
    codeMacs(deps.secrets, "email_transfer", String(actor.userId), otp),
    sealMailParams(deps.secrets, opId, { otp }),
  ]);
  const row = await runSecurityBatch<InitiatedRow>(deps, actor, address, INITIATE_TRANSFER, {
    opId,
    email,
    codeMac,
    codeExpiresAt: now + CODE_SECONDS * SECOND_MS,
    sealedParams,
    ...mailOptions,
  });
  if (row.result === "too_soon") throw new AppError("TRANSFER_TOO_SOON");
  if (row.result === "too_many") {
    throw new AppError("TOO_MANY_TRANSFER_ATTEMPTS", {
      retryAfterSeconds: Math.ceil((row.freeAt - now) / SECOND_MS),
    });
  }
}

/**
 * Moves the actor's account to the address that received the code, ends their other sessions, and mails an undo link
 * to the old address. Throws `OTP_INVALID_EXPIRED`, or `NEW_EMAIL_ALREADY_IN_USE`, which leaves the code valid, if
 * another account has the address or may get it back.
 */
export async function completeTransfer(
  deps: EmailTransferDeps,
  actor: SudoActor,
  address: string,
  otp: string,
): Promise<void> {
  const token = randomToken(UNDO_TOKEN_BYTES);
  const undoMailId = crypto.randomUUID();
  const [macs, [undoMac], sealedParams] = await Promise.all([
    codeMacs(deps.secrets, "email_transfer", String(actor.userId), readCrockford(otp)),
    undoLinkMacs(deps.secrets, token),
    sealMailParams(deps.secrets, undoMailId, {
      link: `${deps.publicUrl}/undo-email-transfer#token=${token}`,
    }),
  ]);
  const row = await runSecurityBatch(deps, actor, address, COMPLETE_TRANSFER, {
    codeMacs: JSON.stringify(macs),
    undoMac,
    undoMailId,
    undoExpiresAt: deps.clock() + UNDO_SECONDS * SECOND_MS,
    sealedParams,
  });
  if (row.result === "in_use") throw new AppError("NEW_EMAIL_ALREADY_IN_USE");
  if (row.result !== "ok") throw new AppError("OTP_INVALID_EXPIRED");
}

/**
 * Undoes a transfer with the token mailed to the old address: restores that address, removes the password and ends
 * all sessions. Throws `OTP_INVALID_EXPIRED`.
 */
export async function undoTransfer(deps: EmailTransferDeps, address: string, token: string): Promise<void> {
  const now = deps.clock();
  const macs = JSON.stringify(await undoLinkMacs(deps.secrets, token));
  const [link] = await deps.database.read(bind(FIND_UNDO_LINK, { macs, now }));
  if (link === undefined) throw new AppError("OTP_INVALID_EXPIRED");
  countToPrincipal(link.userId);
  const row = await writeEvent(deps.database, UNDO_TRANSFER, {
    opId: crypto.randomUUID(),
    newMailId: crypto.randomUUID(),
    now,
    macs,
    address,
    mailExpiresAt: now + NOTICE_LIFE_SECONDS * SECOND_MS,
  });
  if (row === undefined) throw new AppError("OTP_INVALID_EXPIRED");
}

/** Returns the HMAC of an undo link's token under each key, newest first. The database stores the first. */
function undoLinkMacs(secrets: Secrets, token: string): Promise<readonly [string, ...string[]]> {
  return secrets.macs("undo_link", token);
}
