import { signal } from "@preact/signals";
import type { Rights } from "../../../graph/rights.ts";
import type { RightsToBe } from "../rights.ts";
import type { Manages, Role } from "../schemas.ts";
import type { Standing } from "./standing.ts";

/** What is drawn: the state that a change starts from. */
export interface Pictured {
  /** Whose rights are drawn; undefined for the viewer. */
  readonly email: string | undefined;
  readonly roles: readonly Role[];
  /** Between these roles. */
  readonly relations: readonly Manages[];
  /** The person's standings, by role. */
  readonly standings: ReadonlyMap<number, Standing>;
  /** The roles of which the person is known to be a direct member. */
  readonly memberOf: ReadonlySet<number>;
}

/** What a change would make of a line. */
export interface LineToBe extends RightsToBe {
  readonly fate?: "new" | "deleted" | undefined;
}

/** What a change would make of a box. */
export interface BoxToBe extends RightsToBe {
  /** The new name of the role; undefined if it keeps its own. */
  readonly name?: string | undefined;
  /** `unsure`: it is not known whether the person gains or loses further rights. */
  readonly fate?: "new" | "deleted" | "unsure" | undefined;
}

/** What a change would make of a picture. What it does not name stays. */
export interface PictureToBe {
  readonly lines: ReadonlyMap<number, LineToBe>;
  readonly boxes: ReadonlyMap<number, BoxToBe>;
  /** Boxes and a line that are not in the picture yet, by `NEW_ID` unless they exist elsewhere. */
  readonly roles: readonly AddedRole[];
  readonly relation: NewRelation | undefined;
}

/** A role to be drawn in. */
export interface AddedRole {
  readonly role: Role;
  /** Undefined if it is not known. */
  readonly standing: Standing | undefined;
}

export interface NewRelation extends Rights {
  readonly id: typeof NEW_ID;
  readonly parentRoleId: number;
  readonly childRoleId: number;
}

/** The id of a role or relation that does not exist yet. */
export const NEW_ID = 0;

/** What the open form would make of the picture beside it; undefined without one. */
export const pictureToBe = signal<((now: Pictured) => PictureToBe) | undefined>(undefined);
