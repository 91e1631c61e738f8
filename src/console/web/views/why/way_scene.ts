import { forEachRight, type Rights } from "../../../../graph/rights.ts";
import { ALL } from "../../rights.ts";
import type { Answer, Way } from "./load_answer.ts";

/** The ways of an explanation as one picture: the person, the roles below, and hidden parts between them. */

export type Box =
  | { readonly kind: "person" }
  | { readonly kind: "hidden" }
  | { readonly kind: "role"; readonly roleId: number; readonly isLostHere: boolean };

/** A link between boxes: a membership, a relation, or hidden ones. */
export interface Link {
  readonly id: number;
  readonly from: number;
  readonly to: number;
  /** Its rights; undefined if unknown. A membership without a limit carries all. */
  readonly rights: Rights | undefined;
  readonly isLostHere: boolean;
  readonly isMembership: boolean;
  /** Whether it is a membership that counts as absent in the viewer's session. */
  readonly isDormant: boolean;
}

/** The boxes and links to draw. */
export interface WayScene {
  readonly boxes: ReadonlyMap<number, Box>;
  readonly links: readonly Link[];
  /** Number of ways not drawn, beyond the maximum of boxes. */
  readonly left: number;
}

/** The id of the person's box. Roles use their ids; hidden parts have ids below 0. */
export const PERSON = 0;
/** Maximum number of boxes; more would take too long to read. */
const MAX_BOXES = 150;

/** Combines the ways into one scene, with each role once. */
export function makeScene({ explanation, question, roles }: Answer): WayScene {
  const { ways, blocked } = explanation;
  const scene = new SceneBuilder(question.roleId);
  if (roles.has(question.roleId)) scene.addRole(question.roleId, false);
  const all: readonly Way[] = [...ways, ...blocked];
  let drawn = 0;
  for (const way of all) {
    if (drawn > 0 && scene.boxes.size + way.relations.length > MAX_BOXES) break;
    scene.addWay(way);
    drawn++;
  }
  return { boxes: scene.boxes, links: [...scene.links.values()], left: all.length - drawn };
}

/**
 * Whether the right is lost in each stretch of hidden relations. Hidden losses have no place, so this is only known
 * if there is one stretch, or if all hidden relations lose it.
 */
function losesInEachStretch(relations: Way["relations"], lostAt: NonNullable<Way["lostAt"]>): boolean {
  const losses = lostAt.filter((loss) => typeof loss !== "number").length;
  const isHidden = relations.map((relation) => !("managesId" in relation));
  const stretches = isHidden.filter((hidden, i) => hidden && !isHidden[i - 1]).length;
  return losses > 0 && (stretches === 1 || losses === isHidden.filter(Boolean).length);
}

interface HiddenStretch {
  readonly isLostHere: boolean;
  readonly isLostAtMember: boolean;
}

/** Without rights: they are hidden. Without an id, it is no relation. */
type NewLink = Pick<Link, "from" | "to" | "isLostHere"> & Partial<Link>;

class SceneBuilder {
  readonly boxes = new Map<number, Box>([[PERSON, { kind: "person" }]]);
  readonly links = new Map<string, Link>();
  readonly #roleId: number;
  #nextHidden = -1;

  constructor(roleId: number) {
    this.#roleId = roleId;
  }

  addWay({ memberOf, relations, lostAt = [], lostAtMember, lostAtRole }: Way): void {
    const hidden = {
      isLostHere: losesInEachStretch(relations, lostAt),
      isLostAtMember: lostAtMember === true,
    };
    let from = PERSON;
    let isHidden = false;
    if ("roleId" in memberOf) {
      this.addRole(memberOf.roleId, lostAtRole === true && relations.length === 0);
      this.#addLink({
        from,
        to: memberOf.roleId,
        rights: memberOf.rights ?? ALL,
        isLostHere: lostAtMember === true,
        isMembership: true,
        isDormant: memberOf.dormant === true,
      });
      from = memberOf.roleId;
    } else isHidden = true;
    for (const relation of relations) {
      if (!("managesId" in relation)) {
        isHidden = true;
        continue;
      }
      const { managesId, parentRoleId, childRoleId, rights } = relation;
      if (isHidden) this.#addHidden(from, parentRoleId, hidden);
      isHidden = false;
      this.addRole(childRoleId, false);
      this.#addLink({
        id: managesId,
        from: parentRoleId,
        to: childRoleId,
        rights: forEachRight((name) => rights.includes(name)),
        isLostHere: lostAt.includes(managesId),
      });
      from = childRoleId;
    }
    if (isHidden) this.#addHidden(from, this.#roleId, hidden);
  }

  addRole(roleId: number, isLostHere: boolean): void {
    const known = this.boxes.get(roleId);
    const wasLost = known?.kind === "role" && known.isLostHere;
    this.boxes.set(roleId, { kind: "role", roleId, isLostHere: isLostHere || wasLost });
  }

  /** Adds one box for all equal hidden parts between two roles. */
  #addHidden(from: number, to: number, { isLostHere, isLostAtMember }: HiddenStretch): void {
    this.addRole(to, false);
    const isMembership = from === PERSON;
    const isLostBefore = isMembership && isLostAtMember;
    const known = [...this.links.values()].find((link) =>
      link.from === from && link.to < 0 && link.isLostHere === isLostBefore &&
      this.links.get(`${link.to} ${to}`)?.isLostHere === isLostHere
    );
    const id = known?.to ?? this.#nextHidden--;
    this.boxes.set(id, { kind: "hidden" });
    this.#addLink({ from, to: id, isLostHere: isLostBefore, isMembership });
    this.#addLink({ from: id, to, isLostHere });
  }

  #addLink(
    { from, to, isLostHere, rights, isMembership = false, isDormant = false, ...link }: NewLink,
  ): void {
    const key = `${from} ${to}`;
    const known = this.links.get(key);
    const id = known?.id ?? link.id ?? -1 - this.links.size;
    const wasLost = known?.isLostHere === true;
    this.links.set(key, { id, from, to, rights, isLostHere: isLostHere || wasLost, isMembership, isDormant });
  }
}
