/** Kept mails are opened oldest first, each with any problem it has, and are taken with their secrets. */
import assert from "node:assert/strict";
import { createSecrets } from "../../src/core/secrets.ts";
import { bind } from "../../src/db/statement.ts";
import type { Database } from "../../src/db/database.ts";
import { type KeptMail, type MailboxDeps, openKeptMails, takeMails } from "../../src/mail/mailbox.ts";
import { sealMailParams } from "../../src/mail/outbox.ts";
import { ANY_KIND, testOn } from "../helpers/databases.ts";
import { defineStatement } from "../helpers/text_statement.ts";
import { queryNumber } from "../helpers/http.ts";

const INSERT = defineStatement(`
  INSERT INTO outbox (id, created_at, template, language, recipient, role_name, actor_email, sealed_params, expires_at)
  VALUES (:id, :createdAt, :template, :language, :recipient, 'Roof', :actorEmail, :sealedParams, :expiresAt)`);

const LINK = "https://grid.example/reset-password#token=abc";
const NOW = 5000;

async function depsOf(database: Database): Promise<MailboxDeps> {
  const secrets = await createSecrets([{ id: "k", bytes: new Uint8Array(32).fill(1) }]);
  return { database, secrets, clock: () => NOW, issuerName: "Grid & Co" };
}

interface Row {
  readonly id: string;
  readonly createdAt: number;
  readonly template?: string;
  readonly recipient?: string | null;
  readonly actorEmail?: string | null;
  readonly sealedParams?: string | null;
  readonly expiresAt?: number;
}

async function insert(database: Database, row: Row): Promise<void> {
  const standard = { template: "password_set", language: "en", recipient: "a@b.example", actorEmail: null };
  await database.write([bind(INSERT, { ...standard, sealedParams: null, expiresAt: NOW + 1, ...row })]);
}

async function collect(deps: MailboxDeps, recipient?: string): Promise<KeptMail[]> {
  const mails: KeptMail[] = [];
  for await (const mail of openKeptMails(deps, { recipient })) mails.push(mail);
  return mails;
}

testOn(ANY_KIND, "kept mails are opened oldest first, each with any problem it has", async (database) => {
  const deps = await depsOf(database);
  const sealed = (id: string): Promise<string> => sealMailParams(deps.secrets, id, { link: LINK });
  await insert(database, { id: "late", createdAt: 30, expiresAt: NOW });
  await insert(database, {
    id: "early",
    createdAt: 10,
    template: "invitation",
    actorEmail: "anna@b.example",
    sealedParams: await sealed("early"),
  });
  const operator = {
    template: "invitation",
    sealedParams: await sealed("b-operator"),
    recipient: "c@b.example",
  };
  await insert(database, { id: "b-operator", createdAt: 10, ...operator });
  await insert(database, { id: "nobody", createdAt: 40, recipient: null });
  await insert(database, {
    id: "other-row",
    createdAt: 50,
    ...operator,
    sealedParams: await sealed("early"),
  });
  await insert(database, { id: "unknown", createdAt: 60, template: "newsletter" });
  const mails = await collect(deps);
  assert.deepEqual(mails.map(({ id }) => id), [
    "b-operator",
    "early",
    "late",
    "nobody",
    "other-row",
    "unknown",
  ]);
  const [byOperator, byAnna, late, unaddressed, otherRow, unknown] = mails;
  assert.ok(byAnna?.message?.text.includes(LINK) && byAnna.message.text.includes("anna@b.example"));
  assert.match(byOperator?.message?.text ?? "", /Grid & Co has added you to the role “Roof” in Grid & Co/);
  assert.deepEqual([byAnna?.expired, late?.expired, unaddressed?.recipient], [false, true, undefined]);
  assert.ok(otherRow?.message === undefined && /another key/.test(otherRow?.problem ?? ""));
  assert.match(unknown?.problem ?? "", /"newsletter"/);
  assert.deepEqual((await collect(deps, "c@b.example")).map(({ id }) => id), ["b-operator", "other-row"]);
});

testOn(ANY_KIND, "taking a mail removes it with its secrets", async (database) => {
  const deps = await depsOf(database);
  for (const id of ["a", "b", "c"]) await insert(database, { id, createdAt: 1, sealedParams: "secret" });
  await takeMails(deps, ["a", "c", "no such id"]);
  assert.deepEqual((await collect(deps)).map(({ id }) => id), ["b"]);
  const sealed = "SELECT count(*) FROM outbox WHERE sealed_params IS NOT NULL";
  assert.equal(await queryNumber({ database }, sealed), 1);
});

testOn(ANY_KIND, "a full outbox is read in several pages even if mails share times", async (database) => {
  const deps = await depsOf(database);
  const fill = defineStatement(`
    INSERT INTO outbox (id, created_at, template, language, recipient, expires_at)
    SELECT 'm' || value, value % 3, 'password_set', 'en', 'a@b.example', 9000 FROM json_each(:numbers)`);
  const numbers = JSON.stringify(Array.from({ length: 450 }, (_, i) => i));
  await database.write([bind(fill, { numbers })]);
  const mails = await collect(deps);
  assert.equal(new Set(mails.map(({ id }) => id)).size, 450);
  assert.deepEqual(
    mails.map(({ createdAt }) => createdAt),
    mails.map(({ createdAt }) => createdAt).toSorted(),
  );
});
