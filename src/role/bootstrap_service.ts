import { bindBatch } from "../db/statement.ts";
import type { RoleDeps } from "./deps.ts";
import { BOOTSTRAP } from "./bootstrap_queries.ts";
import { makeInvitation } from "./invitation.ts";

export interface BootstrapInput {
  /** Normalized. */
  readonly email: string;
  readonly roleName: string;
  /** PHC string; absent: a mailed invitation lets the member set the password. */
  readonly passwordHash?: string | undefined;
}

export interface BootstrapResult {
  /** False: a root role of this name was there already, and nothing changed. */
  readonly created: boolean;
  readonly userId: number;
  readonly roleId: number;
  readonly memberId: number;
  /** An invitation with a link to set the password is in the outbox. */
  readonly invited: boolean;
}

/** Makes a root role with all six self rights, and its first member. For the operator: no request leads here. */
export async function bootstrapRoot(deps: RoleDeps, input: BootstrapInput): Promise<BootstrapResult> {
  const results = await deps.database.write(bindBatch(BOOTSTRAP, {
    opId: crypto.randomUUID(),
    now: deps.clock(),
    email: input.email,
    name: input.roleName,
    passwordHash: input.passwordHash ?? null,
    ...await makeInvitation(deps),
  }));
  const row = results.at(-1)?.[0] as unknown as {
    decision: string;
    userId: number;
    roleId: number;
    memberId: number;
    invited: number;
  };
  const { userId, roleId, memberId } = row;
  return { created: row.decision === "ok", userId, roleId, memberId, invited: row.invited === 1 };
}
