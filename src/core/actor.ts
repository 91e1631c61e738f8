/** The principal that a request acts for. Taken from a verified token; valid only while the session or key lives. */
export interface Actor {
  /** The account's id, or minus the id of a role's key. Wherever it is stored or counted by, the two never meet. */
  readonly userId: number;
  /** Of a key: the MAC that its row holds. */
  readonly sessionId: string;
  /**
   * The payer, who is charged for what the principal does: an account, by its id as text, or a root role, as `root 2`.
   * A user pays for themselves. A key's requests count to its maker or to its role's root (`role/key/payer.ts`). The
   * payer decides nothing about rights.
   */
  readonly payer: string;
}

/** A user in a session. */
export function userActor(userId: number, sessionId: string): Actor {
  return { userId, sessionId, payer: String(userId) };
}

/** The principal id of a key. */
export function principalOfKey(keyId: number): number {
  return -keyId;
}

/** The id of the key that the principal is, or undefined for a user. */
export function keyOfPrincipal(principalId: number): number | undefined {
  return principalId < 0 ? -principalId : undefined;
}

/** How the log names an actor. */
export function nameActor({ userId }: Actor): { readonly userId: number } | { readonly keyId: number } {
  const keyId = keyOfPrincipal(userId);
  return keyId === undefined ? { userId } : { keyId };
}

/** An actor, with the security version in their sudo token. */
export interface SudoActor extends Actor {
  /** Null without a sudo token. The token is void unless this is still the `security_version` of the account. */
  readonly sudoVersion: number | null;
}

/** Somebody who proves a second factor: in a session to step up, or during a sign-in to complete it. */
export type Challenged =
  | { readonly kind: "session"; readonly actor: Actor }
  | { readonly kind: "partial"; readonly userId: number; readonly partialLoginId: string };
