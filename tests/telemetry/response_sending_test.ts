import assert from "node:assert/strict";
import { createResponseSender, type ResponseSender } from "../../src/telemetry/collect/response_sending.ts";

const LONG = 100_000;

function sendLong(
  sender: ResponseSender,
  userId: number,
  length = LONG,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const body = sender.send(["x".repeat(length / 2), "x".repeat(length / 2)], userId);
  assert.ok(body instanceof ReadableStream);
  return body;
}

function assertFull(sender: ResponseSender, userId: number): void {
  assert.throws(() => sender.send(["x".repeat(LONG)], userId), { code: "UNAVAILABLE" });
  assert.throws(() => sender.requireRoom(userId), { code: "UNAVAILABLE" });
}

Deno.test("a text arrives as it is, in whatever parts it was", async () => {
  const sender = createResponseSender();
  const texts = [
    [],
    ["", "x".repeat(64 * 1024)],
    ["x".repeat(64 * 1024), "", "é"],
    Array<string>(300_000).fill("😀é"),
    ["x".repeat(256 * 1024), "😀".repeat(300_000), "y".repeat(10)],
  ];
  for (const text of texts) assert.equal(await new Response(sender.send(text, 1)).text(), text.join(""));
});

Deno.test("a long text is sent in chunks, so that no piece of work is long", async () => {
  const sent = createResponseSender().send(Array<string>(1000).fill("x".repeat(1000)), 1);
  assert.ok(sent instanceof ReadableStream);
  for await (const { length } of sent) assert.ok(length <= 256 * 1024 + 1000, `${length} bytes at once`);
});

Deno.test("answers are held until they are read or given up, and no more than so many", async () => {
  const sender = createResponseSender({ maxCharacters: 2 * LONG });
  const [one, two] = [sendLong(sender, 1), sendLong(sender, 2)];
  assertFull(sender, 3);
  assert.equal(sender.send(["sho", "rt"], 3), "short");
  await two.cancel();
  const three = sendLong(sender, 3);
  assertFull(sender, 2);
  assert.equal((await new Response(one).text()).length, LONG);
  const four = sendLong(sender, 4);
  assertFull(sender, 1);
  await Promise.all([three.cancel(), four.cancel()]);
  await Promise.all([sendLong(sender, 1), sendLong(sender, 2)].map((body) => body.cancel()));
});

Deno.test("one user's answers leave half of the room to the others", async () => {
  const sender = createResponseSender({ maxCharacters: 4 * LONG });
  const own = [sendLong(sender, 1), sendLong(sender, 1)];
  assertFull(sender, 1);
  sender.requireRoom(2);
  const other = sendLong(sender, 2, 2 * LONG);
  await own[0]?.cancel();
  sender.requireRoom(1);
  await Promise.all([own[1]?.cancel(), other.cancel()]);
});

Deno.test("an answer that is not fetched in time breaks off and is no longer held", async () => {
  const sender = createResponseSender({ maxCharacters: 20 * LONG, timeoutMs: 20 });
  const reader = sendLong(sender, 1, 10 * LONG).getReader();
  assert.equal((await reader.read()).done, false);
  assertFull(sender, 1);
  await new Promise((resolve) => setTimeout(resolve, 40));
  await assert.rejects(async () => {
    while (!(await reader.read()).done);
  }, /did not fetch the response within 20 ms/);
  await sendLong(sender, 1, 10 * LONG).cancel();
});
