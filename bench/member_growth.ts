import type { Actor } from "../src/core/actor.ts";
import { bindBatch } from "../src/db/statement.ts";
import { logIn } from "../src/identity/login_service.ts";
import { issueAccessToken } from "../src/identity/session_service.ts";
import { defineStatement } from "../tests/helpers/text_statement.ts";
import { CLIENT, type ProductionService } from "../tests/helpers/production_service.ts";
import type { Hierarchy } from "./hierarchy.ts";
import { createRandom, randomInteger } from "../tests/helpers/random_numbers.ts";

/** A user with the administrator's password, and their roles. */
const ADD_PERSON = [
  defineStatement(`
    INSERT INTO user_account (email, password_hash, created_at)
    SELECT :email, password_hash, created_at FROM user_account WHERE email = :adminEmail`),
  defineStatement(`
    INSERT INTO member (id, role_id, user_id)
    SELECT last_id + 1 + roles.key, roles.value, (SELECT id FROM user_account WHERE email = :email)
    FROM id_sequence CROSS JOIN json_each(:roleIds) roles WHERE name = 'relation'`),
  defineStatement(`
    UPDATE id_sequence SET last_id = last_id + json_array_length(:roleIds) WHERE name = 'relation'`),
];

/** Makes a user a direct member of this many random roles, and logs them in. */
export async function addMember(
  { database, deps, credentials }: ProductionService,
  { levels }: Hierarchy,
  memberships: number,
): Promise<{ actor: Actor; accessToken: string }> {
  const random = createRandom(memberships);
  const ids = levels.flat();
  const chosen = new Set<number>();
  while (chosen.size < memberships) chosen.add(ids[randomInteger(random, ids.length)] as number);
  const email = `member${memberships}@example.com`;
  await database.write(bindBatch(ADD_PERSON, {
    email,
    adminEmail: credentials.username,
    roleIds: JSON.stringify([...chosen]),
  }));
  const refreshToken = await logIn(deps, CLIENT, { ...credentials, username: email });
  const accessToken = await issueAccessToken(deps, refreshToken, CLIENT.address);
  const { userId, sessionId } = await deps.accessTokens.verify(accessToken);
  return { actor: { userId, sessionId }, accessToken };
}
