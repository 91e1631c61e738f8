import { systemClock } from "../src/core/clock.ts";
import { isEmail, normalizeEmail } from "../src/core/email.ts";
import {
  type ExplainInput,
  explainToAdministrator,
  type Subject,
} from "../src/explain/why/explain_service.ts";
import {
  type BlockedWay,
  EXPLAINED,
  type Explained,
  type Explanation,
  type FixItem,
  type ShownWay,
} from "../src/explain/why/explanation.ts";
import { RIGHT_NAMES, type RightName, type Rights } from "../src/graph/rights.ts";
import { parseCommandLine } from "./lib/command_line.ts";
import { openMigratedDatabase } from "./lib/database_context.ts";
import { AS_OF_OPTION, parseAsOf, refuseMoment } from "./lib/moment.ts";
import { print, toPlainText } from "./lib/output.ts";
import { parseId } from "./lib/role_id.ts";
import { runTask, TaskError } from "./lib/run_task.ts";

const COMMAND = {
  name: "explain",
  summary:
    `Explains why a user or key has a right on a role, or why not: the ways on which the right gets from their memberships
to the role, those on which it is lost, and the least that has to be widened. Shows everything, and changes nothing;
the service can keep running.

  deno task explain 12 viewManagement --user eva@example.com
  deno task explain 12 viewManagement --user eva@example.com --as-of 2026-03-01T00:00:00Z`,
  positionals: [
    { name: "ROLE_ID", description: "Id of the role" },
    { name: "RIGHT", description: `${RIGHT_NAMES.join(", ")}; member: access itself` },
  ],
  options: {
    user: { type: "string", placeholder: "ADDRESS", description: "Email address of the account" },
    key: { type: "string", placeholder: "KEY_ID", description: "Id of the key, in place of an account" },
    ...AS_OF_OPTION,
    json: { type: "boolean", description: "Print the explanation as JSON" },
  },
} as const;

async function explain(): Promise<number> {
  const { values, positionals: [roleText = "", rightText] } = parseCommandLine(COMMAND);
  const right = EXPLAINED.find((name) => name === rightText);
  if (right === undefined) throw new TaskError(`RIGHT must be one of ${EXPLAINED.join(", ")}.`);
  const roleId = parseId(roleText, "ROLE_ID must be the id of a role.");
  const named = parseSubject(values.user, values.key);
  const asOf = parseAsOf(values["as-of"]);
  await using context = await openMigratedDatabase();
  const deps = { database: context.database, clock: systemClock };
  const subject = "keyId" in named ? named : { userEmail: named.userEmail };
  const input = { roleId, right, subject, asOf };
  const explanation = await explainToAdministrator(deps, input)
    .catch(refuseMoment);
  print(values.json ? JSON.stringify(explanation, withoutMayYou, 2) : describe(explanation, input));
  return 0;
}

/** Drops `mayYou`, which only concerns viewers with limited rights. */
function withoutMayYou(key: string, value: unknown): unknown {
  return key === "mayYou" ? undefined : value;
}

type Question = ExplainInput & { readonly subject: Subject };

function parseSubject(
  user: string | undefined,
  key: string | undefined,
): { readonly userEmail: string } | { readonly keyId: number } {
  if ((user === undefined) === (key === undefined)) throw new TaskError("Give either --user or --key.");
  if (key !== undefined) return { keyId: parseId(key, "--key must be the id of a key.") };
  if (user === undefined || !isEmail(user)) throw new TaskError("--user must be an email address.");
  return { userEmail: normalizeEmail(user) };
}

function describe(explanation: Explanation, { roleId, right, subject }: Question): string {
  const { allowed, revision, ways, blocked, fix, truncated } = explanation;
  return [
    `${allowed ? "Allowed" : "Denied"}: ${right} on role ${roleId}, at revision ${revision}.`,
    ...(ways.length === 0 ? [] : ["", "It gets through:", ...ways.flatMap((way) => describeWay(way, right))]),
    ...(blocked.length === 0
      ? []
      : ["", "It is lost:", ...blocked.flatMap((way) => describeWay(way, right))]),
    ...(fix.length === 0
      ? []
      : ["", `To allow it, add ${right} to:`, ...fix.map((item) => describeFix(item, subject))]),
    ...(allowed || ways.length > 0 || blocked.length > 0 || truncated
      ? []
      : ["", "No membership leads to the role, or there is no such role, account or key."]),
    ...(truncated ? ["", "There are too many relations to follow: ways may be missing."] : []),
  ].join("\n");
}

function describeWay(way: ShownWay | BlockedWay, right: Explained): string[] {
  const { memberOf, relations } = way;
  const isLostAtMember = "lostAtMember" in way;
  const isLostAtRole = "lostAtRole" in way;
  const until = "until" in memberOf ? `, until ${memberOf.until}` : "";
  const rights = "rights" in memberOf ? `, with ${listRights(namesOf(memberOf.rights))}` : "";
  const membership = "roleId" in memberOf
    ? `member of ${nameRole(memberOf.roleId, memberOf.name)}${until}${rights}`
    : "member of a role that is deleted";
  const lost = [
    ...(isLostAtMember ? ["the membership"] : []),
    ...(isLostAtRole ? ["the role's selfRights"] : []),
  ];
  return [
    `  ${membership}${lost.length === 0 ? "" : `   <- lost at ${lost.join(" and ")}`}`,
    ...relations.map((relation) => {
      if ("hidden" in relation) return "    to a role that is deleted";
      const { managesId, childRoleId, name, rights } = relation;
      const mark = right === "member" || rights.includes(right) ? "" : "   <- lost here";
      return `    to ${nameRole(childRoleId, name)} by relation ${managesId}, with ${
        listRights(rights)
      }${mark}`;
    }),
  ];
}

function describeFix(item: FixItem, subject: Subject): string {
  if ("managesId" in item) return `  relation ${item.managesId}`;
  if ("roleId" in item) return `  the selfRights of role ${item.roleId}`;
  if ("memberId" in item) return `  ${"keyId" in subject ? "key" : "membership"} ${item.memberId}`;
  return "  a relation of a role that is deleted";
}

function nameRole(id: number, name: string): string {
  return `${toPlainText(name)} (${id})`;
}

function namesOf(rights: Rights | undefined): RightName[] {
  return RIGHT_NAMES.filter((name) => rights?.[name]);
}

function listRights(names: readonly RightName[]): string {
  if (names.length === 0) return "no right";
  return names.length === RIGHT_NAMES.length ? "all rights" : names.join("+");
}

if (import.meta.main) await runTask(explain);
