/**
 * The rules of refresh tokens as a tree of tokens, for comparison with the service. It shares no code with it: it
 * has no generations, and remembers every token.
 */

/** Seconds. */
const OVERLAP = 10;

interface ModelToken {
  readonly parent: ModelToken | undefined;
  readonly issuedAt: number;
  readonly issuedTo: string;
  usedAt: number | undefined;
}

/** What a request gets: a token, an acceptance, or a refusal that ended the session. */
export type ModelAnswer =
  | { readonly kind: "token"; readonly token: ModelToken }
  | { readonly kind: "ok" | "alarm" | "over" };

/** One session, within its lifetimes. */
export class RefreshModel {
  readonly first: ModelToken = { parent: undefined, issuedAt: 0, issuedTo: "", usedAt: undefined };
  #current: ModelToken = this.first;
  #isOver = false;

  rotate(token: ModelToken, network: string, now: number): ModelAnswer {
    if (this.#isOver) return { kind: "over" };
    const current = this.#current;
    if (token === current) return this.#issue(token, network, now);
    if (token !== current.parent) return this.#raiseAlarm();
    const isRepeated = current.issuedTo === network && now - current.issuedAt < OVERLAP;
    if (isRepeated) return { kind: "token", token: current };
    return current.usedAt === undefined ? this.#issue(token, network, now) : this.#raiseAlarm();
  }

  use(token: ModelToken, now: number): ModelAnswer {
    if (this.#isOver) return { kind: "over" };
    const current = this.#current;
    if (token === current) {
      current.usedAt ??= now;
      return { kind: "ok" };
    }
    const isFresh = current.usedAt === undefined || now - current.usedAt < OVERLAP;
    return token === current.parent && isFresh ? { kind: "ok" } : this.#raiseAlarm();
  }

  #issue(parent: ModelToken, issuedTo: string, issuedAt: number): ModelAnswer {
    this.#current = { parent, issuedTo, issuedAt, usedAt: undefined };
    return { kind: "token", token: this.#current };
  }

  #raiseAlarm(): ModelAnswer {
    this.#isOver = true;
    return { kind: "alarm" };
  }
}
