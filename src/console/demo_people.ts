/** A person of the demo organization. */
export interface DemoPerson {
  readonly name: string;
  readonly email: string;
  readonly roles: readonly string[];
}

/** Who may be signed in without a password, in development alone. */
export interface DemoPeople {
  list(): Promise<readonly DemoPerson[]>;
  /** The refresh token of a new session of a client, as it calls itself; undefined for somebody who is not in the list. */
  signIn(email: string, client: string): Promise<string | undefined>;
}
