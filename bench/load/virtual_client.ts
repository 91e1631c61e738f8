import { RIGHT_NAMES } from "../../src/graph/rights.ts";
import { createRandom, randomInteger } from "../../tests/helpers/random_numbers.ts";
import { DeviceRequests } from "./device_requests.ts";
import type { ClientPlace, Draft, Exchange } from "./exchange.ts";
import { LeafChanges } from "./leaf_changes.ts";
import { chooseKind } from "./mix.ts";

/** Access tokens are valid for 10 minutes. */
const ACCESS_TOKEN_MS = 8 * 60_000;
/** Invitations per account; the limit is 50 a day. */
const INVITATIONS_OF_ACCOUNT = 45;
const CHECKS = 5;

/** A user's client: logs in, keeps its tokens fresh, reads and changes, with one request at a time. */
export class VirtualClient {
  readonly #place: ClientPlace;
  readonly #random: () => number;
  readonly #address: string;
  readonly #invitations = new Map<string, number>();
  readonly #leaf: LeafChanges;
  readonly #device: DeviceRequests;
  #account = -1;
  #refreshToken: string | undefined;
  #accessToken: string | undefined;
  #accessTokenUntil = 0;
  #memberId: number | undefined;

  constructor(place: ClientPlace) {
    this.#place = place;
    this.#random = createRandom(place.number + 1);
    this.#leaf = new LeafChanges(place);
    this.#device = new DeviceRequests(place.nodeId, this.#random);
    this.#address = `10.0.${place.number >> 8}.${place.number & 255}`;
  }

  /** Whether it has tokens, so that its next request can be of any kind. */
  get isSignedIn(): boolean {
    return this.#accessToken !== undefined;
  }

  /** Forgets the state that the last request may have changed, because its response was lost. */
  abandon(): void {
    this.#leaf.abandon();
    this.#memberId = undefined;
  }

  /** The next request. The previous response has been accepted, or there was none. */
  next(): Exchange {
    const { token, type, ...draft } = this.#draftNext();
    const headers: Record<string, string> = { "X-Forwarded-For": this.#address };
    if (token !== undefined) headers["Authorization"] = `Bearer ${token}`;
    if (draft.body !== undefined) headers["Content-Type"] = type ?? "application/json";
    return { ...draft, headers };
  }

  #draftNext(): Draft {
    if (this.#refreshToken === undefined) return this.#logIn();
    if (this.#accessToken === undefined || Date.now() > this.#accessTokenUntil) {
      return this.#renewAccess(this.#refreshToken);
    }
    const token = this.#accessToken;
    const kind = chooseKind(this.#random());
    switch (kind) {
      case "login":
        return this.#logIn();
      case "token refresh":
        return this.#rotate(this.#refreshToken);
      case "access token":
        return this.#renewAccess(this.#refreshToken);
      case "role query":
        return { ...this.#queryRoles(), token };
      case "rights check":
        return { ...this.#checkRights(), token };
      case "relation change":
        return { ...this.#leaf.next(), token };
      case "member change":
        return { ...this.#changeMember(), token };
      case "telemetry write":
        return { ...this.#device.writePoints(), token };
      case "telemetry query":
        return { ...this.#device.queryPoints(), token };
    }
  }

  #logIn(): Draft {
    const { emails, password } = this.#place;
    this.#account = (this.#account + 1) % emails.length;
    const body = JSON.stringify({ username: this.#email(), password });
    return {
      kind: "login",
      method: "POST",
      path: "/auth/login",
      body,
      accept: (text) => {
        this.#refreshToken = text;
        this.#accessToken = undefined;
      },
    };
  }

  #email(offset = 0): string {
    const { emails } = this.#place;
    return emails[(this.#account + offset) % emails.length] ?? "";
  }

  #rotate(token: string): Draft {
    const accept = (text: string): void => void (this.#refreshToken = text);
    return { kind: "token refresh", method: "GET", path: "/auth/refreshtoken", token, accept };
  }

  #renewAccess(token: string): Draft {
    const accept = (text: string): void => {
      this.#accessToken = text;
      this.#accessTokenUntil = Date.now() + ACCESS_TOKEN_MS;
    };
    return { kind: "access token", method: "GET", path: "/auth/accesstoken", token, accept };
  }

  #queryRoles(): Draft {
    const body = JSON.stringify({ filter: { ancestorRoleId: [this.#place.seenRoleId] }, limit: 20 });
    return { kind: "role query", method: "POST", path: "/v1/role/query", body };
  }

  #checkRights(): Draft {
    const { checkedRoleIds } = this.#place;
    const checks = Array.from({ length: CHECKS }, () => ({
      roleId: checkedRoleIds[randomInteger(this.#random, checkedRoleIds.length)],
      right: RIGHT_NAMES[randomInteger(this.#random, RIGHT_NAMES.length)],
    }));
    return {
      kind: "rights check",
      method: "POST",
      path: "/v1/rights/check",
      body: JSON.stringify({ checks }),
    };
  }

  /** A colleague joins or leaves the team. An account that has used up its invitations reads roles instead. */
  #changeMember(): Draft {
    const { teamId } = this.#place;
    const kind = "member change";
    if (this.#memberId !== undefined) {
      const path = `/v1/role/${teamId}/member/${this.#memberId}`;
      return { kind, method: "DELETE", path, accept: () => void (this.#memberId = undefined) };
    }
    const invited = this.#invitations.get(this.#email()) ?? 0;
    if (invited >= INVITATIONS_OF_ACCOUNT) return this.#queryRoles();
    this.#invitations.set(this.#email(), invited + 1);
    const path = `/v1/role/${teamId}/member?userEmail=${this.#email(1)}`;
    const accept = (text: string): void => {
      this.#memberId = (JSON.parse(text) as { member: { id: number } }).member.id;
    };
    return { kind, method: "PUT", path, accept };
  }
}
