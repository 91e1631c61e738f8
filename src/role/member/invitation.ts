import { SECOND_MS } from "../../core/clock.ts";
import { randomToken } from "../../core/encoding.ts";
import { passwordLinkMacs } from "../../identity/password_link.ts";
import { sealMailParams } from "../../mail/outbox.ts";
import type { RoleDeps } from "../deps.ts";

/** Lifetime of the link in an invitation, in seconds. */
const INVITATION_SECONDS = 7 * 86_400;
const LINK_TOKEN_BYTES = 32;

/** The parameters of an invitation's batch: the HMAC of the link's token, and the mail with the sealed link. */
export interface Invitation {
  readonly linkMac: string;
  readonly linkExpiresAt: number;
  readonly mailId: string;
  readonly sealedParams: string;
}

/** Makes a new link for setting a password. The token leaves this function only inside the sealed mail. */
export async function makeInvitation(
  deps: Pick<RoleDeps, "secrets" | "publicUrl" | "clock">,
): Promise<Invitation> {
  const token = randomToken(LINK_TOKEN_BYTES);
  const mailId = crypto.randomUUID();
  const [[linkMac], sealedParams] = await Promise.all([
    passwordLinkMacs(deps.secrets, token),
    sealMailParams(deps.secrets, mailId, { link: `${deps.publicUrl}/reset-password#token=${token}` }),
  ]);
  return { linkMac, linkExpiresAt: deps.clock() + INVITATION_SECONDS * SECOND_MS, mailId, sealedParams };
}
