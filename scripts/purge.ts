import { deliverMails } from "../src/mail/delivery.ts";
import { purge } from "../src/purge/purge_service.ts";
import { tellEnds } from "../src/role/member/end_notice_service.ts";
import { createDelivery } from "../src/service/serve.ts";
import { parseCommandLine } from "./lib/command_line.ts";
import { formatTable, print, printError } from "./lib/output.ts";
import { runTask } from "./lib/run_task.ts";
import { openService } from "./lib/service_context.ts";

const COMMAND = {
  name: "purge",
  needsSettings: true,
  summary:
    `Deletes data past its retention (expired codes, links, sessions, counters, old log rows, …), prints the number of
deleted rows, writes the mails about memberships and keys that end in a week, and delivers the mails that are due. A running service does the same on a schedule. The task can run
alongside services and other instances of itself.`,
  options: {},
} as const;

async function runPurge(): Promise<number> {
  parseCommandLine(COMMAND);
  await using context = await openService();
  const { config, deps } = context;
  const counts = await purge(deps);
  for (
    const line of formatTable([["Kind", "Rows"], ...counts.map(({ what, rows }) => [what, `${rows ?? "?"}`])])
  ) {
    print(line);
  }
  const isUnfinished = counts.some(({ error }) => error !== undefined);
  if (isUnfinished) {
    printError(
      "Some points were not deleted, because the file or engine of TELEMETRY_URL is unavailable. Check it and run the task again.",
    );
  }
  await tellEnds(deps);
  const status = isUnfinished ? 1 : 0;
  print();
  const delivery = createDelivery(config, deps);
  if (delivery === undefined) {
    print("MAIL_URL is not set: mails stay in the outbox.");
    return status;
  }
  const { delivered, postponed, dropped } = await deliverMails(delivery);
  print(`Mails: ${delivered} delivered, ${postponed} to be retried, ${dropped} given up.`);
  return status;
}

if (import.meta.main) await runTask(runPurge);
