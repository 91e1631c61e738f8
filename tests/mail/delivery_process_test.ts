/** The production service delivers the mail of a request, and says what it sends in clear text. */
import assert from "node:assert/strict";
import { ANY_KIND, openTestDatabase } from "../helpers/databases.ts";
import { logInFully, succeed } from "../helpers/http.ts";
import { productionEnv, startService } from "../helpers/service_process.ts";
import { runScript } from "../scripts/run_script.ts";
import { startSmtpServer } from "./smtp.ts";

const PASSWORD = "a sentence of my own";

Deno.test("the production service says what it sends in clear text, delivers the mail of a request, and ends at once on SIGTERM", async () => {
  await using server = await startSmtpServer();
  await using file = await openTestDatabase(ANY_KIND);
  const env = {
    ...await productionEnv(file.url),
    PUBLIC_URL: "http://grid.example",
    // This address reaches the local machine, but is not one of the loopback names.
    MAIL_URL: `smtp://0.0.0.0:${server.port}?tls=none`,
    MAIL_BRANDS: "acme=Acme, Energy <mail@acme.example>",
  };
  const args = ["--email", "root@b.example", "--role", "Root"];
  assert.equal((await runScript("bootstrap.ts", { env, args, input: `${PASSWORD}\n` })).code, 0);
  await using service = await startService(env);
  const warnings = service.logLines.map((line) => JSON.parse(line)).filter(({ level }) => level === "warn");
  assert.deepEqual(warnings.map(({ event }) => event), ["public_url.in_clear", "mail.in_clear"]);
  assert.match(warnings[0].remedy, /PUBLIC_URL/);
  assert.match(warnings[1].meaning, /sign in/);

  const url = `http://127.0.0.1:${service.port}`;
  const target = { request: (path: string, init?: RequestInit) => fetch(url + path, init) };
  const { accessToken: token } = await logInFully(target, "root@b.example", PASSWORD);
  const member = "/v1/role/1/member?userEmail=new@b.example&origin=acme&language=fr";
  await succeed(target, "PUT", member, { token, body: {} });
  while (server.received.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  const [{ email, envelopeTo, clientName } = assert.fail()] = server.received;
  assert.equal(clientName, "grid.example");
  assert.deepEqual([email.from?.address, envelopeTo], ["mail@acme.example", ["new@b.example"]]);
  assert.match(email.text ?? "", /^Bonjour[^]*http:\/\/grid\.example\/reset-password#token=/);
  service.signal("SIGTERM");
  assert.equal((await service.ended()).code, 0);
});
