/** Looking up breached passwords: what leaves the process, and what happens if the range service fails. */
import assert from "node:assert/strict";
import { createLog } from "../../../src/core/log.ts";
import {
  type BreachedPasswordCheck,
  createBreachedPasswordCheck,
} from "../../../src/accounts/password/breached_passwords.ts";

// SHA-1 of "correct horse battery staple", for one: ABF7AAD6438836DBE526AA231ABDE2D0EEF74D42.
const PASSWORD = "correct horse battery staple";
const PREFIX = "ABF7A";
const SUFFIX = "AD6438836DBE526AA231ABDE2D0EEF74D42";

interface Harness {
  readonly isBreached: BreachedPasswordCheck;
  /** The path and the padding header of each request. */
  readonly requests: { path: string; padding: string | null }[];
  readonly logLines: string[];
}

/** Runs `use` against a local range service that responds with `answer`. */
async function withService(
  answer: (request: Request) => Response | Promise<Response>,
  use: (harness: Harness) => Promise<void>,
  timeoutMs?: number,
): Promise<void> {
  const requests: Harness["requests"] = [];
  const logLines: string[] = [];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, (request) => {
    requests.push({ path: new URL(request.url).pathname, padding: request.headers.get("Add-Padding") });
    return answer(request);
  });
  const isBreached = createBreachedPasswordCheck({
    baseUrl: `http://127.0.0.1:${server.addr.port}/`,
    fetch,
    log: createLog("debug", (line) => logLines.push(line)),
    clock: () => time.now,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
  try {
    await use({ isBreached, requests, logLines });
  } finally {
    await server.shutdown();
  }
}

/** The clock of the checks. */
const time = { now: 0 };

const other = `${"0".repeat(34)}1:7`;

Deno.test("a password in the range is breached, and only five digits of its hash leave the process", async () => {
  await withService(
    () => new Response(`${other}\r\n${SUFFIX}:23\r\n${"F".repeat(35)}:1`),
    async ({ isBreached, requests, logLines }) => {
      assert.equal(await isBreached(PASSWORD), true);
      assert.deepEqual(requests, [{ path: `/range/${PREFIX}`, padding: "true" }]);
      assert.deepEqual(logLines, []);
    },
  );
});

Deno.test("a password outside the range is not breached", async () => {
  await withService(() => new Response(other), async ({ isBreached, logLines }) => {
    assert.equal(await isBreached(PASSWORD), false);
    assert.deepEqual(logLines, []);
  });
});

Deno.test("a padding row does not make a password breached", async () => {
  await withService(() => new Response(`${SUFFIX}:0\r\n${other}`), async ({ isBreached }) => {
    assert.equal(await isBreached(PASSWORD), false);
  });
});

Deno.test("a password is looked up in its normalized form", async () => {
  await withService(() => new Response(""), async ({ isBreached, requests }) => {
    await isBreached("caf\u00e9 au lait");
    await isBreached("cafe\u0301 au lait");
    assert.equal(requests.length, 2);
    assert.equal(requests[0]?.path, requests[1]?.path);
  });
});

Deno.test("a failing range service is logged, and the password passes", async () => {
  await withService(() => new Response(`${SUFFIX}:23`, { status: 500 }), async ({ isBreached, logLines }) => {
    assert.equal(await isBreached(PASSWORD), false);
    assert.match(logLines.join(), /breached_password_check_failed.*responded with 500/);
  });
});

Deno.test("a redirect is not followed", async () => {
  await withService(
    (request) =>
      request.url.endsWith("/elsewhere")
        ? new Response(`${SUFFIX}:23`)
        : Response.redirect(new URL("/elsewhere", request.url), 302),
    async ({ isBreached, requests }) => {
      assert.equal(await isBreached(PASSWORD), false);
      assert.equal(requests.length, 1);
    },
  );
});

Deno.test("a range service that hangs or stalls is abandoned, and the password passes", async () => {
  const released = Promise.withResolvers<void>();
  const hang = async (): Promise<Response> => {
    await released.promise;
    return new Response(`${SUFFIX}:23`);
  };
  const stall = (): Response =>
    new Response(
      new ReadableStream({
        start: (controller) => controller.enqueue(new TextEncoder().encode(other)),
        pull: () => released.promise,
      }),
    );
  const answers = [hang, stall];
  await withService(() => (answers.shift() ?? hang)(), async ({ isBreached, logLines }) => {
    assert.equal(await isBreached(PASSWORD), false);
    assert.equal(await isBreached(PASSWORD), false);
    assert.equal(logLines.length, 2);
    assert.match(logLines.join(), /AbortError/);
    released.resolve();
  }, 50);
});

Deno.test("the log of an unreachable range service holds neither password nor hash", async () => {
  const logLines: string[] = [];
  const listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const baseUrl = `http://127.0.0.1:${listener.addr.port}`;
  listener.close();
  const log = createLog("debug", (line) => logLines.push(line));
  const isBreached = createBreachedPasswordCheck({ baseUrl, fetch, log, clock: () => time.now });
  assert.equal(await isBreached(PASSWORD), false);
  assert.match(logLines.join(), /breached_password_check_failed/);
  assert.doesNotMatch(logLines.join(), new RegExp(`${PREFIX}|${SUFFIX}|${PASSWORD}`, "i"));
});

Deno.test("eight look-ups run at once, and a ninth password passes unchecked", async () => {
  const released = Promise.withResolvers<void>();
  await withService(async () => {
    await released.promise;
    return new Response(`${SUFFIX}:23`);
  }, async ({ isBreached, requests, logLines }) => {
    const running = Array.from({ length: 8 }, () => isBreached(PASSWORD));
    assert.equal(await isBreached(PASSWORD), false);
    assert.match(logLines.join(), /breached_password_check_failed.*8 look-ups run already/);
    released.resolve();
    assert.deepEqual(new Set(await Promise.all(running)), new Set([true]));
    assert.equal(await isBreached(PASSWORD), true);
    assert.equal(requests.length, 9);
  }, 60_000);
});

Deno.test("a minute allows 120 look-ups, and further passwords pass unchecked", async () => {
  await withService(() => new Response(`${SUFFIX}:23`), async ({ isBreached, requests, logLines }) => {
    for (let i = 0; i < 120; i++) assert.equal(await isBreached(PASSWORD), true);
    time.now += 59_999;
    assert.equal(await isBreached(PASSWORD), false);
    assert.match(logLines.join(), /120 look-ups within a minute/);
    time.now += 1;
    assert.equal(await isBreached(PASSWORD), true);
    assert.equal(requests.length, 121);
  });
});

Deno.test("a minute of a clock that was ahead does not last until then", async () => {
  await withService(() => new Response(`${SUFFIX}:23`), async ({ isBreached }) => {
    time.now += 1_000_000_000;
    for (let i = 0; i < 120; i++) assert.equal(await isBreached(PASSWORD), true);
    assert.equal(await isBreached(PASSWORD), false);
    time.now -= 1_000_000_000;
    assert.equal(await isBreached(PASSWORD), true);
  });
});
