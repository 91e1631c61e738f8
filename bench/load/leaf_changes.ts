import { toRights } from "../../src/graph/rights.ts";
import type { ClientPlace, Draft } from "./exchange.ts";

const kind = "relation change";
const ALL_RIGHTS = JSON.stringify(toRights(63));
const FEWER_RIGHTS = JSON.stringify(toRights(0b000101));

/** A role below the workspace, and the relation to it. */
interface Leaf {
  readonly id: number;
  readonly relationId: number;
}

/**
 * A repeating sequence: create a role, add a relation from the team to it, weaken and delete that relation,
 * delete the role.
 */
export class LeafChanges {
  readonly #place: Pick<ClientPlace, "workspaceId" | "teamId">;
  #leaf: Leaf | undefined;
  /** The relation from the team. */
  #secondId: number | undefined;
  #isWeakened = false;

  constructor(place: Pick<ClientPlace, "workspaceId" | "teamId">) {
    this.#place = place;
  }

  /** Starts over with another role, and leaves this one as it is. */
  abandon(): void {
    this.#leaf = undefined;
    this.#secondId = undefined;
    this.#isWeakened = false;
  }

  next(): Draft {
    const { workspaceId, teamId } = this.#place;
    const leaf = this.#leaf;
    if (leaf === undefined) return this.#create();
    const second = `/v1/role/${teamId}/manages`;
    if (this.#secondId === undefined && this.#isWeakened) {
      const path = `/v1/role/${workspaceId}/manages/${leaf.relationId}`;
      return { kind, method: "DELETE", path, accept: () => this.abandon() };
    }
    if (this.#secondId === undefined) {
      const accept = (text: string): void => {
        this.#secondId = (JSON.parse(text) as { manages: { id: number } }).manages.id;
      };
      return { kind, method: "PUT", path: `${second}?childRoleId=${leaf.id}`, body: ALL_RIGHTS, accept };
    }
    const path = `${second}/${this.#secondId}`;
    if (this.#isWeakened) {
      return { kind, method: "DELETE", path, accept: () => void (this.#secondId = undefined) };
    }
    return { kind, method: "PUT", path, body: FEWER_RIGHTS, accept: () => void (this.#isWeakened = true) };
  }

  #create(): Draft {
    const path = `/v1/role?parentRoleId=${this.#place.workspaceId}`;
    const body = `{"role":{"name":"leaf","selfRights":${ALL_RIGHTS}},"manages":${ALL_RIGHTS}}`;
    const accept = (text: string): void => {
      const { role, manages } = JSON.parse(text) as { role: { id: number }; manages: { id: number } };
      this.#leaf = { id: role.id, relationId: manages.id };
    };
    return { kind, method: "POST", path, body, accept };
  }
}
