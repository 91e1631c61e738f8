import { freePort } from "./sqld.ts";
import { makeServerDir } from "./server_dir.ts";

const START_ATTEMPTS = 5;
const LIMIT_MS = 20_000;
const POLL_MS = 10;

/**
 * Starts the server, and stops and starts it as its standard input says. It ends the server and removes the data when
 * its own standard input ends, which the system closes with the test process however that ends.
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
  /** Ends the server the hard way, as a crash would; its data stay. */
  stop(): Promise<void>;
  /** Starts it again, where it was. */
  start(): Promise<void>;
  /** Ends it and removes its data. The end of the test process does the same. */
  remove(): Promise<void>;
}

let shared: Promise<InfluxServer> | undefined;
let isInstalled: boolean | undefined;

/** Whether there is an influxd to test with. If not, the first who asks is told how to get one. */
export function hasInfluxd(): boolean {
  isInstalled ??= findInfluxd();
  return isInstalled;
}

/** A server that all tests of this process share, each with databases of its own. */
export function sharedInfluxd(): Promise<InfluxServer> {
  shared ??= startInfluxd();
  return shared;
}

/** Starts a server without data on free ports of this machine, and waits until it answers. */
export async function startInfluxd(): Promise<InfluxServer> {
  for (let attempt = 1; attempt <= START_ATTEMPTS; attempt++) {
    const server = await tryStart();
    if (server !== undefined) return server;
  }
  throw new Error(`influxd ended ${START_ATTEMPTS} times before it answered`);
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

/** Polls; false if what is waited for cannot come any more. */
async function waitUntil(
  condition: () => Promise<boolean>,
  isHopeless: () => boolean = () => false,
): Promise<boolean> {
  const deadline = performance.now() + LIMIT_MS;
  while (performance.now() < deadline) {
    // In this order: a stranger may answer on a port that the server found taken.
    const holds = await condition();
    if (isHopeless()) return false;
    if (holds) return true;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error(`influxd was not up, or down, within ${LIMIT_MS} ms`);
}

/** The server was started and is no more. While it ends it is a zombie ("Z"), until the supervisor collects it. */
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
