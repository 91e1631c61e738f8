/** Random clients that lose responses, and thieves, get from the service what a model says. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { forEachKind } from "../helpers/databases.ts";
import { queryNumber, send } from "../helpers/http.ts";
import { SEQUENCES } from "../helpers/read_count.ts";
import { openTestApp, type TestApp } from "../helpers/test_app.ts";
import { type ModelAnswer, RefreshModel } from "./refresh_model.ts";

const RUNS = Math.ceil(SEQUENCES / 4);
const MAX_STEPS = 25;

const PATHS = ["/auth/accesstoken", "/accesstoken", "/auth/refreshtoken/validate"] as const;

/** What becomes of a request: it arrives and is answered; is lost; is lost and arrives after its repetition. */
type Fate = "answered" | "request lost" | "answer lost" | "late";

interface Step {
  readonly rotates: boolean;
  readonly path: (typeof PATHS)[number];
  readonly fate: Fate;
  readonly changesNetwork: boolean;
  /** Seconds before the step. */
  readonly pause: number;
}

const STEP: fc.Arbitrary<Step> = fc.record({
  rotates: fc.boolean(),
  path: fc.constantFrom(...PATHS),
  fate: fc.oneof(
    { weight: 2, arbitrary: fc.constant<Fate>("answered") },
    { weight: 3, arbitrary: fc.constantFrom<Fate>("request lost", "answer lost", "late") },
  ),
  changesNetwork: fc.boolean(),
  pause: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 12 }), fc.integer({ min: 13, max: 36_000 })),
});

/** A session in the service and in the model. */
class Twin {
  readonly target: TestApp;
  readonly model = new RefreshModel();
  readonly #texts: Map<unknown, string>;

  constructor(target: TestApp, first: string) {
    this.target = target;
    this.#texts = new Map([[this.model.first, first]]);
  }

  /** Sends a request to both, and asserts that they answer alike. */
  async ask(token: RefreshModel["first"], network: string, path: string): Promise<ModelAnswer> {
    const now = this.target.clock.now() / 1000;
    const expected = path === "/auth/refreshtoken"
      ? this.model.rotate(token, network, now)
      : this.model.use(token, now);
    const answer = await send(this.target, "GET", path, {
      token: this.#texts.get(token) ?? "",
      from: network,
    });
    assert.equal(answer.status, expected.kind === "token" || expected.kind === "ok" ? 200 : 401, answer.text);
    if (expected.kind === "token") {
      const known = this.#texts.get(expected.token);
      if (known === undefined) assert.ok(![...this.#texts.values()].includes(answer.text), "a new token");
      else assert.equal(answer.text, known, "the same token again");
      this.#texts.set(expected.token, answer.text);
    }
    return expected;
  }
}

/** A holder of a token, who asks with the newest one that reached them. */
class Holder {
  readonly #twin: Twin;
  readonly #networks: readonly [string, string];
  #network = 0;
  held: RefreshModel["first"];

  constructor(twin: Twin, held: RefreshModel["first"], networks: readonly [string, string]) {
    this.#twin = twin;
    this.held = held;
    this.#networks = networks;
  }

  /** Whether every request that arrived was accepted. */
  async act({ rotates, path, fate, changesNetwork }: Step): Promise<boolean> {
    if (changesNetwork) this.#network = 1 - this.#network;
    const network = this.#networks[this.#network] ?? "";
    const { held } = this;
    const asked = rotates ? "/auth/refreshtoken" : path;
    if (fate === "request lost") return true;
    const answer = await this.#twin.ask(held, network, asked);
    if (fate !== "answer lost" && answer.kind === "token") this.held = answer.token;
    const late = fate === "late" ? await this.#twin.ask(held, network, asked) : answer;
    return [answer, late].every(({ kind }) => kind === "token" || kind === "ok");
  }
}

async function openTwin(target: TestApp): Promise<Twin> {
  await target.reset();
  const { userId } = await target.createUser("ada@example.com");
  return new Twin(target, (await target.openSession(userId)).refreshToken);
}

function countAlarms(target: TestApp): Promise<number> {
  return queryNumber(
    target,
    "SELECT count(*) FROM security_event WHERE event = 'session.refresh_token_reused'",
  );
}

/** Registers a test per database that runs the property often, on an app that starts empty each time. */
function testProperty(name: string, property: (target: TestApp) => fc.IAsyncProperty<unknown>): void {
  forEachKind(name, async (kind) => {
    await using target = await openTestApp(kind);
    await fc.assert(property(target), { numRuns: kind === "file" ? RUNS : Math.ceil(RUNS / 4) });
  });
}

const HOME: readonly [string, string] = ["192.0.2.1", "2001:db8:1::1"];
const ELSEWHERE: readonly [string, string] = ["198.51.100.7", "2001:db8:2::1"];

testProperty(
  "an honest client that loses requests and responses keeps its session",
  (target) =>
    fc.asyncProperty(fc.array(STEP, { maxLength: MAX_STEPS }), async (steps) => {
      const twin = await openTwin(target);
      const client = new Holder(twin, twin.model.first, HOME);
      for (const step of steps) {
        target.clock.advance(step.pause);
        assert.ok(await client.act(step));
      }
      assert.equal(await countAlarms(target), 0);
    }),
);

const ANSWERED: Step = {
  rotates: true,
  path: "/auth/accesstoken",
  fate: "answered",
  changesNetwork: false,
  pause: 0,
};

testProperty("two holders in different networks set off one alarm", (target) =>
  fc.asyncProperty(
    fc.array(STEP, { maxLength: MAX_STEPS }),
    fc.array(fc.tuple(fc.boolean(), STEP), { maxLength: MAX_STEPS }),
    async (before, steps) => {
      const twin = await openTwin(target);
      const client = new Holder(twin, twin.model.first, HOME);
      for (const step of before) {
        target.clock.advance(step.pause);
        assert.ok(await client.act(step));
      }
      const thief = new Holder(twin, client.held, ELSEWHERE);
      for (const [isThief, step] of steps) {
        target.clock.advance(step.pause);
        await (isThief ? thief : client).act(step);
      }
      // Enough: each rotates and gets the answer, twice.
      for (const holder of [client, thief, client, thief]) await holder.act(ANSWERED);
      assert.equal(await countAlarms(target), 1);
      assert.equal(await queryNumber(target, "SELECT count(*) FROM outbox"), 1);
      for (const holder of [client, thief]) assert.equal(await holder.act(ANSWERED), false);
    },
  ));

testProperty(
  "a thief in the client's network gets the same token within ten seconds",
  (target) =>
    fc.asyncProperty(fc.integer({ min: 0, max: 9 }), async (pause) => {
      const twin = await openTwin(target);
      const [client, thief] = [1, 2].map(() => new Holder(twin, twin.model.first, HOME));
      assert.ok(await client?.act(ANSWERED));
      target.clock.advance(pause);
      assert.ok(await thief?.act(ANSWERED));
      assert.equal(thief?.held, client?.held);
      assert.equal(await countAlarms(target), 0);
    }),
);
