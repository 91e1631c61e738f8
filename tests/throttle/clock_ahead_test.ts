/** Whatever a service stores while its clock is ahead locks nothing once the clock is right. */
import assert from "node:assert/strict";
import { createApp } from "../../src/app.ts";
import { deliverMails } from "../../src/mail/delivery.ts";
import { purge } from "../../src/purge/purge_service.ts";
import { fakeTransport, openOutbox } from "../mail/outbox.ts";
import { assertError, forEachApp, login, query, queryNumber, send, testApp } from "../helpers/http.ts";
import { lastCode } from "../helpers/mails.ts";
import { bootstrap, Person } from "../helpers/person.ts";
import {
  activateEmailOtp,
  activateTotp,
  type Ada,
  EMAIL,
  PASSWORD,
  startLogin,
  testAda,
} from "../helpers/second_factors.ts";
import { signIn } from "../helpers/security_scene.ts";
import { requestsTo, type TestApp } from "../helpers/test_app.ts";
import { ADMIN } from "../every_operation/request_catalogue.ts";
import { addDevice, COLLECT, powerOf } from "../every_operation/telemetry_requests.ts";

const HOUR = 3600;
const YEAR = 365 * 86_400;

/** Does something while the clock is ahead. */
async function ahead<T>({ clock }: TestApp, seconds: number, act: () => Promise<T>): Promise<T> {
  clock.advance(seconds);
  const before = clock.now();
  const result = await act();
  clock.advance(-seconds - (clock.now() - before) / 1000);
  return result;
}

async function repeat(count: number, act: (i: number) => Promise<unknown>): Promise<void> {
  for (let i = 0; i < count; i++) await act(i);
}

for (const [name, seconds] of [["two minutes", 120], ["an hour", HOUR], ["ten years", 10 * YEAR]] as const) {
  testAda(`wrong passwords of a clock ${name} ahead lock no account`, async ({ target }) => {
    const waits = await ahead(target, seconds, async () => {
      await repeat(4, () => login(target, EMAIL, "wrong"));
      return await login(target, EMAIL, PASSWORD);
    });
    assert.equal(waits.status, 429);
    assert.equal((await login(target, EMAIL, PASSWORD)).status, 200);
  });

  testAda(`wrong codes of a clock ${name} ahead lock no factor`, async ({ target, accessToken }) => {
    const { app } = await activateTotp(target, accessToken);
    const prove = async (totp: string): Promise<number> =>
      (await send(target, "POST", "/user/2fa/totp/authenticate", {
        token: await startLogin(target),
        body: { totp },
      })).status;
    const waits = await ahead(target, seconds, async () => {
      await repeat(4, () => prove(app.wrongCode()));
      return await prove(app.code());
    });
    assert.equal(waits, 429);
    assert.equal(await prove(app.code()), 200);
  });
}

forEachApp("failures on many accounts while a clock was ahead let their client sign in", async (target) => {
  const { userId } = await target.createUser(EMAIL);
  await target.setPassword(userId, PASSWORD);
  const waits = await ahead(target, YEAR, async () => {
    await repeat(20, (i) => login(target, `unknown${i}@example.com`, "wrong"));
    return await login(target, EMAIL, PASSWORD);
  });
  assert.equal(waits.status, 429);
  // The window that begins now counts from one.
  await repeat(19, (i) => login(target, `unknown${i}@example.com`, "wrong"));
  assert.equal((await login(target, EMAIL, PASSWORD)).status, 200);
});

testAda("a code that was used up while a clock was ahead does not use up those before it", async (ada) => {
  const { target, accessToken } = ada;
  const { app } = await activateTotp(target, accessToken);
  const prove = async () =>
    await send(target, "POST", "/user/2fa/totp/authenticate", {
      token: await startLogin(target),
      body: { totp: app.code() },
    });
  assert.equal((await ahead(target, HOUR, prove)).status, 200);
  assert.equal((await prove()).status, 200);
  assertError(await prove(), 401, "TOTP_INVALID", "used up by now");
});

async function askForCode({ target }: Ada): Promise<number> {
  const token = await startLogin(target);
  return (await send(target, "POST", "/user/2fa/email-otp/challenge", { token })).status;
}

testAda("codes that were mailed while a clock was ahead hold back no other", async (ada) => {
  const { target, accessToken } = ada;
  await activateEmailOtp(target, accessToken);
  const statuses = await ahead(target, YEAR, async () => {
    const day: number[] = [];
    await repeat(10, async () => {
      day.push(await askForCode(ada));
      target.clock.advance(900);
    });
    return [...day, await askForCode(ada)];
  });
  assert.deepEqual(statuses, [...Array<number>(10).fill(200), 429]);
  assert.equal(await askForCode(ada), 200);
  assert.equal(await askForCode(ada), 429, "the next one waits as ever");
});

testApp("a limit of mails that was reached while a clock was ahead does not last", async (target) => {
  const { userId } = await signIn(target, EMAIL, PASSWORD);
  const initiate = async () => {
    const { accessToken: token } = await target.openSession(userId);
    return (await send(target, "POST", "/user/email/initiate", { token, body: { email: "ada@new.example" } }))
      .status;
  };
  assert.deepEqual(await ahead(target, YEAR, async () => [await initiate(), await initiate()]), [200, 429]);
  assert.deepEqual([await initiate(), await initiate()], [200, 429]);
});

forEachApp("a bucket of telemetry that was filled while a clock was ahead drains", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  await addDevice(admin, rootId, "meter");
  const telemetryBucket = { capacity: 5000, drainSeconds: 50 };
  const instance = { request: requestsTo(createApp({ ...target.deps, telemetryBucket })) };
  const ask = async () => {
    const [{ id } = { id: 0 }] = await query<{ id: number }>(
      target,
      `SELECT id FROM user_account WHERE email = '${ADMIN}'`,
    );
    const body = Array<unknown>(20).fill(powerOf("meter"));
    return (await send(instance, "POST", COLLECT, { token: await target.accessToken(id), body })).status;
  };
  assert.deepEqual(await ahead(target, YEAR, async () => [await ask(), await ask()]), [200, 429]);
  assert.equal(await ask(), 429);
  target.clock.advance(50);
  assert.equal(await ask(), 200);
});

/** The user in a new session: tokens of a clock that is ahead are not valid yet. */
async function again(target: TestApp, userId: number): Promise<Person> {
  return new Person(target, await target.accessToken(userId));
}

testApp("changes that were charged while a clock was ahead leave room for others", async (target) => {
  const { userId, roleId } = await target.bootstrapRoot(ADMIN, "Energy Inc");
  const create = async () => (await (await again(target, userId)).askToCreate(roleId, "Plant")).status;
  assert.equal(await ahead(target, YEAR, create), 200);
  assert.deepEqual([await create(), await create()], [200, 200]);
});

testApp("an Idempotency-Key of a clock ahead lasts for a day from the next purge", async (target) => {
  const { userId, roleId } = await target.bootstrapRoot(ADMIN, "Energy Inc");
  const create = async (name: string) =>
    await (await again(target, userId)).askToCreate(roleId, name, { headers: { "Idempotency-Key": "k" } });
  const first = await ahead(target, YEAR, () => create("Plant"));
  assert.equal((await create("Plant")).text, first.text, "a repeated request makes no second role");
  assert.equal((await create("Mill")).status, 422);
  await purge(target.deps);
  assert.equal((await create("Plant")).text, first.text);
  target.clock.advance(86_400);
  assert.equal((await create("Mill")).status, 200);
});

testApp("a change of address by a clock ahead can be undone for three days after a purge", async (target) => {
  const { userId } = await signIn(target, EMAIL, PASSWORD);
  const change = async (email: string) => {
    const { accessToken: token } = await target.openSession(userId);
    const begun = await send(target, "POST", "/user/email/initiate", { token, body: { email } });
    if (begun.status !== 200) return begun.status;
    const otp = await lastCode(target, "email_transfer_otp");
    return (await send(target, "PUT", "/user/email", { token, body: { otp } })).status;
  };
  assert.equal(await ahead(target, YEAR, () => change("ada@new.example")), 200);
  assert.equal(await change("ada@third.example"), 409);
  await purge(target.deps);
  assert.equal(await change("ada@third.example"), 409);
  target.clock.advance(3 * 86_400);
  assert.equal(await change("ada@third.example"), 200);
  target.clock.advance(3 * 86_400);
  assert.equal(await change(EMAIL), 200, "nor is the old address reserved any more");
});

testApp("a device deleted by a clock ahead gives its nodeId back after the usual time", async (target) => {
  const { userId, roleId } = await target.bootstrapRoot(ADMIN, "Energy Inc");
  const plant = await (await again(target, userId)).create(roleId, "Plant");
  const add = async (at: number) =>
    await (await again(target, userId)).ask("POST", `/v1/device?roleId=${at}`, {
      properties: { nodeId: "meter" },
    });
  assert.equal((await add(plant)).status, 200);
  const [monitors] = await query<{ id: number }>(target, "SELECT id FROM monitors");
  await ahead(
    target,
    10 * YEAR,
    async () => await (await again(target, userId)).delete(`/v1/role/${plant}/monitors/${monitors?.id}`),
  );
  assert.equal((await add(roleId)).status, 409);
  await purge(target.deps);
  assert.equal((await add(roleId)).status, 409);
  target.clock.advance(30 * 86_400);
  assert.equal((await add(roleId)).status, 200);
});

testApp("changes made while a clock was ahead are of the past after the next purge", async (target) => {
  const { userId, roleId } = await target.bootstrapRoot(ADMIN, "Energy Inc");
  await ahead(target, YEAR, async () => await (await again(target, userId)).create(roleId, "Early"));
  const late = await (await again(target, userId)).create(roleId, "Late");
  const held = async () => {
    const asOf = new Date(target.clock.now()).toISOString();
    const body = { checks: [{ roleId: late, right: "viewManagement" }], asOf };
    const { accessToken: token } = await target.openSession(userId);
    return (await send(target, "POST", "/v1/rights/check", { token, body })).body;
  };
  const before = await held();
  await purge(target.deps);
  target.clock.advance(60);
  assert.notDeepEqual(await held(), before);
  assert.deepEqual((await held() as { allowed: boolean[] }).allowed, [true]);
  assert.equal(
    await queryNumber(target, `SELECT count(*) FROM change_log WHERE at > ${target.clock.now()}`),
    0,
  );
});

testApp("a mail that failed while a clock was ahead is sent after the next purge", async (target) => {
  const { database } = target;
  const outcomes = ["failed", "sent"] as const;
  const transport = fakeTransport(() => ({
    result: outcomes[transport.mails.length - 1] ?? "sent",
    reason: "down",
  }));
  const outbox = await openOutbox(database, transport);
  await outbox.put("m", { lifeSeconds: 20 * HOUR });
  outbox.advance(10 * HOUR);
  assert.equal((await deliverMails(outbox.deps)).postponed, 1);
  outbox.advance(-10 * HOUR);
  assert.equal((await deliverMails(outbox.deps)).delivered, 0);
  await purge({ ...target.deps, database, clock: outbox.deps.clock });
  assert.equal((await deliverMails(outbox.deps)).delivered, 1);
});
