/** The principal that a request acts for. Taken from a verified token; valid only while the session or key lives. */
export interface Actor {
  /** The account's id, or minus the id of a role's key, so that the two never collide in columns and counters. */
  readonly userId: number;
  /** For a key: the MAC in its row. */
  readonly sessionId: string;
}

/** Returns the principal id of a key. */
export function principalOfKey(keyId: number): number {
  return -keyId;
}

/** Returns the id of the principal's key, or undefined for a user. */
export function keyOfPrincipal(principalId: number): number | undefined {
  return principalId < 0 ? -principalId : undefined;
}

/** Returns the log fields that name an actor. */
export function nameActor({ userId }: Actor): { readonly userId: number } | { readonly keyId: number } {
  const keyId = keyOfPrincipal(userId);
  return keyId === undefined ? { userId } : { keyId };
}

/** An actor with the security version in their sudo token. */
export interface SudoActor extends Actor {
  /** Null without a sudo token. Must equal the account's `security_version`, or the token is void. */
  readonly sudoVersion: number | null;
}

/** A user who proves a second factor: in a session, to step up; or during a sign-in, to complete it. */
export type Challenged =
  | { readonly kind: "session"; readonly actor: Actor }
  | { readonly kind: "partial"; readonly userId: number; readonly partialLoginId: string };
