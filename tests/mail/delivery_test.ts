/** Each mail is sent once: expiry, retries, leases, and what rows and the log keep of it. */
import assert from "node:assert/strict";
import { createSecrets } from "../../src/core/secrets.ts";
import { deliverMails, retryWaitSeconds } from "../../src/mail/delivery.ts";
import { DELIVERY_LEASE_SECONDS } from "../../src/mail/lifetimes.ts";
import { ANY_KIND, forEachDatabase, testOn } from "../helpers/databases.ts";
import { fakeTransport, openOutbox } from "./outbox.ts";

const NONE = { delivered: 0, postponed: 0, dropped: 0 };

testOn(ANY_KIND, "a mail is rendered from its row, sent once, and its secrets wiped", async (database) => {
  const transport = fakeTransport();
  const outbox = await openOutbox(database, transport);
  await outbox.put("m1", { language: "de", brand: "acme" });
  assert.deepEqual(await deliverMails(outbox.deps), { ...NONE, delivered: 1 });
  const [mail] = transport.mails;
  assert.deepEqual([mail?.id, mail?.to, mail?.from.address], ["m1", "anna@b.example", "mail@acme.example"]);
  assert.ok(mail?.message.text.split("\n").includes("7K3M9Q"));
  assert.match(mail?.message.subject ?? "", /Grid & Söhne/);
  assert.deepEqual(await outbox.rows(), [{ id: "m1", state: "delivered", attempts: 1, sealed: 0 }]);
  assert.deepEqual(await deliverMails(outbox.deps), NONE);
  assert.equal(transport.mails.length, 1);
});

testOn(ANY_KIND, "a mail that is expired or has no recipient is dropped and wiped", async (database) => {
  const transport = fakeTransport();
  const outbox = await openOutbox(database, transport);
  await outbox.put("expired");
  await outbox.put("nobody", { recipient: null });
  await outbox.put("old", { lifeSeconds: 7 * 86_400 });
  outbox.advance(599);
  const first = await deliverMails({ ...outbox.deps, transport: fakeTransport(never) });
  assert.deepEqual(first, { ...NONE, postponed: 1, dropped: 2 });
  outbox.advance(86_400);
  assert.deepEqual(await deliverMails(outbox.deps), { ...NONE, dropped: 1 });
  assert.deepEqual(transport.mails, []);
  const states = (await outbox.rows()).map(({ state, sealed }) => `${state} ${sealed}`);
  assert.deepEqual(states, Array(3).fill("dropped 0"));
});

function never(): { result: "failed"; reason: string } {
  return { result: "failed", reason: "away" };
}

testOn(ANY_KIND, "a code is not sent from the second of its expiry", async (database) => {
  const transport = fakeTransport();
  const outbox = await openOutbox(database, transport);
  await outbox.put("code");
  outbox.advance(600);
  assert.deepEqual(await deliverMails(outbox.deps), { ...NONE, dropped: 1 });
  assert.deepEqual(transport.mails, []);
});

testOn(ANY_KIND, "a mail is retried after growing waits while the server is away", async (database) => {
  let away = true;
  const transport = fakeTransport(() => away ? never() : { result: "sent" });
  const outbox = await openOutbox(database, transport);
  await outbox.put("notice", { template: "password_set", params: null, lifeSeconds: 86_400 });
  for (const wait of [30, 60, 120, 300, 900, 3600, 3600]) {
    const before = transport.mails.length;
    assert.deepEqual(await deliverMails(outbox.deps), { ...NONE, postponed: 1 });
    assert.equal(transport.mails.length, before + 1);
    outbox.advance(wait - 1);
    assert.deepEqual(await deliverMails(outbox.deps), NONE);
    outbox.advance(1);
  }
  away = false;
  assert.deepEqual(await deliverMails(outbox.deps), { ...NONE, delivered: 1 });
  assert.ok(transport.mails.every(({ id }) => id === "notice"));
});

testOn(ANY_KIND, "an undeliverable mail is dropped and wiped after a day", async (database) => {
  const transport = fakeTransport(never);
  const outbox = await openOutbox(database, transport);
  await outbox.put("link", {
    template: "invitation",
    params: { link: "https://grid.example/x" },
    lifeSeconds: 7 * 86_400,
  });
  for (let seconds = 0; seconds < 86_400; seconds += 600) {
    outbox.advance(600);
    await deliverMails(outbox.deps);
  }
  const attempts = transport.mails.length;
  assert.ok(attempts > 20 && attempts < 40, String(attempts));
  assert.deepEqual(await outbox.rows(), [{ id: "link", state: "dropped", attempts, sealed: 0 }]);
});

testOn(ANY_KIND, "a permanent refusal of the recipient drops the mail", async (database) => {
  const transport = fakeTransport(() => ({ result: "refused", reason: "550" }));
  const outbox = await openOutbox(database, transport);
  await outbox.put("m1");
  assert.deepEqual(await deliverMails(outbox.deps), { ...NONE, dropped: 1 });
  outbox.advance(60);
  assert.deepEqual(await deliverMails(outbox.deps), NONE);
  assert.deepEqual(await outbox.rows(), [{ id: "m1", state: "dropped", attempts: 1, sealed: 0 }]);
});

forEachDatabase("several services at once deliver each mail once", async (database) => {
  const transport = fakeTransport(async () => {
    await new Promise((resolve) => setTimeout(resolve, 1));
    return { result: "sent" };
  });
  const outbox = await openOutbox(database, transport);
  const ids = Array.from({ length: 50 }, (_, i) => `m${i}`);
  for (const id of ids) await outbox.put(id);
  const reports = await Promise.all(Array.from({ length: 4 }, () => deliverMails(outbox.deps)));
  assert.equal(reports.reduce((sum, { delivered }) => sum + delivered, 0), 50);
  assert.deepEqual(transport.mails.map(({ id }) => id).toSorted(), ids.toSorted());
});

testOn(ANY_KIND, "a mail left behind by a crash is delivered after its lease", async (database) => {
  let crashed: () => void = () => {};
  const dying = fakeTransport(() => new Promise((_, reject) => crashed = () => reject(new Error("gone"))));
  const outbox = await openOutbox(database, dying);
  await outbox.put("m1");
  const death = assert.rejects(deliverMails(outbox.deps), /gone/);
  while (dying.mails.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  const transport = fakeTransport();
  const next = { ...outbox.deps, transport };
  assert.deepEqual(await deliverMails(next), NONE);
  crashed();
  await death;
  outbox.advance(DELIVERY_LEASE_SECONDS - 1);
  assert.deepEqual(await deliverMails(next), NONE);
  outbox.advance(1);
  assert.deepEqual(await deliverMails(next), { ...NONE, delivered: 1 });
  assert.deepEqual(transport.mails.map(({ id }) => id), ["m1"]);
});

testOn(ANY_KIND, "a delivery without its lease changes nothing unless it sent the mail", async (database) => {
  const outbox = await openOutbox(database, fakeTransport());
  await outbox.put("failing");
  const slow = (result: "failed" | "sent") =>
    fakeTransport(async () => {
      outbox.advance(DELIVERY_LEASE_SECONDS);
      await deliverMails({ ...outbox.deps, transport: fakeTransport(never) });
      return result === "sent" ? { result } : { result, reason: "slow" };
    });
  await deliverMails({ ...outbox.deps, transport: slow("failed") });
  assert.deepEqual(await outbox.rows(), [{ id: "failing", state: "waiting", attempts: 2, sealed: 1 }]);
  outbox.advance(60);
  await deliverMails({ ...outbox.deps, transport: slow("sent") });
  assert.deepEqual(await outbox.rows(), [{ id: "failing", state: "delivered", attempts: 4, sealed: 0 }]);
});

testOn(ANY_KIND, "a delivery that lost its lease does not drop the mail", async (database) => {
  const outbox = await openOutbox(database, fakeTransport());
  await outbox.put("m1");
  const slow = fakeTransport(async () => {
    outbox.advance(DELIVERY_LEASE_SECONDS);
    await deliverMails({ ...outbox.deps, transport: fakeTransport(never) });
    return { result: "refused", reason: "550" };
  });
  await deliverMails({ ...outbox.deps, transport: slow });
  assert.deepEqual(await outbox.rows(), [{ id: "m1", state: "waiting", attempts: 2, sealed: 1 }]);
});

testOn(ANY_KIND, "a sent mail is not sent again after its lease", async (database) => {
  const transport = fakeTransport();
  const outbox = await openOutbox(database, transport);
  await outbox.put("m1");
  assert.deepEqual(await deliverMails(outbox.deps), { ...NONE, delivered: 1 });
  outbox.advance(DELIVERY_LEASE_SECONDS);
  assert.deepEqual(await deliverMails(outbox.deps), NONE);
  assert.equal(transport.mails.length, 1);
});

testOn(ANY_KIND, "a mail that this service cannot render waits for one that can", async (database) => {
  const transport = fakeTransport();
  const outbox = await openOutbox(database, transport);
  await outbox.put("sealed");
  await outbox.put("unknown", { template: "newsletter", params: null });
  const secrets = await createSecrets([{ id: "other", bytes: new Uint8Array(32) }]);
  assert.deepEqual(await deliverMails({ ...outbox.deps, secrets }), { ...NONE, postponed: 2 });
  outbox.advance(30);
  assert.deepEqual(await deliverMails(outbox.deps), { ...NONE, delivered: 1, postponed: 1 });
});

testOn(ANY_KIND, "the log names mails by id and reason, never an address, code or link", async (database) => {
  const refused = { result: "refused", reason: "EENVELOPE 550" } as const;
  const outcomes = [never(), refused, { result: "sent" } as const];
  const outbox = await openOutbox(database, fakeTransport(() => outcomes.pop() ?? never()));
  for (const id of ["m1", "m2", "m3"]) await outbox.put(id);
  await outbox.put("m4", { recipient: null });
  await deliverMails(outbox.deps);
  const events = outbox.logLines.map((line) => JSON.parse(line).event).toSorted();
  assert.deepEqual(events, ["mail.delivered", "mail.dropped", "mail.postponed"]);
  assert.doesNotMatch(outbox.logLines.join("\n"), /anna|7K3M9Q|b\.example/);
});

Deno.test("waits between attempts never shrink", () => {
  const waits = Array.from({ length: 20 }, (_, i) => retryWaitSeconds(i + 1));
  assert.deepEqual(waits, waits.toSorted((a, b) => a - b));
  assert.deepEqual([waits[0], waits.at(-1)], [30, 3600]);
});
