import type { Actor } from "../../core/actor.ts";
import type { RoleDeps } from "../../role/deps.ts";
import { listRoles } from "../../role/role_listing_service.ts";
import { type Kind, KINDS } from "./kinds.ts";

export interface NamedRole {
  readonly id: number;
  readonly name: string;
}

export interface FoundRole extends NamedRole {
  readonly parents: NamedRole[];
}

export interface FoundPerson {
  readonly userId: number;
  readonly userEmail: string;
  readonly roles: NamedRole[];
}

export interface FoundDevice {
  readonly id: number;
  readonly nodeId: string;
  readonly name?: string;
  readonly roles: NamedRole[];
}

export interface Found {
  readonly role: FoundRole[];
  readonly person: FoundPerson[];
  readonly device: FoundDevice[];
  readonly matched: "anywhere" | "beginning";
  readonly nextCursor: Readonly<Record<Kind, string | null>>;
}

export interface Search {
  readonly text: string;
  /** By default all. */
  readonly kinds?: readonly Kind[] | undefined;
  /** Maximum number of hits of each kind. */
  readonly limit: number;
  /** `nextCursor` of the one kind. */
  readonly cursor?: string | undefined;
}

/** Returns what the actor may find by a text. Throws `TOKEN_INVALID` if their session has ended. */
export async function find(
  deps: Pick<RoleDeps, "database" | "clock">,
  actor: Actor,
  { text, kinds = KINDS, limit, cursor }: Search,
): Promise<Found> {
  const page = { afterId: cursor === undefined ? -1 : Number(cursor), limit };
  const roles = kinds.includes("role")
    ? await listRoles(deps, actor, { namePrefix: text }, page)
    : { rows: [], next: null };
  return {
    role: roles.rows.map(({ id, name }) => ({ id, name, parents: [] })),
    person: [],
    device: [],
    matched: "beginning",
    nextCursor: { role: roles.next === null ? null : String(roles.next), person: null, device: null },
  };
}
