/** A person of the demo organization. */
export interface DemoPerson {
  readonly name: string;
  readonly email: string;
  readonly roles: readonly string[];
}

/** Something to try in the demo, as one of its people. */
export interface DemoStory {
  readonly name: "why" | "sale" | "past";
  readonly email: string;
  /** Where it begins, below the console. */
  readonly path: string;
}

/** The people who sign in and confirm without a password, only in development. */
export interface DemoPeople {
  list(): Promise<readonly DemoPerson[]>;
  /** Returns what to try: nothing once its roles are gone. */
  listStories(): Promise<readonly DemoStory[]>;
  /**
   * Returns the refresh token of a new session; undefined for a person who is not listed. `client`: the client's own
   * name.
   */
  signIn(email: string, client: string): Promise<string | undefined>;
  /**
   * Returns a sudo token, and logs that as for a password; undefined unless `signIn` began the session. Throws
   * `SUDO_TOKEN_REQUIRED` if a second factor is active. `address`: the client's own one.
   */
  prove(
    session: { readonly userId: number; readonly sessionId: string },
    address: string,
  ): Promise<string | undefined>;
}
