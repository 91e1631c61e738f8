/** Mail through Resend's HTTP interface: what is posted, and which responses are final. */
import assert from "node:assert/strict";
import { renderMessage } from "../../src/mail/messages.ts";
import { openTransport } from "../../src/mail/open_transport.ts";
import type { MailTransport, OutgoingMail } from "../../src/mail/transport.ts";

const MAIL: OutgoingMail = {
  id: "mail-1",
  from: { name: 'Acme "Energy", Inc', address: "no-reply@acme.example" },
  to: "anna@b.example",
  createdAt: 0,
  message: renderMessage({
    template: "email_otp",
    params: { otp: "123456", purpose: "sign_in" },
    language: "fr",
    issuerName: "Grid",
  }),
};

interface TestService extends AsyncDisposable {
  readonly transport: MailTransport;
  readonly requests: { readonly path: string; readonly headers: Headers; readonly body: unknown }[];
}

/** An HTTP service that sends the given responses. */
function startService(answer: () => Response | Promise<Response>): TestService {
  const requests: { path: string; headers: Headers; body: unknown }[] = [];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async (request) => {
    const path = `${request.method} ${new URL(request.url).pathname}`;
    requests.push({ path, headers: request.headers, body: await request.json() });
    return await answer();
  });
  const options = { baseUrl: `http://127.0.0.1:${server.addr.port}`, timeoutMs: 300 };
  return {
    requests,
    transport: openTransport("resend://re_Key-1", options),
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

Deno.test("a mail is posted with the key, both parts and an idempotency key", async () => {
  await using service = startService(() => Response.json({ id: "x" }));
  assert.deepEqual(await service.transport.send(MAIL), { result: "sent" });
  const [request] = service.requests;
  assert.equal(request?.path, "POST /emails");
  assert.equal(request?.headers.get("Authorization"), "Bearer re_Key-1");
  assert.equal(request?.headers.get("Idempotency-Key"), "mail-1");
  assert.deepEqual(request?.body, {
    from: '"Acme \\"Energy\\", Inc" <no-reply@acme.example>',
    to: ["anna@b.example"],
    ...MAIL.message,
    headers: { "Message-ID": "<mail-1@acme.example>", "Auto-Submitted": "auto-generated" },
  });
  assert.ok(MAIL.message.text.includes("123456") && MAIL.message.html.includes("123456"));
});

const ANSWERS: readonly (readonly [number, string])[] = [
  [200, "sent"],
  [202, "sent"],
  [400, "refused"],
  [422, "refused"],
  [401, "failed"],
  [403, "failed"],
  [408, "failed"],
  [409, "failed"],
  [429, "failed"],
  [500, "failed"],
  [503, "failed"],
];

Deno.test("a status about the mail is final, one about the service is retried, and neither is quoted", async () => {
  for (const [status, result] of ANSWERS) {
    await using service = startService(() => new Response("anna@b.example", { status }));
    const outcome = await service.transport.send(MAIL);
    assert.equal(outcome.result, result, String(status));
    assert.equal(
      "reason" in outcome ? outcome.reason : undefined,
      result === "sent" ? undefined : `HTTP ${status}`,
    );
  }
});

Deno.test("a mail fails if the service never responds, redirects or is away", async () => {
  let release: () => void = () => {};
  const held = new Promise<Response>((resolve) => release = () => resolve(new Response()));
  {
    await using service = startService(() => held);
    assert.deepEqual(await service.transport.send(MAIL), { result: "failed", reason: "TimeoutError" });
    release();
  }
  await using elsewhere = startService(() => Response.json({}));
  const location = "http://127.0.0.1:9/emails";
  await using redirecting = startService(() => new Response(null, { status: 307, headers: { location } }));
  assert.equal((await redirecting.transport.send(MAIL)).result, "failed");
  assert.deepEqual(elsewhere.requests, []);
  const away = openTransport("resend://key", { baseUrl: "http://127.0.0.1:9" });
  assert.equal((await away.send(MAIL)).result, "failed");
});
