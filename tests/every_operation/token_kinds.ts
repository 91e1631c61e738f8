import { SECOND_MS } from "../../src/core/clock.ts";
import { createSecrets, type Secrets } from "../../src/core/secrets.ts";
import { drawRoleKey, makeRoleKey } from "../../src/identity/token/role_key.ts";
import { bootstrapRoot } from "../../src/role/bootstrap_service.ts";
import { createKey, deleteKey } from "../../src/key/key_service.ts";
import { execute, query, tokenFrom } from "../helpers/http.ts";
import { SIBLING_URL, type TestApp } from "../helpers/test_app.ts";

/** A new user with a session, for whom a token is made. */
interface Owner {
  readonly target: TestApp;
  readonly userId: number;
  readonly session: Awaited<ReturnType<TestApp["openSession"]>>;
}

/** How to make a token, and what happens to its user then. */
type Recipe = readonly [make: (owner: Owner) => Promise<string | undefined>, ...changes: readonly string[]];

/** Longer than the lifetime of any token, and than a sign-in counts as fresh. */
const STALE_SECONDS = 901;
const GROW_STALE = `UPDATE session SET authenticated_at = authenticated_at - ${STALE_SECONDS * SECOND_MS}
  WHERE user_id = :userId`;
const ADD_FACTOR = `INSERT INTO second_factor (user_id, kind, activated_at, email)
  SELECT id, 'email_otp', 0, email FROM user_account WHERE id = :userId`;
const OUTDATE = "UPDATE user_account SET security_version = 1 WHERE id = :userId";
const END_SESSION = "UPDATE session SET ended_at = created_at WHERE user_id = :userId";
const END_PARTIAL = "UPDATE partial_login SET ended_at = 0 WHERE user_id = :userId";
const DELETE_MEMBERS =
  "DELETE FROM member WHERE role_id IN (SELECT role_id FROM member WHERE user_id = :userId)";

/** The kinds of bearer token that some operation accepts. */
const GOOD = {
  "fresh": [accessOf],
  "stale": [accessOf, GROW_STALE],
  "fresh with factor": [accessOf, ADD_FACTOR],
  "stale with factor": [accessOf, ADD_FACTOR, GROW_STALE],
  "partial": [partialOf, ADD_FACTOR],
  "sudo": [sudoOf],
  "sudo with factor": [sudoOf, ADD_FACTOR, GROW_STALE],
  "refresh": [refreshOf],
  "key": [keyOf],
  "other's": [accessOf],
} as const satisfies Record<string, Recipe>;

/** The kinds of bearer token that no protected operation accepts. */
const BAD = {
  "none": [() => Promise.resolve(undefined)],
  "malformed": [async (owner) => `${await accessOf(owner)}x`],
  "expired access": [accessOf],
  "expired sudo": [sudoOf],
  "expired partial": [partialOf, ADD_FACTOR],
  "ended session's access": [accessOf, END_SESSION],
  "ended session's sudo": [sudoOf, END_SESSION],
  "ended session's refresh": [refreshOf, END_SESSION],
  "ended partial": [partialOf, ADD_FACTOR, END_PARTIAL],
  "outdated sudo": [sudoOf, OUTDATE],
  "outdated partial": [partialOf, ADD_FACTOR, OUTDATE],
  "access in another's name": [
    ({ target: { deps }, userId, session: { sessionId } }) =>
      deps.accessTokens.sign({
        userId: userId - 1,
        sessionId,
        authenticatedAtMs: deps.clock(),
        assuranceLevel: 1,
      }),
  ],
  "sudo in another's name": [(owner) => sudoOf({ ...owner, userId: owner.userId - 1 })],
  "partial in another's name": [({ target, userId }) => openPartialLogin(target, userId, userId - 1)],
  "access for a sibling": [
    ({ target, session }) =>
      tokenFrom(target, `/auth/accesstoken?audience=${SIBLING_URL}`, session.refreshToken),
  ],
  // It expires at the very time at which the tokens are tried.
  "expired key": [async (owner) => (await makeKey(owner, STALE_SECONDS * SECOND_MS)).secret],
  "deleted key": [async (owner) => {
    const { secret, ...key } = await makeKey(owner);
    await deleteKey(owner.target.deps, "administrator", key);
    return secret;
  }],
  "key of a deleted role": [keyOf, DELETE_MEMBERS],
  "key of another service": [
    async (owner) =>
      remakeKey(owner, await createSecrets([{ id: "test", bytes: new Uint8Array(32).fill(8) }])),
  ],
  "key with another's id": [(owner) => remakeKey(owner, owner.target.deps.secrets)],
} as const satisfies Record<string, Recipe>;

type GoodKind = keyof typeof GOOD;
type BadKind = keyof typeof BAD;
export type TokenKind = GoodKind | BadKind;
export const GOOD_KINDS = Object.keys(GOOD) as GoodKind[];
export const BAD_KINDS = Object.keys(BAD) as BadKind[];

/** A token and its user. Each kind has its own user. */
export interface KindOfToken {
  readonly token: string | undefined;
  readonly userId: number;
}

export type Tokens<K extends TokenKind> = ReadonlyMap<K, KindOfToken>;

/** Makes a token of every good kind, each for a new user. */
export function makeGoodTokens(target: TestApp): Promise<Tokens<GoodKind>> {
  return makeTokens(target, GOOD_KINDS);
}

/** Makes a token of every bad kind, each for a new user. Moves the clock, so that some have expired. */
export async function makeBadTokens(target: TestApp): Promise<Tokens<BadKind>> {
  const early = await makeTokens(target, BAD_KINDS.filter((kind) => kind.startsWith("expired")));
  target.clock.advance(STALE_SECONDS);
  const late = await makeTokens(target, BAD_KINDS.filter((kind) => !kind.startsWith("expired")));
  return new Map([...early, ...late]);
}

let people = 0;

async function makeTokens<K extends TokenKind>(target: TestApp, kinds: readonly K[]): Promise<Tokens<K>> {
  const made = new Map<K, KindOfToken>();
  for (const kind of kinds) {
    const { userId } = await target.createUser(`person${++people}@example.com`);
    await target.setPassword(userId, "a password that is right");
    const [make, ...changes]: Recipe = { ...GOOD, ...BAD }[kind];
    const token = await make({ target, userId, session: await target.openSession(userId) });
    for (const sql of changes) await execute(target, sql, { userId });
    made.set(kind, { token, userId });
  }
  return made;
}

function accessOf({ session }: Owner): Promise<string> {
  return Promise.resolve(session.accessToken);
}

function refreshOf({ session }: Owner): Promise<string> {
  return Promise.resolve(session.refreshToken);
}

function sudoOf({ target, userId, session: { sessionId } }: Owner): Promise<string> {
  return target.deps.sudoTokens.sign({ userId, sessionId, securityVersion: 0 });
}

function partialOf({ target, userId }: Owner): Promise<string> {
  return openPartialLogin(target, userId);
}

/** Opens a sign-in that waits for its second factor, and signs its token, for this user or `name`. */
export async function openPartialLogin(target: TestApp, userId: number, name = userId): Promise<string> {
  const { clock, partialTokens } = target.deps;
  const partialLoginId = crypto.randomUUID();
  await execute(
    target,
    `INSERT INTO partial_login (id, user_id, authenticated_at, security_version, expires_at, client)
     SELECT :partialLoginId, id, :now, security_version, :now + 600000, 'test'
     FROM user_account WHERE id = :userId`,
    { partialLoginId, userId, now: clock() },
  );
  return await partialTokens.sign({ userId: name, partialLoginId });
}

/** Makes a key of a new root role, which expires in this time, by default as late as it can. */
async function makeKey(
  { target, userId }: Owner,
  lifetimeMs?: number,
): Promise<{ roleId: number; keyId: number; secret: string }> {
  const { deps } = target;
  const [account] = await query<{ email: string }>(
    target,
    "SELECT email FROM user_account WHERE id = :userId",
    { userId },
  );
  const role = { email: account?.email ?? "", roleName: `Role of ${userId}` };
  const { roleId } = await bootstrapRoot(deps, role);
  const expiresAt = lifetimeMs === undefined ? undefined : deps.clock() + lifetimeMs;
  const { key, secret } = await createKey(deps, "administrator", { roleId, name: "Key", expiresAt });
  return { roleId, keyId: key.id, secret };
}

async function keyOf(owner: Owner): Promise<string> {
  return (await makeKey(owner)).secret;
}

/** Makes a key with the id of one that exists, and other random characters. */
async function remakeKey(owner: Owner, secrets: Secrets): Promise<string> {
  return await makeRoleKey(secrets, (await makeKey(owner)).keyId, (await drawRoleKey(secrets)).random);
}
