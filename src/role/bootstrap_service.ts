import { lastRow } from "../db/rows.ts";
import { bind, bindBatch } from "../db/statement.ts";
import type { RoleDeps } from "./deps.ts";
import { BOOTSTRAP, type BootstrapRow, FIND_ROOT, type Root } from "./bootstrap_queries.ts";
import { makeInvitation } from "./member/invitation.ts";

export interface BootstrapInput {
  /** Normalized address. */
  readonly email: string;
  readonly roleName: string;
  /** PHC string. Without it, a mailed invitation lets the member set a password. */
  readonly passwordHash?: string | undefined;
}

export interface BootstrapResult extends Root {
  /** False if a root role of this name had a member who keeps it, so that nothing changed. */
  readonly created: boolean;
  /** A root role of this name existed without a member who keeps it, and got one. */
  readonly existed: boolean;
  /** The account had no password and now has the given one. An existing password stays. */
  readonly passwordSet: boolean;
  /** An invitation with a link to set the password is in the outbox. */
  readonly invited: boolean;
}

/** Creates a root role with all six self rights and its first member. No request does this, only the administrator. */
export async function bootstrapRoot(deps: RoleDeps, input: BootstrapInput): Promise<BootstrapResult> {
  const results = await deps.database.write(bindBatch(BOOTSTRAP, {
    opId: crypto.randomUUID(),
    now: deps.clock(),
    email: input.email,
    name: input.roleName,
    passwordHash: input.passwordHash ?? null,
    ...await makeInvitation(deps),
  }));
  const row = lastRow<BootstrapRow>(results) as BootstrapRow;
  const { userId, roleId, memberId } = row;
  const flags = {
    created: row.created === 1,
    existed: row.existed === 1,
    passwordSet: row.passwordSet === 1,
    invited: row.invited === 1,
  };
  return { ...flags, userId, roleId, memberId };
}

/** Returns the root role of this name and its first member, or undefined. */
export async function findRoot(
  { database }: Pick<RoleDeps, "database">,
  name: string,
): Promise<Root | undefined> {
  const [row] = await database.read(bind(FIND_ROOT, { name }));
  return row;
}
