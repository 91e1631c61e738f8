/** A person of the demo organization. */
export interface DemoPerson {
  readonly name: string;
  readonly email: string;
  readonly roles: readonly string[];
}

/** The people with sign-in without a password, only in development. */
export interface DemoPeople {
  list(): Promise<readonly DemoPerson[]>;
  /**
   * Returns the refresh token of a new session; undefined for a person who is not listed. `client`: the client's own
   * name.
   */
  signIn(email: string, client: string): Promise<string | undefined>;
}
