import { isEmail, normalizeEmail } from "../src/core/email.ts";
import { type KeptMail, openKeptMails } from "../src/mail/mailbox.ts";
import { parseCommandLine } from "./lib/command_line.ts";
import { openService } from "./lib/service_context.ts";
import { print } from "./lib/output.ts";
import { runTask, TaskError } from "./lib/run_task.ts";

const COMMAND = {
  name: "mail",
  needsSettings: true,
  summary:
    `Prints the complete messages in the outbox, oldest first. They may contain links that set a password: show them only
to their recipients.`,
  options: {
    to: { type: "string", placeholder: "ADDRESS", description: "Only messages to this address" },
    last: { type: "boolean", description: "Only the newest message" },
  },
} as const;

async function showMail(): Promise<number> {
  const { values: { to, last } } = parseCommandLine(COMMAND);
  if (to !== undefined && !isEmail(to)) throw new TaskError("--to must be an email address.");
  await using context = await openService();
  const recipient = to === undefined ? undefined : normalizeEmail(to);
  const mails = openKeptMails(context.deps, { recipient });
  let count = 0;
  let newest: KeptMail | undefined;
  for await (const mail of mails) {
    count++;
    newest = mail;
    if (!last) print(formatMail(mail));
  }
  if (newest === undefined) print(to === undefined ? "No messages." : `No messages to ${to}.`);
  else if (last) print(formatMail(newest));
  else print(count === 1 ? "1 message." : `${count} messages.`);
  return 0;
}

/** Formats a mail as plain text, with problems among the headers. */
export function formatMail(mail: KeptMail): string {
  const { recipient, createdAt, expired, message, problem, template } = mail;
  const head = [`To: ${recipient ?? "(no account has this address: the mail will be dropped)"}`];
  head.push(`Date: ${new Date(createdAt).toISOString()}`);
  if (message !== undefined) head.push(`Subject: ${message.subject}`);
  if (expired) head.push("Expired: it will not be sent, and its link no longer works");
  if (problem !== undefined) head.push(`Unreadable (${template}): ${problem}`);
  return [...head, "", message?.text ?? "", "=".repeat(78)].join("\n");
}

if (import.meta.main) await runTask(showMail);
