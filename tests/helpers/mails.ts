import assert from "node:assert/strict";
import { query } from "./http.ts";
import type { TestApp } from "./test_app.ts";

/** A mail as the outbox keeps it, with its secret parameters opened as delivery opens them. */
export interface OutboxMail {
  readonly template: string;
  readonly recipient: string | null;
  readonly language: string;
  readonly brand: string | null;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly params: Readonly<Record<string, string>>;
}

/** The mails of a template in the order in which they were written; all of them without one. */
export async function readMails(target: TestApp, template: string | null = null): Promise<OutboxMail[]> {
  const rows = await query<OutboxMail & { id: string; sealed: string | null }>(
    target,
    `SELECT id, template, recipient, language, brand, created_at AS createdAt, expires_at AS expiresAt,
       sealed_params AS sealed
     FROM outbox WHERE :template IS NULL OR template = :template ORDER BY rowid`,
    { template },
  );
  return await Promise.all(rows.map(async ({ id, sealed, ...mail }) => ({
    ...mail,
    params: sealed === null ? {} : JSON.parse(await target.deps.secrets.open(sealed, `mail ${id}`)),
  })));
}

/** The latest mail of a template. */
export async function lastMail(target: TestApp, template: string): Promise<OutboxMail> {
  const mail = (await readMails(target, template)).at(-1);
  assert.ok(mail, `no mail "${template}"`);
  return mail;
}

/** The token at the end of the link in the latest mail of a template. */
export async function lastLinkToken(target: TestApp, template: string): Promise<string> {
  const { params } = await lastMail(target, template);
  const token = /#token=([A-Za-z0-9_-]{43})$/.exec(params["link"] ?? "")?.[1];
  assert.ok(token, "the link carries no token");
  return token;
}

/** The code in the latest mail of a template. */
export async function lastCode(target: TestApp, template: string): Promise<string> {
  const { params } = await lastMail(target, template);
  assert.match(params["otp"] ?? "", /^[0-9A-HJKMNP-TV-Z]{6}$/);
  return params["otp"] as string;
}

/** Another code of the same form. */
export function otherCode(code: string): string {
  return (code.startsWith("0") ? "1" : "0") + code.slice(1);
}
