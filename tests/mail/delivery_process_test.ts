import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { generateSecretKeys } from "../../src/core/keys.ts";
import { generateTokenKeys } from "../../src/identity/token/token_keys.ts";
import { ANY_KIND, openTestDatabase } from "../helpers/databases.ts";
import { startSmtpServer } from "./smtp.ts";
import { freePort } from "../helpers/sqld.ts";
import { runScript } from "../scripts/run_script.ts";

const PROJECT = fileURLToPath(new URL("../../", import.meta.url));
const PASSWORD = "a sentence of my own";
const PERMISSIONS = ["env", "read", "write", "net", "ffi", "sys"].map((name) => `--allow-${name}`);

interface Service extends AsyncDisposable {
  /** What it wrote until it listened. */
  readonly log: string;
}

async function startService(env: Record<string, string>): Promise<Service> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--no-prompt", ...PERMISSIONS, `${PROJECT}main.ts`],
    cwd: PROJECT,
    env,
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let log = "";
  while (!log.includes("listening")) {
    const { value, done } = await lines.read();
    assert.ok(!done, "the service ended before it listened");
    log += value;
  }
  return {
    log,
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      while (!(await lines.read()).done);
      assert.equal((await child.status).code, 0);
    },
  };
}

Deno.test("the production service says what it sends in clear text, delivers the mail of a request, and ends at once on SIGTERM", async () => {
  await using server = await startSmtpServer();
  await using file = await openTestDatabase(ANY_KIND);
  const port = freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = {
    TURSO_DATABASE_URL: file.url,
    HOST: "127.0.0.1",
    PORT: String(port),
    PUBLIC_URL: "http://grid.example",
    TOKEN_KEYS: await generateTokenKeys(),
    SECRET_KEYS: generateSecretKeys(),
    // This address reaches the local machine, but is not one of the loopback names.
    MAIL_URL: `smtp://0.0.0.0:${server.port}?tls=none`,
    MAIL_FROM: "Grid <grid@grid.example>",
    MAIL_BRANDS: "acme=Acme, Energy <mail@acme.example>",
  };
  const args = ["--email", "root@b.example", "--role", "Root"];
  assert.equal((await runScript("bootstrap.ts", { env, args, input: `${PASSWORD}\n` })).code, 0);
  await using service = await startService(env);
  const json = { "Content-Type": "application/json" };
  const credentials = JSON.stringify({ username: "root@b.example", password: PASSWORD });
  const login = await fetch(`${url}/auth/login`, { method: "POST", headers: json, body: credentials });
  const refreshHeaders = { Authorization: `Bearer ${await login.text()}` };
  const token = await (await fetch(`${url}/auth/accesstoken`, { headers: refreshHeaders })).text();
  const headers = { ...json, Authorization: `Bearer ${token}` };
  const member = `${url}/v1/role/1/member?userEmail=new@b.example&origin=acme&language=fr`;
  const added = await fetch(member, { method: "PUT", headers, body: "{}" });
  assert.equal(added.status, 200, await added.text());
  while (server.received.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  const [{ email, envelopeTo, clientName } = assert.fail()] = server.received;
  assert.equal(clientName, "grid.example");
  assert.deepEqual([email.from?.address, envelopeTo], ["mail@acme.example", ["new@b.example"]]);
  assert.ok(
    email.text?.includes("http://grid.example/reset-password#token=") && email.text.startsWith("Bonjour"),
  );
  const warnings = service.log.trim().split("\n").map((line) => JSON.parse(line)).filter(({ level }) =>
    level === "warn"
  );
  assert.deepEqual(warnings.map(({ event }) => event), ["public_url.in_clear", "mail.in_clear"]);
  assert.match(warnings[0].remedy, /PUBLIC_URL/);
  assert.match(warnings[1].meaning, /sign in/);
});
