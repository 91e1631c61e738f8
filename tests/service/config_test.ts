/** Variables become the configuration, and wrong ones are refused by name without their values. */
import assert from "node:assert/strict";
import { type Environment, type Mode, readConfig } from "../../src/service/config.ts";
import { ConfigError } from "../../src/service/config_error.ts";
import { generateSecretKeys, parseSecretKeys } from "../../src/core/keys.ts";
import { generateTokenKeys } from "../../src/identity/token/token_keys.ts";
import { toMask } from "../../src/graph/rights.ts";

const KEY_32 = btoa("k".repeat(32));
const OTHER_32 = btoa("o".repeat(32));
/** The origin of an Android app. */
const ANDROID = `android:apk-key-hash:${"Ab-_".repeat(10)}Abc`;

async function productionEnv(): Promise<Record<string, string>> {
  return {
    PUBLIC_URL: "https://rolegrid.example",
    TOKEN_KEYS: await generateTokenKeys(),
    SECRET_KEYS: `a:${KEY_32}`,
    MAIL_URL: "smtps://user:secret@mail.example",
    MAIL_FROM: "Rolegrid <no-reply@rolegrid.example>",
  };
}

/** Reads the variables for development. */
function read(env: Environment): ReturnType<typeof readConfig> {
  return readConfig(env, "development");
}

function refusal(env: Environment, mode: Mode = "development"): string {
  try {
    readConfig(env, mode);
  } catch (error) {
    assert(error instanceof ConfigError);
    return error.message;
  }
  return "accepted";
}

Deno.test("An empty environment is a complete configuration for development", () => {
  const { mailBrands, ...config } = read({});
  assert.deepEqual(config, {
    mode: "development",
    host: "127.0.0.1",
    port: 8000,
    databaseUrl: "file:data/rolegrid.db",
    databaseAuthToken: undefined,
    publicUrl: "http://localhost:8000",
    tokenKeys: undefined,
    secretKeys: undefined,
    adminEmail: undefined,
    adminPassword: undefined,
    closureMaxChange: 40_000,
    mailPerHour: 500,
    storeLimits: {
      roles: 1_000_000,
      devices: 1_000_000,
      bucket: { capacity: 1_000_000_000, drainSeconds: 86_400 },
      trashDays: 30,
      provisionPerDay: 10_000,
    },
    corsOrigins: [],
    audiences: [],
    trustedProxies: [],
    issuerName: "Rolegrid",
    passkeyRpId: "localhost",
    passkeyOrigins: ["http://localhost:8000"],
    mailName: "localhost",
    breachedPasswords: "off",
    refuseQuerySecrets: false,
    logLevel: "info",
    telemetryUrl: undefined,
    telemetryRetention: { others: undefined, named: [] },
    telemetryHourlyRetention: undefined,
    historyDays: 400,
    rightPresets: [],
    telemetryBucket: { capacity: 2_010_000, drainSeconds: 60 },
    telemetryBytes: undefined,
    telemetryMemoryBytes: 100_000_000,
    mailUrl: undefined,
    mailFrom: undefined,
  });
  assert.equal(mailBrands.size, 0);
});

Deno.test("Every variable reaches the configuration", () => {
  const config = read({
    TELEMETRY_URL: "influxdb+https://user:secret@influx.example/points",
    TELEMETRY_RETENTION_DAYS: "400",
    TELEMETRY_BUCKET: "5000/10",
    TELEMETRY_MEMORY_MB: "400",
    PORT: "9001",
    HOST: "::1",
    TURSO_DATABASE_URL: "libsql://rolegrid.turso.io",
    TURSO_AUTH_TOKEN: "database-token",
    PUBLIC_URL: "https://rolegrid.example:8443",
    SECRET_KEYS: `new:${KEY_32}, old:${OTHER_32}`,
    ADMIN_EMAIL: "Admin@Example.com",
    ADMIN_PASSWORD: " kept as it is ",
    CLOSURE_MAX_CHANGE: "1",
    QUOTA_ROLES: "2",
    QUOTA_DEVICES: "3",
    CHANGE_BUCKET: "100000/60",
    CORS_ORIGINS: "https://a.example, http://localhost:5173",
    AUDIENCES: "https://billing.example https://reports.example:8443/api,http://localhost:9000",
    TRUSTED_PROXIES: "10.0.0.0/8 2001:db8::1",
    ISSUER_NAME: "Acme Energy",
    BREACHED_PASSWORDS: "https://range.example/",
    REFUSE_QUERY_SECRETS: "true",
    LOG_LEVEL: "debug",
    MAIL_URL: "resend://re_Key-1",
    MAIL_FROM: "Grid, Inc <grid@rolegrid.example>",
    MAIL_NAME: "mx-client.example",
    PASSKEY_ORIGINS: `https://app.example, ${ANDROID}`,
    MAIL_BRANDS: "acme=Acme, Energy <no-reply@acme.example>; other=mail@other.example;",
  });
  const { mailBrands, secretKeys, ...others } = config;
  const expected: Partial<typeof config> = {
    port: 9001,
    host: "::1",
    databaseUrl: "libsql://rolegrid.turso.io",
    databaseAuthToken: "database-token",
    publicUrl: "https://rolegrid.example:8443",
    adminEmail: "admin@example.com",
    adminPassword: " kept as it is ",
    closureMaxChange: 1,
    storeLimits: {
      roles: 2,
      devices: 3,
      bucket: { capacity: 100_000, drainSeconds: 60 },
      trashDays: 30,
      provisionPerDay: 10_000,
    },
    corsOrigins: ["https://a.example", "http://localhost:5173"],
    audiences: ["https://billing.example", "https://reports.example:8443/api", "http://localhost:9000"],
    trustedProxies: ["10.0.0.0/8", "2001:db8::1"],
    issuerName: "Acme Energy",
    breachedPasswords: "https://range.example/",
    refuseQuerySecrets: true,
    logLevel: "debug",
    telemetryUrl: "influxdb+https://user:secret@influx.example/points",
    telemetryRetention: { others: 400, named: [] },
    telemetryBucket: { capacity: 5000, drainSeconds: 10 },
    telemetryMemoryBytes: 400_000_000,
    mailUrl: "resend://re_Key-1",
    mailFrom: "Grid, Inc <grid@rolegrid.example>",
    mailName: "mx-client.example",
    passkeyOrigins: ["https://rolegrid.example:8443", "https://app.example", ANDROID],
  };
  assert.deepEqual({ ...others, ...expected }, others);
  assert.deepEqual(secretKeys?.map(({ id }) => id), ["new", "old"]);
  assert.deepEqual([...mailBrands], [
    ["acme", "Acme, Energy <no-reply@acme.example>"],
    ["other", "mail@other.example"],
  ]);
});

Deno.test("The service introduces itself to a mail server by the host of its public URL", () => {
  for (
    const [url, name] of [
      ["https://rolegrid.example:8443", "rolegrid.example"],
      ["http://192.0.2.7", "[192.0.2.7]"],
      ["http://[2001:db8::1]:8000", "[IPv6:2001:db8::1]"],
    ] as const
  ) {
    assert.equal(read({ PUBLIC_URL: url }).mailName, name);
  }
});

Deno.test("The public URL in development has the configured port", () => {
  assert.equal(read({ PORT: "8123" }).publicUrl, "http://localhost:8123");
});

Deno.test("Removed variables are named with what to do about them", () => {
  const text = refusal({ REPLICA_PATH: "data/replica", READ_MAX_AGE_LIMIT: "0", PORT: "x" });
  assert.match(text, /^ {2}PORT /m);
  for (const name of ["REPLICA_PATH", "READ_MAX_AGE_LIMIT"]) {
    assert.match(
      text,
      new RegExp(`^ {2}${name} has no effect any more: reads come from the database\\. Remove it$`, "m"),
    );
  }
});

Deno.test("An empty variable counts as absent", () => {
  assert.equal(read({ PORT: "", LOG_LEVEL: "" }).port, 8000);
});

Deno.test("Production listens on all addresses and reads its keys", async () => {
  const env = await productionEnv();
  const config = readConfig(env, "production");
  assert.equal(config.host, "0.0.0.0");
  assert.equal(config.tokenKeys, env["TOKEN_KEYS"]);
  assert.equal(config.secretKeys[0]?.bytes.byteLength, 32);
});

Deno.test("Production lists all missing variables at once", () => {
  const message = refusal({}, "production");
  for (const name of ["PUBLIC_URL", "TOKEN_KEYS", "SECRET_KEYS", "MAIL_URL", "MAIL_FROM"]) {
    assert.match(message, new RegExp(`^  ${name} is required in production\\. Example: ${name}=\\S`, "m"));
  }
});

Deno.test("A required variable with a wrong value is reported as wrong, not as missing", async () => {
  const message = refusal({ ...await productionEnv(), PUBLIC_URL: "rolegrid.example" }, "production");
  assert.match(message, /PUBLIC_URL must be an http:\/\/ or https:\/\/ origin/);
  assert.doesNotMatch(message, /required/);
});

Deno.test("All problems are listed, one per line, wrong and missing ones together", () => {
  const message = refusal({ PORT: "x", LOG_LEVEL: "loud", TRUSTED_PROXIES: "10.0.0.1,proxy" }, "production");
  const names = message.split("\n").slice(1).map((line) => line.trim().split(" ")[0]);
  assert.deepEqual(names, [
    "PORT",
    "PUBLIC_URL",
    "TOKEN_KEYS",
    "SECRET_KEYS",
    "TRUSTED_PROXIES",
    "LOG_LEVEL",
    "MAIL_URL",
    "MAIL_FROM",
  ]);
});

Deno.test("A mail server needs a sender, in development as well", () => {
  assert.match(refusal({ MAIL_URL: "smtp://localhost:2525" }), /^ {2}MAIL_FROM is required with MAIL_URL\./m);
  const whole = { MAIL_URL: "smtp://localhost:2525", MAIL_FROM: "grid@rolegrid.example" };
  assert.equal(read(whole).mailFrom, "grid@rolegrid.example");
});

Deno.test("Points are kept for 1 to 100,000 days", () => {
  for (const days of [1, 100_000]) {
    const env = { TELEMETRY_RETENTION_DAYS: String(days) };
    assert.equal(read(env).telemetryRetention.others, days);
  }
  const refused = refusal({ TELEMETRY_RETENTION_DAYS: "100001" });
  assert.match(
    refused,
    /^ {2}TELEMETRY_RETENTION_DAYS must be a whole number from 1 to 100000, forever, or a name/m,
  );
  assert.match(
    refusal({ HISTORY_DAYS: "100001" }),
    /^ {2}HISTORY_DAYS must be a whole number from 1 to 100000\./m,
  );
});

Deno.test("The retention of points names databases and their policies", () => {
  const text = "400, metrics=90,metrics/raw = 7, audit=forever, a%2Cb%3D/c%2F%25=1, 12=3";
  assert.deepEqual(read({ TELEMETRY_RETENTION_DAYS: text }).telemetryRetention, {
    others: 400,
    named: [
      { database: "metrics", retentionPolicy: undefined, days: 90 },
      { database: "metrics", retentionPolicy: "raw", days: 7 },
      { database: "audit", retentionPolicy: undefined, days: undefined },
      { database: "a,b=", retentionPolicy: "c/%", days: 1 },
      { database: "12", retentionPolicy: undefined, days: 3 },
    ],
  });
  const list = (length: number): string => Array.from({ length }, (_, i) => `d${i}=1`).join();
  const longest = read({ TELEMETRY_RETENTION_DAYS: list(100) });
  assert.equal(longest.telemetryRetention.named.length, 100);
  assert.match(refusal({ TELEMETRY_RETENTION_DAYS: list(101) }), / must have at most 100 entries/);
});

Deno.test("Each fault in the retention of points is named with its entry and what to do", () => {
  const faults: Record<string, RegExp> = {
    "400,": /entry 2: it must be a whole number from 1 to 100000, forever, or a name, "=", and one of these/,
    "1, 2": /entry 2: it is a second one without a name: put "database=" before it/,
    "1, a=0": /entry 2: it must end with a whole number from 1 to 100000, or forever/,
    "a=1, a=2": /entry 2: it names the same as an earlier entry: remove one of them/,
    "a/b=1, a/%62=2": /entry 2: it names the same as an earlier entry/,
    "1, a=b=2": /entry 2: it must have one "=" and at most one "\/": write %3D and %2F for those in names/,
    "1, a/b/c=2": /entry 2: it must have one "=" and at most one "\/"/,
    "1, =2": /entry 2: it must name a database, or database\/policy, each 1 to 256 characters/,
    "1, a/=2": /entry 2: it must name a database/,
    "1, 100%=2": /entry 2: it must name a database, .* with "%" written as %25/,
  };
  for (const [text, expected] of Object.entries(faults)) {
    assert.match(refusal({ TELEMETRY_RETENTION_DAYS: text }), expected, text);
  }
});

Deno.test("Summaries of hours have a retention of their own, except in InfluxDB", () => {
  const hourly = { TELEMETRY_HOURLY_RETENTION_DAYS: "forever, metrics=3650" };
  assert.deepEqual(read(hourly).telemetryHourlyRetention, {
    others: undefined,
    named: [{ database: "metrics", retentionPolicy: undefined, days: 3650 }],
  });
  assert.equal(read({}).telemetryHourlyRetention, undefined);
  assert.ok(read({ ...hourly, TELEMETRY_URL: "file:data/points.db" }));
  const refused = refusal({ ...hourly, TELEMETRY_URL: "influxdb://u:p@localhost:8086/telemetry" });
  assert.match(refused, /^ {2}TELEMETRY_HOURLY_RETENTION_DAYS has no effect with InfluxDB, which/m);
});

Deno.test("Points may have a file of their own, but not that of the database", () => {
  const url = "file:/var/lib/grid/points.db";
  assert.equal(read({ TELEMETRY_URL: url }).telemetryUrl, url);
  for (const same of ["file:data/rolegrid.db", "file:./data/../data/rolegrid%2edb?mode=rw"]) {
    const refused = refusal({ TELEMETRY_URL: same });
    assert.match(
      refused,
      /^ {2}TELEMETRY_URL must not name the database's own file, which keeps points without it\./m,
    );
  }
  const server = { TURSO_DATABASE_URL: "libsql://rolegrid.turso.io", TELEMETRY_URL: "file:data/rolegrid.db" };
  assert.equal(read(server).telemetryUrl, "file:data/rolegrid.db");
});

const REFUSED: Record<string, readonly string[]> = {
  PORT: ["0", "65536", "80.5", "0x50", " 80", "-1", "08000"],
  HOST: ["a host", "host/path"],
  TURSO_DATABASE_URL: [
    "data.db",
    "file:",
    "file::memory:",
    "file:100%.db",
    "postgres://host/db",
    "libsql://",
    "https://user:pass@host",
  ],
  PUBLIC_URL: [
    "roles.test",
    "https://roles.test/",
    "https://roles.test/api",
    "https://roles.test?x=1",
    "https://user@roles.test",
    "https://Roles.test",
    "https://roles.test:443",
    "ftp://roles.test",
  ],
  TOKEN_KEYS: ["{", "[]", "{}", '{"keys":[]}', '{"keys":[{"kty":"EC"}]}'],
  SECRET_KEYS: [
    KEY_32,
    `a:${btoa("k".repeat(31))}`,
    `a:${KEY_32},a:${OTHER_32}`,
    `a:${KEY_32},`,
    `a b:${KEY_32}`,
    `${"a".repeat(33)}:${KEY_32}`,
    `a:${KEY_32.replace("=", "")}`,
    `a:b:${KEY_32}`,
  ],
  ADMIN_EMAIL: ["admin", "a@b@c.example", "Admin <a@b.example>"],
  ADMIN_PASSWORD: ["1234567", "x".repeat(257)],
  CLOSURE_MAX_CHANGE: ["0", "-5", "1.5", "many"],
  QUOTA_ROLES: ["0", "-5", "1.5", "many"],
  QUOTA_DEVICES: ["0", "-5", "1.5", "many"],
  PROVISION_PER_DAY: ["0", "-5", "1.5", "many"],
  CHANGE_BUCKET: ["100000", "99999/60", "100000/0", "100000/86401", "1e9/60", "many/60"],
  TELEMETRY_URL: [
    "points.db",
    "file:",
    "file::memory:",
    "file:100%.db",
    "http://host/points",
    "influxdb://host",
  ],
  TELEMETRY_MEMORY_MB: ["0", "-1", "0.5", "10001", "100MB"],
  TELEMETRY_RETENTION_DAYS: ["0", "-1", "1.5", "30d", "999999999999999", "never", "a=", "a=00", "a=1;b=2"],
  TELEMETRY_HOURLY_RETENTION_DAYS: ["0", "forever,forever", "a=never"],
  CORS_ORIGINS: ["*", "https://a.example/", "https://a.example,b.example"],
  AUDIENCES: [
    "bills",
    "bills.test",
    "ftp://bills.test",
    "https://",
    "https://Bills.test",
    "https://bills.test:443",
    "https://user@bills.test",
    "https://bills.test?a=b",
    "https://bills.test#a",
    "https://bills.test/a/../b",
    `https://bills.test/${"a".repeat(256)}`,
    "https://bills.test,bills",
  ],
  TRUSTED_PROXIES: ["proxy.example", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/8/8", "::1/129"],
  PASSKEY_RP_ID: ["example.org", "localhost:8000", "com", "EXAMPLE.com", "rg.example.com.evil.org"],
  PASSKEY_ORIGINS: [
    "pages.test",
    "https://pages.test/",
    `${ANDROID}=`,
    ANDROID.replace("-_", "+/"),
    "android:app",
  ],
  ISSUER_NAME: ["a:b", "x".repeat(65), "line\nbreak"],
  BREACHED_PASSWORDS: ["yes", "http://range.example", "https://"],
  REFUSE_QUERY_SECRETS: ["yes", "1", "TRUE"],
  LOG_LEVEL: ["verbose"],
  MAIL_NAME: ["mail-client.test.", "grid_1", "https://mail-client.test", "[::1", `${"a".repeat(256)}`],
  MAIL_FROM: ["Grid", "Grid <grid>", "Grid <a@b.example", "a@b.example, c@d.example", "Grid\n<a@b.example>"],
  RIGHT_PRESETS: [
    "Technician",
    "=V",
    "Technician=",
    "Technician=VX",
    "Technician=VV",
    "de:Technik=V",
    "Reader, de:Lesen, de:Leser=V",
    "Reader, Viewer=V",
    "Reader, es:Lector=V",
    `${"x".repeat(41)}=V`,
    "Reader=V; Viewer=V",
    "Reader=V; Reader=VD",
    "ABCDEFGHIJKLM".split("").map((name) => `${name}=V`).join(";"),
  ],
  MAIL_BRANDS: [
    "acme",
    "acme=Acme",
    "=a@b.example",
    "a=x@y.example;a=z@y.example",
    "a=Acme <a@b.example> more",
  ],
};

Deno.test("RIGHT_PRESETS are names by language for sets of rights, the smallest first", () => {
  const { rightPresets } = read({ RIGHT_PRESETS: "Technician, de:Technik = AVD ; Reader=V;" });
  assert.deepEqual(rightPresets.map(({ names }) => names), [{ "": "Reader" }, {
    "": "Technician",
    de: "Technik",
  }]);
  assert.deepEqual(rightPresets.map(({ rights }) => toMask(rights)), [0b000100, 0b101100]);
});

Deno.test("An audience must not be this service", () => {
  const publicUrl = "https://rolegrid.example";
  for (const audiences of [publicUrl, `https://billing.example,${publicUrl}`, `${publicUrl}/user`]) {
    assert.match(
      refusal({ PUBLIC_URL: publicUrl, AUDIENCES: audiences }),
      /AUDIENCES must not name this service/,
    );
  }
  assert.ok(read({ PUBLIC_URL: publicUrl, AUDIENCES: `${publicUrl}.other` }));
});

Deno.test("A wrong MAIL_URL is refused without its value, which holds a secret", () => {
  const wrong = [
    "mail.example",
    "http://mail.example",
    "smtp://",
    "smtp://user:pa%ss@mail.example",
    "smtp://user:sesame-street@mail.example/path",
    "smtps://mail.example:99999",
    "smtp://mail.example?pool=true",
    "smtp://mail.example?tls=sesame",
    "smtp://mail.example?tls=none&pool=true",
    "smtps://mail.example?tls=none",
    "resend://",
    "resend://key/with/slashes",
  ];
  for (const value of wrong) {
    const message = refusal({ MAIL_URL: value, MAIL_FROM: "a@b.example" });
    assert.match(message, /^ {2}MAIL_URL must \S.*\. Example: MAIL_URL=smtp/m, value);
    assert(!message.includes("sesame"));
  }
});

for (const [name, values] of Object.entries(REFUSED)) {
  Deno.test(`A wrong ${name} is refused by name, with a right example and without the value`, () => {
    for (const value of values) {
      const message = refusal({ [name]: value });
      assert.match(message, new RegExp(`^  ${name} \\S.*\\. Example: ${name}=\\S`, "m"), value);
      assert.equal(message.split("\n").length, 2, `only ${name} is reported for ${value}`);
      // A short value such as "1" occurs in the advice by itself.
      if (value.length > 12) assert(!message.includes(value), `the message repeats ${value}`);
    }
  });
}

Deno.test("The message contains no part of a wrong secret", () => {
  const secret = "c2VjcmV0LXBhcnQ";
  const wrong = {
    TOKEN_KEYS: `{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"k","x":"${secret}","d":"${secret}"}]}`,
    SECRET_KEYS: `a:${secret},b:${secret}`,
    ADMIN_PASSWORD: secret.slice(0, 7),
    TURSO_DATABASE_URL: `libsql://u:${secret}@host`,
  };
  const message = refusal(wrong);
  assert(!message.includes(secret.slice(0, 7)));
  assert.equal(message.split("\n").length, 5);
});

Deno.test("A problem in a list is reported with its position", () => {
  assert.match(refusal({ TRUSTED_PROXIES: "10.0.0.1, x" }), /TRUSTED_PROXIES entry 2 must be an IP address/);
  assert.match(
    refusal({ SECRET_KEYS: `a:${KEY_32},b:c2hvcnQ=` }),
    /SECRET_KEYS key 2 must have at least 32 bytes/,
  );
});

Deno.test("Generated secret keys can be parsed, alone and before older ones", () => {
  const [newest, older] = [generateSecretKeys(), generateSecretKeys()];
  const keys = parseSecretKeys(`${newest},${older}`);
  assert.equal(keys.length, 2);
  assert.equal(keys[0].bytes.byteLength, 32);
  assert.notDeepEqual(keys[0].bytes, keys[1]?.bytes);
  assert.equal(keys[0].id, newest.split(":")[0]);
});
