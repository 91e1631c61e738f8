import type { AppDeps } from "../../src/app.ts";
import { createApp } from "../../src/app.ts";
import { openDatabase } from "../../src/db/open_database.ts";
import { withSudo } from "./sudo.ts";
import { openTestApp, type TestApp } from "./test_app.ts";

/** What can happen to a request on its way to a database server and back. */
export type Fault =
  /** Nothing listens. */
  | "refused"
  /** The server runs the request, and the connection is cut before the response arrives. */
  | "answer_lost"
  /** The connection is cut while the server runs the request. */
  | "cut_off"
  /** The connection is cut at once, and the server gets the request later: when `settle` is called. */
  | "arrives_late"
  /** The server runs the request, and half of the response is missing. */
  | "garbled"
  /** The server runs the request, and the response is JSON of another protocol. */
  | "foreign_json"
  /** A gateway responds with 502 after the server has run the request. */
  | "bad_gateway"
  /** A gateway responds with 503, and the server gets nothing. */
  | "no_server"
  /** No response at all, until the caller gives up. */
  | "silence";

export const FAULTS: readonly Fault[] = [
  "refused",
  "answer_lost",
  "cut_off",
  "arrives_late",
  "garbled",
  "foreign_json",
  "bad_gateway",
  "no_server",
];

/** Chooses the fault that a request meets, if any. `isWrite`: it carries a write transaction. */
export type FaultPlan = (request: { readonly isWrite: boolean }) => Fault | { code: string } | undefined;

/** A `fetch` between a database client and its server. */
export interface FaultyProxy {
  readonly fetch: typeof fetch;
  /** Sets the faults from now on. */
  setPlan(plan: FaultPlan | undefined): void;
  /** How many requests have met a fault so far. */
  faultCount(): number;
  /** Delivers every late request, and waits until the server has finished all of them. */
  settle(): Promise<void>;
}

export function createFaultyProxy(): FaultyProxy {
  let plan: FaultPlan | undefined;
  let faults = 0;
  const late: (() => Promise<string>)[] = [];
  const atWork: Promise<string>[] = [];

  async function meet(fault: Fault | { code: string }, request: Request): Promise<Response> {
    if (typeof fault === "object") return await refuseAll(fault.code, request);
    switch (fault) {
      case "refused":
        throw new TypeError("connection refused");
      case "no_server":
        return new Response("no server", { status: 503 });
      case "silence":
        return await new Promise((_, reject) => {
          request.signal.addEventListener("abort", () => reject(request.signal.reason));
        });
      case "arrives_late": {
        const copy = await withoutSignal(request);
        late.push(() => work(copy));
        throw new TypeError("connection reset");
      }
      case "cut_off":
        atWork.push(work(await withoutSignal(request)));
        throw new TypeError("connection reset");
      case "answer_lost":
        await work(request);
        throw new TypeError("connection reset");
      case "bad_gateway":
        await work(request);
        return new Response("bad gateway", { status: 502 });
      case "foreign_json":
        await work(request);
        return Response.json({ results: [] });
      case "garbled": {
        const text = await work(request);
        return new Response(text.slice(0, text.length / 2), {
          headers: { "Content-Type": "application/json" },
        });
      }
    }
  }

  return {
    fetch: async (input, init) => {
      const request = new Request(input, init);
      const fault = plan?.({ isWrite: (await request.clone().text()).includes("BEGIN IMMEDIATE") });
      if (fault === undefined) return await fetch(request);
      faults++;
      return await meet(fault, request);
    },
    setPlan(next): void {
      plan = next;
    },
    faultCount: () => faults,
    async settle(): Promise<void> {
      await Promise.all(atWork.splice(0));
      for (const send of late.splice(0)) await send();
    },
  };
}

async function work(request: Request): Promise<string> {
  return await (await fetch(request)).text();
}

/** The request without its signal, so that it is sent even if its sender gives up. */
async function withoutSignal(request: Request): Promise<Request> {
  const { url, method, headers } = request;
  return new Request(url, { method, headers: new Headers(headers), body: await request.text() });
}

/** The response of a server that refuses each request of a stream with this code. */
async function refuseAll(code: string, request: Request): Promise<Response> {
  const { requests } = await request.json();
  const error = { message: `refused: ${code}`, code };
  const results = requests.map((each: { type: string }) =>
    each.type === "close" ? { type: "ok", response: { type: "close" } } : { type: "error", error }
  );
  return Response.json({ baton: null, base_url: null, results });
}

/** An app that reaches the database server through a proxy; `database` connects directly. */
export interface FaultyApp extends TestApp {
  readonly proxy: FaultyProxy;
}

export interface FaultyAppOptions {
  readonly timeoutMs?: number;
  readonly change?: Partial<AppDeps>;
}

/** Opens an app on a fresh server database, behind a proxy without faults so far. */
export async function openFaultyApp(options: FaultyAppOptions = {}): Promise<FaultyApp> {
  const target = await openTestApp("remote", options.change);
  const proxy = createFaultyProxy();
  const { timeoutMs } = options;
  const database = await openDatabase(target.url, { fetch: proxy.fetch, timeoutMs });
  const deps = { ...target.deps, database };
  const app = createApp(deps);
  return {
    ...target,
    deps,
    app,
    proxy,
    request: async (path, { from = "192.0.2.1", ...init } = {}) =>
      await app.request(path, await withSudo(target.deps, path, init), { remoteAddr: { hostname: from } }),
    async [Symbol.asyncDispose](): Promise<void> {
      proxy.setPlan(undefined);
      await proxy.settle();
      await database.close();
      await target[Symbol.asyncDispose]();
    },
  };
}
