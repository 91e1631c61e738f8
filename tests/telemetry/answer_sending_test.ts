import assert from "node:assert/strict";
import { type AnswerSender, createAnswerSender } from "../../src/telemetry/answer_sending.ts";

const LONG = 100_000;

function sendLong(sender: AnswerSender, text = "x".repeat(LONG)): ReadableStream<Uint8Array<ArrayBuffer>> {
  const body = sender.send(text);
  assert.ok(body instanceof ReadableStream);
  return body;
}

function assertFull(sender: AnswerSender): void {
  assert.throws(() => sender.send("x".repeat(LONG)), { code: "UNAVAILABLE" });
}

Deno.test("a text arrives as it is, however it is cut", async () => {
  const sender = createAnswerSender();
  const texts = [
    "",
    "x".repeat(64 * 1024),
    `${"x".repeat(256 * 1024 - 1)}😀${"é".repeat(300_000)}`,
    "😀".repeat(300_000),
  ];
  for (const text of texts) assert.equal(await new Response(sender.send(text)).text(), text);
});

Deno.test("answers are held until they are read or given up, and no more than so many", async () => {
  const sender = createAnswerSender({ maxCharacters: 2 * LONG });
  const [one, two] = [sendLong(sender), sendLong(sender)];
  assertFull(sender);
  assert.equal(sender.send("short"), "short");
  await two.cancel();
  const three = sendLong(sender);
  assertFull(sender);
  assert.equal((await new Response(one).text()).length, LONG);
  const four = sendLong(sender);
  assertFull(sender);
  await Promise.all([three.cancel(), four.cancel()]);
  await Promise.all([sendLong(sender), sendLong(sender)].map((body) => body.cancel()));
});

Deno.test("an answer that is not fetched in time breaks off and is no longer held", async () => {
  const sender = createAnswerSender({ maxCharacters: 10 * LONG, timeoutMs: 20 });
  const reader = sendLong(sender, "x".repeat(10 * LONG)).getReader();
  assert.equal((await reader.read()).done, false);
  assertFull(sender);
  await new Promise((resolve) => setTimeout(resolve, 40));
  await assert.rejects(async () => {
    while (!(await reader.read()).done);
  }, /did not fetch the answer within 20 ms/);
  await sendLong(sender, "x".repeat(10 * LONG)).cancel();
});
