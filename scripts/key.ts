import * as v from "valibot";
import { DAY_MS } from "../src/core/clock.ts";
import { AppError } from "../src/core/errors.ts";
import {
  createKey,
  deleteKey,
  listKeysAsAdministrator,
  MAX_DAYS,
  type RoleKey,
} from "../src/key/key_service.ts";
import { maskOf, NO_RIGHTS, RIGHT_NAMES, type Rights, toRights } from "../src/graph/rights.ts";
import { RoleNameSchema } from "../src/role/schemas.ts";
import { parseCommandLine } from "./lib/command_line.ts";
import { formatTable, print, printError, toPlainText } from "./lib/output.ts";
import { parseId } from "./lib/role_id.ts";
import { runTask, TaskError } from "./lib/run_task.ts";
import { openService } from "./lib/service_context.ts";

const COMMAND = {
  name: "key",
  needsSettings: true,
  summary:
    `Creates, lists or deletes keys of a role, with which programs act as its members. The secret of a new key is the only
line on standard output. It is not shown again.

  deno task key create ROLE_ID --name "Meter gateway" --rights viewManagement,deviceManagement
  deno task key list ROLE_ID
  deno task key delete ROLE_ID KEY_ID

The rights are ${RIGHT_NAMES.join(", ")}.`,
  positionals: [
    { name: "ACTION", description: "create, list or delete" },
    { name: "ROLE_ID", description: "Id of the role" },
    { name: "KEY_ID", description: "Id of the key to delete", optional: true },
  ],
  options: {
    name: { type: "string", placeholder: "NAME", description: "Name of the new key" },
    rights: {
      type: "string",
      placeholder: "RIGHT,…",
      description: "The most rights that the new key lets its program use, or none (default: all)",
    },
    days: {
      type: "string",
      placeholder: "N",
      description: "Days until the new key ends, up to 400",
      default: "90",
    },
    asks: { type: "boolean", description: "The new key may ask who has access to the roles that it reaches" },
    provisions: { type: "boolean", description: "The new key may add members where it manages them" },
  },
} as const;

type Values = ReturnType<typeof parseCommandLine<typeof COMMAND.options>>["values"];

async function key(): Promise<number> {
  const { values, positionals: [action = "", roleText = "", keyText] } = parseCommandLine(COMMAND);
  const roleId = parseId(roleText, "ROLE_ID must be the id of a role.");
  if ((action === "delete") !== (keyText !== undefined)) {
    throw new TaskError(
      action === "delete" ? "KEY_ID is missing: the id of the key." : "Only delete takes a KEY_ID.",
    );
  }
  const isForNew = values.name !== undefined || values.rights !== undefined ||
    values.asks === true || values.provisions === true;
  if (isForNew && ["list", "delete"].includes(action)) {
    throw new TaskError("Only create takes --name, --rights, --asks and --provisions.");
  }
  switch (action) {
    case "create":
      return await create(roleId, readWishes(values));
    case "list":
      return await list(roleId);
    case "delete":
      return await remove(roleId, parseId(keyText ?? "", "KEY_ID must be the id of a key."));
    default:
      throw new TaskError("ACTION must be create, list or delete.");
  }
}

interface Wishes {
  readonly name: string;
  readonly rights: Rights | undefined;
  readonly days: number;
  readonly asks: boolean;
  readonly provisions: boolean;
}

function readWishes({ name, rights, days, asks, provisions }: Values): Wishes {
  const parsed = v.safeParse(RoleNameSchema, name);
  if (!parsed.success) throw new TaskError("--name must be 1 to 256 characters without control characters.");
  if (!/^[1-9]\d{0,2}$/.test(days) || Number(days) > MAX_DAYS) {
    throw new TaskError(`--days must be a whole number from 1 to ${MAX_DAYS}.`);
  }
  return { name: parsed.output, rights: parseRights(rights), days: Number(days), asks, provisions };
}

function parseRights(text: string | undefined): Rights | undefined {
  if (text === undefined) return undefined;
  const names = text === "none" ? [] : text.split(",");
  let mask = NO_RIGHTS;
  for (const name of names) {
    const right = RIGHT_NAMES.find((each) => each === name);
    if (right === undefined) {
      throw new TaskError(`--rights must be none, or some of ${RIGHT_NAMES.join(",")}.`);
    }
    mask |= maskOf(right);
  }
  return toRights(mask);
}

async function create(roleId: number, { days, ...wishes }: Wishes): Promise<number> {
  await using context = await openService();
  const expiresAt = context.deps.clock() + days * DAY_MS;
  const { key, secret, ineffective = [] } = await decided(
    createKey(context.deps, "administrator", { ...wishes, roleId, expiresAt }),
    {
      FORBIDDEN: "No role has this id.",
      TOO_MANY_KEYS: "The role has 100 keys already: delete one that is not needed.",
    },
  );
  if (ineffective.length > 0) {
    const without = "Neither the role itself nor a relation below has them.";
    printError(`Without effect for now: ${ineffective.join(", ")}. ${without}`);
  }
  printError(
    `Created the key ${key.id} of role ${roleId}. It ends on ${key.expiresAt.slice(0, 10)}. Its secret:`,
  );
  print(secret);
  return 0;
}

async function remove(roleId: number, keyId: number): Promise<number> {
  await using context = await openService();
  await decided(deleteKey(context.deps, "administrator", { roleId, keyId }), {
    FORBIDDEN: "The role has no key with this id.",
  });
  print(`Deleted the key ${keyId}. Programs that use it are refused from now on.`);
  return 0;
}

/** Returns the result of a change. Throws a `TaskError` with the message of its refusal. */
async function decided<T>(change: Promise<T>, refusals: Readonly<Record<string, string>>): Promise<T> {
  try {
    return await change;
  } catch (error) {
    const message = error instanceof AppError ? refusals[error.code] : undefined;
    if (message === undefined) throw error;
    throw new TaskError(`${message} Nothing was changed.`, { cause: error });
  }
}

async function list(roleId: number): Promise<number> {
  await using context = await openService();
  const keys = await listKeysAsAdministrator(context.deps, roleId);
  if (keys.length === 0) print("The role has no key, or does not exist.");
  else for (const line of formatTable([HEADINGS, ...keys.map(toCells)])) print(line);
  return 0;
}

const HEADINGS = ["Id", "Name", "Secret", "Rights", "May", "Ends", "Made", "By", "Last used"];

function toCells(key: RoleKey): string[] {
  const { id, name, prefix, rights, asks, provisions, expiresAt, createdAt, createdBy, lastUsedAt } = key;
  const held = RIGHT_NAMES.filter((right) => rights[right]);
  return [
    String(id),
    toPlainText(name),
    `${prefix}…`,
    held.length === RIGHT_NAMES.length ? "all" : held.join(",") || "none",
    [...(asks ? ["ask"] : []), ...(provisions ? ["provision"] : [])].join(),
    expiresAt.slice(0, 10),
    createdAt.slice(0, 10),
    createdBy ?? "",
    lastUsedAt?.slice(0, 13).replace("T", " ").concat("h") ?? "never",
  ];
}

if (import.meta.main) await runTask(key);
