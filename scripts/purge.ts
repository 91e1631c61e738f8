import { deliverMails } from "../src/mail/delivery.ts";
import { purge } from "../src/purge/purge_service.ts";
import { createDelivery } from "../src/service/serve.ts";
import { parseCommandLine } from "./lib/command_line.ts";
import { formatTable, print, printError } from "./lib/output.ts";
import { runTask } from "./lib/run_task.ts";
import { openService } from "./lib/service_context.ts";

const COMMAND = {
  name: "purge",
  summary:
    `Deletes what is past its retention (expired codes, links, sessions, counters, old log rows, …), shows how much that
was, and delivers the mails that are due. Services do the same by themselves. May run beside them, and several at once.`,
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
      "Points were not all deleted: the telemetry engine does not answer. Check TELEMETRY_URL; run it again.",
    );
  }
  const status = isUnfinished ? 1 : 0;
  print();
  const delivery = createDelivery(config, deps);
  if (delivery === undefined) {
    print("No MAIL_URL: mails are kept in the outbox.");
    return status;
  }
  const { delivered, postponed, dropped } = await deliverMails(delivery);
  print(`Mails: ${delivered} delivered, ${postponed} to be tried again, ${dropped} given up.`);
  return status;
}

if (import.meta.main) await runTask(runPurge);
