import { countToPrincipal } from "../../core/request_scope.ts";
import { SECOND_MS } from "../../core/clock.ts";
import { randomToken } from "../../core/encoding.ts";
import { AppError } from "../../core/errors.ts";
import { bind } from "../../db/statement.ts";
import { sealMailParams } from "../../mail/outbox.ts";
import type { IdentityDeps } from "../deps.ts";
import { FACTOR_LINK_SECONDS } from "../lifetimes.ts";
import { type ResultRow, writeEvent } from "../security_service.ts";
import { CONFIRM_FACTOR, FIND_FACTOR_LINK } from "./confirmation_queries.ts";

const TOKEN_BYTES = 32;

function macsOf({ secrets }: IdentityDeps, token: string): Promise<readonly [string, ...string[]]> {
  return secrets.macs("factor_link", token);
}

/** Returns the arguments of `offerConfirmation`: a new link, as it is stored and as it is mailed. */
export async function makeFactorLink(deps: IdentityDeps) {
  const token = randomToken(TOKEN_BYTES);
  const linkMailId = crypto.randomUUID();
  const link = `${deps.publicUrl}/confirm-factor#token=${token}`;
  const [[linkMac], linkParams] = await Promise.all([
    macsOf(deps, token),
    sealMailParams(deps.secrets, linkMailId, { link }),
  ]);
  return { linkMac, linkMailId, linkParams, linkExpiresAt: deps.clock() + FACTOR_LINK_SECONDS * SECOND_MS };
}

/** Confirms a factor with the token of its mailed link. Throws `OTP_INVALID_EXPIRED`. */
export async function confirmFactor(deps: IdentityDeps, address: string, token: string): Promise<void> {
  const now = deps.clock();
  const macs = JSON.stringify(await macsOf(deps, token));
  const [link] = await deps.database.read(bind(FIND_FACTOR_LINK, { macs, now }));
  if (link === undefined) throw new AppError("OTP_INVALID_EXPIRED");
  countToPrincipal(link.userId);
  const args = { opId: crypto.randomUUID(), now, macs, address };
  const row = await writeEvent<ResultRow>(deps.database, CONFIRM_FACTOR, args);
  if (row === undefined) throw new AppError("OTP_INVALID_EXPIRED");
}
