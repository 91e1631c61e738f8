/// <reference lib="deno.worker" />
import { REQUEST_LIMIT_MS } from "./request_limit.ts";

/**
 * A client with two connections, on a thread of its own, so that what the attackers do in the process of the test does
 * not delay it. On one it asks `GET /user` all the time; on the other it gives a role of its own a new name some
 * times a second. Told to `begin`, it starts its lists of times; told to `end`, it reports them once each list has
 * one, and the requests under way have their answers.
 */

export interface VictimOrder {
  readonly port: number;
  /** The process of the service. */
  readonly pid: number;
  readonly token: string;
  /** A role that it may rename. */
  readonly roleId: number;
}

/** Times of reads and of writes in milliseconds, and what went wrong. */
export interface VictimReport {
  readonly reads: readonly number[];
  readonly writes: readonly number[];
  /** The most processor time that the event loop of the service used during one of them: however busy the machine is. */
  readonly loopMs: number;
  readonly failures: readonly string[];
}

interface Habit {
  readonly times: number[];
  readonly pauseMs: number;
  readonly makeRequest: () => string;
  /** The request under way. */
  underWay?: Promise<void>;
}

/** The shortest time limit of the service. A refusal that took longer counts as a slow answer. */
const TIME_LIMIT_MS = 2000;
const READ_PAUSE_MS = 2;
const WRITE_PAUSE_MS = 75;
/** Writes have bodies, and those of one network share a part of the room for bodies: the attacker has another. */
const WRITER_ADDRESS = "192.0.2.1";
const SUCCESS = "HTTP/1.1 200";
const UNAVAILABLE = "HTTP/1.1 503";
const ALL_RIGHTS = {
  roleManagement: true,
  userManagement: true,
  viewManagement: true,
  deviceManagement: true,
  reportManagement: true,
  alarmManagement: true,
};
const encoder = new TextEncoder();
const decoder = new TextDecoder();
const failures: string[] = [];
const habits: Habit[] = [];
let loopMs = 0;

self.onmessage = ({ data }: MessageEvent<VictimOrder | "begin" | "end">): void => {
  if (data === "begin") {
    failures.length = 0;
    loopMs = 0;
    for (const { times } of habits) times.length = 0;
  } else if (data === "end") void report();
  else start(data);
};

function start({ port, pid, token, roleId }: VictimOrder): void {
  const head = `Host: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\n`;
  let names = 0;
  habits.push(
    { times: [], pauseMs: READ_PAUSE_MS, makeRequest: () => `GET /user HTTP/1.1\r\n${head}\r\n` },
    {
      times: [],
      pauseMs: WRITE_PAUSE_MS,
      makeRequest(): string {
        const body = JSON.stringify({ name: `victim ${names++}`, selfRights: ALL_RIGHTS });
        return `PUT /v1/role/${roleId} HTTP/1.1\r\n${head}X-Forwarded-For: ${WRITER_ADDRESS}\r\n` +
          `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
      },
    },
  );
  for (const habit of habits) void askForever(port, pid, habit);
}

async function report(): Promise<void> {
  while (habits.some(({ times }) => times.length === 0)) await pause(1);
  await Promise.all(habits.map(({ underWay }) => underWay));
  const [reads = [], writes = []] = habits.map(({ times }) => [...times]);
  self.postMessage({ reads, writes, loopMs, failures: [...failures] } satisfies VictimReport);
}

async function askForever(port: number, pid: number, habit: Habit): Promise<void> {
  const ask = openConnection(port);
  for (;;) {
    const before = readLoopMs(pid);
    habit.underWay = ask(habit.makeRequest()).then((ms) => void habit.times.push(ms));
    await habit.underWay;
    loopMs = Math.max(loopMs, readLoopMs(pid) - before);
    await pause(habit.pauseMs);
  }
}

/** The processor time of a process's first thread, which is that of its event loop (Linux: in nanoseconds). */
function readLoopMs(pid: number): number {
  return Number(Deno.readTextFileSync(`/proc/${pid}/schedstat`).split(" ", 1)[0]) / 1e6;
}

async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}

/** Reads one answer, whose head and body may arrive apart; nothing if the connection was closed. */
async function readAnswer(connection: Deno.Conn, buffer: Uint8Array): Promise<string> {
  for (let text = "";;) {
    const count = await connection.read(buffer);
    if (count === null) return "";
    text += decoder.decode(buffer.subarray(0, count));
    const headEnd = text.indexOf("\r\n\r\n") + 4;
    const length = Number(/^content-length: ([0-9]+)\r$/im.exec(text)?.[1] ?? 0);
    // The answers are ASCII.
    if (headEnd >= 4 && text.length >= headEnd + length) return text;
  }
}

/**
 * A connection that is opened anew after each failure. The returned function sends a request, and returns its duration.
 */
function openConnection(port: number): (request: string) => Promise<number> {
  const buffer = new Uint8Array(16_384);
  let connection: Deno.Conn | undefined;
  return async (request) => {
    const startedAt = performance.now();
    let watch: ReturnType<typeof setTimeout> | undefined;
    try {
      connection ??= await Deno.connect({ hostname: "127.0.0.1", port });
      const open = connection;
      watch = setTimeout(() => open.close(), REQUEST_LIMIT_MS);
      await connection.write(encoder.encode(request));
      const text = await readAnswer(connection, buffer);
      // A refusal because the time was up is a slow answer, and judged as one.
      const isLate = text.startsWith(UNAVAILABLE) && performance.now() - startedAt >= TIME_LIMIT_MS;
      if (!text.startsWith(SUCCESS) && !isLate) {
        failures.push(text.split("\r\n", 1)[0] || "The connection was closed");
      }
      if (text === "") connection = undefined;
    } catch (error) {
      failures.push(String(error));
      connection = undefined;
    }
    clearTimeout(watch);
    return performance.now() - startedAt;
  };
}
