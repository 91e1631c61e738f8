import assert from "node:assert/strict";
import { SECOND_MS } from "../../src/core/clock.ts";
import { createAccessTokens } from "../../src/identity/token/access_token.ts";
import { generateTokenKeys, importTokenKeys, type TokenKeys } from "../../src/identity/token/token_keys.ts";
import { createKey } from "../../src/key/key_service.ts";
import { createDevice } from "../every_operation/device_requests.ts";
import { setFactorScene } from "../every_operation/factor_requests.ts";
import { query, queryNumber, succeed } from "../helpers/http.ts";
import { readMails } from "../helpers/mails.ts";
import { createRole, rights } from "../every_operation/request_catalogue.ts";
import { openPartialLogin } from "../every_operation/token_kinds.ts";
import { totpOf } from "../helpers/second_factors.ts";
import { makeSudoToken } from "../helpers/security_scene.ts";
import { TEST_URL, type TestApp } from "../helpers/test_app.ts";
import { Pools } from "./live.ts";
import type { Step } from "./steps.ts";

/** The kinds of users whose requests a sequence tests. */
export const USER_KINDS = ["administrator", "member", "outsider", "nobody"] as const;

export type UserKind = typeof USER_KINDS[number];

interface Person {
  readonly userId: number;
  sessionId: string;
  refreshToken: string;
  /** A key of a role of theirs. */
  keySecret: string;
}

/** The users of a sequence, and the values that it has learned. */
export interface World {
  readonly target: TestApp;
  readonly pools: Pools;
  readonly people: ReadonlyMap<UserKind, Person>;
  /** Secrets of the authenticator apps that were set up. */
  readonly appSecrets: Uint8Array[];
}

const ROLE_PASSWORD = "the password of a role";
/** Greatest rights of a relation made with the password. */
export const PASSWORD_RIGHTS = rights("roleManagement", "userManagement", "viewManagement");
const EMAILS = {
  administrator: "administrator@example.com",
  member: "active.factors@example.com",
  outsider: "pending.factors@example.com",
} as const;
/** The secret of the authenticator app in `setFactorScene`. */
const APP_SECRET = new TextEncoder().encode("12345678901234567890");
const HOUR_MS = 3_600_000;

/**
 * A hierarchy with devices on an emptied database. The administrator holds all rights on a root, the member some rights
 * on a role below it, the outsider another root. The member has every second factor, the outsider is setting theirs up,
 * the administrator has none.
 */
export async function openWorld(target: TestApp): Promise<World> {
  await target.reset();
  const pools = new Pools();
  const root = await target.bootstrapRoot(EMAILS.administrator, "Root");
  const factors = await setFactorScene(target);
  const ownRoot = await target.bootstrapRoot(EMAILS.outsider, "Own root");
  const people = new Map<UserKind, Person>();
  for (const [kind, email] of Object.entries(EMAILS) as [keyof typeof EMAILS, string][]) {
    const userId = await queryNumber(target, `SELECT id FROM user_account WHERE email = '${email}'`);
    const password = `the password of the ${kind}`;
    await target.setPassword(userId, password);
    people.set(kind, { userId, ...await target.openSession(userId), keySecret: "" });
    pools.add("email", email);
    pools.add("password", password);
  }
  const token = await accessTokenOf(target, people.get("administrator"));
  const outsidersToken = await accessTokenOf(target, people.get("outsider"));
  const put = <T>(path: string, body: object): Promise<T> =>
    succeed<T>(target, "PUT", `/v1/role/${path}`, { token, body });
  const upper = await createRole(target, token, root.roleId, "Upper");
  const lower = await createRole(target, token, upper.roleId, "Lower");
  const own = await createRole(target, outsidersToken, ownRoot.roleId, "Own");
  await put(`${upper.roleId}`, { name: "Upper", selfRights: PASSWORD_RIGHTS });
  const path = `${upper.roleId}/member?userEmail=${EMAILS.member}`;
  const { member } = await put<{ member: { id: number } }>(path, {});
  await put(`${lower.roleId}/password`, { password: ROLE_PASSWORD, rights: PASSWORD_RIGHTS });
  const first = await createDevice(target, token, upper.roleId, "meter-1");
  const second = await createDevice(target, token, lower.roleId, "meter-2");
  pools.add("roleId", upper.roleId, lower.roleId, root.roleId, own.roleId, ownRoot.roleId);
  pools.add("managesId", lower.relationId, upper.relationId, own.relationId);
  pools.add("memberId", member.id, root.memberId, ownRoot.memberId);
  pools.add("deviceId", first.deviceId, second.deviceId);
  pools.add("monitorsId", first.monitorsId, second.monitorsId);
  pools.add("nodeId", "meter-1", "meter-2");
  pools.add("roleName", "Upper", "Lower", "Own");
  pools.add("rolePassword", ROLE_PASSWORD, "another password of a role");
  pools.add("recoveryCode", factors.recoveryCode);
  pools.add("sessionId", ...[...people.values()].map(({ sessionId }) => sessionId));
  const world = { target, pools, people, appSecrets: [APP_SECRET] };
  for (const kind of people.keys()) await renewKey(world, kind);
  return world;
}

/** Whether the account of a person is not deleted. */
async function isLeft(target: TestApp, { userId }: Person): Promise<boolean> {
  return (await query(target, "SELECT 1 FROM user_account WHERE id = :userId", { userId })).length > 0;
}

function accessTokenOf({ deps }: TestApp, person: Person | undefined): Promise<string> {
  assert.ok(person);
  const { userId, sessionId } = person;
  return deps.accessTokens.sign({ userId, sessionId, authenticatedAtMs: deps.clock(), assuranceLevel: 1 });
}

/** Learns the codes and links that were mailed so far, and the current codes of the authenticator apps. */
export async function learnCodes({ target, pools, appSecrets }: World): Promise<void> {
  const mails = await readMails(target);
  const newest = mails.map(({ params }) => params).reverse();
  const links = newest.flatMap(({ link }) => /#token=(.+)$/.exec(link ?? "")?.[1] ?? []);
  pools.replace("mailedCode", [...newest.flatMap(({ otp }) => otp ?? []), "123456"]);
  pools.replace("linkToken", links);
  pools.replace("totp", appSecrets.map((secret) => totpOf(secret, target.clock.now())));
}

/** The sender of a step: the user of the sequence or the administrator. */
export function senderOf(step: Step, kind: UserKind): UserKind {
  return step.byAdministrator ? "administrator" : kind;
}

/** Makes a new key of the user's first role, if there is one, with up to all rights. */
async function renewKey({ target, pools, people }: World, kind: UserKind): Promise<void> {
  const person = people.get(kind);
  if (person === undefined) return;
  const own = `SELECT min(role_id) FROM member WHERE user_id = ${person.userId}`;
  const roleId = await queryNumber(target, own);
  if (roleId === 0) return;
  const made = await createKey(target.deps, "administrator", { roleId, name: kind })
    .catch((error: unknown) => {
      // The role may have as many as it can.
      assert.equal((error as { code?: unknown }).code, "TOO_MANY_KEYS");
    });
  if (made === undefined) return;
  person.keySecret = made.secret;
  pools.add("keyId", made.key.id);
}

/**
 * Opens a new session for a user whose session ended, unless the account is deleted, and makes them a new key, so that
 * later steps can succeed.
 */
export async function reviveSession(world: World, kind: UserKind): Promise<void> {
  const { target, people } = world;
  const person = people.get(kind);
  if (person === undefined) return;
  if (await isLeft(target, person)) Object.assign(person, await target.openSession(person.userId));
  await renewKey(world, kind);
}

/** The `Authorization` header of a step and the name of its token, or undefined without one. */
export async function authorizationOf(
  world: World,
  step: Step,
  kind: UserKind,
): Promise<{ header: string | undefined; name: string }> {
  const sender = senderOf(step, kind);
  const choice = step.token === "suited" ? suitedChoice(step) : step.token;
  if (choice === "none") return { header: undefined, name: "none" };
  const token = await tokenOf(world, world.people.get(sender), { choice, pick: step.pick });
  if (token === undefined) return { header: undefined, name: "none" };
  const header = choice === "other scheme" ? `Basic ${token}` : `Bearer ${token}`;
  return { header, name: `${choice} token of ${sender}` };
}

type Choice = Exclude<Step["token"], "suited">;

const SUITED = ["access", "refresh", "sudo", "partial", "key"] as const;

function suitedChoice({ operation, pick }: Step): Choice {
  const suited = operation.security.flatMap((scheme) => Object.keys(scheme));
  const name = suited[pick % suited.length]?.replace("BearerAuth", "");
  return SUITED.find((choice) => choice === name) ?? "none";
}

/** A stranger has tokens from responses, and forges those of others. */
async function tokenOf(
  world: World,
  person: Person | undefined,
  { choice, pick }: { readonly choice: Choice; readonly pick: number },
): Promise<string | undefined> {
  const { target, people } = world;
  const owner = person ?? people.get("administrator") ?? assert.fail();
  switch (choice) {
    case "access":
      return person === undefined ? learnedToken(world, "accessToken") : await accessTokenOf(target, person);
    case "refresh":
      return person?.refreshToken ?? learnedToken(world, "refreshToken");
    case "sudo":
      return person === undefined ? learnedToken(world, "sudoToken") : await sudoTokenOf(target, person);
    case "partial":
      return person === undefined
        ? learnedToken(world, "partialToken")
        : await openPartialLogin(target, person.userId);
    case "key":
      return person?.keySecret ?? learnedToken(world, "keySecret");
    case "other scheme":
      return person === undefined ? "bm9ib2R5Om5vdGhpbmc=" : await accessTokenOf(target, person);
    case "garbled":
      return `${await accessTokenOf(target, owner)}x`;
    case "expired":
      return await agedToken(target, owner);
    case "forged":
      return await forgedToken(target, owner);
    case "learned":
      return learnedToken(world, TOKEN_KINDS[pick % TOKEN_KINDS.length] ?? "accessToken");
    case "none":
      return undefined;
  }
}

async function sudoTokenOf(target: TestApp, person: Person): Promise<string | undefined> {
  return await isLeft(target, person) ? await makeSudoToken(target, person) : undefined;
}

const TOKEN_KINDS = ["accessToken", "sudoToken", "partialToken", "refreshToken", "keySecret"] as const;

/** The latest token of a kind in any response, of any owner. */
function learnedToken({ pools }: World, kind: typeof TOKEN_KINDS[number]): string | undefined {
  const token = pools.latest(kind);
  return token === undefined ? undefined : String(token);
}

function agedToken({ deps }: TestApp, { userId, sessionId }: Person): Promise<string> {
  const clock = (): number => deps.clock() - HOUR_MS;
  return createAccessTokens({ keys: deps.tokenKeys, publicUrl: TEST_URL, clock })
    .sign({ userId, sessionId, authenticatedAtMs: clock() - SECOND_MS, assuranceLevel: 1 });
}

let otherKeys: Promise<TokenKeys> | undefined;

async function forgedToken({ deps }: TestApp, { userId, sessionId }: Person): Promise<string> {
  otherKeys ??= generateTokenKeys().then(importTokenKeys);
  return await createAccessTokens({ keys: await otherKeys, publicUrl: TEST_URL, clock: deps.clock })
    .sign({ userId, sessionId, authenticatedAtMs: deps.clock(), assuranceLevel: 2 });
}
