import type { Manages, Person, Role } from "../helpers/person.ts";
import type { RoleAccess } from "../lists/access_scene.ts";

/** What is around a role, as a client would type it. */
export interface Neighbourhood {
  readonly role: Role[];
  readonly manages: Manages[];
  readonly summary: Summary[];
  readonly memberOf: number[];
  readonly person?: {
    readonly access: RoleAccess[];
    readonly memberOf: number[];
    readonly mayAsk: number[];
  };
  readonly moreAbove: boolean;
  readonly moreManages: boolean;
  readonly nextCursor: string | null;
}

export interface Summary {
  readonly id: number;
  readonly parents: number;
  readonly children: number;
  readonly descendants: number;
}

export function neighbourhoodOf(asker: Person, roleId: number, body: object = {}): Promise<Neighbourhood> {
  return asker.post(`/v1/role/${roleId}/neighbourhood/query`, body);
}

export function idsOf(list: readonly { readonly id: number }[]): number[] {
  return list.map(({ id }) => id);
}
