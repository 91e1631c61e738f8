import { Buffer } from "node:buffer";
import * as v from "valibot";
import type { Clock } from "../../../core/clock.ts";
import { fromBase64Url } from "../../../core/encoding.ts";
import type { Secrets } from "../../../core/secrets.ts";
import { CHALLENGE_MS } from "./rules.ts";

interface ChallengeDeps {
  readonly secrets: Secrets;
  readonly clock: Clock;
}

/**
 * What a challenge is for: making a passkey or proving one, in this session or login; or signing in. No other purpose
 * and no other session opens it.
 */
export type Purpose = "login" | `create ${string}` | `prove ${string}`;

const Challenge = v.object({ id: v.string(), at: v.number(), handle: v.optional(v.string()) });

/** A challenge that was answered. */
export interface OpenedChallenge {
  readonly challengeId: string;
  readonly challengeExpiresAt: number;
  /** The account as authenticators know it, of a new passkey. */
  readonly handle?: string | undefined;
}

/**
 * Returns a new challenge, which is sealed so that no row is needed before it is answered. `handle`: the account as the
 * authenticator of a new passkey is to know it.
 */
export async function sealChallenge(
  { secrets, clock }: ChallengeDeps,
  purpose: Purpose,
  handle?: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const text = JSON.stringify({ id: crypto.randomUUID(), at: clock(), handle });
  return new Uint8Array(Buffer.from(await secrets.seal(text, contextOf(purpose))));
}

/** Opens the challenge that a client returned in base64url. Undefined for any other text, and after its time. */
export async function openChallenge(
  { secrets, clock }: ChallengeDeps,
  purpose: Purpose,
  challenge: string,
): Promise<OpenedChallenge | undefined> {
  const bytes = fromBase64Url(challenge);
  if (bytes === undefined) return undefined;
  try {
    const text = await secrets.open(Buffer.from(bytes).toString(), contextOf(purpose));
    const { id, at, handle } = v.parse(Challenge, JSON.parse(text));
    const expiresAt = at + CHALLENGE_MS;
    return clock() < expiresAt ? { challengeId: id, challengeExpiresAt: expiresAt, handle } : undefined;
  } catch {
    return undefined;
  }
}

function contextOf(purpose: Purpose): string {
  return `passkey ${purpose}`;
}
