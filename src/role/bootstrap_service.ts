import { lastRow } from "../db/rows.ts";
import { bind, bindBatch } from "../db/statement.ts";
import type { RoleDeps } from "./deps.ts";
import { BOOTSTRAP, FIND_ROOT } from "./bootstrap_queries.ts";
import { makeInvitation } from "./invitation.ts";

export interface BootstrapInput {
  /** Normalized. */
  readonly email: string;
  readonly roleName: string;
  /** PHC string; absent: a mailed invitation lets the member set the password. */
  readonly passwordHash?: string | undefined;
}

/** A root role and its first member. */
export interface Root {
  readonly userId: number;
  readonly roleId: number;
  readonly memberId: number;
}

export interface BootstrapResult extends Root {
  /** False: a root role of this name was there already, and nothing changed. */
  readonly created: boolean;
  /** The account has the given password now. It had none before: one that is set already stays. */
  readonly passwordSet: boolean;
  /** An invitation with a link to set the password is in the outbox. */
  readonly invited: boolean;
}

interface BootstrapRow extends Root {
  readonly created: number;
  readonly passwordSet: number;
  readonly invited: number;
}

/** Makes a root role with all six self rights, and its first member. For the administrator: no request leads here. */
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
    passwordSet: row.passwordSet === 1,
    invited: row.invited === 1,
  };
  return { ...flags, userId, roleId, memberId };
}

/** The root role of this name and its first member, if there is one. */
export async function findRoot(
  { database }: Pick<RoleDeps, "database">,
  name: string,
): Promise<Root | undefined> {
  const [row] = await database.read<Root>(bind(FIND_ROOT, { name }));
  return row;
}
