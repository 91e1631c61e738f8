import { freePort } from "./sqld.ts";
import { makeServerDir } from "./server_dir.ts";

const START_ATTEMPTS = 5;
const LIMIT_MS = 20_000;
const POLL_MS = 10;

/**
 * Starts the server, and stops and restarts it on commands from standard input. When standard input ends, which the
 * system closes with the test process however that ends, it kills the server and removes the data.
 */
const SUPERVISOR = `
trap '' INT TERM
start() {
  influxd run -config "$1/influxdb.conf" >>"$1/log" 2>&1 </dev/null &
  echo $! >"$1/pid.new"
  mv "$1/pid.new" "$1/pid"
}
start "$1"
while read -r order; do
  case $order in
    stop) kill -9 $!; wait $! ;;
    start) start "$1" ;;
  esac
done
kill -9 $!
wait $!
rm -rf "$1"
`;

export interface InfluxServer {
  /** Host and port. */
  readonly host: string;
  /** Kills the server, as a crash would; its data stays. */
  stop(): Promise<void>;
  /** Starts it again at the same address. */
  start(): Promise<void>;
  /** Kills it and removes its data, as the end of the test process does. */
  remove(): Promise<void>;
}

let shared: Promise<InfluxServer> | undefined;
let isInstalled: boolean | undefined;

/** Whether influxd is installed. If not, the first call prints how to get it. */
export function hasInfluxd(): boolean {
  isInstalled ??= findInfluxd();
  return isInstalled;
}

/** A server that all tests of this process share, each with databases of its own. */
export function sharedInfluxd(): Promise<InfluxServer> {
  shared ??= startInfluxd();
  return shared;
}

/** Starts a server without data on free ports of this machine, and waits until it responds. */
export async function startInfluxd(): Promise<InfluxServer> {
  for (let attempt = 1; attempt <= START_ATTEMPTS; attempt++) {
    const server = await tryStart();
    if (server !== undefined) return server;
  }
  throw new Error(`influxd ended ${START_ATTEMPTS} times before it responded`);
}

async function tryStart(): Promise<InfluxServer | undefined> {
  const directory = await makeServerDir("rolegrid_influxd_");
  const host = `127.0.0.1:${freePort()}`;
  await Deno.writeTextFile(`${directory}/influxdb.conf`, configure(directory, host));
  const supervisor = new Deno.Command("/bin/sh", {
    args: ["-c", SUPERVISOR, "influxd", directory],
    stdin: "piped",
    stdout: "null",
    stderr: "null",
  }).spawn();
  const orders = supervisor.stdin.getWriter();
  const order = (text: string): Promise<void> => orders.write(new TextEncoder().encode(`${text}\n`));
  async function remove(): Promise<void> {
    supervisor.ref();
    await orders.close();
    await supervisor.status;
  }
  if (!(await waitUntil(() => answers(host), () => hasEnded(directory)))) {
    await remove();
    return undefined;
  }
  // From here on the server runs beside the tests and must not keep their process alive.
  supervisor.unref();
  return {
    host,
    async stop(): Promise<void> {
      await order("stop");
      await waitUntil(async () => !(await answers(host)));
    },
    async start(): Promise<void> {
      await order("start");
      await waitUntil(() => answers(host));
    },
    remove,
  };
}

function configure(directory: string, host: string): string {
  return `
reporting-disabled = true
bind-address = "127.0.0.1:${freePort()}"
[meta]
dir = "${directory}/meta"
[data]
dir = "${directory}/data"
wal-dir = "${directory}/wal"
[monitor]
store-enabled = false
[continuous_queries]
enabled = false
[http]
bind-address = "${host}"
log-enabled = false
`;
}

async function answers(host: string): Promise<boolean> {
  try {
    const response = await fetch(`http://${host}/ping`);
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}

/** Polls a condition. Returns false if it can no longer become true. */
async function waitUntil(
  condition: () => Promise<boolean>,
  isHopeless: () => boolean = () => false,
): Promise<boolean> {
  const deadline = performance.now() + LIMIT_MS;
  while (performance.now() < deadline) {
    // In this order: another process may respond on a port that the server found taken.
    const holds = await condition();
    if (isHopeless()) return false;
    if (holds) return true;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error(`influxd was not up, or down, within ${LIMIT_MS} ms`);
}

/** Whether the server was started and has ended. An ended server is a zombie ("Z") until the supervisor reaps it. */
function hasEnded(directory: string): boolean {
  let processId: string;
  try {
    processId = Deno.readTextFileSync(`${directory}/pid`).trim();
  } catch {
    return false;
  }
  try {
    return /\) Z /.test(Deno.readTextFileSync(`/proc/${processId}/stat`));
  } catch {
    return true;
  }
}

function findInfluxd(): boolean {
  try {
    return new Deno.Command("influxd", { args: ["version"], stdout: "null", stderr: "null" }).outputSync()
      .success;
  } catch {
    const reason = "Tests against InfluxDB are ignored: there is no influxd (Debian package influxdb)\n";
    Deno.stderr.writeSync(new TextEncoder().encode(reason));
    return false;
  }
}
