/** On whose behalf a request acts: taken from a verified token, believed only together with a live session row. */
export interface Actor {
  readonly userId: number;
  readonly sessionId: string;
}

/** An actor who may have shown a sudo token: the account's count of security changes that it was made at. */
export interface SudoActor extends Actor {
  /** Null for an access token. A count that is not the account's any more makes the token void. */
  readonly sudoVersion: number | null;
}

/** Whoever is about to prove a second factor: in a session, to step up, or in a sign-in, to complete it. */
export type Challenged =
  | { readonly kind: "session"; readonly actor: Actor }
  | { readonly kind: "partial"; readonly userId: number; readonly partialLoginId: string };
