import type { AppDeps } from "../../src/app.ts";
import { bind } from "../../src/db/statement.ts";
import { type Answer, forEachApp, send, type Sent, succeed } from "../helpers/http.ts";
import { ALL, type Created, type Rights, rights } from "../every_operation/request_catalogue.ts";
import { besideBystander } from "../helpers/bystander.ts";
import { createSpyHasher, type SpyHasher } from "../helpers/spy_hasher.ts";
import { openTestApp, type TestApp } from "../helpers/test_app.ts";
import { defineStatement } from "../helpers/text_statement.ts";

export const RIGHT = "open sesame, open";
export const NONE: Rights = rights();
/** Counts the counters of failures that are not at zero. */
export const FAILURES =
  "SELECT count(*) FROM throttle WHERE scope LIKE 'role@_password%' ESCAPE '@' AND count > 0";

/** A user who is signed in. */
export interface Caller {
  readonly userId: number;
  readonly sessionId: string;
}

/** Runs while a password is being hashed or compared. */
export interface Hook {
  hash: () => Promise<void> | void;
  compare: () => Promise<void> | void;
}

/**
 * A chain of a root, a middle role (userManagement and viewManagement on itself) and a low role. The relation from the
 * middle to the low role carries only viewManagement. Two strangers are members of another root.
 */
export interface PasswordScene {
  readonly target: TestApp;
  readonly hasher: SpyHasher;
  readonly hook: Hook;
  /** Two members of the root, one of the middle role, and two of the other root. */
  readonly admin: Caller;
  readonly upper: Caller;
  readonly member: Caller;
  readonly stranger: Caller;
  readonly other: Caller;
  readonly rootId: number;
  readonly midId: number;
  readonly lowId: number;
  readonly foreignId: number;
  ask(caller: Caller, method: string, path: string, sent?: Sent): Promise<Answer>;
  setPassword(caller: Caller, roleId: number, password: string | null, rights?: Rights): Promise<Answer>;
  /** Puts a relation with the child's password in the header. */
  put(
    caller: Caller,
    parentId: number,
    childId: number,
    password: string | undefined,
    rights?: Rights,
  ): Promise<Answer>;
  /** Number of passwords compared since the last call. */
  takeCompared(): number;
}

/** Registers a test per kind of database on such a scene, with a hasher that only counts. */
export function passwordScene(
  name: string,
  body: (scene: PasswordScene) => Promise<void>,
  change: Partial<AppDeps> = {},
  register = besideBystander(forEachApp),
): void {
  const made = new WeakMap<TestApp, { hasher: SpyHasher; hook: Hook }>();
  register(name, async (target) => {
    await body(await setPasswordScene(target, made.get(target) as { hasher: SpyHasher; hook: Hook }));
  }, async (kind) => {
    const hook: Hook = { hash: () => {}, compare: () => {} };
    const spy = createSpyHasher(() => hook.compare());
    const hasher: SpyHasher = {
      ...spy,
      hash: async (password) => {
        await hook.hash();
        return await spy.hash(password);
      },
    };
    const target = await openTestApp(kind, { passwords: hasher, hasher, ...change });
    made.set(target, { hasher, hook });
    return target;
  });
}

/** The same without a bystander, for tests that read all rows of a table. */
export function passwordSceneAlone(name: string, body: (scene: PasswordScene) => Promise<void>): void {
  passwordScene(name, body, {}, forEachApp);
}

async function setPasswordScene(
  target: TestApp,
  { hasher, hook }: { hasher: SpyHasher; hook: Hook },
): Promise<PasswordScene> {
  const signIn = async (userId: number): Promise<Caller> => {
    const { sessionId } = await target.openSession(userId);
    return { userId, sessionId };
  };
  const join = async (email: string, roleId: number): Promise<Caller> => {
    const { userId } = await target.createUser(email);
    await target.database.write([bind(TAKE_ID, {}), bind(INSERT_MEMBER, { roleId, userId })]);
    return await signIn(userId);
  };
  const root = await target.bootstrapRoot("admin@example.com", "Root");
  const foreign = await target.bootstrapRoot("foreign@example.com", "Foreign root");
  const token = await target.accessToken(root.userId);
  const create = async (parentId: number, manages: Rights, selfRights: Rights): Promise<number> => {
    const sent = { token, body: { manages, role: { name: "Role", selfRights } } };
    return (await succeed<Created>(target, "POST", `/v1/role?parentRoleId=${parentId}`, sent)).role.id;
  };
  const midId = await create(root.roleId, ALL, rights("roleManagement", "userManagement", "viewManagement"));
  const lowId = await create(root.roleId, ALL, NONE);
  await succeed(target, "PUT", `/v1/role/${midId}/manages?childRoleId=${lowId}`, {
    token,
    body: rights("viewManagement"),
  });
  const upper = await join("upper@example.com", root.roleId);
  const member = await join("member@example.com", midId);
  const admin = await signIn(root.userId);
  const stranger = await signIn(foreign.userId);
  const other = await join("other@example.com", foreign.roleId);
  // A new token each time, because the tests move the clock by days.
  const ask: PasswordScene["ask"] = async (caller, method, path, sent = {}) => {
    const claims = { ...caller, authenticatedAtMs: target.clock.now(), assuranceLevel: 1 } as const;
    return await send(target, method, path, { token: await target.deps.accessTokens.sign(claims), ...sent });
  };
  let taken = 0;
  return {
    target,
    hasher,
    hook,
    admin,
    upper,
    member,
    stranger,
    other,
    rootId: root.roleId,
    midId,
    lowId,
    foreignId: foreign.roleId,
    ask,
    setPassword: (caller, roleId, password, asked) =>
      ask(caller, "PUT", `/v1/role/${roleId}/password`, {
        body: asked === undefined ? { password } : { password, rights: asked },
      }),
    put: (caller, parentId, childId, password, asked = NONE) =>
      ask(caller, "PUT", `/v1/role/${parentId}/manages?childRoleId=${childId}`, {
        body: asked,
        headers: password === undefined ? {} : { "X-Child-Role-Password": password },
      }),
    takeCompared: () => {
      const compared = hasher.calls.verify + hasher.calls.dummy - taken;
      taken += compared;
      return compared;
    },
  };
}

const TAKE_ID = defineStatement("UPDATE id_sequence SET last_id = last_id + 1 WHERE name = 'relation'");
const INSERT_MEMBER = defineStatement(`
  INSERT INTO member (id, role_id, user_id)
  SELECT last_id, :roleId, :userId FROM id_sequence WHERE name = 'relation'`);
