import assert from "node:assert/strict";
import { toMask } from "../../src/graph/rights.ts";
import { createRandom } from "../helpers/random_numbers.ts";
import { FAULTS, type FaultyApp } from "../helpers/faulty_proxy.ts";
import { type Answer, assertError, login, logInFully, query, send } from "../helpers/http.ts";
import { bootstrap, type Deletion, type Manages, Person, type Role } from "../helpers/person.ts";
import { ADMIN, ADMIN_PASSWORD, rights } from "./request_catalogue.ts";

/** Share of the requests to the database server that meet a fault. */
export const FAULT_RATE = 0.35;

export const UNAVAILABLE = "The service is temporarily unavailable, try again later";

type Args = Readonly<Record<string, string | number>>;

/** A sequence of requests through a faulty proxy. After each, the database is read directly to see what happened. */
export class RandomRun {
  readonly #target: FaultyApp;
  readonly #random: () => number;
  readonly #relations: Manages[] = [];
  #admin: Person;
  #rootId = 0;
  #refreshToken = "";
  succeeded = 0;
  unavailable = 0;

  constructor(target: FaultyApp, seed: number) {
    this.#target = target;
    this.#random = createRandom(seed);
    this.#admin = new Person(target, "");
  }

  async prepare(): Promise<void> {
    const { admin, rootId } = await bootstrap(this.#target);
    this.#admin = admin;
    this.#rootId = rootId;
    this.#refreshToken = (await logInFully(this.#target, ADMIN, ADMIN_PASSWORD)).refreshToken;
  }

  async step(step: number): Promise<void> {
    const actions = [
      () => this.#create(step),
      () => this.#update(),
      () => this.#delete(),
      () => this.#addMember(step),
      () => this.#logIn(),
      () => this.#refresh(),
      () => this.#sendResetCode(),
    ];
    await this.#pick(actions)();
  }

  /** Sends a request through the proxy. `count` is SQL that counts what it adds: exactly one if it succeeds. */
  async #disturb(count: string, args: Args, request: () => Promise<Answer>): Promise<Answer> {
    const before = await this.#count(count, args);
    const { proxy } = this.#target;
    proxy.setPlan(() => this.#random() < FAULT_RATE ? this.#pick(FAULTS) : undefined);
    const answer = await request();
    proxy.setPlan(undefined);
    await proxy.settle();
    const added = await this.#count(count, args) - before;
    if (answer.status === 503) {
      this.unavailable++;
      assertError(answer, 503, UNAVAILABLE);
      assert.ok(added === 0 || added === 1, `${count}: ${added} more after a 503`);
    } else {
      this.succeeded++;
      assert.ok(answer.status < 300, answer.text);
      assert.equal(added, 1, `${count}: ${added} more after a success`);
    }
    return answer;
  }

  async #create(step: number): Promise<void> {
    const parentId = this.#pick([this.#rootId, ...this.#relations.map(({ childRoleId }) => childRoleId)]);
    const name = `role ${step}`;
    const count = "SELECT count(*) AS n FROM role WHERE name = :name";
    const answer = await this.#disturb(count, { name }, () => this.#admin.askToCreate(parentId, name));
    if (answer.status === 503) return;
    const { manages, role } = answer.body as { manages: Manages; role: Role };
    const [stored] = await query(this.#target, "SELECT id, name FROM role WHERE name = :name", { name });
    assert.deepEqual(stored, { id: role.id, name });
    this.#relations.push(manages);
  }

  async #update(): Promise<void> {
    if (this.#relations.length === 0) return;
    const { id, parentRoleId, childRoleId } = this.#pick(this.#relations);
    // Never those that it has: equal noops of a minute share a row of the log.
    const [stored] = await query<{ rights: number }>(
      this.#target,
      "SELECT rights FROM manages WHERE id = :id",
      { id },
    );
    const hasTwo = stored?.rights === toMask(rights("roleManagement", "userManagement"));
    const weaker = rights("roleManagement", ...(hasTwo ? [] : ["userManagement"]));
    const log = "SELECT count(*) AS n FROM change_log WHERE kind = 'manages.put' AND relation_id = :id";
    const path = `/v1/role/${parentRoleId}/manages?childRoleId=${childRoleId}`;
    const answer = await this.#disturb(log, { id }, () => this.#admin.ask("PUT", path, weaker));
    if (answer.status === 200) {
      assert.deepEqual(answer.body, { manages: { id, parentRoleId, childRoleId, ...weaker } });
    }
  }

  async #delete(): Promise<void> {
    const leaf = this.#relations.find(({ childRoleId }) =>
      this.#relations.every(({ parentRoleId }) => parentRoleId !== childRoleId)
    );
    if (leaf === undefined || this.#random() < 0.5) return;
    const gone = "SELECT count(*) AS n FROM change_log WHERE kind = 'manages.delete' AND relation_id = :id";
    const path = `/v1/role/${leaf.parentRoleId}/manages/${leaf.id}`;
    const answer = await this.#disturb(gone, { id: leaf.id }, () => this.#admin.ask("DELETE", path));
    const left = await this.#count("SELECT count(*) AS n FROM manages WHERE id = :id", { id: leaf.id });
    if (answer.status === 200) {
      assert.ok((answer.body as Deletion).deletedRelationIds.includes(leaf.id));
      assert.equal(left, 0);
    }
    if (left === 0) this.#relations.splice(this.#relations.indexOf(leaf), 1);
  }

  async #addMember(step: number): Promise<void> {
    const email = `person${step}@example.com`;
    const count =
      `SELECT count(*) AS n FROM member CROSS JOIN user_account ON user_account.id = member.user_id
       WHERE email = :email`;
    const path = `/v1/role/${this.#rootId}/member?userEmail=${email}`;
    await this.#disturb(count, { email }, () => this.#admin.ask("PUT", path, {}));
    const mails = "SELECT count(*) AS n FROM outbox WHERE recipient = :email";
    const [mailed, members] = [await this.#count(mails, { email }), await this.#count(count, { email })];
    assert.equal(mailed, members, "one mail a member");
  }

  async #logIn(): Promise<void> {
    // A sign-in whose response was lost rightly counts as a failure, which would cause a wait.
    this.#target.clock.advance(3600);
    const sessions = "SELECT count(*) AS n FROM session";
    const answer = await this.#disturb(sessions, {}, () => login(this.#target, ADMIN, ADMIN_PASSWORD));
    if (answer.status !== 200) return await this.#refreshAccess();
    this.#refreshToken = answer.text;
    const token = await send(this.#target, "GET", "/auth/accesstoken", { token: answer.text });
    assert.equal(token.status, 200, "the token of a success serves");
    this.#admin = new Person(this.#target, token.text);
  }

  async #refresh(): Promise<void> {
    const { proxy } = this.#target;
    proxy.setPlan(() => this.#random() < FAULT_RATE ? this.#pick(FAULTS) : undefined);
    const answer = await send(this.#target, "GET", "/auth/refreshtoken", { token: this.#refreshToken });
    proxy.setPlan(undefined);
    await proxy.settle();
    if (answer.status !== 503) {
      assert.equal(answer.status, 200, answer.text);
      this.#refreshToken = answer.text;
    }
    // In any case, the client continues with its newest token.
    const token = await send(this.#target, "GET", "/auth/accesstoken", { token: this.#refreshToken });
    assert.equal(token.status, 200, token.text);
    this.#admin = new Person(this.#target, token.text);
  }

  async #sendResetCode(): Promise<void> {
    this.#target.clock.advance(86_400);
    const mails = "SELECT count(*) AS n FROM outbox WHERE template = 'password_reset_otp'";
    const sent = { body: { email: ADMIN } };
    await this.#disturb(mails, {}, () => send(this.#target, "POST", "/user/password/reset/send", sent));
    await this.#refreshAccess();
  }

  /** Access tokens expire after ten minutes. */
  async #refreshAccess(): Promise<void> {
    const { refreshToken, accessToken } = await logInFully(this.#target, ADMIN, ADMIN_PASSWORD);
    this.#refreshToken = refreshToken;
    this.#admin = new Person(this.#target, accessToken);
  }

  async #count(sql: string, args: Args): Promise<number> {
    const [row] = await query<{ n: number }>(this.#target, sql, args);
    return row?.n ?? 0;
  }

  #pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.#random() * list.length)] as T;
  }
}
