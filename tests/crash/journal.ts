import assert from "node:assert/strict";
import { pickChange, proveByCode } from "./changes.ts";
import type { Newcomer } from "./database_process.ts";
import type { Fact, Facts } from "./facts.ts";
import type { Change, Knowledge } from "./knowledge.ts";

/** Statuses of refused changes, of which nothing may have happened. */
const REFUSALS: readonly number[] = [403, 409, 422, 429];

/** Outcomes of the changes of all rounds. */
export interface Tally {
  /** Number of successful changes by kind. */
  readonly acknowledged: Map<string, number>;
  refused: number;
  /** Changes without a response, or with one that leaves the outcome open (503), that turned out to be done. */
  unansweredDone: number;
  unansweredNotDone: number;
}

/**
 * One client of the load. It sends changes one by one, records the effect of each once it has a response, and stops at
 * the first change whose outcome it does not learn. It shares nothing with other clients.
 */
export class JournaledClient {
  readonly person: Newcomer;
  readonly #name: string;
  readonly #tally: Tally;
  #facts: Facts = new Map();
  #ids = new Map<string, number>();
  #serial = 1;
  #code = "";
  #refreshToken = "";
  #accessToken = "";
  #unanswered: Change | undefined;

  constructor(number: number, tally: Tally) {
    this.#name = `l${number}`;
    this.#tally = tally;
    this.person = {
      email: `${this.#name}.admin@crash.example`,
      password: `the password of client ${number}`,
      roleName: `${this.#name}-0`,
      resetAddresses: [1, 2, 3].map((i) => `${this.#name}.reset${i}@crash.example`),
    };
  }

  /** Takes this client's part of the first inspection. */
  begin(facts: readonly Fact[]): void {
    const mine = this.#own(facts);
    this.#facts = toFacts(mine);
    this.#ids = toIds(mine);
  }

  /** Logs in. */
  async logIn(baseUrl: string): Promise<void> {
    const { email: username, password } = this.person;
    const headers = { "Content-Type": "application/json" };
    const body = JSON.stringify({ username, password });
    const answer = await fetch(`${baseUrl}/auth/login`, { method: "POST", headers, body });
    this.#refreshToken = await answer.text();
    assert.equal(answer.status, 200, this.#refreshToken);
    await this.#getAccessToken(baseUrl);
    this.#facts = new Map(this.#facts).set(`session ${username}`, "generation 1");
  }

  /** Sets the code for the next round, which serves this client's session. */
  expectCode(code: string): void {
    this.#code = code;
    this.#facts = new Map(this.#facts).set(`code ${this.person.email}`, "open");
  }

  /** Sends changes until one gets no response, or until `stop` is signalled. */
  async run(baseUrl: string, stop: AbortSignal): Promise<void> {
    while (!stop.aborted && this.#unanswered === undefined) {
      const change = pickChange(this.#knowledge());
      this.#serial++;
      const answer = await this.#send(baseUrl, change).catch(() => undefined);
      if (answer === undefined || answer.status === 503) this.#unanswered = change;
      else this.#note(change, answer);
    }
  }

  /**
   * Compares the database with the journal. It must hold everything that was acknowledged and nothing else. A change
   * without a response must be there entirely or not at all.
   */
  settle(facts: readonly Fact[]): void {
    const mine = this.#own(facts);
    const found = toFacts(mine);
    const before = differences(this.#facts, found);
    const pending = this.#unanswered;
    if (pending === undefined) {
      assert.deepEqual(before, [], `client ${this.#name}`);
    } else {
      const after = differences(pending.after, found);
      const message = `client ${this.#name}, ${pending.kind} without an answer; as if not done: ${
        before.join("; ")
      }`;
      assert.ok(before.length === 0 || after.length === 0, `${message}; as if done: ${after.join("; ")}`);
      if (before.length > 0) this.#tally.unansweredDone++;
      else this.#tally.unansweredNotDone++;
    }
    const ids = toIds(mine);
    for (const [key, id] of this.#ids) if (ids.has(key)) assert.equal(ids.get(key), id, key);
    this.#facts = found;
    this.#ids = ids;
  }

  /** Continues after a crash as clients do: gets a new access token and repeats the change without a response. */
  async resume(baseUrl: string): Promise<void> {
    const change = this.#unanswered;
    this.#unanswered = undefined;
    if (change?.kind === "token.rotate") await this.#repeat(baseUrl, change);
    await this.#getAccessToken(baseUrl);
    if (change?.repeatable === true && change.kind !== "token.rotate") await this.#repeat(baseUrl, change);
    if (this.#facts.get(`code ${this.person.email}`) === "used") await this.#useCodeAgain(baseUrl);
  }

  async #getAccessToken(baseUrl: string): Promise<void> {
    const headers = { Authorization: `Bearer ${this.#refreshToken}` };
    const answer = await fetch(`${baseUrl}/auth/accesstoken`, { headers });
    this.#accessToken = await answer.text();
    assert.equal(answer.status, 200, `the refresh token of ${this.#name} is lost: ${this.#accessToken}`);
  }

  async #repeat(baseUrl: string, change: Change): Promise<void> {
    const wasDone = differences(change.after, this.#facts).length === 0;
    const answer = await this.#send(baseUrl, change);
    if (wasDone) assert.ok(answer.status < 300, `${change.kind} was done, repeated: ${answer.text}`);
    this.#note(change, answer);
  }

  async #useCodeAgain(baseUrl: string): Promise<void> {
    const open = new Map(this.#facts).set(`code ${this.person.email}`, "open");
    const change = proveByCode({ ...this.#knowledge(), facts: open });
    assert.ok(change);
    const answer = await this.#send(baseUrl, change);
    assert.equal(answer.status, 401, `a code was taken twice: ${answer.text}`);
  }

  #note(change: Change, { status, text }: { status: number; text: string }): void {
    if (REFUSALS.includes(status)) {
      this.#tally.refused++;
      return;
    }
    assert.ok(status === 200 || status === 204, `${change.kind}: ${status} ${text}`);
    const { acknowledged } = this.#tally;
    acknowledged.set(change.kind, (acknowledged.get(change.kind) ?? 0) + 1);
    const isNew = [...change.after.keys()].filter((key) => !this.#facts.has(key));
    this.#facts = change.after;
    if (change.kind === "token.rotate") this.#noteToken(text);
    for (const key of this.#ids.keys()) if (!change.after.has(key)) this.#ids.delete(key);
    if (!text.startsWith("{")) return;
    const body = JSON.parse(text) as Record<string, { id?: number } | undefined>;
    for (const key of isNew) {
      const id = body[key.split(" ")[0] ?? ""]?.id;
      if (id !== undefined) this.#ids.set(key, id);
    }
  }

  /** Repeated more than ten seconds after a rotation that was done, it skips a generation. */
  #noteToken(refreshToken: string): void {
    this.#refreshToken = refreshToken;
    const generation = refreshToken.split(".")[1];
    this.#facts = new Map(this.#facts).set(`session ${this.person.email}`, `generation ${generation}`);
  }

  async #send(baseUrl: string, change: Change): Promise<{ status: number; text: string }> {
    const headers = new Headers(change.headers);
    const token = change.token === "refresh" ? this.#refreshToken : this.#accessToken;
    if (change.token !== "none") headers.set("Authorization", `Bearer ${token}`);
    const init: RequestInit = { method: change.method, headers };
    if (change.body !== undefined) init.body = JSON.stringify(change.body);
    const response = await fetch(baseUrl + change.path, init);
    return { status: response.status, text: await response.text() };
  }

  #knowledge(): Knowledge {
    return {
      name: this.#name,
      email: this.person.email,
      resetAddresses: this.person.resetAddresses,
      code: this.#code,
      facts: this.#facts,
      ids: this.#ids,
      serial: this.#serial,
    };
  }

  #own(facts: readonly Fact[]): Fact[] {
    return facts.filter(({ key }) => ownerOf(key) === this.#name);
  }
}

/** The client whose name a fact starts with, or undefined if there is none. */
export function ownerOf(key: string): string | undefined {
  return /^\w+ (l\d+)[-.]/.exec(key)?.[1];
}

function toFacts(facts: readonly Fact[]): Facts {
  return new Map(facts.map(({ key, value }) => [key, value]));
}

function toIds(facts: readonly Fact[]): Map<string, number> {
  return new Map(facts.flatMap(({ key, id }) => id === null ? [] : [[key, id] as const]));
}

function differences(expected: Facts, found: Facts): string[] {
  const keys = new Set([...expected.keys(), ...found.keys()]);
  return [...keys].filter((key) => expected.get(key) !== found.get(key))
    .map((key) => `"${key}" is ${found.get(key) ?? "absent"}, not ${expected.get(key) ?? "absent"}`);
}
