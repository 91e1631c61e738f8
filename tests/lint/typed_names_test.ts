/** A misspelled step, result, reason, template or counter does not compile. */
import assert from "node:assert/strict";
import { sql } from "../../src/db/sql.ts";
import { endAllSessions, whenResult } from "../../src/identity/security_queries.ts";
import { queueMail } from "../../src/mail/queued_mail_queries.ts";
import { counterValue } from "../../src/throttle/throttle_queries.ts";
import { whenStep } from "../../src/graph/step_queries.ts";

const MAIL = { language: sql`'en'`, recipient: sql`NULL`, expiresAt: 0, source: sql`` };

Deno.test("a misspelled step, result, reason, template or counter does not compile", () => {
  // Checked by the compiler: a misspelt name is an error, and `@ts-expect-error` without one is an error, too.
  const texts = [
    // @ts-expect-error: "write"
    whenStep("wirte"),
    // @ts-expect-error: "ok"
    whenResult("okay"),
    // @ts-expect-error: "operator"
    endAllSessions("operater").sql,
    // @ts-expect-error: "password_set"
    queueMail({}, { ...MAIL, template: "pasword_set" }).sql,
    // @ts-expect-error: "password"
    counterValue({ scope: "pasword", key: 1 }, "count"),
  ];
  assert.equal(texts.length, 5);
});
