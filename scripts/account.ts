import {
  type AccountOverview,
  actAsAdministrator,
  type AdministratorAction,
  type AdministratorResult,
  lookUpAccount,
} from "../src/accounts/own/administrator_service.ts";
import { endAllSessions } from "../src/accounts/own/end_all_sessions.ts";
import { clearDemand } from "../src/role/demand/demand_service.ts";
import { isEmail } from "../src/core/email.ts";
import { MAIN_FACTORS } from "../src/identity/factors.ts";
import { parseCommandLine } from "./lib/command_line.ts";
import { formatTable, print, toPlainText } from "./lib/output.ts";
import { followProgress } from "./lib/progress_follower.ts";
import { runTask, TaskError } from "./lib/run_task.ts";
import { openService } from "./lib/service_context.ts";

const COMMAND = {
  name: "account",
  needsSettings: true,
  summary:
    `Shows an account, or performs one action that helps its owner. The action is logged and mailed to the owner.

Make sure that the request comes from the owner: once a factor is disabled, the password alone may be enough to log in.`,
  positionals: [{ name: "ADDRESS", description: "Email address of the account", optional: true }],
  options: {
    "disable-factor": {
      type: "string",
      placeholder: MAIN_FACTORS.join("|"),
      description: "Disable a lost second factor (passkey: all of them) and end all sessions",
    },
    unlock: { type: "boolean", description: "Reset the waits after wrong codes and passwords" },
    "end-sessions": { type: "boolean", description: "End all sessions" },
    keys: { type: "boolean", description: "With --end-sessions: delete all keys that the account made, too" },
    "end-all-sessions": {
      type: "boolean",
      description: "Without ADDRESS: end all sessions of all users, after a theft of keys; sends no mail",
    },
    "clear-demands": {
      type: "string",
      placeholder: "ROLE",
      description: "Without ADDRESS: lift what this role demands of its members, if they are locked out",
    },
    "resend-invitation": {
      type: "boolean",
      description: "Send the invitation again and invalidate earlier links",
    },
    yes: { type: "boolean", description: "Skip the confirmation" },
  },
} as const;

type Values = ReturnType<typeof parseCommandLine<typeof COMMAND.options>>["values"];

const REFUSALS: Readonly<Record<Exclude<AdministratorResult, "ok">, string>> = {
  unknown: "No account has this address.",
  inactive: "This factor is not active.",
  has_password: "The account has a password: its owner can request a password reset.",
  no_role: "The account is not a member of any role, so there is nothing to invite it to.",
};

async function account(): Promise<number> {
  const { values, positionals: [address = ""] } = parseCommandLine(COMMAND);
  const role = values["clear-demands"];
  if (role !== undefined) return await clearDemandsOf(role, values, address);
  if (values["end-all-sessions"]) return await endAll(values, address);
  if (address === "") throw new TaskError("ADDRESS is missing: the email address of the account.");
  if (!isEmail(address)) throw new TaskError("ADDRESS must be an email address.");
  const action = readAction(values);
  await using context = await openService();
  const found = await lookUpAccount(context.deps, address);
  if (found === undefined) throw new TaskError(REFUSALS.unknown);
  const { email } = found;
  if (action === undefined) {
    print(formatAccount(found, context.deps.clock()));
    return 0;
  }
  if (!values.yes) requireConfirmation(describeAction(action), email);
  const result = await actAsAdministrator(context.deps, email, action);
  if (result !== "ok") throw new TaskError(`${REFUSALS[result]} Nothing was changed.`);
  print(`Done: ${describeAction(action)} of ${email}. The action is logged, and a mail informs the owner.`);
  return 0;
}

async function endAll(values: Values, address: string): Promise<number> {
  if (address !== "" || readAction(values) !== undefined) {
    throw new TaskError("--end-all-sessions concerns everybody: give neither an ADDRESS nor another action.");
  }
  await using context = await openService();
  if (!values.yes) requireConfirmationTwice();
  using bar = followProgress();
  const { sessions, signIns } = await endAllSessions(context.deps, bar.report);
  bar.finish();
  print(
    `Done: ended ${sessions} sessions, and ${signIns} logins that waited for a second factor. This is logged. ` +
      "Whoever logged in meanwhile may have a session.",
  );
  return 0;
}

async function clearDemandsOf(role: string, values: Values, address: string): Promise<number> {
  if (address !== "" || readAction(values) !== undefined || values["end-all-sessions"]) {
    throw new TaskError("--clear-demands concerns a role: give neither an ADDRESS nor another action.");
  }
  if (!/^[1-9][0-9]{0,14}$/.test(role)) throw new TaskError("--clear-demands must be the id of a role.");
  const what = `lift what role ${role} demands of its members`;
  await using context = await openService();
  if (!values.yes) {
    requireTerminal(what);
    if (!confirm(`Really ${what}?`)) throw new TaskError("Cancelled. Nothing was changed.");
  }
  const demand = await clearDemand(context.deps, Number(role));
  if (demand === undefined) {
    throw new TaskError(`No role ${role} demands a second factor. Nothing was changed.`);
  }
  print(
    `Done: role ${role} no longer demands a second factor. The change log of the role tells it. Tell the ` +
      "administrators of its root: until they set a new demand, a password is enough.",
  );
  return 0;
}

/** Asks twice: all users have to log in again, so a slip of the hand must not be enough. */
function requireConfirmationTwice(): void {
  requireTerminal(ALL_SESSIONS);
  const typed = confirm(`Really ${ALL_SESSIONS}?`) ? prompt(`Type "${ALL_SESSIONS}" to go on:`) : null;
  if (typed !== ALL_SESSIONS) throw new TaskError("Cancelled. Nothing was changed.");
}

const ALL_SESSIONS = "end all sessions of all users";

function requireTerminal(what: string): void {
  if (!Deno.stdin.isTerminal()) throw new TaskError(`Add --yes to ${what} without confirmation.`);
}

const FACTOR_LIST = new Intl.ListFormat("en", { type: "disjunction" });

/** Returns the requested action; undefined if there is none. */
function readAction(values: Values): AdministratorAction | undefined {
  const named = values["disable-factor"];
  const factor = MAIN_FACTORS.find((kind) => kind === named);
  if (named !== factor) throw new TaskError(`--disable-factor must be ${FACTOR_LIST.format(MAIN_FACTORS)}.`);
  const actions: AdministratorAction[] = [];
  if (factor !== undefined) actions.push({ kind: "disableFactor", factor });
  if (values.unlock) actions.push({ kind: "unlock" });
  if (values["end-sessions"]) actions.push({ kind: "endSessions", keys: values.keys });
  else if (values.keys) throw new TaskError("--keys goes with --end-sessions.");
  if (values["resend-invitation"]) actions.push({ kind: "resendInvitation" });
  if (actions.length > 1) throw new TaskError("Give only one action at a time.");
  return actions[0];
}

function describeAction(action: AdministratorAction): string {
  switch (action.kind) {
    case "disableFactor":
      return `disable the factor ${action.factor} and end all sessions`;
    case "unlock":
      return "reset the waits";
    case "endSessions":
      return action.keys ? "end all sessions and delete all keys" : "end all sessions";
    case "resendInvitation":
      return "resend the invitation";
  }
}

function requireConfirmation(what: string, email: string): void {
  requireTerminal(`${what} of ${email}`);
  if (!confirm(`Really ${what} of ${email}?`)) throw new TaskError("Cancelled. Nothing was changed.");
}

function formatAccount(found: AccountOverview, now: number): string {
  const { id, email, language, createdAt, hasPassword, factors, passkeys, sessions, events } = found;
  const lines = [
    `Account:   ${email} (id ${id}, language ${language})`,
    `Created:   ${formatTime(createdAt)}`,
    `Password:  ${hasPassword ? "set" : "none yet"}`,
    "",
  ];
  const factorRows = factors.map((factor) => [
    factor.kind,
    formatTime(factor.activatedAt),
    String(factor.failures),
    factor.nextGuessAt > now ? formatTime(factor.nextGuessAt) : "",
    factor.kind === "recovery_code" ? String(factor.remaining) : "",
  ]);
  const passkeyRows = passkeys.map(({ name, createdAt: madeAt, lastUsedAt, meets }) => [
    toPlainText(name),
    formatTime(madeAt),
    lastUsedAt === null ? "never" : formatTime(lastUsedAt),
    meets > 0 ? "yes" : "no",
  ]);
  const sessionRows = sessions.map((session) => [
    formatTime(session.createdAt),
    formatTime(session.lastTokenAt),
    toPlainText(session.client),
  ]);
  const eventRows = events.map(({ at, event, result, attempts, address }) => [
    formatTime(at),
    event,
    result,
    String(attempts),
    address ?? "",
  ]);
  return [
    ...lines,
    ...formatSection("factor", [
      ["Second factor", "Active since", "Failures", "Waits until", "Codes left"],
      ...factorRows,
    ]),
    ...formatSection("passkey", [["Passkey", "Made", "Last used", "Confirmed"], ...passkeyRows]),
    ...formatSection("active session", [["Session since", "Last token", "Client"], ...sessionRows]),
    ...formatSection("event", [["Time", "Event", "Result", "Attempts", "From"], ...eventRows]),
  ].join("\n").trimEnd();
}

function formatSection(name: string, rows: readonly (readonly string[])[]): string[] {
  return [...(rows.length > 1 ? formatTable(rows) : [`No ${name}.`]), ""];
}

function formatTime(at: number): string {
  return new Date(at).toISOString().slice(0, 19).replace("T", " ");
}

if (import.meta.main) await runTask(account);
