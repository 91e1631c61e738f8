import { runWithLimit } from "../../core/deadline.ts";

const MAX_RESPONSE_BYTES = 64 * 1024;
const encoder = new TextEncoder();
/** One character per byte. */
const latin1 = new TextDecoder("latin1");

type Bytes = Uint8Array<ArrayBuffer>;

export interface HttpResponse {
  readonly status: number;
  readonly body: Bytes;
}

/**
 * Sends one and the same request again and again, over connections that are kept. HTTP/1.1 for small responses: `fetch`
 * takes ten times the processor time, which is most of what a read from a copy costs.
 */
export interface RepeatedRequest {
  /** Throws if there is no whole response within `limitMs`. The request may arrive twice. */
  send(limitMs: number): Promise<HttpResponse>;
  /** Closes the connections that are idle. */
  close(): void;
}
