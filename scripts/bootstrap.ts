import * as v from "valibot";
import { isEmail, normalizeEmail } from "../src/core/email.ts";
import {
  checkPassword,
  MAX_PASSWORD_LENGTH,
  MIN_PASSWORD_LENGTH,
  type PasswordFault,
} from "../src/accounts/password/rules.ts";
import { type BootstrapResult, bootstrapRoot, findRoot } from "../src/role/bootstrap_service.ts";
import { RoleNameSchema } from "../src/role/schemas.ts";
import { parseCommandLine } from "./lib/command_line.ts";
import { print } from "./lib/output.ts";
import { readPassword } from "./lib/password_input.ts";
import { runTask, TaskError } from "./lib/run_task.ts";
import { openService, type ServiceContext } from "./lib/service_context.ts";

const COMMAND = {
  name: "bootstrap",
  needsSettings: true,
  summary: `Creates a root role with all rights and its first member. If a root role with that name already
has a member who keeps it (with roleManagement, and without an end), nothing changes; otherwise it gets one.

The password is taken from ADMIN_PASSWORD, or else from standard input: piped in, or prompted for on a terminal. Without
a password, the member gets an invitation by mail. An account that already has a password keeps it.`,
  options: {
    email: {
      type: "string",
      placeholder: "ADDRESS",
      description: "Email address of the first member (default: ADMIN_EMAIL)",
    },
    role: { type: "string", placeholder: "NAME", description: "Name of the root role", default: "Root" },
    invite: { type: "boolean", description: "Mail an invitation instead of asking for a password" },
  },
} as const;

const FAULTS: Readonly<Record<PasswordFault | "PASSWORD_BREACHED", string>> = {
  PASSWORD_TOO_SHORT: `it must have at least ${MIN_PASSWORD_LENGTH} characters`,
  PASSWORD_TOO_LONG: `it must have at most ${MAX_PASSWORD_LENGTH} characters`,
  PASSWORD_TOO_COMMON: "it is one of the most common passwords",
  PASSWORD_EQUALS_NAME: "it is the email address, the part before its @, or the name of the service",
  PASSWORD_BREACHED: "it is known from a data breach",
};

async function bootstrap(): Promise<number> {
  const { values } = parseCommandLine(COMMAND);
  const roleName = parseRoleName(values.role);
  await using context = await openService();
  const { config, deps } = context;
  const email = parseAddress(values.email ?? config.adminEmail);
  if (await findRoot(deps, roleName) !== undefined) {
    print(describeExisting(roleName));
    return 0;
  }
  const password = values.invite ? undefined : config.adminPassword ?? await readPassword();
  const passwordHash = password === undefined ? undefined : await hashPassword(context, password, email);
  const result = await bootstrapRoot(deps, { email, roleName, passwordHash });
  print(result.created ? describeCreated(result, roleName, email) : describeExisting(roleName));
  return 0;
}

function parseAddress(text: string | undefined): string {
  if (text === undefined) throw new TaskError("The first member is missing. Set --email or ADMIN_EMAIL.");
  if (!isEmail(text)) throw new TaskError("--email must be an email address.");
  return normalizeEmail(text);
}

function parseRoleName(text: string): string {
  const parsed = v.safeParse(RoleNameSchema, text);
  if (parsed.success) return parsed.output;
  throw new TaskError("--role must be 1 to 256 characters without control characters.");
}

/** Hashes a password. Throws a `TaskError` that names the violated rule. */
async function hashPassword(
  { config, deps }: ServiceContext,
  password: string,
  email: string,
): Promise<string> {
  const fault = await checkPassword(password, { email, issuerName: config.issuerName });
  const breached = fault === undefined && await deps.isBreached?.(password);
  const reason = breached ? FAULTS.PASSWORD_BREACHED : fault && FAULTS[fault];
  if (reason !== undefined) throw new TaskError(`Choose another password: ${reason}. Nothing was changed.`);
  return await deps.hasher.hash(password);
}

function describeExisting(roleName: string): string {
  return `The root role "${roleName}" already exists. Nothing was changed.`;
}

function describeCreated(
  { roleId, existed, passwordSet, invited }: BootstrapResult,
  role: string,
  email: string,
): string {
  const made = existed
    ? `The root role "${role}" (id ${roleId}) existed without a member who keeps it, and now has ${email}`
    : `Created the root role "${role}" (id ${roleId}) with ${email} as its member`;
  if (invited) return `${made}. An invitation is in the outbox; "deno task mail" shows it.`;
  return passwordSet
    ? `${made}, who can now log in with that password.`
    : `${made}. The account already existed: log in as before.`;
}

if (import.meta.main) await runTask(bootstrap);
