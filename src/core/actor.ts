/** On whose behalf a request acts: taken from a verified token, believed only together with a live session row. */
export interface Actor {
  readonly userId: number;
  readonly sessionId: string;
}
