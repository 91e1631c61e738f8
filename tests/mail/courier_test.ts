/** The courier delivers at each committed mail, once, and stops in time. */
import assert from "node:assert/strict";
import { createCourier, wakeOnMail } from "../../src/mail/courier.ts";
import { openTransport } from "../../src/mail/open_transport.ts";
import { bind } from "../../src/db/statement.ts";
import { fakeTransport, openOutbox } from "./outbox.ts";
import { startSmtpServer } from "./smtp.ts";
import { openTestApp } from "../helpers/test_app.ts";
import { createApp } from "../../src/app.ts";
import { ANY_KIND, forEachDatabase, forEachKind, testOn } from "../helpers/databases.ts";
import { defineStatement } from "../helpers/text_statement.ts";
import { execute, queryNumber } from "../helpers/http.ts";

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!await condition()) await new Promise((resolve) => setTimeout(resolve, 2));
}

const COUNT_SEALED = "SELECT count(*) FROM outbox WHERE sealed_params IS NOT NULL";

forEachKind(
  "an invitation is mailed after its response, its link sets the password, and its secrets are wiped",
  async (kind) => {
    await using server = await startSmtpServer();
    await using target = await openTestApp(kind);
    const { deps } = target;
    const senderOf = () => ({ name: undefined, address: "grid@rolegrid.test" });
    const transport = openTransport(`smtp://127.0.0.1:${server.port}`);
    const courier = createCourier({ ...deps, transport, senderOf }, { wakeDelayMs: 1 });
    const app = createApp({ ...deps, database: wakeOnMail(deps.database, courier.wake) });
    const { userId, roleId } = await target.bootstrapRoot("root@b.example", "Root");
    const headers = { Authorization: `Bearer ${await target.accessToken(userId)}` };
    const path = `/v1/role/${roleId}/member?userEmail=New@B.example&language=nl`;
    const init = { method: "PUT", headers: { ...headers, "Content-Type": "application/json" }, body: "{}" };
    const answer = await app.request(path, init, { remoteAddr: { hostname: "192.0.2.1" } });
    assert.equal(answer.status, 200, await answer.text());
    const received = () => server.received.filter(({ envelopeTo }) => envelopeTo[0] === "new@b.example");
    await until(() => received().length > 0);
    const [, token] = /#token=([A-Za-z0-9_-]{43})/.exec(received()[0]?.email.text ?? "") ?? [];
    const set = await app.request("/user/password/link", {
      method: "PUT",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ token, newPassword: "a sentence of my own" }),
    }, { remoteAddr: { hostname: "192.0.2.1" } });
    assert.equal(set.status, 200, await set.text());
    await until(() => received().length > 1);
    await courier.stop();
    assert.equal(await queryNumber(target, COUNT_SEALED), 0);
  },
);

forEachDatabase("many simultaneous wakings cause one delivery, and none is missed", async (database) => {
  const transport = fakeTransport();
  const outbox = await openOutbox(database, transport);
  let reads = 0;
  const counting = {
    ...database,
    read: <T>(statement: Parameters<typeof database.read>[0]) => {
      reads++;
      return database.read<T>(statement);
    },
  };
  const courier = createCourier({ ...outbox.deps, database: counting }, { wakeDelayMs: 5 });
  await outbox.put("m1");
  for (let i = 0; i < 100; i++) courier.wake();
  await until(() => transport.mails.length === 1);
  await courier.run();
  assert.ok(reads <= 3, String(reads));
  await outbox.put("m2");
  courier.wake();
  await until(() => transport.mails.length === 2);
  await courier.stop();
  await outbox.put("m3");
  courier.wake();
  await courier.run();
  assert.equal(transport.mails.length, 2);
});

forEachDatabase("a mail committed during a delivery goes out with it", async (database) => {
  let release: () => void = () => {};
  const held = new Promise<void>((resolve) => release = resolve);
  const transport = fakeTransport(async () => {
    await held;
    return { result: "sent" };
  });
  const outbox = await openOutbox(database, transport);
  const courier = createCourier(outbox.deps);
  await outbox.put("m1");
  const first = courier.run();
  await until(() => transport.mails.length === 1);
  await outbox.put("m2");
  const second = courier.run();
  release();
  await Promise.all([first, second]);
  assert.deepEqual(transport.mails.map(({ id }) => id), ["m1", "m2"]);
});

testOn(ANY_KIND, "a delivery's error is logged, stops no courier and reaches no caller", async (database) => {
  const outbox = await openOutbox(database, fakeTransport());
  const broken = { ...database, read: () => Promise.reject(new Error("secret words")) };
  const courier = createCourier({ ...outbox.deps, database: broken }, { wakeDelayMs: 1 });
  courier.wake();
  await until(() => outbox.logLines.length === 1);
  await courier.run();
  assert.equal(outbox.logLines.length, 2);
  assert.doesNotMatch(outbox.logLines.join(), /secret words/);
  await courier.stop();
});

forEachDatabase("a stop waits for mails under way, up to a time limit", async (database) => {
  const transport = fakeTransport(() => new Promise(() => {}));
  const outbox = await openOutbox(database, transport);
  await outbox.put("m1");
  const courier = createCourier(outbox.deps, { stopMs: 5 });
  void courier.run();
  await until(() => transport.mails.length === 1);
  await courier.stop();
  assert.deepEqual((await outbox.rows()).map(({ state }) => state), ["waiting"]);
});

testOn(ANY_KIND, "only a committed write that queues a mail wakes the courier", async (database) => {
  let wakings = 0;
  const watched = wakeOnMail(database, () => wakings++);
  await execute({ database: watched }, "UPDATE user_account SET language = 'en'");
  await queryNumber({ database: watched }, COUNT_SEALED);
  assert.equal(wakings, 0);
  const incomplete = {
    ...defineStatement("INSERT INTO outbox (id) VALUES ('x')"),
    queuesMail: true,
  } as const;
  await assert.rejects(watched.write([bind(incomplete, {})]));
  assert.equal(wakings, 0);
  await (await openOutbox(watched, fakeTransport())).put("m1");
  assert.equal(wakings, 1);
});
