import { Hono } from "hono";
import type { Actor, Challenged, SudoActor } from "../core/actor.ts";
import type { Log } from "../core/log.ts";

/** What a request carries through the app: set by middleware, read by handlers as `c.var`. */
export interface AppVariables {
  requestId: string;
  log: Log;
  /** The client's address as trusted proxies report it; IPv6 in full. */
  clientAddress: string;
  /** Set by the guards of `identity/guards.ts`, and only there. */
  actor: Actor;
  /** Set by the guard of operations that want fresh proof. */
  sudoActor: SudoActor;
  /** Set by the guard of operations that take an access or a partial token. */
  challenged: Challenged;
}

/** `Deno.serve` hands its connection info over as the bindings; tests pass the same shape to `app.request`. */
export interface AppBindings {
  remoteAddr?: { hostname?: string };
}

export interface AppEnv {
  Variables: AppVariables;
  Bindings: AppBindings;
}

/** An empty router with the app's types. */
export function createRouter(): Hono<AppEnv> {
  return new Hono<AppEnv>();
}
