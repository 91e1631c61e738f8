/** The user and session that a request acts for. Taken from a verified token; valid only while the session lives. */
export interface Actor {
  readonly userId: number;
  readonly sessionId: string;
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
