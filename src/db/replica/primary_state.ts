import { runWithLimit } from "../../core/deadline.ts";
import { ServerUnreachableError } from "../sql_errors.ts";

/** How far a primary's log of changes has got. */
export interface PrimaryState {
  /** Another one after each start of the server. */
  readonly processId: string;
  /** Names the log. After a crash the server begins a new one. */
  readonly logId: string;
  /** The number of the last frame that was committed; -1 in an empty log. */
  readonly frame: number;
}

export interface PrimaryAddress {
  /** With `http:` or `https:`. */
  readonly url: string;
  readonly authToken: string | undefined;
}

const LIMIT_MS = 5000;
const HELLO_PATH = "/wal_log.ReplicationLog/Hello";
/** `HelloRequest { handshake_version: 1 }` in a frame of gRPC-Web: a flag, the length, the message. */
const HELLO = new Uint8Array([0, 0, 0, 0, 2, 0x08, 1]);
/** The numbers of the fields in `HelloResponse`. */
const GENERATION_ID = 1, LOG_ID = 3, CURRENT_INDEX = 5;

/**
 * Asks a primary for its state: the first step of libSQL's own replication, whose driver keeps the result to itself. A
 * commit is included from the moment that it is acknowledged. Throws `ServerUnreachableError` if there is no usable
 * response within 5 seconds.
 */
export async function askPrimary(
  { url, authToken = "" }: PrimaryAddress,
  send: typeof fetch = fetch,
): Promise<PrimaryState> {
  const headers = {
    "Content-Type": "application/grpc-web+proto",
    "X-Authorization": `Bearer ${authToken}`,
    "X-Namespace-Bin": btoa(namespaceOf(url)).replaceAll("=", ""),
  };
  async function hello(signal: AbortSignal): Promise<PrimaryState> {
    const response = await send(`${url}${HELLO_PATH}`, { method: "POST", headers, body: HELLO, signal });
    const body = new Uint8Array(await response.arrayBuffer());
    if (!response.ok) throw new Error(`it responded with status ${response.status}`);
    return readHello(messageIn(body));
  }

  try {
    return await runWithLimit(LIMIT_MS, hello);
  } catch (cause) {
    throw new ServerUnreachableError("The primary does not say how far its log has got", { cause });
  }
}

/** Whether the host replicates by another protocol, which cannot tell whether a copy is up to date. */
export function hasOtherProtocol(
  { url, authToken = "" }: PrimaryAddress,
  send: typeof fetch = fetch,
): Promise<boolean> {
  const headers = { Authorization: `Bearer ${authToken}` };
  return runWithLimit(LIMIT_MS, async (signal) => {
    const response = await send(`${url}/info`, { headers, signal });
    await response.body?.cancel();
    return response.ok;
  });
}

/** The driver's rule: the first label of the host names the database. A server with a single one ignores that. */
function namespaceOf(url: string): string {
  const [label = "", ...more] = new URL(url).hostname.split(".");
  return more.length === 0 ? "default" : label;
}

/** An error has no message: its status is among the headers, or in a frame that has another flag. */
function messageIn(body: Uint8Array): Uint8Array {
  if (body.length < 5 || body[0] !== 0) throw new Error("it refused");
  const length = new DataView(body.buffer, body.byteOffset).getUint32(1);
  return body.subarray(5, 5 + length);
}

/** Reads the three fields that matter from a message of Protocol Buffers. */
function readHello(message: Uint8Array): PrimaryState {
  const texts = new Map<number, string>();
  const numbers = new Map<number, number>();
  let at = 0;

  function readNumber(): number {
    for (let value = 0, unit = 1;; unit *= 128) {
      const byte = message[at++];
      if (byte === undefined) throw new Error("its response is cut off");
      value += (byte % 128) * unit;
      if (byte < 128) return value;
    }
  }

  while (at < message.length) {
    const tag = readNumber();
    const field = tag >>> 3;
    const wireType = tag % 8;
    if (wireType === 0) {
      numbers.set(field, readNumber());
    } else if (wireType === 2) {
      const length = readNumber();
      texts.set(field, new TextDecoder().decode(message.subarray(at, at += length)));
    } else {
      throw new Error("its response has an unknown form");
    }
  }
  const processId = texts.get(GENERATION_ID);
  const logId = texts.get(LOG_ID);
  if (processId === undefined || logId === undefined) throw new Error("its response lacks a field");
  return { processId, logId, frame: numbers.get(CURRENT_INDEX) ?? -1 };
}
