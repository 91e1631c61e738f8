import { createApp } from "../../src/app.ts";
import { generateSecretKeys } from "../../src/core/keys.ts";
import { createLog } from "../../src/core/log.ts";
import { migrate } from "../../src/db/migrations.ts";
import { issueAccessToken } from "../../src/identity/session_service.ts";
import { logIn } from "../../src/identity/login_service.ts";
import { generateTokenKeys } from "../../src/identity/token/token_keys.ts";
import { bootstrapRoot } from "../../src/role/bootstrap_service.ts";
import { readConfig } from "../../src/service/config.ts";
import { createAppDeps } from "../../src/service/serve.ts";
import { testMigrations } from "../helpers/databases.ts";
import { Person } from "../helpers/person.ts";
import { openScene, type ReplicaScene } from "./replica_scene.ts";

const CLIENT = { address: "192.0.2.1", name: "test" };
const EMAIL = "admin@example.com";
const PASSWORD = "the administrator's password";
/** A copy that is late for want of a processor must not make reads of some age fresh. */
const ROUND_LIMIT_MS = 3000;

/** Two instances of the service on one server, each with a copy of its own. */
export interface ReplicatedApps extends AsyncDisposable {
  readonly server: ReplicaScene["server"];
  readonly rootId: number;
  /** Opens a session of the administrator, who may talk to either instance. */
  logIn(): Promise<{ readonly first: Person; readonly second: Person }>;
}

/** Starts a server and two instances, and waits for their copies. */
export async function openReplicatedApps(maxAgeSeconds = 10): Promise<ReplicatedApps> {
  const scene = await openScene({ isEmpty: true });
  const migrations = await testMigrations();
  await migrate(scene.direct, migrations);
  const config = readConfig({
    TURSO_DATABASE_URL: scene.server.url,
    PUBLIC_URL: "http://rolegrid.test",
    TOKEN_KEYS: await generateTokenKeys(),
    SECRET_KEYS: generateSecretKeys(),
    MAIL_URL: "smtp://127.0.0.1:9",
    MAIL_FROM: "grid@rolegrid.test",
    READ_MAX_AGE_LIMIT: String(maxAgeSeconds),
  }, "production");
  const open = async (): Promise<Awaited<ReturnType<typeof createAppDeps>>> => {
    const { database } = await scene.open({ roundLimitMs: ROUND_LIMIT_MS });
    return await createAppDeps({
      config,
      keys: config,
      database,
      migrations,
      log: createLog("silent", () => {}),
    });
  };
  const [firstDeps, secondDeps] = [await open(), await open()];
  const [first, second] = [firstDeps, secondDeps].map((deps) => {
    const app = createApp(deps);
    const info = { remoteAddr: { hostname: CLIENT.address } };
    return { request: async (path: string, init?: RequestInit) => await app.request(path, init, info) };
  });
  if (first === undefined || second === undefined) throw new Error("There are two instances");
  const { roleId } = await bootstrapRoot(firstDeps, {
    email: EMAIL,
    roleName: "Root",
    passwordHash: await firstDeps.hasher.hash(PASSWORD, CLIENT.address),
  });
  return {
    server: scene.server,
    rootId: roleId,
    async logIn(): Promise<{ first: Person; second: Person }> {
      const refreshToken = await logIn(firstDeps, CLIENT, { username: EMAIL, password: PASSWORD });
      const token = await issueAccessToken(firstDeps, refreshToken, CLIENT.address);
      return { first: new Person(first, token), second: new Person(second, token) };
    },
    [Symbol.asyncDispose]: () => scene[Symbol.asyncDispose](),
  };
}
