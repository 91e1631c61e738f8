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

async function startService(env: Record<string, string>): Promise<AsyncDisposable> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--no-prompt", ...PERMISSIONS, `${PROJECT}main.ts`],
    cwd: PROJECT,
    env,
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = ""; !text.includes("listening");) {
    const { value, done } = await lines.read();
    assert.ok(!done, "the service ended before it listened");
    text += value;
  }
  return {
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      while (!(await lines.read()).done);
      assert.equal((await child.status).code, 0);
    },
  };
}

Deno.test("the production service delivers the mail of a request and ends at once on SIGTERM", async () => {
  await using server = await startSmtpServer();
  await using file = await openTestDatabase(ANY_KIND);
  const port = freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = {
    TURSO_DATABASE_URL: file.url,
    HOST: "127.0.0.1",
    PORT: String(port),
    PUBLIC_URL: url,
    TOKEN_KEYS: await generateTokenKeys(),
    SECRET_KEYS: generateSecretKeys(),
    MAIL_URL: `smtp://127.0.0.1:${server.port}`,
    MAIL_FROM: "Grid <grid@grid.example>",
    MAIL_BRANDS: "acme=Acme, Energy <mail@acme.example>",
  };
  const args = ["--email", "root@b.example", "--role", "Root"];
  assert.equal((await runScript("bootstrap.ts", { env, args, input: `${PASSWORD}\n` })).code, 0);
  await using _service = await startService(env);
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
  const [{ email, envelopeTo } = assert.fail()] = server.received;
  assert.deepEqual([email.from?.address, envelopeTo], ["mail@acme.example", ["new@b.example"]]);
  assert.ok(email.text?.includes(`${url}/reset-password#token=`) && email.text.startsWith("Bonjour"));
});
