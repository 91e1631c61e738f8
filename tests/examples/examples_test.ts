/** Every example does what its README says, with the command that stands there. */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { randomBytes } from "node:crypto";
import { demoOrganization } from "../../scripts/lib/demo_organization.ts";
import { makeDemoTelemetry } from "../../scripts/lib/demo_telemetry.ts";
import { toBase64Url } from "../../src/core/encoding.ts";
import { bind } from "../../src/db/statement.ts";
import { openAdministratorSession } from "../../src/identity/administrator_session.ts";
import { bootstrapRoot } from "../../src/role/bootstrap_service.ts";
import { logInFully, query, send, succeed } from "../helpers/http.ts";
import { defineStatement } from "../helpers/text_statement.ts";
import { serveApp, type ServedApp } from "./serve_app.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const README = new URL("../../examples/README.md", import.meta.url);
const EMAIL = "ada@example.com";
const PASSWORD = "a heron at dusk";

const SET_PASSWORD = defineStatement("UPDATE user_account SET password_hash = :hash WHERE id = :userId");
const INSERT_TOTP = defineStatement(`
  INSERT INTO second_factor (user_id, kind, activated_at, sealed_secret)
  SELECT :userId, kinds.value, :now, CASE kinds.value WHEN 'totp' THEN :sealed END
  FROM json_each('["totp","recovery_code"]') kinds WHERE true`);

interface Ran {
  readonly code: number;
  readonly lines: readonly string[];
  readonly errors: string;
}

/** Runs an example with the command from the README, with these settings in place of those there. */
async function runExample(
  name: string,
  settings: Readonly<Record<string, string>>,
  more: readonly string[] = [],
): Promise<Ran> {
  const { command, variables } = await readInstructions(name);
  assert.deepEqual(new Set(Object.keys(settings)), variables, `the settings of ${name} in the README`);
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [...command, ...more],
    cwd: ROOT,
    env: { ...settings, NO_COLOR: "1" },
  }).output();
  const decoder = new TextDecoder();
  return { code, lines: decoder.decode(stdout).trim().split("\n"), errors: decoder.decode(stderr) };
}

async function readInstructions(name: string): Promise<{ command: string[]; variables: Set<string> }> {
  const blocks = Array.from(
    (await Deno.readTextFile(README)).matchAll(/```sh\n([\s\S]*?)```/g),
    ([, text]) => text,
  );
  const block = blocks.find((text) => text?.includes(`examples/${name}`)) ?? "";
  const [, command = ""] = /^deno (run .*)$/m.exec(block) ?? [];
  assert.notEqual(command, "", `${name} is not in the README`);
  const variables = Array.from(block.matchAll(/\b([A-Z_]+)=/g), ([, variable]) => variable ?? "");
  return { command: command.split(" "), variables: new Set(variables) };
}

/** A root role whose first member has a password. */
async function bootstrap({ deps }: ServedApp): Promise<{ userId: number; roleId: number }> {
  const { userId, roleId } = await bootstrapRoot(deps, { email: EMAIL, roleName: "Energy Inc" });
  const hash = await deps.hasher.hash(PASSWORD);
  await deps.database.write([bind(SET_PASSWORD, { userId, hash })]);
  return { userId, roleId };
}

function testServed(name: string, body: (served: ServedApp) => Promise<void>): void {
  Deno.test(name, async () => {
    await using served = await serveApp("file");
    await body(served);
  });
}

Deno.test("the README of the examples lists every program and no other", async () => {
  const text = await Deno.readTextFile(README);
  const told = new Set(Array.from(text.matchAll(/examples\/(\w+\.ts)/g), ([, name]) => name));
  const there = Array.from(Deno.readDirSync(new URL("./", README)), ({ name }) => name);
  const programs = there.filter((name) => name.endsWith(".ts") && name !== "client.ts");
  assert.deepEqual(told, new Set(programs));
});

testServed(
  "the example of a login with a second factor logs in, steps up and logs out",
  async (served) => {
    const { userId } = await bootstrap(served);
    const { database, clock } = served.deps;
    const { secret, sealed } = await makeSecret(served, userId);
    await database.write([bind(INSERT_TOTP, { userId, now: clock(), sealed })]);
    const settings = {
      BASE_URL: served.baseUrl,
      LOGIN_EMAIL: EMAIL,
      LOGIN_PASSWORD: PASSWORD,
      TOTP_SECRET: secret,
    };
    const { code, lines, errors } = await runExample("log_in_with_totp.ts", settings, [
      "--new-recovery-codes",
    ]);
    assert.equal(code, 0, errors);
    assert.match(lines[0] ?? "", /second factor is required: totp/);
    assert.ok(lines.includes(`Logged in as user ${userId}.`), lines.join("\n"));
    assert.ok(lines.some((line) => line.startsWith("Stepped up")), lines.join("\n"));
    assert.equal(lines.filter((line) => /^[0-9A-Z]{4}(-[0-9A-Z]{4}){3}$/.test(line)).length, 10);
    assert.equal(lines.at(-1), "Logged out.");
    const [live] = await query(served.deps, "SELECT count(*) AS n FROM session WHERE ended_at IS NULL");
    assert.equal(Number(live?.["n"]), 0);
  },
);

/** The secret of an authenticator app, as the app and the database store it. */
async function makeSecret({ deps }: ServedApp, userId: number): Promise<{ secret: string; sealed: string }> {
  const bytes = new Uint8Array(randomBytes(20));
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, "0")).join("");
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  const secret = (bits.match(/.{5}/g) ?? []).map((five) => alphabet[Number.parseInt(five, 2)]).join("");
  return { secret, sealed: await deps.secrets.seal(toBase64Url(bytes), `totp ${userId}`) };
}

testServed("the example of a tenant builds the roles that it prints, and deletes nothing", async (served) => {
  const { roleId } = await bootstrap(served);
  const { code, lines, errors } = await runExample("build_a_tenant.ts", {
    BASE_URL: served.baseUrl,
    LOGIN_EMAIL: EMAIL,
    LOGIN_PASSWORD: PASSWORD,
    TENANT_NAME: "Plant North",
    MEMBER_EMAIL: "grace@example.com",
  });
  assert.equal(code, 0, errors);
  assert.equal(lines[0], `Building below role ${roleId} "Energy Inc".`);
  const roles = await query<{ id: number; name: string }>(
    served.deps,
    "SELECT id, name FROM role WHERE id <> :roleId ORDER BY id",
    { roleId },
  );
  assert.deepEqual(roles.map(({ name }) => name), ["Plant North", "Operators", "Readers"]);
  const ids = roles.map(({ id }) => id);
  assert.equal(
    lines.at(-1),
    `Deleting the tenant would delete the roles ${ids.join(", ")}. Nothing was deleted.`,
  );
  assert.ok(lines.includes(`viewManagement on role ${ids[2]}: yes`), lines.join("\n"));
});

testServed(
  "the example of a sibling service accepts a genuine access token and refuses all others",
  async (served) => {
    const { userId } = await bootstrap(served);
    const { accessTokens, sudoTokens, clock } = served.deps;
    const session = { userId, sessionId: "a-session", authenticatedAtMs: clock() };
    const good = await accessTokens.sign({ ...session, assuranceLevel: 2 });
    const verify = (token: string): Promise<Ran> =>
      runExample("verify_access_token.ts", { BASE_URL: served.baseUrl, ACCESS_TOKEN: token });
    const { code, lines, errors } = await verify(good);
    assert.equal(code, 0, errors);
    assert.match(lines[0] ?? "", new RegExp(`^Valid: user ${userId}, key `));
    assert.equal(lines[1], "Session a-session, assurance level 2.");
    const [header = "", payload = "", signature = ""] = good.split(".");
    const sudo = await sudoTokens.sign({ userId, sessionId: "a-session", securityVersion: 0 });
    const changed = toBase64Url(
      new TextEncoder().encode(atob(toBase64(payload)).replace('"aal":2', '"aal":1')),
    );
    for (const bad of [sudo, [header, changed, signature].join("."), "not a token"]) {
      const refused = await verify(bad);
      assert.deepEqual([refused.code, refused.lines.length], [1, 1], refused.errors);
      assert.match(refused.lines[0] ?? "", /^Invalid: ERR_J/);
    }
  },
);

function toBase64(base64Url: string): string {
  return base64Url.replaceAll("-", "+").replaceAll("_", "/");
}

const DAY = "2026-01-31";
/** The means of the hours with data. */
const MEANS: ReadonlyMap<number, number> = new Map([[0, 0], [1, 1], [2, 2], [3, 3], [4, 4], [5, 5], [6, 6], [
  23,
  7,
]]);
const NODE_IDS = ["meter-1", "meter-2", "meter-3"];

/** Two values in each of these hours, and one a millisecond before the day. */
function measureDay(nodeId: string): unknown[] {
  const measure = (time: number, load: number): unknown => (
    { measurement: "energy", time, tags: { nodeId }, fields: { load, charge: 50 } }
  );
  const midnight = Date.parse(DAY);
  const inside = [...MEANS].flatMap(([hour, mean]) => {
    const time = midnight + hour * 3_600_000;
    return [measure(time, mean - 1), measure(time + 3_599_999, mean + 1)];
  });
  return [...inside, measure(midnight - 1, 1000)];
}

/** Runs the example, with `more` appended to the command, and returns its output. */
async function collectDay(served: ServedApp, more: readonly string[]): Promise<string[]> {
  const settings = { BASE_URL: served.baseUrl, LOGIN_EMAIL: EMAIL, LOGIN_PASSWORD: PASSWORD };
  const { code, lines, errors } = await runExample("collect_a_day.ts", settings, more);
  assert.equal(code, 0, errors);
  return [...lines];
}

testServed(
  "the example of a day draws the hourly means of every device, with a gap for hours without data",
  async (served) => {
    const { roleId } = await bootstrap(served);
    const target = { request: (path: string, init?: RequestInit) => fetch(served.baseUrl + path, init) };
    const { accessToken: token } = await logInFully(target, EMAIL, PASSWORD);
    const stored = { database: "plant", retentionPolicy: "year" };
    const nodeInfluxSeries = [{ ...stored, measurement: "energy", fields: ["load", "charge"] }];
    for (const nodeId of NODE_IDS) {
      const properties = nodeId === "meter-2"
        ? { nodeId }
        : { nodeId, name: `Meter ${nodeId}`, nodeInfluxSeries };
      await succeed(target, "POST", `/v1/device?roleId=${roleId}`, { token, body: { properties } });
    }
    const body = measureDay("meter-1");
    assert.equal((await send(target, "POST", "/v1/telemetry?db=plant&rp=year", { token, body })).status, 204);
    const gap = " ".repeat(16);
    assert.deepEqual(await collectDay(served, [DAY]), [
      `3 devices, 2 series: the hours of ${DAY}, from 0 to 23 (UTC).`,
      "Meter meter-1 (meter-1), energy",
      `  load     ▁▂▃▄▅▆▇${gap}█  0.00 to 7.00`,
      `  charge   ${"▁".repeat(7)}${gap}▁  50.00 to 50.00`,
      "Meter meter-3 (meter-3), energy",
      "  No data on this day.",
    ]);
  },
);

Deno.test("the example of a day shows yesterday without a gap for the demo organization's devices", async () => {
  await using served = await serveApp("file");
  const { userId, roleId } = await bootstrap(served);
  await using session = await openAdministratorSession(served.deps, userId);
  const roleIds = new Map(demoOrganization().roles.map(({ name }) => [name, roleId]));
  await makeDemoTelemetry(served.deps, session.actor, roleIds, () => {});
  const lines = await collectDay(served, []);
  assert.match(lines[0] ?? "", /^6 devices, 6 series: /);
  const bars = lines.filter((line) => /^ {2}\w+ +[▁▂▃▄▅▆▇█]{24} {2}-?[0-9.]+ to [0-9.]+$/.test(line));
  assert.equal(bars.length, 8, lines.join("\n"));
  assert.deepEqual(lines.filter((line) => /^\w.*\(.*\), energy$/.test(line)).length, 6);
});
