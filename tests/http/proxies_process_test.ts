/** Requests sent ahead on a connection wait, at the server and behind the proxies of docs/deploy.md. */
import assert from "node:assert/strict";
import { freePort } from "../helpers/sqld.ts";
import { isInstalled } from "../helpers/processes.ts";
import { connectTo } from "../helpers/raw_http.ts";

const DOCUMENT = new URL("../../docs/deploy.md", import.meta.url);
const START_MS = 10_000;
/** More than the buffers of the system and a proxy hold. */
const FLOOD_BYTES = 64_000_000;
const BUFFERS_BYTES = 24_000_000;
/** Ends the program as soon as standard input ends, which the system closes with the test process. */
const SUPERVISOR = '"$@" </dev/null & read -r _; kill -9 $!; wait';

interface Counted extends AsyncDisposable {
  readonly server: Deno.HttpServer<Deno.NetAddr>;
  readonly paths: string[];
  /** The most requests that were under way at the same time. */
  most(): number;
  /** Resolves when a request has arrived that waits for `release`. */
  readonly held: Promise<void>;
  readonly release: () => void;
}

/** A server that notes its requests. The one for `/hold` waits. */
function serveCounting(): Counted {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { promise: held, resolve: hold } = Promise.withResolvers<void>();
  const paths: string[] = [];
  let underWay = 0;
  let most = 0;
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => undefined },
    async ({ url }) => {
      const { pathname } = new URL(url);
      most = Math.max(most, ++underWay);
      paths.push(pathname);
      if (pathname === "/hold") {
        hold();
        await released;
      }
      await Promise.resolve();
      underWay--;
      return new Response(`${pathname};`);
    },
  );
  return {
    server,
    paths,
    most: () => most,
    held,
    release,
    async [Symbol.asyncDispose]() {
      release();
      await server.shutdown();
    },
  };
}

function requestOf(path: string): Uint8Array {
  return new TextEncoder().encode(`GET ${path} HTTP/1.1\r\nHost: rolegrid.example.com\r\n\r\n`);
}

async function sendAll(connection: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
}

/** Reads until so many responses have come, and returns their bodies. */
async function readBodies(connection: Deno.Conn, count: number): Promise<string[]> {
  const decoder = new TextDecoder();
  const buffer = new Uint8Array(65_536);
  let text = "";
  for (;;) {
    const bodies = Array.from(text.matchAll(/\r\n\r\n(?:[0-9a-f]+\r\n)?(\/\w+);/g), ([, body = ""]) => body);
    if (bodies.length >= count) return bodies;
    const read = await connection.read(buffer);
    assert.ok(read !== null, `closed after ${bodies.length} responses`);
    text += decoder.decode(buffer.subarray(0, read), { stream: true });
  }
}

Deno.test("of requests that are sent ahead on a connection, one is under way, and each is answered in its turn", async () => {
  await using counted = serveCounting();
  using connection = await connectTo(counted.server);
  const paths = Array.from({ length: 2000 }, (_, i) => `/r${String(i).padStart(4, "0")}`);
  const sending = (async () => {
    for (const path of paths) await sendAll(connection, requestOf(path));
  })();
  assert.deepEqual(await readBodies(connection, paths.length), paths);
  await sending;
  assert.deepEqual([counted.paths, counted.most()], [paths, 1]);
});

interface Proxy {
  readonly name: "nginx" | "caddy";
  /** Writes its configuration into a folder, and returns the command that runs it. */
  readonly prepare: (folder: string, port: number, servicePort: number) => Promise<string[]>;
}

/** Returns the code block of a language in the document, with its addresses replaced. */
async function readBlock(language: string, replaced: Readonly<Record<string, string>>): Promise<string> {
  const document = await Deno.readTextFile(DOCUMENT);
  let [, text = ""] = new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\``, "m").exec(document) ?? [];
  for (const [documented, used] of Object.entries(replaced)) {
    assert.ok(text.includes(documented), `${language}: ${documented}`);
    text = text.replaceAll(documented, used);
  }
  return text;
}

const PROXIES: readonly Proxy[] = [{
  name: "nginx",
  async prepare(folder, port, servicePort) {
    const server = await readBlock("nginx", {
      "server {\n": `server {\n  listen 127.0.0.1:${port};\n`,
      "127.0.0.1:8000": `127.0.0.1:${servicePort}`,
    });
    const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
      .map((name) => `${name}_temp_path ${folder}/${name};`).join("\n");
    const path = `${folder}/nginx.conf`;
    const main = `daemon off;\nmaster_process off;\npid ${folder}/pid;\nerror_log stderr error;\nevents {}\n`;
    await Deno.writeTextFile(path, `${main}http {\naccess_log off;\n${paths}\n${server}}\n`);
    return ["nginx", "-p", folder, "-e", "stderr", "-c", path];
  },
}, {
  name: "caddy",
  async prepare(folder, port, servicePort) {
    const site = await readBlock("caddy", {
      "{\n  servers": "{\n  admin off\n  auto_https off\n  servers",
      "rolegrid.example.com {": `http://:${port} {\n  bind 127.0.0.1`,
      "127.0.0.1:8000": `127.0.0.1:${servicePort}`,
      ...(await isCaddyOld() && { "request_buffers 10MiB": "buffer_requests" }),
    });
    const path = `${folder}/Caddyfile`;
    await Deno.writeTextFile(path, site);
    return ["caddy", "run", "--config", path, "--adapter", "caddyfile"];
  },
}];

/** Whether it is older than 2.7, which the document has another word for. */
async function isCaddyOld(): Promise<boolean> {
  const { stdout } = await new Deno.Command("caddy", { args: ["version"] }).output();
  const [, minor] = /^v?2\.(\d+)/.exec(new TextDecoder().decode(stdout)) ?? [];
  return Number(minor) < 7;
}

async function connectSoon(port: number): Promise<Deno.TcpConn> {
  for (const until = Date.now() + START_MS;;) {
    try {
      return await Deno.connect({ hostname: "127.0.0.1", port });
    } catch (error) {
      if (!(error instanceof Deno.errors.ConnectionRefused) || Date.now() > until) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

/** Runs the proxy in front of a server as long as `use` takes. */
async function withProxy(
  { prepare }: Proxy,
  servicePort: number,
  use: (connection: Deno.TcpConn) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "rolegrid_proxy_" });
  const port = freePort();
  const child = new Deno.Command("sh", {
    args: ["-c", SUPERVISOR, "sh", ...await prepare(folder, port, servicePort)],
    env: { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    stdin: "piped",
    stdout: "null",
    stderr: "null",
  }).spawn();
  try {
    using connection = await connectSoon(port);
    await use(connection);
  } finally {
    await child.stdin.close();
    await child.status;
    await Deno.remove(folder, { recursive: true });
  }
}

for (const proxy of PROXIES) {
  Deno.test({
    name:
      `behind ${proxy.name}, a client that sends requests ahead waits, and none of them reaches the service`,
    ignore: !await isInstalled(proxy.name, proxy.name === "nginx" ? "-v" : "version"),
    async fn() {
      await using counted = serveCounting();
      await withProxy(proxy, counted.server.addr.port, async (connection) => {
        let sent = 0;
        const requests = requestOf(`/ahead${"x".repeat(1000)}`);
        await sendAll(connection, requestOf("/hold"));
        const flood = (async () => {
          while (sent < FLOOD_BYTES) sent += await connection.write(requests);
        })().catch((error) =>
          assert.ok(error instanceof Deno.errors.Interrupted || isClosed(error), String(error))
        );
        await counted.held;
        // Until nothing more is taken. On a slow machine this may be too early, and the test shows less.
        for (let before = -1; sent !== before && sent < FLOOD_BYTES;) {
          before = sent;
          await new Promise((resolve) => setTimeout(resolve, 300));
        }
        assert.ok(sent < BUFFERS_BYTES, `${sent} bytes were taken`);
        assert.deepEqual([counted.paths, counted.most()], [["/hold"], 1]);
        counted.release();
        const [first, second] = await readBodies(connection, 2);
        assert.deepEqual([first, second?.slice(0, 6)], ["/hold", "/ahead"]);
        assert.equal(counted.most(), 1);
        connection.close();
        await flood;
      });
    },
  });
}

function isClosed(error: unknown): boolean {
  return [Deno.errors.BadResource, Deno.errors.BrokenPipe, Deno.errors.ConnectionReset].some((kind) =>
    error instanceof kind
  );
}
