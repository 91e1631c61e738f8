import autocannon from "autocannon";
import { quantile } from "../statistics.ts";
import type { Exchange } from "./exchange.ts";
import { KINDS, type RequestKind } from "./mix.ts";
import type { VirtualClient } from "./virtual_client.ts";

/** The used part of autocannon, which has no types of its own. */
interface RequestTemplate {
  setupRequest(request: object): object;
  onResponse(status: number, body: string): void;
}
interface AutocannonOptions {
  readonly url: string;
  readonly connections: number;
  /** In seconds; ignored if there is an amount. */
  readonly duration?: number;
  readonly amount?: number;
  readonly timeout: number;
  readonly setupClient: (client: { setRequests(requests: readonly RequestTemplate[]): void }) => void;
}
interface AutocannonResult {
  /** Broken connections, including timeouts. */
  readonly errors: number;
  readonly timeouts: number;
}
const runAutocannon: (options: AutocannonOptions) => PromiseLike<AutocannonResult> = autocannon;

const ANSWER_LIMIT_SECONDS = 30;

export interface LoadOrder {
  readonly url: string;
  /** One per connection. */
  readonly clients: readonly VirtualClient[];
  /** A duration, or a number of requests. */
  readonly length: { readonly seconds: number } | { readonly requests: number };
  /** Called after each response. */
  readonly onAnswer?: () => void;
}

export interface Times {
  readonly requests: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Failed responses to one kind of request with one status. */
export interface Failure {
  readonly kind: RequestKind | "connection";
  /** 0: no response. */
  readonly status: number;
  readonly count: number;
  /** The body of the first such response. */
  readonly first: string;
}

export interface StepResult {
  readonly connections: number;
  readonly seconds: number;
  readonly requestsPerSecond: number;
  readonly overall: Times;
  readonly kinds: Readonly<Partial<Record<RequestKind, Times>>>;
  readonly failures: readonly Failure[];
}

/** Lets all clients send requests, each over its own connection and one at a time, and measures. */
export async function runStep({ url, clients, length, onAnswer }: LoadOrder): Promise<StepResult> {
  const record = new StepRecord(onAnswer);
  const waiting = clients.values();
  const startedAt = performance.now();
  const { errors, timeouts } = await runAutocannon({
    url,
    connections: clients.length,
    timeout: ANSWER_LIMIT_SECONDS,
    ...("requests" in length ? { amount: length.requests } : { duration: length.seconds }),
    setupClient(connection): void {
      const { value: client } = waiting.next();
      if (client !== undefined) connection.setRequests([record.templateFor(client)]);
    },
  });
  const seconds = (performance.now() - startedAt) / 1000;
  if (errors > 0) {
    const first =
      `${errors} connections broke, ${timeouts} of them after ${ANSWER_LIMIT_SECONDS} s without a response`;
    record.fail("connection", 0, first, errors);
  }
  return record.result(clients.length, seconds);
}

class StepRecord {
  readonly #times = new Map<RequestKind, number[]>(KINDS.map((kind) => [kind, []]));
  readonly #failures = new Map<string, Failure>();
  readonly #onAnswer: (() => void) | undefined;

  constructor(onAnswer: (() => void) | undefined) {
    this.#onAnswer = onAnswer;
  }

  /** Autocannon gets each request right before it sends it, and passes each response on as a whole. */
  templateFor(client: VirtualClient): RequestTemplate {
    let exchange: Exchange | undefined;
    let sentAt = 0;
    client.abandon();
    return {
      setupRequest: (template): object => {
        // Autocannon silently reopens connections that the service closed.
        if (exchange !== undefined) {
          client.abandon();
          this.fail(exchange.kind, 0, "the connection was closed before the response was complete");
        }
        exchange = client.next();
        sentAt = performance.now();
        const { method, path, headers, body } = exchange;
        return { ...template, method, path, headers, body };
      },
      onResponse: (status, body): void => {
        if (exchange === undefined) return;
        const { kind, accept, isWrong } = exchange;
        exchange = undefined;
        this.#times.get(kind)?.push(performance.now() - sentAt);
        if (status >= 200 && status < 300 && isWrong?.(body) !== true) accept?.(body);
        else {
          client.abandon();
          this.fail(kind, status, body);
        }
        this.#onAnswer?.();
      },
    };
  }

  fail(kind: Failure["kind"], status: number, body: string, count = 1): void {
    const key = `${kind} ${status}`;
    const known = this.#failures.get(key);
    this.#failures.set(key, {
      kind,
      status,
      count: (known?.count ?? 0) + count,
      first: known?.first ?? body,
    });
  }

  result(connections: number, seconds: number): StepResult {
    const all = [...this.#times.values()].flat();
    const kinds: Partial<Record<RequestKind, Times>> = {};
    for (const [kind, times] of this.#times) if (times.length > 0) kinds[kind] = describeTimes(times);
    return {
      connections,
      seconds,
      requestsPerSecond: all.length / seconds,
      overall: describeTimes(all),
      kinds,
      failures: [...this.#failures.values()],
    };
  }
}

function describeTimes(times: readonly number[]): Times {
  const sorted = Float64Array.from(times).sort();
  const list = Array.from(sorted);
  return { requests: list.length, p50Ms: quantile(list, 0.5), p99Ms: quantile(list, 0.99) };
}
