import type { Rights } from "../every_operation/request_catalogue.ts";
import type { Person } from "../helpers/person.ts";

/** The log of changes, as a client would type it. */

type Actor =
  | { readonly type: "user"; readonly id: number; readonly email: string | null; readonly erased?: true }
  | { readonly type: "key"; readonly id: number; readonly name: string | null; readonly email: null };

export interface Change {
  readonly revision: number;
  readonly at: string;
  readonly actor: Actor | null;
  readonly viaRoleId: number | null;
  readonly viaRoleName: string | null;
  readonly roleName: string | null;
  readonly oldName: string | null;
  readonly newName: string | null;
  readonly parentRoleName: string | null;
  readonly keyName: string | null;
  readonly oldUntil: string | null;
  readonly until: string | null;
  readonly deletedRoles: number;
  readonly deletedDevices: number;
  readonly kind: string;
  readonly decision: string;
  readonly roleId: number | null;
  readonly parentRoleId: number | null;
  readonly managesId: number | null;
  readonly memberId: number | null;
  readonly memberEmail: string | null;
  readonly deviceId: number | null;
  readonly oldRights: Rights | null;
  readonly newRights: Rights | null;
  readonly deletedNodeIds: number[];
  readonly deletedRelationIds: number[];
}

export interface ChangePage {
  readonly change: Change[];
  readonly nextRevision: number;
}

export const LOG = "/v1/change/query";

export function readLog(person: Person, body: object = {}): Promise<ChangePage> {
  return person.post<ChangePage>(LOG, body);
}

/** All changes that the person sees and that the filter leaves. */
export async function changesOf(person: Person, filter: object = {}): Promise<Change[]> {
  return (await readLog(person, { filter })).change;
}

/** These fields of each change. */
export function fieldsOf(changes: readonly Change[], ...names: readonly (keyof Change)[]): unknown[][] {
  return changes.map((change) => names.map((name) => change[name]));
}

/** The kinds of a page's changes. */
export function kindsOf({ change }: ChangePage): string[] {
  return change.map(({ kind }) => kind);
}
