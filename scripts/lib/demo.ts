import type { AppDeps } from "../../src/app.ts";
import type { Actor } from "../../src/core/actor.ts";
import { DAY_MS } from "../../src/core/clock.ts";
import { normalizeEmail } from "../../src/core/email.ts";
import { AppError } from "../../src/core/errors.ts";
import { type Page, PAGE_ROWS } from "../../src/core/page.ts";
import { changeLog } from "../../src/db/schema/role.ts";
import { keepSettings, readSettings } from "../../src/db/setting_queries.ts";
import { row, rows, sql } from "../../src/db/sql.ts";
import { bind, bindBatch } from "../../src/db/statement.ts";
import { openAdministratorSession } from "../../src/identity/administrator_session.ts";
import { IMPORT_PEOPLE, type ImportedPerson } from "../../src/identity/people_import_queries.ts";
import { openKeptMails, takeMails } from "../../src/mail/mailbox.ts";
import { setPasswordByLink } from "../../src/accounts/password/link_service.ts";
import { bootstrapRoot } from "../../src/role/bootstrap_service.ts";
import { listMembers } from "../../src/lists/member_listing_service.ts";
import { listRoles } from "../../src/lists/role_listing_service.ts";
import { putManages } from "../../src/role/manages/manages_service.ts";
import { putMember, removeMember } from "../../src/role/member/member_service.ts";
import { createRole, type Role } from "../../src/role/role_service.ts";
import { DEMO_TELEMETRY_STEPS, makeDemoTelemetry } from "./demo_telemetry.ts";
import { demoOrganization, type DemoPerson, type DemoRole } from "./demo_organization.ts";

/** Set once the demo organization is complete, so that another run does not overwrite users' changes. */
const COMPLETE = "demo_organization";
/** Set by `deno task dev --no-demo`, so that later starts add no demo either. */
const UNWANTED = "demo_unwanted";
/** The address of the administrator, unless `ADMIN_EMAIL` is set. */
export const DEFAULT_ADMIN_EMAIL = "admin@example.com";
/** How long ago the organization was made, and a person left, so that there is a past to look at. */
const AGE_MS = 60 * DAY_MS;
const LEFT_MS = 12 * DAY_MS;
const FIRST_PAGE = { afterId: 0, limit: PAGE_ROWS };

const LAST_CHANGE = rows<{ readonly at: number }>()({}, () => {
  const change = row(changeLog, "change");
  return sql`SELECT ${change.at} AS at FROM ${change} ORDER BY ${change.rev} DESC LIMIT 1`;
});

/** The client address to which these hashes count. */
const ADMINISTRATOR_ADDRESS = "administrator";

export interface DemoInput {
  /** Normalized address of the first member of the root role. */
  readonly adminEmail: string;
  /** Password of the administrator, unless the account already has one. */
  readonly adminPassword: string;
  /** Password of all other people who set one. */
  readonly password: string;
  /** Called after each of the `total` steps. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** `set`: the given password; `unchanged`: an earlier one; `invited`: the invitation is unopened. */
export type PasswordState = "set" | "unchanged" | "invited";

export interface DemoResult {
  readonly rootName: string;
  readonly admin: PasswordState;
  readonly people: readonly { readonly person: DemoPerson; readonly password: PasswordState }[];
}

/** Whether this database has the complete demo organization. */
export async function hasDemo(deps: Pick<AppDeps, "database">): Promise<boolean> {
  return (await readSettings(deps.database)).has(COMPLETE);
}

/** Whether `deno task dev` has to make the demo organization: it is neither complete nor unwanted. */
export async function lacksDemo(deps: Pick<AppDeps, "database">): Promise<boolean> {
  const settings = await readSettings(deps.database);
  return !settings.has(COMPLETE) && !settings.has(UNWANTED);
}

/** Keeps the demo organization out of this database. */
export async function refuseDemo(deps: Pick<AppDeps, "database" | "clock">): Promise<void> {
  await keepSettings(deps.database, new Map([[UNWANTED, new Date(deps.clock()).toISOString()]]));
}

/**
 * Creates the demo organization as people would: an administrator creates the root, its first member everything
 * below, and the others set their passwords by invitation. Completes an interrupted run.
 */
export async function makeDemo(deps: AppDeps, input: DemoInput): Promise<DemoResult> {
  const organization = demoOrganization();
  const { people: invited, former } = organization;
  const { adminEmail: email, adminPassword, onProgress } = input;
  const total = organization.roles.length + invited.length + DEMO_TELEMETRY_STEPS;
  let done = 0;
  const advance = (): void => onProgress?.(++done, total);
  const passwordHash = await deps.hasher.hash(adminPassword);
  // The log goes forward in time, whatever it has already.
  const age = Math.min(AGE_MS, deps.clock() - await lastChangeAt(deps));
  const then = at(deps, age);
  const root = await bootstrapRoot(then, { email, roleName: organization.rootName, passwordHash });
  await using past = await openAdministratorSession(then, root.userId);
  const roleIds = await findRoleIds(then, past.actor, root.roleId);
  roleIds.set(organization.rootName, root.roleId);
  for (const role of organization.roles) {
    await makeRole(then, past.actor, role, roleIds);
    advance();
  }
  const states = new Map<DemoPerson, PasswordState>();
  for (const person of [former, ...invited.filter(({ stillInvited }) => !stillInvited)]) {
    await invite(then, past.actor, person, roleIds);
    states.set(person, await acceptInvitation(then, person, input.password));
    if (person !== former) advance();
  }
  await using session = await openAdministratorSession(deps, root.userId);
  const { actor } = session;
  await leave(at(deps, Math.min(age, LEFT_MS)), actor, former);
  for (const person of invited.filter(({ stillInvited }) => stillInvited)) {
    await invite(deps, actor, person, roleIds);
    advance();
  }
  await namePeople(deps, [former, ...invited]);
  const people = invited.map((person) => ({ person, password: states.get(person) ?? "invited" as const }));
  await makeDemoTelemetry(deps, actor, roleIds, advance);
  await keepSettings(deps.database, new Map([[COMPLETE, new Date(deps.clock()).toISOString()]]));
  return { rootName: organization.rootName, admin: root.passwordSet ? "set" : "unchanged", people };
}

/** Returns the dependencies as of some milliseconds ago. */
function at<D extends Pick<AppDeps, "clock">>(deps: D, ago: number): D {
  return { ...deps, clock: () => deps.clock() - ago };
}

async function lastChangeAt({ database }: Pick<AppDeps, "database">): Promise<number> {
  const [last] = await database.read(bind(LAST_CHANGE, {}));
  return last?.at ?? 0;
}

/** Removes a person from their roles. */
async function leave(deps: AppDeps, actor: Actor, { email }: DemoPerson): Promise<void> {
  const { rows } = await listMembers(deps, actor, "*", { userEmail: [normalizeEmail(email)] }, FIRST_PAGE);
  for (const { id, roleId } of rows) await removeMember(deps, actor, { roleId, memberId: id });
}

/** Reads the ids, by name, of roles below the root, which only an interrupted run leaves. */
async function findRoleIds(deps: AppDeps, actor: Actor, rootId: number): Promise<Map<string, number>> {
  const ids = new Map<string, number>();
  for (let afterId: number | null = 0; afterId !== null;) {
    const { rows, next }: Page<Role> = await listRoles(
      deps,
      actor,
      { ancestorRoleId: [rootId] },
      { afterId, limit: PAGE_ROWS },
    );
    for (const { id, name } of rows) ids.set(name, id);
    afterId = next;
  }
  return ids;
}

async function makeRole(
  deps: AppDeps,
  actor: Actor,
  { name, selfRights, parents }: DemoRole,
  roleIds: Map<string, number>,
): Promise<void> {
  const [{ parent, rights }, ...others] = parents;
  if (!roleIds.has(name)) {
    const input = { parentRoleId: idOf(roleIds, parent), name, selfRights, manages: rights };
    roleIds.set(name, (await createRole(deps, actor, input)).role.id);
  }
  for (const other of others) {
    await putManages(deps, actor, {
      parentRoleId: idOf(roleIds, other.parent),
      childRoleId: idOf(roleIds, name),
      rights: other.rights,
    });
  }
}

async function invite(
  deps: AppDeps,
  actor: Actor,
  { email, language, roles }: DemoPerson,
  roleIds: ReadonlyMap<string, number>,
): Promise<void> {
  for (const role of roles) {
    await putMember(deps, actor, { roleId: idOf(roleIds, role), userEmail: normalizeEmail(email), language });
  }
}

/** Gives the accounts their names, like an import. */
async function namePeople({ database, clock }: AppDeps, people: readonly DemoPerson[]): Promise<void> {
  const named = people.map(({ email, name }): ImportedPerson => [
    normalizeEmail(email),
    ...[null, null, null] as const,
    name,
  ]);
  const args = { opId: crypto.randomUUID(), runId: "demo", now: clock(), people: JSON.stringify(named) };
  await database.write(bindBatch(IMPORT_PEOPLE, args));
}

/** Opens a person's mails, sets the password with their link, and removes them from the outbox. */
async function acceptInvitation(
  deps: AppDeps,
  { email }: DemoPerson,
  password: string,
): Promise<PasswordState> {
  let state: PasswordState = "unchanged";
  for await (const { template, params } of openKeptMails(deps, { recipient: email })) {
    const token = params["link"]?.split("#token=")[1];
    if (template !== "invitation" || token === undefined) continue;
    if (await redeem(deps, token, password)) state = "set";
  }
  const read: string[] = [];
  for await (const { id } of openKeptMails(deps, { recipient: email })) read.push(id);
  await takeMails(deps, read);
  return state;
}

/** Redeems an invitation link. Returns false if it is used up. */
async function redeem(deps: AppDeps, token: string, newPassword: string): Promise<boolean> {
  try {
    await setPasswordByLink(deps, { address: ADMINISTRATOR_ADDRESS, name: "" }, { token, newPassword });
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === "OTP_INVALID_EXPIRED") return false;
    throw error;
  }
}

function idOf(roleIds: ReadonlyMap<string, number>, name: string): number {
  const id = roleIds.get(name);
  if (id === undefined) {
    throw new RangeError(`The demo organization uses the role "${name}" before it defines it`);
  }
  return id;
}
