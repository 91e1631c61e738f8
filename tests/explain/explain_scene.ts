import type { Rights } from "../every_operation/request_catalogue.ts";
import type { Person } from "../helpers/person.ts";

/** An explanation, as a client would type it. */

interface Hidden {
  readonly hidden: true;
}

export interface Membership {
  readonly roleId: number;
  readonly name: string;
  readonly until?: string;
  readonly rights?: Rights;
}

export interface Relation {
  readonly managesId: number;
  readonly parentRoleId: number;
  readonly childRoleId: number;
  readonly name: string;
  readonly rights: string[];
}

export interface Way {
  readonly memberOf: Membership | Hidden;
  readonly relations: (Relation | Hidden)[];
}

export interface BlockedWay extends Way {
  readonly lostAt: (number | Hidden)[];
  readonly lostAtMember?: true;
  readonly lostAtRole?: true;
}

export interface FixItem {
  readonly managesId?: number;
  readonly roleId?: number;
  readonly memberId?: number;
  readonly right?: string;
  readonly mayYou?: boolean;
  readonly hidden?: true;
}

export interface Explanation {
  readonly allowed: boolean;
  readonly revision: number;
  readonly ways: Way[];
  readonly blocked: BlockedWay[];
  readonly fix: FixItem[];
  readonly truncated: boolean;
}

export interface Question {
  readonly roleId: number;
  readonly right: string;
  readonly userEmail?: string;
  readonly keyId?: number;
  readonly asOf?: number | string;
}

export function explain(person: Person, question: Question): Promise<Explanation> {
  return person.post<Explanation>("/v1/rights/explain", question);
}

/** What a role gives that does not exist. */
export function nothing(revision: number): Explanation {
  return { allowed: false, revision, ways: [], blocked: [], fix: [], truncated: false };
}

/** The relation as an explanation shows it, or `hidden`. */
export function idsOf({ relations }: Way): (number | "hidden")[] {
  return relations.map((relation) => "managesId" in relation ? relation.managesId : "hidden");
}
