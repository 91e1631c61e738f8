import * as v from "valibot";
import { isEmail, normalizeEmail } from "../src/core/email.ts";
import {
  checkPassword,
  MAX_PASSWORD_LENGTH,
  MIN_PASSWORD_LENGTH,
  type PasswordFault,
} from "../src/password/rules.ts";
import { type BootstrapResult, bootstrapRoot, findRoot } from "../src/role/bootstrap_service.ts";
import { RoleNameSchema } from "../src/role/schemas.ts";
import { parseCommandLine } from "./lib/command_line.ts";
import { print } from "./lib/output.ts";
import { readPassword } from "./lib/password_input.ts";
import { runTask, TaskError } from "./lib/run_task.ts";
import { openService, type ServiceContext } from "./lib/service_context.ts";

const COMMAND = {
  name: "bootstrap",
  summary:
    `Makes a root role with all rights and its first member. Where there is a root role of that name, nothing changes.

The password is taken from ADMIN_PASSWORD, else from standard input: piped in, or asked for on a terminal. Without one
the member gets an invitation by mail. An account that has a password keeps it.`,
  options: {
    email: { type: "string", placeholder: "ADDRESS", description: "The first member (else: ADMIN_EMAIL)" },
    role: { type: "string", placeholder: "NAME", description: "The root role", default: "Root" },
    invite: { type: "boolean", description: "Mail an invitation; ask for no password" },
  },
} as const;

const FAULTS: Readonly<Record<PasswordFault | "PASSWORD_BREACHED", string>> = {
  PASSWORD_TOO_SHORT: `it needs ${MIN_PASSWORD_LENGTH} characters or more`,
  PASSWORD_TOO_LONG: `it may have ${MAX_PASSWORD_LENGTH} characters at most`,
  PASSWORD_TOO_COMMON: "it is one of the most common passwords",
  PASSWORD_EQUALS_NAME: "it is the e-mail address, its first part, or the name of the service",
  PASSWORD_BREACHED: "it is known from a data breach",
};

/** Whose hashes count as the operator's in the hasher's shares. */
const OPERATOR_ADDRESS = "operator";

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
  if (text === undefined) throw new TaskError("Who is the first member? Give --email or ADMIN_EMAIL.");
  if (!isEmail(text)) throw new TaskError("--email needs an e-mail address.");
  return normalizeEmail(text);
}

function parseRoleName(text: string): string {
  const parsed = v.safeParse(RoleNameSchema, text);
  if (parsed.success) return parsed.output;
  throw new TaskError("--role needs a name of 1 to 256 characters, without control characters.");
}

/** Throws a `TaskError` that says which rule the password breaks. */
async function hashPassword(
  { config, deps }: ServiceContext,
  password: string,
  email: string,
): Promise<string> {
  const fault = checkPassword(password, { email, issuerName: config.issuerName });
  const breached = fault === undefined && await deps.isBreached?.(password);
  const reason = breached ? FAULTS.PASSWORD_BREACHED : fault && FAULTS[fault];
  if (reason !== undefined) throw new TaskError(`Choose another password: ${reason}. Nothing was changed.`);
  return await deps.hasher.hash(password, OPERATOR_ADDRESS);
}

function describeExisting(roleName: string): string {
  return `There is a root role "${roleName}" already. Nothing was changed.`;
}

function describeCreated(
  { roleId, passwordSet, invited }: BootstrapResult,
  role: string,
  email: string,
): string {
  const made = `Made the root role "${role}" (id ${roleId}) with ${email} as its member`;
  if (invited) return `${made}. An invitation is in the outbox; "deno task mail" shows it.`;
  return passwordSet
    ? `${made}, who can log in with that password.`
    : `${made}, whose account was there: log in as before.`;
}

if (import.meta.main) await runTask(bootstrap);
