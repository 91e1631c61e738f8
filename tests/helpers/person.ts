import assert from "node:assert/strict";
import { type Answer, logInFully, send, type Sent, succeed } from "./http.ts";
import {
  ADMIN,
  ADMIN_PASSWORD,
  ALL,
  openInvitation,
  type Rights,
} from "../every_operation/request_catalogue.ts";
import type { TestApp } from "./test_app.ts";

/** Parts of responses, as a client would type them. */

export interface Role {
  readonly id: number;
  readonly name: string;
  readonly selfRights: Rights;
  readonly userRights: Rights;
}

export interface Manages {
  readonly id: number;
  readonly parentRoleId: number;
  readonly childRoleId: number;
}

export interface Member {
  readonly id: number;
  readonly roleId: number;
  readonly userId: number;
  readonly userEmail: string;
}

export interface Deletion {
  readonly deletedNodeIds: number[];
  readonly deletedRelationIds: number[];
}

/** A user of the service, with their access token. */
export class Person {
  readonly #target: Pick<TestApp, "request">;
  readonly accessToken: string;

  constructor(target: Pick<TestApp, "request">, accessToken: string) {
    this.#target = target;
    this.accessToken = accessToken;
  }

  ask(method: string, path: string, body?: unknown, sent: Sent = {}): Promise<Answer> {
    return send(this.#target, method, path, { token: this.accessToken, body, ...sent });
  }

  get<T>(path: string): Promise<T> {
    return succeed<T>(this.#target, "GET", path, { token: this.accessToken });
  }

  post<T>(path: string, body?: unknown): Promise<T> {
    return succeed<T>(this.#target, "POST", path, { token: this.accessToken, body });
  }

  put<T>(path: string, body?: unknown): Promise<T> {
    return succeed<T>(this.#target, "PUT", path, { token: this.accessToken, body });
  }

  delete<T>(path: string): Promise<T> {
    return succeed<T>(this.#target, "DELETE", path, { token: this.accessToken });
  }

  /** Asks for a new role with all rights, and returns the response, whatever it is. */
  askToCreate(parentId: number, name: string, sent: Sent = {}): Promise<Answer> {
    const body = { manages: ALL, role: { name, selfRights: ALL } };
    return this.ask("POST", `/v1/role?parentRoleId=${parentId}`, body, sent);
  }

  async create(parentId: number, name: string, manages = ALL, selfRights = ALL): Promise<number> {
    const body = { manages, role: { name, selfRights } };
    return (await this.post<{ role: Role }>(`/v1/role?parentRoleId=${parentId}`, body)).role.id;
  }

  async roleIds(body: unknown = {}): Promise<number[]> {
    return (await this.post<{ role: Role[] }>("/v1/role/query", body)).role.map(({ id }) => id);
  }

  /** Makes the owner of an address a member of a role, or changes what their membership gives. */
  async addMember(roleId: number, email: string, limits?: unknown): Promise<Member> {
    return (await this.put<{ member: Member }>(`/v1/role/${roleId}/member?userEmail=${email}`, limits))
      .member;
  }

  /** What the log tells of the changes that a filter finds. */
  async changes<T>(filter: object): Promise<T[]> {
    return (await this.post<{ change: T[] }>("/v1/change/query", { filter })).change;
  }

  /** The id of the membership of this address in a role. */
  async memberIdOf(roleId: number, email: string): Promise<number> {
    const { member } = await this.post<{ member: Member[] }>(`/v1/role/${roleId}/member/query`);
    return member.find(({ userEmail }) => userEmail === email)?.id ?? 0;
  }

  /** The id of the relation between two roles. */
  async relationIdOf(parentId: number, childId: number): Promise<number> {
    const { manages } = await this.post<{ manages: Manages[] }>(`/v1/role/${parentId}/manages/query`);
    return manages.find(({ childRoleId }) => childRoleId === childId)?.id ?? 0;
  }

  async holds(roleId: number, ...names: string[]): Promise<boolean[]> {
    const checks = names.map((right) => ({ roleId, right }));
    return (await this.post<{ allowed: boolean[] }>("/v1/rights/check", { checks })).allowed;
  }
}

/** Creates a root role, and logs its first member in. */
export async function bootstrap(
  target: TestApp,
): Promise<{ admin: Person; rootId: number; memberId: number }> {
  const { userId, roleId, memberId } = await target.bootstrapRoot(ADMIN, "Energy Inc");
  await target.setPassword(userId, ADMIN_PASSWORD);
  const { accessToken } = await logInFully(target, ADMIN, ADMIN_PASSWORD);
  return { admin: new Person(target, accessToken), rootId: roleId, memberId };
}

/** The administrator that `bootstrap` made, with a session of this moment. */
export async function administrator(target: TestApp): Promise<Person> {
  return new Person(target, await target.accessToken(1));
}

/**
 * Makes the owner of an unknown address a member: invites them, sets their first password with the link, and logs
 * them in.
 */
export async function invite(
  target: TestApp,
  inviter: Person,
  roleId: number,
  email: string,
): Promise<Person> {
  await inviter.put(`/v1/role/${roleId}/member?userEmail=${email}`);
  const token = await openInvitation(target, email);
  const newPassword = `the first password of ${email}`;
  assert.equal(await succeed(target, "PUT", "/user/password/link", { body: { token, newPassword } }), null);
  return new Person(target, (await logInFully(target, email, newPassword)).accessToken);
}
