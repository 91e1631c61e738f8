/** The purge task deletes what is past its retention and delivers the mails that are due. */
import assert from "node:assert/strict";
import { generateSecretKeys, parseSecretKeys } from "../../src/core/keys.ts";
import { createSecrets } from "../../src/core/secrets.ts";
import { bind } from "../../src/db/statement.ts";
import { keepDevelopmentKeys } from "../../src/service/development_keys.ts";
import { generateTokenKeys } from "../../src/identity/token/token_keys.ts";
import { sealMailParams } from "../../src/mail/outbox.ts";
import { openTestDatabase } from "../helpers/databases.ts";
import { defineStatement } from "../helpers/text_statement.ts";
import { startSmtpServer } from "../mail/smtp.ts";
import { runOn, runScript } from "./run_script.ts";

const INSERT_MAIL = defineStatement(`
  INSERT INTO outbox (id, created_at, template, language, brand, recipient, sealed_params, expires_at)
  VALUES ('m1', :now, 'password_reset_otp', 'nl', 'acme', 'anna@b.example', :sealedParams, :now + 600000)`);
const INSERT_OLD = defineStatement(
  "INSERT INTO throttle (scope, key, count, started_at, expires_at) VALUES ('s', 'k', 1, 0, 1)",
);

Deno.test("purge reports what it deleted and delivers the mails left in the outbox", async () => {
  await using server = await startSmtpServer({ auth: { user: "grid", pass: "a secret" } });
  await using file = await openTestDatabase("file");
  const secretKeys = generateSecretKeys();
  const secrets = await createSecrets(parseSecretKeys(secretKeys));
  const sealedParams = await sealMailParams(secrets, "m1", { otp: "7K3M9Q" });
  await file.database.write([bind(INSERT_MAIL, { now: Date.now(), sealedParams }), bind(INSERT_OLD, {})]);
  const env = {
    TURSO_DATABASE_URL: file.url,
    PUBLIC_URL: "https://grid.example",
    TOKEN_KEYS: await generateTokenKeys(),
    SECRET_KEYS: secretKeys,
    MAIL_URL: `smtp://grid:a%20secret@127.0.0.1:${server.port}`,
    MAIL_FROM: "grid@grid.example",
    MAIL_BRANDS: "acme=Acme, Energy <mail@acme.example>",
  };
  const first = await runScript("purge.ts", { env });
  assert.deepEqual([first.code, first.stderr], [0, ""], first.stderr);
  assert.match(first.stdout, /^counters +1$/m);
  assert.match(first.stdout, /^sessions +0$/m);
  assert.match(first.stdout, /Mails: 1 delivered, 0 to be retried, 0 given up\.\n$/);
  const [mail] = server.received;
  assert.deepEqual([mail?.email.from?.address, mail?.envelopeTo], ["mail@acme.example", ["anna@b.example"]]);
  assert.match(mail?.email.text ?? "", /^7K3M9Q$/m);
  const second = await runScript("purge.ts", { env });
  assert.match(second.stdout, /^counters +0$[^]*Mails: 0 delivered/m);
  assert.equal(server.received.length, 1);
});

Deno.test("in development without a mail server, purge keeps the mails and says so", async () => {
  await using file = await openTestDatabase("file");
  await keepDevelopmentKeys(file.database);
  await file.database.write([bind(INSERT_MAIL, { now: Date.now(), sealedParams: null })]);
  const { code, stdout } = await runOn(file.url, "purge.ts");
  assert.equal(code, 0);
  assert.match(stdout, /^MAIL_URL is not set: mails stay in the outbox\.$/m);
  const mail = await runOn(file.url, "mail.ts");
  assert.match(mail.stdout, /^To: anna@b\.example$/m);
});
