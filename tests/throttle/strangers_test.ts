/** Strangers share allowances by network, which lock out neither known clients nor other networks. */
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { loadArgon2 } from "../../src/accounts/password/argon2.ts";
import { createPasswordHasher } from "../../src/accounts/password/hasher.ts";
import {
  type Answer,
  assertError,
  assertWait,
  forEachApp,
  login,
  queryNumber,
  send,
  testApp,
} from "../helpers/http.ts";
import { besideBystander } from "../helpers/bystander.ts";
import { lastCode, readMails } from "../helpers/mails.ts";
import { createSpyHasher } from "../helpers/spy_hasher.ts";
import { openQuickApp, openTestApp, type TestApp } from "../helpers/test_app.ts";

const ADA = "ada@example.com";
const BEA = "bea@example.com";
const UNKNOWN = "unknown@example.com";
const PASSWORD = "a password that is right";
const NEW = "a password of another day";
/** The client that Ada's account knows. */
const HOME = "203.0.113.7";
const TOO_MANY = "TOO_MANY_FAILED_PASSWORD_CHECKS";
const TOO_MANY_MAILS = "TOO_MANY_RESET_MAIL_ATTEMPTS";
const INCORRECT = "PASSWORD_INCORRECT";
const ELSEWHERE = "198.51.100.1";
const HOUR = 3600;
const DAY = 86_400;

/**
 * Registers a test with Ada, who signed in at home once, and Bea, who never did: per database, or with `testApp` on a
 * file alone, for what the figures of each network decide.
 */
function scene(
  name: string,
  body: (target: TestApp) => Promise<void>,
  register = besideBystander(testApp),
): void {
  register(name, async (target) => {
    await createPeople(target);
    await body(target);
  }, (kind) => {
    const hasher = createSpyHasher();
    return openTestApp(kind, { passwords: hasher, hasher });
  });
}

async function createPerson(target: TestApp, email: string): Promise<void> {
  const { userId } = await target.createUser(email);
  await target.setPassword(userId, PASSWORD);
}

async function createPeople(target: TestApp): Promise<void> {
  for (const email of [ADA, BEA]) await createPerson(target, email);
  assert.equal((await right(target, HOME)).status, 200);
}

function right(target: TestApp, from: string, username = ADA): Promise<Answer> {
  return login(target, username, PASSWORD, { from });
}

function wrong(target: TestApp, from: string, username = ADA): Promise<Answer> {
  return login(target, username, "a password that is wrong", { from });
}

function askMail(target: TestApp, from: string, email = ADA): Promise<Answer> {
  return send(target, "POST", "/user/password/reset/send", { body: { email }, from });
}

function assertMailed(answer: Answer): void {
  assert.equal(answer.status, 200, answer.text);
}

/** Sets a new password for Ada, by a code that was mailed to her. */
async function reset(target: TestApp, from: string): Promise<void> {
  assertMailed(await askMail(target, from));
  const otp = await lastCode(target, "password_reset_otp");
  const body = { userEmail: ADA, otp, newPassword: NEW };
  assert.equal((await send(target, "PUT", "/user/password/otp", { body, from })).status, 200);
}

/** A client in the nth IPv4 /24 or IPv6 /48, alternately. */
function clientOf(network: number): string {
  return network % 2 === 0 ? `198.18.${network / 2}.1` : `2001:db8:${network.toString(16)}::1`;
}

/** Failures on an account from networks 0 to 2, as if those were `count` over all networks. */
async function crowd(target: TestApp, count = 100): Promise<void> {
  for (let i = 0; i < 3; i++) assertError(await wrong(target, clientOf(i)), 401, INCORRECT);
  const sql = `UPDATE throttle SET count = :count
    WHERE scope = 'password.strangers_by_network' AND instr(key, ' ') = 0`;
  await target.database.write([{ sql, args: { count } }]);
}

/** Sends one request from each client and returns how many were let through before the first 429. */
async function countUntilRefused(
  clients: Iterable<string>,
  request: (from: string) => Promise<Answer>,
): Promise<number> {
  let count = 0;
  for (const from of clients) {
    if ((await request(from)).status === 429) return count;
    count++;
  }
  return count;
}

function* take(count: number, make: (i: number) => string): Generator<string> {
  for (let i = 0; i < count; i++) yield make(i);
}

scene("after a hundred failures of strangers, new networks sign in by the password", async (target) => {
  for (let i = 0; i < 100; i++) {
    const answer = await wrong(target, clientOf(Math.floor(i / 3)));
    assertError(answer, 401, INCORRECT, `failure ${i + 1}`);
  }
  for (let i = 0; i < 65; i++) {
    assert.equal((await right(target, clientOf(100 + i))).status, 200, `network ${i}`);
  }
});

scene("after a hundred failures, a network that failed waits until the end of the day", async (target) => {
  await crowd(target);
  target.clock.advance(100);
  const other = "198.18.0.99";
  assertWait(await right(target, other), TOO_MANY, DAY - 100, "another client of a network that failed");
  assertWait(await right(target, "2001:db8:1:ffff::1"), TOO_MANY, DAY - 100, "the same with IPv6");
  assertError(await wrong(target, clientOf(100)), 401, INCORRECT);
  assertWait(await wrong(target, clientOf(100)), TOO_MANY, DAY - 100, "a new network has one failure");
  assertError(await wrong(target, HOME), 401, INCORRECT, "a known client does not wait");
  assert.equal((await right(target, HOME)).status, 200);
  assertWait(await right(target, other), TOO_MANY, DAY - 100, "a success elsewhere frees no stranger");
  assert.equal((await right(target, other, BEA)).status, 200, "another account's strangers wait");
  target.clock.advance(DAY - 101);
  assertWait(await right(target, other), TOO_MANY, 1);
  target.clock.advance(1);
  assert.equal((await right(target, other)).status, 200);
}, testApp);

scene("a client known to one account is a stranger to another", async (target) => {
  assert.equal((await right(target, clientOf(0), BEA)).status, 200);
  await crowd(target);
  assertWait(await right(target, clientOf(0)), TOO_MANY, DAY);
}, testApp);

scene("strangers fail a thousand times a day at most, and a reset admits its client", async (target) => {
  await crowd(target, 999);
  assertError(await wrong(target, clientOf(100)), 401, INCORRECT, "the thousandth");
  for (const from of [clientOf(101), clientOf(0)]) assertWait(await right(target, from), TOO_MANY, DAY);
  assert.equal((await right(target, HOME)).status, 200);
  await reset(target, clientOf(101));
  assertWait(await login(target, ADA, NEW, { from: clientOf(102) }), TOO_MANY, DAY);
  assert.equal((await login(target, ADA, NEW, { from: clientOf(101) })).status, 200);
}, testApp);

scene("a reset by mail ends the waits of its own client only", async (target) => {
  for (const from of [HOME, "192.0.2.8"]) {
    for (let i = 0; i < 4; i++) assertError(await wrong(target, from), 401, INCORRECT);
    assertWait(await right(target, from), TOO_MANY, 30);
  }
  await reset(target, HOME);
  assert.equal((await login(target, ADA, NEW, { from: HOME })).status, 200);
  assertWait(await login(target, ADA, NEW, { from: "192.0.2.8" }), TOO_MANY, 30);
});

const NETWORKS = [
  ["a client", 1, (i: number) => `2001:db8:5:500::${i + 1}`],
  ["an IPv6 /56", 2, (i: number) => `2001:db8:5:5${i.toString(16).padStart(2, "0")}::1`],
  ["an IPv6 /48", 3, (i: number) => `2001:db8:5:${i.toString(16)}00::1`],
  ["an IPv4 /24", 3, (i: number) => `192.0.2.${i}`],
] as const;

for (const [name, factor, client] of NETWORKS) {
  scene(
    `${name} has its share of the failures on an account and leaves room for other networks`,
    async (target) => {
      const most = 20 * factor;
      const guess = async (from: string): Promise<Answer> => {
        const answer = await wrong(target, from);
        // The schedule of each pair allows three failures without a wait.
        target.clock.advance(factor === 1 ? HOUR : 0);
        return answer;
      };
      const clients = take(most + 1, (i) => client(factor === 1 ? 0 : Math.floor(i / 3)));
      assert.equal(await countUntilRefused(clients, guess), most);
      for (let i = 0; i < 3; i++) assertError(await wrong(target, ELSEWHERE), 401, INCORRECT, "elsewhere");
    },
    testApp,
  );

  scene(`${name} can fail on its share of accounts in an hour, at one failure each`, async (target) => {
    const most = 20 * factor;
    const clients = take(most + 1, (i) => client(factor === 1 ? 0 : i));
    let account = 0;
    const guess = (from: string) => wrong(target, from, `user${account++}@example.com`);
    assert.equal(await countUntilRefused(clients, guess), most);
    assertWait(await right(target, client(0), BEA), TOO_MANY, HOUR);
    assert.equal((await right(target, ELSEWHERE, BEA)).status, 200);
  }, testApp);

  scene(
    `${name} has its share of an account's mails and leaves room for other networks`,
    async (target) => {
      const most = 6 * factor;
      const ask = async (from: string): Promise<Answer> => {
        const answer = await askMail(target, from);
        target.clock.advance(factor === 1 ? HOUR : 0);
        return answer;
      };
      assert.equal(await countUntilRefused(take(most + 1, (i) => client(factor === 1 ? 0 : i)), ask), most);
      for (const from of [ELSEWHERE, "198.51.100.2"]) assertMailed(await askMail(target, from));
    },
    testApp,
  );
}

scene("failures on other accounts at a gateway do not block an account that knows it", async (target) => {
  for (let i = 0; i < 20; i++) {
    assertError(await wrong(target, HOME, `user${i}@example.com`), 401, INCORRECT);
  }
  assertWait(await right(target, HOME, BEA), TOO_MANY, HOUR);
  for (let i = 0; i < 4; i++) assertError(await wrong(target, HOME), 401, INCORRECT);
  assertWait(await right(target, HOME), TOO_MANY, 30);
  target.clock.advance(30);
  assert.equal((await right(target, HOME)).status, 200);
});

scene("failures from a known client count against no other account", async (target) => {
  const before = await queryNumber(target, "SELECT coalesce(sum(count), 0) FROM throttle");
  for (let i = 0; i < 4; i++) assertError(await wrong(target, HOME), 401, INCORRECT);
  const after = await queryNumber(target, "SELECT sum(count) FROM throttle");
  assert.equal(after, before + 4, "the schedule's alone");
});

scene("a right password clears the failures that counted the account", async (target) => {
  for (let i = 0; i < 25; i++) {
    const email = `user${i}@example.com`;
    await createPerson(target, email);
    assertError(await wrong(target, "192.0.2.1", email), 401, INCORRECT);
    assert.equal((await right(target, "192.0.2.1", email)).status, 200);
  }
  const most = "SELECT coalesce(max(count), -1) FROM throttle WHERE scope = 'password.accounts'";
  assert.equal(await queryNumber(target, most), 0);
}, testApp);

scene("of simultaneous guesses from many clients of a network, its share is compared", async (target) => {
  const answers = await Promise.all(Array.from({ length: 100 }, (_, i) => wrong(target, `192.0.2.${i}`)));
  assert.equal(answers.filter(({ status }) => status === 401).length, 60);
}, forEachApp);

Deno.test("forty-eight connections of strangers leave room for every sign-in of known clients", async () => {
  const held = Promise.withResolvers<void>();
  const native = await loadArgon2();
  const isHeld = { now: false };
  const argon2 = {
    ...native,
    verify: async (password: Uint8Array, phc: string): Promise<boolean> => {
      if (isHeld.now) await held.promise;
      return await native.verify(password, phc);
    },
  };
  const hasher = createPasswordHasher({ loadArgon2: () => Promise.resolve(argon2) });
  await using target = await openQuickApp({ hasher, passwords: hasher });
  const people = Array.from({ length: 11 }, (_, i) => `user${i}@example.com`);
  for (const email of people) {
    await createPerson(target, email);
    assert.equal((await right(target, HOME, email)).status, 200);
  }
  isHeld.now = true;
  const attack = Array.from({ length: 48 }, (_, i) => wrong(target, clientOf(i), `unknown${i}@example.com`));
  // Places are taken in the order of the requests.
  const signIns = people.map((email) => right(target, HOME, email));
  // Until all requests have taken their place, or were refused.
  const begun = "SELECT sum(attempts) FROM security_event WHERE event = 'login'";
  for (let before = 0, now = 1; now !== before || now < 2 * people.length + 20;) {
    before = now;
    await delay(200);
    now = await queryNumber(target, begun);
  }
  held.resolve();
  for (const answer of await Promise.all(signIns)) assert.equal(answer.status, 200, answer.text);
  assert.equal((await Promise.all(attack)).filter(({ status }) => status === 503).length, 23);
});

scene("twenty requests from twenty IPv6 networks block no reset from elsewhere", async (target) => {
  for (let i = 0; i < 20; i++) await askMail(target, `2001:db8:0:${i}::1`);
  assertMailed(await askMail(target, ELSEWHERE));
  assertMailed(await askMail(target, HOME));
});

scene("after twenty mails for strangers, each new network gets one, up to fifty in all", async (target) => {
  for (let i = 0; i < 20; i++) assertMailed(await askMail(target, clientOf(i)));
  target.clock.advance(60);
  assertWait(await askMail(target, clientOf(0)), TOO_MANY_MAILS, DAY - 60);
  for (let i = 20; i < 50; i++) assertMailed(await askMail(target, clientOf(i)));
  assertWait(await askMail(target, clientOf(50)), TOO_MANY_MAILS, DAY - 60);
  assertMailed(await askMail(target, clientOf(50), BEA));
  for (let i = 0; i < 3; i++) {
    assertMailed(await askMail(target, HOME));
    target.clock.advance(60);
  }
  assert.equal((await readMails(target, "password_reset_otp")).length, 54);
  target.clock.advance(DAY - 60 - 180 - 1);
  assertWait(await askMail(target, clientOf(50)), TOO_MANY_MAILS, 1);
  target.clock.advance(1);
  assertMailed(await askMail(target, clientOf(50)));
});

scene("requests for other accounts at a gateway do not block an account that knows it", async (target) => {
  for (let i = 0; i < 20; i++) assertMailed(await askMail(target, HOME, `user${i}@example.com`));
  assertWait(await askMail(target, HOME, BEA), TOO_MANY_MAILS, HOUR);
  assertMailed(await askMail(target, HOME));
});

scene("strangers of an unknown and of a known account get the same counts and responses", async (target) => {
  const seen: unknown[] = [];
  for (const [email, first] of [[BEA, 0], [UNKNOWN, 200]] as const) {
    const before = await countRows(target);
    const answers: Answer[] = [];
    for (let i = 0; i < 102; i++) {
      answers.push(await wrong(target, clientOf(first + Math.floor(i / 3)), email));
    }
    answers.push(await wrong(target, clientOf(first + 100), email));
    for (let i = 0; i < 22; i++) answers.push(await askMail(target, clientOf(first + (i % 21)), email));
    const after = await countRows(target);
    seen.push({
      answers: answers.map(({ status, text }) => [status, text]),
      rows: after.map((count, i) => count - (before[i] ?? 0)),
    });
    target.clock.advance(DAY);
  }
  assert.deepEqual(seen[1], seen[0]);
});

const TABLES = ["security_event", "throttle", "one_time_code", "outbox", "known_address"];

/** The number of rows in each table that attempts leave rows in. */
function countRows(target: TestApp): Promise<number[]> {
  return Promise.all(TABLES.map((table) => queryNumber(target, `SELECT count(*) FROM ${table}`)));
}
