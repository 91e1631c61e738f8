import { toBase64Url } from "../../src/core/encoding.ts";
import { codeMacs } from "../../src/identity/factor/one_time_code.ts";
import { bind } from "../../src/db/statement.ts";
import type { ListedRequest } from "./request_catalogue.ts";
import { SoftwarePasskey } from "../helpers/software_passkey.ts";
import { type Purpose, sealChallenge } from "../../src/accounts/factors/passkey/sealed_challenge.ts";
import { totpOf } from "../helpers/second_factors.ts";
import { makeSudoToken } from "../helpers/security_scene.ts";
import { queryNumber } from "../helpers/http.ts";
import type { TestApp } from "../helpers/test_app.ts";
import { defineStatement } from "../helpers/text_statement.ts";

/** A person who is setting up factors and one who has them, with the tokens and codes that their requests need. */
export interface FactorScene {
  readonly pendingToken: string;
  readonly activeToken: string;
  readonly sudoToken: string;
  readonly totp: string;
  readonly passkeyId: number;
  /** Responses of passkeys by what they are for. */
  readonly responses: Readonly<Record<"create" | "prove" | "login", Record<string, unknown>>>;
  /** Of a link that confirms the passkey. */
  readonly factorToken: string;
  /** The code that was mailed to both. */
  readonly otp: string;
  readonly recoveryCode: string;
}

const OTP = "123456";
const RECOVERY_CODE = "0123456789ABCDEF";
const SECRET = new TextEncoder().encode("12345678901234567890");
const LATER_MS = 600_000;
const HANDLE = toBase64Url(new Uint8Array(32).fill(5));
const FACTOR_TOKEN = "F".repeat(43);

const INSERT_PENDING = defineStatement(`
  INSERT INTO second_factor (user_id, kind, pending_email, pending_sealed_secret, pending_until)
  SELECT :userId, kinds.value, 'codes@example.com', :sealed, :later
  FROM json_each('["totp","email_otp"]') kinds WHERE true`);
const INSERT_ACTIVE = defineStatement(`
  INSERT INTO second_factor (user_id, kind, activated_at, email, sealed_secret)
  SELECT :userId, kinds.value, :now, 'codes@example.com', :sealed
  FROM json_each('["passkey","totp","email_otp","recovery_code"]') kinds WHERE true`);
const INSERT_PASSKEY = defineStatement(`
  INSERT INTO passkey (user_id, credential_id, public_key, user_handle, name, counter, transports, uv_initialized,
    backup_eligible, backed_up, created_at, created_by, meets)
  VALUES (:userId, :credentialId, :publicKey, :handle, 'Laptop', 0, '["internal"]', 1, 0, 0, :now, 'elsewhere', 2)`);
const INSERT_LINK = defineStatement(`
  INSERT INTO factor_link (mac, user_id, kind, activated_at, expires_at) VALUES (:mac, :userId, 'totp', :now, :later)`);
const INSERT_CODE = defineStatement(`
  INSERT INTO one_time_code (purpose, subject, mac, user_id, created_at, expires_at, guesses_left)
  VALUES (:purpose, :subject, :mac, :userId, :now, :later, 5)`);
const INSERT_RECOVERY = defineStatement(
  `INSERT INTO recovery_code (user_id, position, hash) VALUES (:userId, 0, :hash)`,
);

/** Creates both persons without using the operations in the catalogue. */
export async function setFactorScene(target: TestApp): Promise<FactorScene> {
  const { secrets, hasher, clock } = target.deps;
  const now = clock();
  const later = now + LATER_MS;
  const seal = (userId: number): Promise<string> => secrets.seal(toBase64Url(SECRET), `totp ${userId}`);
  const code = async (
    { userId, sessionId }: { userId: number; sessionId: string },
    purpose: "email_otp.activation" | "email_otp.challenge",
  ) => {
    const [mac] = await codeMacs(secrets, purpose, sessionId, OTP);
    return bind(INSERT_CODE, { purpose, subject: sessionId, mac, userId, now, later });
  };
  const open = async (email: string) => {
    const { userId } = await target.createUser(email);
    return { userId, ...await target.openSession(userId) };
  };
  const pending = await open("pending.factors@example.com");
  const active = await open("active.factors@example.com");
  const challengeFor = async (purpose: Purpose): Promise<string> =>
    toBase64Url(await sealChallenge({ secrets, clock }, purpose, HANDLE));
  const passkey = new SoftwarePasskey();
  passkey.userHandle = HANDLE;
  const { id: credentialId } = passkey;
  const [mac] = await secrets.macs("factor_link", FACTOR_TOKEN);
  await target.database.write([
    bind(INSERT_PASSKEY, {
      userId: active.userId,
      credentialId,
      publicKey: passkey.publicKey(),
      handle: HANDLE,
      now,
    }),
    bind(INSERT_LINK, { mac, userId: active.userId, now, later }),
    bind(INSERT_PENDING, { userId: pending.userId, sealed: await seal(pending.userId), later }),
    await code(pending, "email_otp.activation"),
    bind(INSERT_ACTIVE, { userId: active.userId, sealed: await seal(active.userId), now }),
    await code(active, "email_otp.challenge"),
    bind(INSERT_RECOVERY, { userId: active.userId, hash: await hasher.hash(RECOVERY_CODE) }),
  ]);
  return {
    pendingToken: pending.accessToken,
    activeToken: active.accessToken,
    sudoToken: await makeSudoToken(target, active),
    totp: totpOf(SECRET, now),
    passkeyId: await queryNumber(target, "SELECT max(id) FROM passkey"),
    responses: {
      create: new SoftwarePasskey().create({ challenge: await challengeFor(`create ${active.sessionId}`) }),
      prove: passkey.prove({ challenge: await challengeFor(`prove ${active.sessionId}`) }),
      login: passkey.prove({ challenge: await challengeFor("login") }),
    },
    factorToken: FACTOR_TOKEN,
    otp: OTP,
    recoveryCode: RECOVERY_CODE,
  };
}

/** A successful request for every operation of second factors. Optional bodies are left out. */
export function factorRequests(scene: FactorScene): ListedRequest[] {
  const { totp, responses } = scene;
  const open = { accepts: "none" } as const;
  const pending = { accepts: "access", bearer: scene.pendingToken } as const;
  const active = { accepts: "access", bearer: scene.activeToken } as const;
  const partial = { accepts: "access or partial", bearer: scene.activeToken } as const;
  const sudo = { accepts: "sudo*", bearer: scene.sudoToken } as const;
  return [
    { ...partial, route: "GET /user/2fa" },
    { ...open, route: "POST /user/2fa/confirm", body: { token: scene.factorToken } },
    { ...open, route: "GET /confirm-factor", isPage: true },
    { ...sudo, route: "POST /user/2fa/passkey/setup" },
    { ...sudo, route: "POST /user/2fa/passkey/enable", body: { response: responses.create }, ownBody: true },
    { ...active, route: "GET /user/2fa/passkey" },
    { ...active, route: "PUT /user/2fa/passkey/:passkeyId", body: { name: "Old laptop" } },
    { ...sudo, route: "DELETE /user/2fa/passkey/:passkeyId" },
    { ...partial, route: "POST /user/2fa/passkey/challenge" },
    {
      ...partial,
      route: "POST /user/2fa/passkey/authenticate",
      body: { response: responses.prove },
      ownBody: true,
    },
    { ...open, route: "POST /auth/passkey/challenge" },
    { ...open, route: "POST /auth/passkey/login", body: { response: responses.login }, ownBody: true },
    { accepts: "sudo*", route: "POST /user/2fa/email-otp/setup", body: { email: "codes@example.com" } },
    { ...pending, route: "POST /user/2fa/email-otp/enable", body: { otp: OTP } },
    { ...partial, route: "POST /user/2fa/email-otp/challenge" },
    { ...partial, route: "POST /user/2fa/email-otp/authenticate", body: { otp: OTP } },
    { ...partial, route: "GET /user/2fa/email-otp/next-email" },
    { ...sudo, route: "DELETE /user/2fa/email-otp" },
    { ...sudo, route: "POST /user/2fa/totp/setup" },
    { ...pending, route: "POST /user/2fa/totp/enable", body: { totp } },
    { ...partial, route: "POST /user/2fa/totp/authenticate", body: { totp } },
    { ...partial, route: "GET /user/2fa/totp/next-guess" },
    { ...sudo, route: "DELETE /user/2fa/totp" },
    { ...sudo, route: "POST /user/2fa/recovery-code/reset" },
    { ...partial, route: "POST /user/2fa/recovery-code/authenticate", body: { recoveryCode: RECOVERY_CODE } },
    { ...partial, route: "GET /user/2fa/recovery-code/next-guess" },
  ];
}
