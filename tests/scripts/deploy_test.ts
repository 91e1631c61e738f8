/** The systemd unit, the image, the example environment and Deno Deploy agree with the tasks. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { readConfig } from "../../src/service/config.ts";
import { generateSecretKeys } from "../../src/core/keys.ts";
import { generateTokenKeys } from "../../src/identity/token/token_keys.ts";
import { parseEnvFile } from "../../scripts/lib/env_file.ts";

const ROOT = new URL("../../", import.meta.url);
const SYSTEMD_ANALYZE = "/usr/bin/systemd-analyze";

function readText(path: string): string {
  return Deno.readTextFileSync(new URL(path, ROOT));
}

interface Project {
  readonly tasks: Readonly<Record<string, { readonly command: string }>>;
  readonly workspace: readonly string[];
  readonly deploy: {
    readonly install: string;
    readonly build: string;
    readonly predeploy: string;
    readonly runtime: { readonly type: string; readonly entrypoint: string };
  };
}

function readProject(): Project {
  return JSON.parse(readText("deno.json"));
}

/** The distinct permissions, flags for V8 and where packages are, in a command line. */
function optionsOf(command: string): string[] {
  const flags = command.matchAll(/--(?:allow-[a-z]+|v8-flags=\S+|node-modules-dir=[a-z]+)/g);
  return [...new Set(Array.from(flags, ([flag]) => flag))].toSorted();
}

/** The values of a unit by key; keys may have several. */
function parseUnit(text: string): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const line of text.split("\n")) {
    const [, key = "", value = ""] = /^([A-Za-z]+)=(.*)$/.exec(line) ?? [];
    if (key !== "") values.set(key, [...values.get(key) ?? [], value]);
    else assert.match(line, /^(#.*|\[[A-Z][a-z]+\]|)$/, "neither a comment, a section nor a setting");
  }
  return values;
}

Deno.test("the systemd unit has the permissions of the start task, no privileges, and time to stop", () => {
  const unit = parseUnit(readText("deploy/rolegrid.service"));
  const only = (key: string): string => {
    const [value = assert.fail(`${key} is missing`), ...more] = unit.get(key) ?? [];
    assert.deepEqual(more, [], `${key} is there twice`);
    return value;
  };
  assert.deepEqual(
    optionsOf(only("ExecStart")),
    optionsOf(readProject().tasks["start"]?.command ?? ""),
  );
  assert.ok(Number(only("TimeoutStopSec")) > 5);
  const hardened = {
    DynamicUser: "yes",
    NoNewPrivileges: "yes",
    ProtectSystem: "strict",
    CapabilityBoundingSet: "",
  };
  for (const [key, value] of Object.entries(hardened)) assert.equal(only(key), value);
  // The only writable directories are those that systemd makes for it.
  const state = `/var/lib/${only("StateDirectory")}`;
  assert.match(only("ExecStart"), new RegExp(`--allow-write=${state},/var/cache/${only("CacheDirectory")} `));
  assert.match(
    readText("deploy/rolegrid.env.example"),
    new RegExp(`^TURSO_DATABASE_URL=file:${state}/`, "m"),
  );
});

Deno.test({
  name: "systemd-analyze accepts the unit",
  ignore: !existsSync(SYSTEMD_ANALYZE),
  async fn(): Promise<void> {
    const directory = await Deno.makeTempDir({ prefix: "rolegrid_test_" });
    const path = `${directory}/rolegrid.service`;
    // Only the path of the program differs between machines.
    const unit = readText("deploy/rolegrid.service").replace("/usr/local/bin/deno", Deno.execPath());
    await Deno.writeTextFile(path, unit);
    const output = await new Deno.Command(SYSTEMD_ANALYZE, { args: ["verify", "--man=no", path] }).output();
    const told = new TextDecoder().decode(output.stderr);
    await Deno.remove(directory, { recursive: true });
    const aboutIt = told.split("\n").filter((line) => line.includes("rolegrid.service"));
    assert.deepEqual(aboutIt, []);
  },
});

Deno.test("the image runs the service unprivileged with the permissions of the start task, and checks its health", () => {
  const text = readText("deploy/Dockerfile");
  assert.match(text, /^FROM denoland\/deno:2\.\d+\.\d+$/m);
  assert.match(text, /^USER deno$/m);
  assert.match(text, /^EXPOSE 8000$/m);
  assert.match(text, /^HEALTHCHECK [^]*\/healthz/m);
  const [, command = ""] = /^CMD (\[.*"main\.ts"\])$/m.exec(text) ?? [];
  const args: string[] = JSON.parse(command);
  assert.deepEqual(optionsOf(args.join(" ")), optionsOf(readProject().tasks["start"]?.command ?? ""));
  for (const [, names = ""] of readText("deploy/Dockerfile.dockerignore").matchAll(/^!(.+)$/gm)) {
    assert.ok(existsSync(fileURLToPath(new URL(names, ROOT))), `${names} is not in the project`);
  }
});

Deno.test("the example environment is valid once keys and mail are filled in", async () => {
  const text = readText("deploy/rolegrid.env.example");
  const filled = {
    TOKEN_KEYS: await generateTokenKeys(),
    SECRET_KEYS: generateSecretKeys(),
    MAIL_URL: "smtp://mail.example.com",
    MAIL_FROM: "grid@example.com",
  };
  const given = parseEnvFile(text);
  const config = readConfig({ ...given, ...filled }, "production");
  assert.equal(config.databaseUrl, "file:/var/lib/rolegrid/rolegrid.db");
  assert.equal(config.refuseQuerySecrets, true);
  assert.throws(() => readConfig(given, "production"), /TOKEN_KEYS[^]*SECRET_KEYS[^]*MAIL_URL[^]*MAIL_FROM/);
});

Deno.test("the image installs the packages of the console and builds it", () => {
  const text = readText("deploy/Dockerfile");
  const install = text.indexOf("RUN deno install --frozen\n");
  for (const member of readProject().workspace) {
    const copied = text.indexOf(`${member.slice(2)}/deno.json`);
    assert.ok(copied > 0 && copied < install, member);
  }
  assert.match(text, /&& deno task build\n/);
});

Deno.test("Deno Deploy has an entrypoint and a migration, and builds the console", () => {
  const { deploy, tasks } = readProject();
  assert.equal(deploy.runtime.type, "dynamic");
  assert.ok(existsSync(fileURLToPath(new URL(deploy.runtime.entrypoint, ROOT))));
  assert.equal(deploy.predeploy, "deno task migrate");
  assert.equal(deploy.build, "deno task build");
  assert.match(tasks["migrate"]?.command ?? "", /scripts\/migrate\.ts$/);
});
