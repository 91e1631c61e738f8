import { SECOND_MS } from "../../src/core/clock.ts";
import { createSecrets } from "../../src/core/secrets.ts";
import { bind, type SqlArgs } from "../../src/db/statement.ts";
import { drawRoleKey, makeRoleKey } from "../../src/identity/token/role_key.ts";
import { bootstrapRoot } from "../../src/role/bootstrap_service.ts";
import { createKey, deleteKey } from "../../src/key/key_service.ts";
import { tokenFrom } from "../helpers/http.ts";
import { SIBLING_URL, type TestApp } from "../helpers/test_app.ts";
import { defineStatement } from "../helpers/text_statement.ts";

/** The kinds of bearer token that some operation accepts. */
export const GOOD_KINDS = [
  "fresh",
  "stale",
  "fresh with factor",
  "stale with factor",
  "partial",
  "sudo",
  "sudo with factor",
  "refresh",
  "key",
  "other's",
] as const;

/** The kinds of bearer token that no protected operation accepts. */
export const BAD_KINDS = [
  "none",
  "malformed",
  "expired access",
  "expired sudo",
  "expired partial",
  "ended session's access",
  "ended session's sudo",
  "ended session's refresh",
  "ended partial",
  "outdated sudo",
  "outdated partial",
  "access in another's name",
  "sudo in another's name",
  "partial in another's name",
  "access for a sibling",
  "expired key",
  "deleted key",
  "key of a deleted role",
  "key of another service",
  "key with another's id",
] as const;

export type TokenKind = typeof GOOD_KINDS[number] | typeof BAD_KINDS[number];

/** A token and its user. Each kind has its own user. */
export interface KindOfToken {
  readonly token: string | undefined;
  readonly userId: number;
}

/** Longer than the lifetime of any token, and than a sign-in counts as fresh. */
const STALE_SECONDS = 901;

let people = 0;

export type Tokens<K extends TokenKind> = ReadonlyMap<K, KindOfToken>;

/** Makes a token of every good kind, each for a new user. */
export function makeGoodTokens(target: TestApp): Promise<Tokens<typeof GOOD_KINDS[number]>> {
  return makeTokens(target, GOOD_KINDS);
}

/** Makes a token of every bad kind, each for a new user. Moves the clock, so that some have expired. */
export async function makeBadTokens(target: TestApp): Promise<Tokens<typeof BAD_KINDS[number]>> {
  const early = await makeTokens(target, BAD_KINDS.filter((kind) => MADE_EARLY.has(kind)));
  target.clock.advance(STALE_SECONDS);
  const late = await makeTokens(target, BAD_KINDS.filter((kind) => !MADE_EARLY.has(kind)));
  return new Map([...early, ...late]);
}

async function makeTokens<K extends TokenKind>(target: TestApp, kinds: readonly K[]): Promise<Tokens<K>> {
  const made = new Map<K, KindOfToken>();
  for (const kind of kinds) made.set(kind, await makeToken(target, kind));
  return made;
}

const MADE_EARLY: ReadonlySet<TokenKind> = new Set([
  "expired access",
  "expired sudo",
  "expired partial",
  "expired key",
]);

async function makeToken(target: TestApp, kind: TokenKind): Promise<KindOfToken> {
  const { userId } = await target.createUser(`person${++people}@example.com`);
  await target.setPassword(userId, "a password that is right");
  const token = await tokenOf(target, userId, kind);
  return { token, userId };
}

async function tokenOf(target: TestApp, userId: number, kind: TokenKind): Promise<string | undefined> {
  const { sudoTokens, clock } = target.deps;
  const session = await target.openSession(userId);
  const { sessionId } = session;
  const sudo = (name: number = userId): Promise<string> =>
    sudoTokens.sign({ userId: name, sessionId, securityVersion: 0 });
  const change = (sql: string): Promise<unknown> =>
    target.database.write([bind(defineStatement(sql), { userId })]);
  const endSession = (): Promise<unknown> =>
    change("UPDATE session SET ended_at = created_at WHERE user_id = :userId");
  const growStale = (): Promise<unknown> =>
    change(
      `UPDATE session SET authenticated_at = authenticated_at - ${STALE_SECONDS * SECOND_MS}
       WHERE user_id = :userId`,
    );
  const addFactor = (): Promise<unknown> =>
    change(`INSERT INTO second_factor (user_id, kind, activated_at, email)
      SELECT id, 'email_otp', 0, email FROM user_account WHERE id = :userId`);
  const outdate = (): Promise<unknown> =>
    change("UPDATE user_account SET security_version = 1 WHERE id = :userId");
  switch (kind) {
    case "none":
      return undefined;
    case "access for a sibling":
      return await tokenFrom(target, `/auth/accesstoken?audience=${SIBLING_URL}`, session.refreshToken);
    case "malformed":
      return `${session.accessToken}x`;
    case "fresh":
    case "other's":
    case "expired access":
      return session.accessToken;
    case "stale":
      await growStale();
      return session.accessToken;
    case "fresh with factor":
      await addFactor();
      return session.accessToken;
    case "stale with factor":
      await addFactor();
      await growStale();
      return session.accessToken;
    case "partial":
    case "expired partial":
      await addFactor();
      return await signPartial(target, userId);
    case "ended partial": {
      await addFactor();
      const token = await signPartial(target, userId);
      await change("UPDATE partial_login SET ended_at = 0 WHERE user_id = :userId");
      return token;
    }
    case "outdated partial": {
      await addFactor();
      const token = await signPartial(target, userId);
      await outdate();
      return token;
    }
    case "sudo":
    case "expired sudo":
      return await sudo();
    case "sudo with factor":
      await addFactor();
      await growStale();
      return await sudo();
    case "outdated sudo":
      await outdate();
      return await sudo();
    case "refresh":
      return session.refreshToken;
    case "ended session's access":
      await endSession();
      return session.accessToken;
    case "ended session's sudo":
      await endSession();
      return await sudo();
    case "ended session's refresh":
      await endSession();
      return session.refreshToken;
    case "key":
    case "expired key":
    case "deleted key":
    case "key of a deleted role":
    case "key of another service":
    case "key with another's id":
      return await makeKey(target, userId, kind);
    case "access in another's name":
      return await target.deps.accessTokens.sign({
        userId: userId - 1,
        sessionId,
        authenticatedAtMs: clock(),
        assuranceLevel: 1,
      });
    case "sudo in another's name":
      return await sudo(userId - 1);
    case "partial in another's name":
      return await signPartial(target, userId, userId - 1);
  }
}

const INSERT_PARTIAL = defineStatement(`
  INSERT INTO partial_login (id, user_id, authenticated_at, security_version, expires_at, client)
  VALUES (:partialLoginId, :userId, :now, 0, :now + 600000, 'test')`);

/** Opens a sign-in that waits for its second factor, and signs its token, for this user or `name`. */
async function signPartial({ database, deps }: TestApp, userId: number, name = userId): Promise<string> {
  const partialLoginId = crypto.randomUUID();
  await database.write([bind(INSERT_PARTIAL, { partialLoginId, userId, now: deps.clock() })]);
  return await deps.partialTokens.sign({ userId: name, partialLoginId });
}

/** A key of a new root role, to which a fault is then applied. */
async function makeKey({ database, deps }: TestApp, userId: number, kind: TokenKind): Promise<string> {
  const [account] = await database.read<{ email: string }>(
    bind(defineStatement("SELECT email FROM user_account WHERE id = :userId"), { userId }),
  );
  const { roleId } = await bootstrapRoot(deps, {
    email: account?.email ?? "",
    roleName: `Role of ${userId}`,
  });
  // It expires at the very time at which the tokens are tried.
  const expiresAt = kind === "expired key" ? deps.clock() + STALE_SECONDS * SECOND_MS : undefined;
  const { key, secret } = await createKey(deps, "administrator", { roleId, name: kind, expiresAt });
  const change = (sql: string, args: SqlArgs): Promise<unknown> =>
    database.write([bind(defineStatement(sql), args)]);
  switch (kind) {
    case "deleted key":
      await deleteKey(deps, "administrator", { roleId, keyId: key.id });
      return secret;
    case "key of a deleted role":
      await change("DELETE FROM member WHERE role_id = :roleId", { roleId });
      return secret;
    case "key of another service": {
      const elsewhere = await createSecrets([{ id: "test", bytes: new Uint8Array(32).fill(8) }]);
      return await makeRoleKey(elsewhere, key.id, (await drawRoleKey(elsewhere)).random);
    }
    case "key with another's id":
      return await makeRoleKey(deps.secrets, key.id, (await drawRoleKey(deps.secrets)).random);
    default:
      return secret;
  }
}
