import { parseCommandLine } from "./lib/command_line.ts";
import { DEFAULT_ADMIN_EMAIL, hasDemo, makeDemo } from "./lib/demo.ts";
import { describeDemo } from "./lib/demo_report.ts";
import { print } from "./lib/output.ts";
import { followProgress } from "./lib/progress_follower.ts";
import { makeReadablePassword } from "./lib/readable_password.ts";
import { runTask } from "./lib/run_task.ts";
import { openService } from "./lib/service_context.ts";

const SUMMARY =
  `Adds a demo organization: an energy platform with countries, distributors, installers, customers and sites, and
ten people in it. Prints their passwords once. If the demo organization exists, nothing changes.

  ADMIN_EMAIL     address of its administrator (default: admin@example.com)
  ADMIN_PASSWORD  password of its administrator (default: that of the other people)`;

async function addDemo(): Promise<number> {
  parseCommandLine({ name: "demo", needsSettings: true, summary: SUMMARY, options: {} });
  await using context = await openService();
  const { config, deps } = context;
  if (await hasDemo(deps)) {
    print("The demo organization already exists. Nothing was changed.");
    return 0;
  }
  const password = makeReadablePassword();
  const adminEmail = config.adminEmail ?? DEFAULT_ADMIN_EMAIL;
  const given = { adminEmail, adminPassword: config.adminPassword ?? password, password };
  using bar = followProgress();
  const result = await makeDemo(deps, { ...given, onProgress: bar.report });
  bar.finish();
  for (const line of describeDemo(result, given)) print(line);
  return 0;
}

if (import.meta.main) await runTask(addDemo);
