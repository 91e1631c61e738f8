/** Wrong passwords wait by account and client, to the second, and right ones leave no wait. */
import assert from "node:assert/strict";
import { AppError } from "../../src/core/errors.ts";
import {
  type Answer,
  assertError,
  assertWait,
  forEachApp,
  login,
  query,
  queryNumber,
  testApp,
} from "../helpers/http.ts";
import { besideBystander } from "../helpers/bystander.ts";
import { createSpyHasher, type SpyHasher } from "../helpers/spy_hasher.ts";
import { fifty, statusesOf } from "../flows/concurrency_services.ts";
import { openTestApp, type TestApp } from "../helpers/test_app.ts";

const EMAIL = "ada@example.com";
const PASSWORD = "a password that is right";
const TOO_MANY = "TOO_MANY_FAILED_PASSWORD_CHECKS";
const ROWS = "SELECT (SELECT count(*) FROM security_event) + (SELECT count(*) FROM throttle)";

/** Wait after the nth consecutive failure. */
const SCHEDULE = [0, 0, 0, 30, 60, 120, 300, 900, 3600, 3600, 3600];

interface Scene {
  readonly target: TestApp;
  readonly hasher: SpyHasher;
  /** Logs in with a wrong password. */
  wrong(from?: string, username?: string): Promise<Answer>;
  right(from?: string): Promise<Answer>;
  /** Number of passwords compared since the last call. */
  takeCompared(): number;
}

/** Registers a test per database, with an account with a password and a hasher that counts. */
function scene(
  name: string,
  body: (scene: Scene) => Promise<void>,
  { register = besideBystander(testApp), whenCalled }: {
    register?: typeof testApp;
    whenCalled?: () => void;
  } = {},
): void {
  const hashers = new WeakMap<TestApp, SpyHasher>();
  register(name, async (target) => {
    const hasher = hashers.get(target);
    assert.ok(hasher);
    const { userId } = await target.createUser(EMAIL);
    await target.setPassword(userId, PASSWORD);
    let taken = 0;
    await body({
      target,
      hasher,
      wrong: (from, username = EMAIL) => login(target, username, "wrong", { from }),
      right: (from) => login(target, EMAIL, PASSWORD, { from }),
      takeCompared: () => {
        const compared = hasher.calls.verify + hasher.calls.dummy - taken;
        taken += compared;
        return compared;
      },
    });
  }, async (kind) => {
    const hasher = createSpyHasher(whenCalled);
    const target = await openTestApp(kind, { passwords: hasher, hasher });
    hashers.set(target, hasher);
    return target;
  });
}

/** Fails `count` times in a row from one address, waiting each time as long as the response says. */
async function failInARow({ target, wrong }: Scene, count: number, from?: string): Promise<void> {
  for (let failures = 0; failures < count;) {
    const answer = await wrong(from);
    if (answer.status === 401) failures++;
    else target.clock.advance(Number(answer.headers.get("Retry-After")));
  }
}

for (
  const [who, username] of [["an account", EMAIL], ["an unknown account", "nobody@example.com"]] as const
) {
  scene(`wrong passwords of ${who} wait by the schedule, to the second`, async (s) => {
    for (const [i, seconds] of SCHEDULE.entries()) {
      assertError(await s.wrong(undefined, username), 401, "PASSWORD_INCORRECT", `failure ${i + 1}`);
      assert.equal(s.takeCompared(), 1);
      if (seconds === 0) continue;
      assertWait(await s.wrong(undefined, username), TOO_MANY, seconds, `after failure ${i + 1}`);
      s.target.clock.advance(seconds - 1);
      assertWait(await s.wrong(undefined, username), TOO_MANY, 1, `at the end of wait ${i + 1}`);
      assert.equal(s.takeCompared(), 0, "a password was checked during the wait");
      s.target.clock.advance(1);
    }
  });
}

scene("the hundredth failure in a row costs a day, even from a known client", async (s) => {
  assert.equal((await s.right()).status, 200);
  await failInARow(s, 99);
  assertWait(await s.wrong(), TOO_MANY, 3600);
  s.target.clock.advance(3600);
  assertError(await s.wrong(), 401, "PASSWORD_INCORRECT");
  assertWait(await s.wrong(), TOO_MANY, 86_400);
  s.target.clock.advance(86_399);
  assertWait(await s.right(), TOO_MANY, 1);
});

scene("failures are forgotten a day after their last wait, and not before", async (s) => {
  await failInARow(s, 4);
  s.target.clock.advance(30 + 86_399);
  assertError(await s.wrong(), 401, "PASSWORD_INCORRECT");
  assertWait(await s.wrong(), TOO_MANY, 60);
  s.target.clock.advance(60 + 86_400);
  for (let i = 0; i < 4; i++) assertError(await s.wrong(), 401, "PASSWORD_INCORRECT");
  assertWait(await s.wrong(), TOO_MANY, 30);
});

scene("an attempt during a wait hashes and writes nothing and does not extend the wait", async (s) => {
  await failInARow(s, 4);
  s.takeCompared();
  const rows = await queryNumber(s.target, ROWS);
  for (let second = 0; second < 30; second++) {
    assertWait(await (second % 2 ? s.right() : s.wrong()), TOO_MANY, 30 - second);
    s.target.clock.advance(1);
  }
  assert.equal(await queryNumber(s.target, ROWS), rows);
  assert.equal(s.takeCompared(), 0);
  assert.equal((await s.right()).status, 200);
});

scene("a success restarts the schedule", async (s) => {
  await failInARow(s, 6);
  s.target.clock.advance(120);
  assert.equal((await s.right()).status, 200);
  for (let i = 0; i < 4; i++) assertError(await s.wrong(), 401, "PASSWORD_INCORRECT");
  assertWait(await s.wrong(), TOO_MANY, 30);
});

scene("each client address has its own wait", async (s) => {
  await failInARow(s, 4, "192.0.2.1");
  assertWait(await s.right("192.0.2.1"), TOO_MANY, 30);
  assert.equal((await s.right("192.0.2.2")).status, 200);
  assertWait(await s.right("192.0.2.1"), TOO_MANY, 30, "a success elsewhere lifted the wait");
});

scene("each account has its own wait", async (s) => {
  await failInARow(s, 4);
  assertError(await s.wrong(undefined, "other@example.com"), 401, "PASSWORD_INCORRECT");
  assertWait(await s.wrong(), TOO_MANY, 30);
});

scene("all spellings of a username count as one account", async (s) => {
  const spellings = [EMAIL, EMAIL.toUpperCase(), ` ${EMAIL} `, "ａｄａ@example.com"];
  for (const spelling of spellings) {
    assertError(await s.wrong(undefined, spelling), 401, "PASSWORD_INCORRECT");
  }
  assertWait(await s.wrong(), TOO_MANY, 30);
});

scene("an IPv6 client counts by its /64", async (s) => {
  const addresses = [
    "2001:db8:0:1::1",
    "2001:db8:0:1::2",
    "2001:0db8:0000:0001:ffff::3",
    "2001:db8:0:1:a:b:c:d",
  ];
  for (const from of addresses) assertError(await s.wrong(from), 401, "PASSWORD_INCORRECT");
  assertWait(await s.right("2001:DB8:0:1::9"), TOO_MANY, 30);
  assert.equal((await s.right("2001:db8:0:2::1")).status, 200);
});

scene("all spellings of an IPv4 address count as one client", async (s) => {
  for (const from of ["192.0.2.9", "::ffff:192.0.2.9", "::FFFF:192.0.2.9", "192.0.2.9"]) {
    assertError(await s.wrong(from), 401, "PASSWORD_INCORRECT");
  }
  assertWait(await s.right("::ffff:192.0.2.9"), TOO_MANY, 30);
});

scene("a client address has fifty failures an hour over all accounts", async (s) => {
  for (let i = 0; i < 50; i++) {
    assertError(await s.wrong(undefined, `user${i % 17}@example.com`), 401, "PASSWORD_INCORRECT");
    s.target.clock.advance(10);
  }
  s.takeCompared();
  assertWait(await s.right(), TOO_MANY, 3600 - 500);
  assertWait(await s.wrong(undefined, "another@example.com"), TOO_MANY, 3600 - 500);
  assert.equal(s.takeCompared(), 0);
  assert.equal((await s.right("192.0.2.2")).status, 200, "another address was stopped, too");
  s.target.clock.advance(3600 - 500 - 1);
  assertWait(await s.right(), TOO_MANY, 1);
  s.target.clock.advance(1);
  assert.equal((await s.right()).status, 200);
  for (const username of ["one@example.com", "two@example.com"]) {
    assertError(await s.wrong(undefined, username), 401, "PASSWORD_INCORRECT", "the next hour's fifty");
  }
});

scene("a right password uses none of the strangers' allowance", async (s) => {
  assertError(await s.wrong("192.0.2.60"), 401, "PASSWORD_INCORRECT");
  for (let i = 0; i < 61; i++) assert.equal((await s.right(`192.0.2.${i}`)).status, 200);
  const counts = "SELECT scope, key, count FROM throttle WHERE count <> 0";
  const left = await query<{ scope: string }>(s.target, counts);
  const [address, networks] = ["password.address", "password.strangers_by_network"];
  const ofTheWrongOne = [address, address, networks, networks, networks];
  assert.deepEqual(left.map(({ scope }) => scope).sort(), ofTheWrongOne);
}, { register: testApp });

scene("of fifty simultaneous wrong passwords, four are compared", async (s) => {
  const answers = await fifty(() => s.wrong());
  assert.deepEqual(statusesOf(answers), { 401: 4, 429: 46 });
  for (const answer of answers) if (answer.status === 429) assertWait(answer, TOO_MANY, 30);
  assert.equal(s.takeCompared(), 4);
  const wrong = "SELECT count(*) FROM security_event WHERE result = 'wrong'";
  assert.equal(await queryNumber(s.target, wrong), 4);
}, { register: forEachApp });

scene("simultaneous wrong passwords are counted by account and address", async (s) => {
  const clients = ["192.0.2.1", "192.0.2.2", "2001:db8::1", "2001:db8::2"];
  const attempts = Array.from(
    { length: 48 },
    (_, i) => s.wrong(clients[i % 4], i % 8 < 4 ? EMAIL : "x@example.com"),
  );
  await Promise.all(attempts);
  assert.equal(s.takeCompared(), 2 * 3 * 4);
}, { register: forEachApp });

scene("simultaneous right passwords are never counted as wrong", async (s) => {
  const answers = await fifty(() => s.right());
  const tokens = answers.filter((answer) => answer.status === 200).map((answer) => answer.text);
  assert.ok(tokens.length >= 4, `${tokens.length} of fifty got in`);
  assert.equal(new Set(tokens).size, tokens.length, "two logins share a session");
  for (const answer of answers) {
    if (answer.status !== 200) assertError(answer, 429, TOO_MANY);
  }
  assert.equal((await s.right()).status, 200, "the successes left a wait behind");
  assert.deepEqual(await query(s.target, "SELECT scope, count FROM throttle WHERE count <> 0"), []);
}, { register: forEachApp });

let isFull = false;
const whileFull = (): void => {
  if (isFull) throw new AppError("UNAVAILABLE", { retryAfterSeconds: 1 });
};

scene("a login gets a 503 and counts as no failure if the hasher is full", async (s) => {
  await failInARow(s, 3);
  isFull = true;
  try {
    for (let i = 0; i < 60; i++) {
      const answer = await s.right();
      assertError(answer, 503, "The service is temporarily unavailable, try again later", `attempt ${i + 1}`);
      assert.equal(answer.headers.get("Retry-After"), "1");
    }
  } finally {
    isFull = false;
  }
  assertError(await s.wrong(), 401, "PASSWORD_INCORRECT", "the fourth failure");
  assertWait(await s.wrong(), TOO_MANY, 30);
}, { whenCalled: whileFull });

scene("logins refused by a full hasher bring no stranger closer to a wait", async (s) => {
  isFull = true;
  try {
    for (let i = 0; i < 120; i++) assert.equal((await s.wrong(`198.51.100.${i}`)).status, 503);
  } finally {
    isFull = false;
  }
  assertError(await s.wrong("198.51.100.200"), 401, "PASSWORD_INCORRECT");
}, { whenCalled: whileFull });
