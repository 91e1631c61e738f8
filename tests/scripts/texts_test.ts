/** What tasks print: passwords, curl lines, logs, tables, progress and mails. */
import assert from "node:assert/strict";
import { curlLines } from "../../scripts/lib/curl_lines.ts";
import { createDevelopmentLog } from "../../scripts/lib/development_log.ts";
import { formatTable, print } from "../../scripts/lib/output.ts";
import { type Progress } from "../../scripts/lib/progress.ts";
import { followProgress } from "../../scripts/lib/progress_follower.ts";
import { makeReadablePassword } from "../../scripts/lib/readable_password.ts";
import { formatMail } from "../../scripts/mail.ts";
import { checkPassword } from "../../src/accounts/password/rules.ts";

Deno.test("readable passwords have four groups without confusable letters, differ, and satisfy the rules", async () => {
  const passwords = Array.from({ length: 50 }, makeReadablePassword);
  for (const password of passwords) {
    assert.match(password, /^[0-9a-hjkmnp-tv-z]{4}(-[0-9a-hjkmnp-tv-z]{4}){3}$/);
    assert.equal(await checkPassword(password, { issuerName: "Rolegrid" }), undefined);
  }
  assert.equal(new Set(passwords).size, 50);
});

Deno.test("the curl lines pass a password with special characters through a shell unchanged", async () => {
  const password = `it's "$HOME" \\ \`x\``;
  const example = { url: "http://localhost:8000", username: "a@b.example", password, roleName: "Ø'" };
  const [login = "", , query = ""] = curlLines(example);
  const bodyOf = async (line: string): Promise<unknown> => {
    const script = `curl() { for last; do :; done; printf %s "$last"; }\n${line}\nprintf %s "$REFRESH"`;
    const { stdout } = await new Deno.Command("sh", { args: ["-c", script] }).output();
    return JSON.parse(new TextDecoder().decode(stdout));
  };
  assert.deepEqual(await bodyOf(login), { username: "a@b.example", password });
  assert.deepEqual(await bodyOf(query), { filter: { name: ["Ø'"] } });
});

Deno.test("the development log shows a request in one short line, and other events with their fields", () => {
  const lines: string[] = [];
  const log = createDevelopmentLog("info", (line) => lines.push(line));
  const request = {
    requestId: "x",
    method: "GET",
    route: "/v1/role",
    status: 200,
    userId: 7,
    milliseconds: 3.1,
  };
  log.info("request", request);
  log.warn("database.away", { reason: "locked" });
  log.debug("too quiet");
  assert.match(lines[0] ?? "", /^\d\d:\d\d:\d\d info {2}request GET \/v1\/role 200 3\.1 ms userId=7$/);
  assert.match(lines[1] ?? "", /^\d\d:\d\d:\d\d warn {2}database\.away reason=locked$/);
  assert.equal(lines.length, 2);
});

Deno.test("table columns are as wide as their widest cell", () => {
  assert.deepEqual(formatTable([["A", "Name"], ["1", "Köln"], ["two", "x"]]), [
    "A    Name",
    "---  ----",
    "1    Köln",
    "two  x",
  ]);
});

Deno.test("a line is written completely to an output that accepts a few bytes at a time", () => {
  let written = "";
  print("a long line", {
    writeSync(bytes) {
      written += new TextDecoder().decode(bytes.subarray(0, 4));
      return Math.min(4, bytes.length);
    },
  });
  assert.equal(written, "a long line\n");
});

Deno.test("the progress bar follows the reports and restarts with the work", () => {
  const calls: string[] = [];
  const bar = (total: number): Progress => {
    calls.push(`start ${total}`);
    return { advance: (steps) => calls.push(`+${steps}`), finish: () => calls.push("finish") };
  };
  const follower = followProgress(bar);
  follower.report(3, 10);
  follower.report(10, 10);
  follower.report(4, 12);
  follower.finish();
  follower.finish();
  assert.deepEqual(calls, ["start 10", "+3", "+7", "finish", "start 12", "+4", "finish"]);
});

Deno.test("a mail is shown completely, with its problems in the head", () => {
  const mail = { id: "1", createdAt: 0, template: "invitation", recipient: "a@b.example", params: {} };
  const message = { subject: "Hello", text: "Dear A,\n", html: "" };
  const good = formatMail({ ...mail, expired: false, message, problem: undefined });
  assert.match(good, /^To: a@b\.example\nDate: 1970-01-01T00:00:00\.000Z\nSubject: Hello\n\nDear A,\n\n=+$/);
  const bad = { recipient: undefined, expired: true, message: undefined, problem: "No key" };
  assert.match(
    formatMail({ ...mail, ...bad }),
    /^To: \(no account has this address.*\nDate: .*\nExpired: .*\nUnreadable \(invitation\): No key\n/,
  );
});
