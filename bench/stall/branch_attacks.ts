import { toRights } from "../../src/graph/rights.ts";
import { defineStatement } from "../../tests/helpers/text_statement.ts";
import { type Attack, crowdOf, type Strike, unreadOf } from "./attack.ts";
import type { LargeScene } from "../../tests/helpers/large_scene.ts";

/** Attacks by one person with accounts that they invited, and that these invited: all together are one branch. */

const ROLES = 5000;
const PASSWORD = "the password of all these accounts";
const JOIN_BRANCH = [
  defineStatement(`UPDATE member SET chain = :chain WHERE user_id = :userId`),
  defineStatement(`UPDATE user_account SET password_hash = :passwordHash WHERE id = :userId`),
];

interface Account {
  readonly email: string;
  readonly token: string;
}

/** The first account brings half of the others, the second one the rest. */
async function addBranch(scene: LargeScene, roleId: number, count: number): Promise<Account[]> {
  const { deps, rootId } = scene.service;
  const passwordHash = await deps.hasher.hash(PASSWORD);
  const accounts: Account[] = [];
  const chains: string[] = [];
  for (let i = 0; i < count; i++) {
    const person = await scene.addPerson([roleId]);
    const { userId } = person;
    const inviter = chains[i < count / 2 ? 0 : 1];
    const chain = inviter === undefined ? `${rootId}:${userId}` : `${inviter}/${userId}`;
    await scene.write(JOIN_BRANCH, { chain, userId, passwordHash });
    chains.push(chain);
    accounts.push(person);
  }
  return accounts;
}

/** Each account signs in, renames a role, reads a long list and does not read another, all again and again. */
function strikesOf({ email, token }: Account, i: number, roleIds: readonly number[]): Strike[] {
  const path = "/v1/role/query";
  const body = { filter: { ancestorRoleId: [roleIds[0]] } };
  const selfRights = toRights(63);
  const rename = { connections: 1, method: "PUT", path: `/v1/role/${roleIds[i + 1]}`, token } as const;
  return [
    crowdOf({
      connections: 1,
      path: "/auth/login",
      headers: { "X-Forwarded-For": `198.18.${i}.1` },
      body: { username: email, password: PASSWORD },
    }),
    crowdOf({ ...rename, body: { name: "One name", selfRights } }),
    crowdOf({ ...rename, body: { name: "Another name", selfRights } }),
    crowdOf({ connections: 1, path, token, body }),
    unreadOf({ connections: 1, path, token, body }),
  ];
}

function attackBy(count: number): Attack {
  return {
    name: `${count} ${count === 1 ? "account" : "accounts"} of one person, with all that costs`,
    answers: [200, 429, 503],
    async prepare(scene) {
      const [top = 0] = await scene.addRoles(1);
      const roleIds = await scene.addRoles(ROLES, { parentIds: [top] });
      const accounts = await addBranch(scene, top, count);
      const strikes = accounts.flatMap((account, i) => strikesOf(account, i, [top, ...roleIds]));
      return async (target) => {
        await Promise.all(strikes.map((strike) => strike(target)));
      };
    },
  };
}

export const BRANCH_ATTACKS: readonly Attack[] = [1, 10, 40].map(attackBy);
