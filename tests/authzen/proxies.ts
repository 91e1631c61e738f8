import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { freePort } from "../helpers/sqld.ts";

/** The proxies of `deploy/forward_auth`, each with its documented configuration, in front of an app that echoes. */

const CONFIGURATIONS = new URL("../../deploy/forward_auth/", import.meta.url);
const START_MS = 10_000;
/** Ends the program as soon as standard input ends, which the system closes with the test process. */
const SUPERVISOR = '"$@" </dev/null & read -r _; kill -9 $!; wait';

/** What a proxy passed on. */
export interface Passed {
  readonly method: string;
  /** The path and query as the app gets them. */
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

export interface ProxyKind {
  readonly name: "nginx" | "caddy";
  /** The argument with which it prints its version. */
  readonly versionArgument: string;
  /** The status if Rolegrid is down. */
  readonly downStatus: number;
  /** Writes the configuration into a folder, and returns the command that runs it. */
  readonly prepare: (folder: string, ports: Ports) => Promise<string[]>;
}

interface Ports {
  readonly proxy: number;
  readonly rolegrid: number;
  readonly app: number;
}

export const PROXIES: readonly ProxyKind[] = [
  { name: "nginx", versionArgument: "-v", downStatus: 500, prepare: prepareNginx },
  { name: "caddy", versionArgument: "version", downStatus: 502, prepare: prepareCaddy },
];

/** Reads a configuration, and replaces each address in it by a free one; each must be there. */
async function readConfiguration(name: string, replaced: Readonly<Record<string, string>>): Promise<string> {
  let text = await Deno.readTextFile(new URL(name, CONFIGURATIONS));
  for (const [documented, used] of Object.entries(replaced)) {
    assert.ok(text.includes(documented), `${name}: ${documented}`);
    text = text.replaceAll(documented, used);
  }
  return text;
}

async function prepareNginx(folder: string, { proxy, rolegrid, app }: Ports): Promise<string[]> {
  const server = await readConfiguration("nginx.conf", {
    "listen 80;": `listen 127.0.0.1:${proxy};`,
    "127.0.0.1:8000": `127.0.0.1:${rolegrid}`,
    "127.0.0.1:3000": `127.0.0.1:${app}`,
  });
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${folder}/${name};`).join("\n");
  await Deno.writeTextFile(
    `${folder}/nginx.conf`,
    `daemon off;\nmaster_process off;\npid ${folder}/pid;\nerror_log stderr error;\nevents {}\n` +
      `http {\naccess_log off;\n${paths}\n${server}}\n`,
  );
  return ["nginx", "-p", folder, "-e", "stderr", "-c", `${folder}/nginx.conf`];
}

async function prepareCaddy(folder: string, { proxy, rolegrid, app }: Ports): Promise<string[]> {
  const site = await readConfiguration("Caddyfile", {
    "app.example.com {": `http://:${proxy} {\n\tbind 127.0.0.1`,
    "127.0.0.1:8000": `127.0.0.1:${rolegrid}`,
    "127.0.0.1:3000": `127.0.0.1:${app}`,
  });
  await Deno.writeTextFile(
    `${folder}/Caddyfile`,
    `{\n\tadmin off\n\tauto_https off\n\tlog {\n\t\tlevel ERROR\n\t}\n}\n\n${site}`,
  );
  return ["caddy", "run", "--config", `${folder}/Caddyfile`, "--adapter", "caddyfile"];
}

/** A proxy, and the app behind it. */
export interface Proxied extends AsyncDisposable {
  readonly port: number;
  /** Requests that reached the app since the last call. */
  takePassed(): Passed[];
}

/** Starts the proxy in front of an app, and waits until it listens. */
export async function startProxy(kind: ProxyKind, rolegridPort: number): Promise<Proxied> {
  let passed: Passed[] = [];
  const app = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const { method, url, headers } = request;
    passed.push({
      method,
      target: url.slice(url.indexOf("/", "http://".length)),
      headers: [...headers],
      body: await request.text(),
    });
    return new Response("from the app");
  });
  const folder = await Deno.makeTempDir();
  const ports = { proxy: freePort(), rolegrid: rolegridPort, app: app.addr.port };
  const command = await kind.prepare(folder, ports);
  const child = new Deno.Command("sh", {
    args: ["-c", SUPERVISOR, "sh", ...command],
    env: { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    stdin: "piped",
    stdout: "null",
    stderr: "null",
  }).spawn();
  await waitForPort(ports.proxy);
  return {
    port: ports.proxy,
    takePassed(): Passed[] {
      const taken = passed;
      passed = [];
      return taken;
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await child.stdin.close();
      await child.status;
      await app.shutdown();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

async function waitForPort(port: number): Promise<void> {
  for (const until = Date.now() + START_MS;;) {
    try {
      return (await Deno.connect({ hostname: "127.0.0.1", port })).close();
    } catch (error) {
      if (!(error instanceof Deno.errors.ConnectionRefused) || Date.now() > until) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

export interface RawAnswer {
  /** 0 if the connection was closed without a response. */
  readonly status: number;
  /** The whole response, a character for each byte. */
  readonly text: string;
}

/** Sends these bytes over a connection of its own, and reads until the proxy closes it. */
export async function sendRaw(port: number, bytes: string): Promise<RawAnswer> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  let text = "";
  const buffer = new Uint8Array(65_536);
  try {
    await connection.write(Buffer.from(bytes, "latin1"));
    for (let count = await connection.read(buffer); count !== null; count = await connection.read(buffer)) {
      text += Buffer.from(buffer.subarray(0, count)).toString("latin1");
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.ConnectionReset || error instanceof Deno.errors.BrokenPipe)) {
      throw error;
    }
  }
  const [, status = "0"] = /^(?:HTTP\/1\.1 1\d\d [^]*?\r\n\r\n)*HTTP\/1\.[01] (\d{3}) /.exec(text) ?? [];
  return { status: Number(status), text };
}
