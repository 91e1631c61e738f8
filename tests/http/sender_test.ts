/** Responses share a room by branch, arrive unchanged, and are cut off when their clients do not read. */
import assert from "node:assert/strict";
import { currentChain } from "../../src/core/request_scope.ts";
import { asCaller } from "../helpers/callers.ts";
import type { Context } from "hono";
import { createLog } from "../../src/core/log.ts";
import { type AppEnv, createRouter } from "../../src/http/env.ts";
import { respondBytes, respondParts, respondText } from "../../src/http/respond.ts";
import { createSender, generated, type SenderOptions, type TextParts } from "../../src/http/sender.ts";

/** The room of the tests holds four of these texts, of which one branch may have two. */
const LONG = 1024 * 1024;
const FOUR_LONG = { maxCharacters: 4 * LONG };

type Parts = AsyncGenerator<string, void>;

/** Sends texts, and what generators make, to clients of several networks. */
function openSender(options: SenderOptions = {}) {
  const logLines: string[] = [];
  const log = createLog("info", (line) => logLines.push(line));
  const sender = createSender(options);

  async function respond(
    from: string,
    method: string,
    send: (c: Context<AppEnv>) => Response | Promise<Response>,
  ): Promise<Response> {
    const app = createRouter();
    app.use((c, next) => {
      c.set("sender", sender);
      c.set("log", log);
      return next();
    });
    app.onError((error) => {
      throw error;
    });
    app.get("/", send);
    return await asCaller(from, () => app.request("/", { method }));
  }

  return {
    logLines,
    /** Sends a text that is in memory. */
    sendText: (from: string, text: TextParts = ["x".repeat(LONG)], method = "GET") =>
      respond(from, method, (c) => respondText(c, "text/plain", text)),
    /** Sends the bytes of a file. */
    sendBytes: (from: string, bytes: Uint8Array<ArrayBuffer>, method = "GET") =>
      respond(from, method, (c) => respondBytes(c, bytes)),
    /** Sends a text that is made while it is sent. */
    sendParts: (from: string, parts: Parts, method = "GET") =>
      respond(from, method, (c) => respondParts(c, "text/plain", generated(parts))),
    requireRoom: (from: string) => asCaller(from, () => sender.requireRoom()),
  };
}

type OpenSender = ReturnType<typeof openSender>;

async function assertFull(sender: OpenSender, from: string): Promise<void> {
  await assert.rejects(sender.sendText(from), { code: "UNAVAILABLE" });
  assert.throws(() => sender.requireRoom(from), { code: "UNAVAILABLE" });
}

/** Asserts that the share of a branch is free, by filling it. */
async function assertNoneHeld(sender: OpenSender): Promise<void> {
  const again = [await sender.sendText("a"), await sender.sendText("a")];
  await Promise.all(again.map(({ body }) => body?.cancel()));
}

async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}

/** Parts that are sent one by one, and what happened to them. */
function countParts(count: number): { parts: Parts; made: () => number } {
  let made = 0;
  async function* make(): Parts {
    while (made < count) {
      await Promise.resolve();
      made++;
      yield "x".repeat(100_000);
    }
  }
  return { parts: make(), made: () => made };
}

async function* partsOf(texts: Iterable<string>): Parts {
  for (const text of texts) {
    await Promise.resolve();
    yield text;
  }
}

Deno.test("a text arrives unchanged, in any division into parts", async () => {
  const sender = openSender();
  const texts = [
    [],
    ["", "x".repeat(64 * 1024)],
    ["x".repeat(64 * 1024), "", "é"],
    Array<string>(300_000).fill("😀é"),
    ["x".repeat(256 * 1024), "😀".repeat(300_000), "y".repeat(10)],
  ];
  for (const text of texts) {
    assert.equal(await (await sender.sendText("a", text)).text(), text.join(""));
    assert.equal(await (await sender.sendParts("a", partsOf(text))).text(), text.join(""));
  }
});

Deno.test("a long text is sent in chunks of limited size", async () => {
  const { body } = await openSender().sendText("a", Array<string>(1000).fill("x".repeat(1000)));
  for await (const { length } of body ?? []) {
    assert.ok(length <= 256 * 1024 + 1000, `${length} bytes at once`);
  }
});

Deno.test("a response occupies the room until it is read or cancelled, and a full room refuses more", async () => {
  const sender = openSender(FOUR_LONG);
  const [one, two, three, four] = await Promise.all(
    ["a", "b", "d", "e"].map((from) =>
      from < "c" ? sender.sendText(from) : sender.sendParts(from, countParts(9).parts)
    ),
  );
  await assertFull(sender, "c");
  assert.equal(await (await sender.sendText("c", ["sho", "rt"])).text(), "short");
  assert.equal(await (await sender.sendParts("c", partsOf(["sho", "rt"]))).text(), "short");
  await four?.body?.cancel();
  const five = await sender.sendText("c");
  await assertFull(sender, "b");
  assert.equal((await one?.text())?.length, LONG);
  assert.equal((await three?.text())?.length, 900_000);
  await Promise.all([two, five].map((response) => response?.body?.cancel()));
  for (const from of ["a", "b"]) {
    const again = [await sender.sendText(from), await sender.sendParts(from, countParts(9).parts)];
    await Promise.all(again.map(({ body }) => body?.cancel()));
  }
});

Deno.test("the responses of one branch leave half of the room to others", async () => {
  const sender = openSender(FOUR_LONG);
  const own = [await sender.sendText("a"), await sender.sendText("a")];
  await assertFull(sender, "a");
  const refused = countParts(9);
  await assert.rejects(sender.sendParts("a", refused.parts), { code: "UNAVAILABLE" });
  assert.equal(refused.made(), 0, "it was made before it was refused");
  sender.requireRoom("b");
  const others = await sender.sendText("b");
  await Promise.all([own[0]?.body?.cancel(), others.body?.cancel()]);
  sender.requireRoom("a");
  await own[1]?.body?.cancel();
});

Deno.test("a text that is not fetched in time is cut off and releases its room", async () => {
  const sender = openSender({ ...FOUR_LONG, timeoutMs: 20 });
  const reader = (await sender.sendText("a", Array<string>(2).fill("x".repeat(LONG)))).body?.getReader();
  assert.equal((await reader?.read())?.done, false);
  await assertFull(sender, "a");
  await pause(40);
  await assert.rejects(async () => {
    while (!(await reader?.read())?.done);
  }, /did not fetch the response within 20 ms/);
  await (await sender.sendText("a", Array<string>(2).fill("x".repeat(LONG)))).body?.cancel();
});

Deno.test("each part of a streamed text has its own time limit", async () => {
  // The four reads take longer together, and each may be late by more than half a second.
  const timeoutMs = 1000;
  const sender = openSender({ ...FOUR_LONG, timeoutMs });
  const { parts, made } = countParts(9);
  const reader = (await sender.sendParts("a", parts)).body?.getReader();
  for (let i = 0; i < 4; i++) {
    await pause(0.3 * timeoutMs);
    assert.equal((await reader?.read())?.done, false);
  }
  assert.equal(made(), 4, "a part is made when the one before has been taken");
  await assert.rejects(async () => await reader?.closed, /did not fetch the response within 1000 ms/);
});

Deno.test("in a full room, a response that its client does not read is cut off for another", async () => {
  const sender = openSender({ ...FOUR_LONG, fullTimeoutMs: 30 });
  const [stalled, taken, ...others] = [
    await sender.sendParts("a", countParts(9).parts),
    await sender.sendParts("b", countParts(9).parts),
    await sender.sendText("d"),
    await sender.sendText("e"),
  ];
  await assertFull(sender, "c");
  await pause(50);
  const reader = taken?.body?.getReader();
  await reader?.read();
  sender.requireRoom("c");
  const next = await sender.sendText("c");
  await assert.rejects(async () => await stalled?.text(), /did not fetch the response within 30 ms/);
  assert.equal((await reader?.read())?.done, false);
  await reader?.cancel();
  await Promise.all([next, ...others].map(({ body }) => body?.cancel()));
});

Deno.test("a share that is used up cuts off no response of others, however long these are idle", async () => {
  const sender = openSender({ maxCharacters: 8 * LONG, fullTimeoutMs: 10 });
  const others = [await sender.sendText("b"), await sender.sendText("c")];
  const own = [await sender.sendText("a"), await sender.sendText("a")];
  await pause(30);
  await assert.rejects(sender.sendText("a"), { code: "UNAVAILABLE" });
  for (const response of others) assert.equal((await response.text()).length, LONG);
  await Promise.all(own.map(({ body }) => body?.cancel()));
});

Deno.test("in a full room, a response of the largest branch is cut off for one with less", async () => {
  const sender = openSender(FOUR_LONG);
  const [first, second, ...others] = await Promise.all(
    ["a", "a", "b", "d"].map((from) => sender.sendParts(from, countParts(9).parts)),
  );
  const reader = first?.body?.getReader();
  await reader?.read();
  await assertFull(sender, "b");
  sender.requireRoom("c");
  others.push(await sender.sendText("c"));
  await assert.rejects(async () => await second?.text(), /by this branch more than by another/);
  assert.equal((await reader?.read())?.done, false);
  await assertFull(sender, "e");
  await reader?.cancel();
  await Promise.all(others.map((response) => response?.body?.cancel()));
});

Deno.test("every part is made in the context of its own request", async () => {
  const sender = openSender();
  const branches: string[] = [];
  async function* notingBranch(): Parts {
    for (let i = 0; i < 3; i++) {
      await Promise.resolve();
      branches.push(currentChain()()[0] ?? "");
      yield "x".repeat(100_000);
    }
  }
  const response = await sender.sendParts("a", notingBranch());
  await asCaller("b", () => response.text());
  assert.deepEqual(branches, ["a", "a", "a"]);
});

for (const outcome of ["is made", "fails"]) {
  Deno.test(`when a client leaves before the next part ${outcome}, nothing is logged and the room is released`, async () => {
    const sender = openSender(FOUR_LONG);
    const { promise: goesOn, resolve: goOn } = Promise.withResolvers<void>();
    async function* slow(): Parts {
      yield "x".repeat(100_000);
      await goesOn;
      if (outcome === "fails") throw new Error("The database went away, too");
      yield "y";
    }
    const parts = slow();
    const reader = (await sender.sendParts("a", parts)).body?.getReader();
    await reader?.read();
    const second = reader?.read();
    await reader?.cancel();
    goOn();
    assert.equal((await second)?.done, true);
    assert.deepEqual(sender.logLines, []);
    await assertNoneHeld(sender);
  });
}

Deno.test("a failure in the first part gets a status, and one in a later part is logged and breaks the connection", async () => {
  const sender = openSender(FOUR_LONG);
  async function* failing(before: number): Parts {
    await Promise.resolve();
    yield "x".repeat(before);
    throw new RangeError("It failed");
  }
  await assert.rejects(sender.sendParts("a", failing(1000)), RangeError);
  assert.deepEqual(sender.logLines, []);
  const response = await sender.sendParts("a", failing(100_000));
  await assert.rejects(response.text(), RangeError);
  const logged = sender.logLines.join("");
  assert.ok(logged.includes('"request.stream_failed"'), logged);
  await assertNoneHeld(sender);
});

Deno.test("a response to HEAD takes no room", async () => {
  const sender = openSender(FOUR_LONG);
  for (let i = 0; i < 5; i++) {
    assert.equal((await sender.sendText("a", undefined, "HEAD")).status, 200);
    assert.equal((await sender.sendParts("a", countParts(9).parts, "HEAD")).status, 200);
  }
  sender.requireRoom("a");
});

Deno.test("a long file is sent in chunks and counts as one part", async () => {
  const sender = openSender(FOUR_LONG);
  const bytes = crypto.getRandomValues(new Uint8Array(65_536)).toBase64().repeat(100);
  const file = new TextEncoder().encode(bytes);
  const responses = [await sender.sendBytes("a", file), await sender.sendBytes("a", file)];
  await assert.rejects(sender.sendBytes("a", file), { code: "UNAVAILABLE" });
  for (const response of responses) {
    assert.equal(response.headers.get("Content-Length"), String(file.length));
    let read = 0;
    for await (const chunk of response.body ?? []) {
      assert.ok(chunk.length <= 256 * 1024);
      assert.equal(Buffer.compare(chunk, file.subarray(read, read + chunk.length)), 0);
      read += chunk.length;
    }
    assert.equal(read, file.length);
  }
  assert.equal((await sender.sendBytes("a", file)).status, 200);
  const short = await sender.sendBytes("b", new Uint8Array(3));
  assert.equal((await short.arrayBuffer()).byteLength, 3);
});
