import { type Context, Hono } from "hono";
import type { Actor, Challenged, SudoActor } from "../core/actor.ts";
import type { Log } from "../core/log.ts";
import type { BodyRoom, HeldBody } from "./body_room.ts";
import { knownPath } from "./known_path.ts";
import type { Sender } from "./sender.ts";

/** Throws `TOKEN_INVALID` if the caller's session or key has ended. */
export type AskLife = () => Promise<void>;

/** Refuses requests that no operation of this kind accepts. Throws `MALFORMED_REQUEST`. */
export type ShapeCheck = (c: Context<AppEnv>) => void;

/**
 * The variables of a request: set by middleware, read by handlers as `c.var`. That copies all of them, so what frequent
 * requests pass uses `c.get`.
 */
export interface AppVariables {
  requestId: string;
  log: Log;
  /** The client's address as reported by trusted proxies; IPv6 in full. */
  clientAddress: string;
  /** Where bodies are read, and long ones and long URLs parsed in turn. */
  bodyRoom: BodyRoom;
  /** The body of the request, once it is read. */
  heldBody: HeldBody | undefined;
  /** Sends responses that may be long. */
  sender: Sender;
  /** The handlers of the request's operation; none if there is no such operation. */
  handlers: readonly object[];
  /** Refuses faults that all operations share, once the earlier guards are passed. */
  shapeChecks: readonly ShapeCheck[];
  /**
   * Asks whether the caller's session or key lives, before more than `UNASKED_BYTES` of the body are read, unless a
   * guard has asked.
   */
  askLife: AskLife | undefined;
  /** Set only by the guards in `identity/guards.ts`. */
  actor: Actor;
  /** Set by the guard of operations that require fresh proof. */
  sudoActor: SudoActor;
  /** Set by the guard of operations that accept an access token or a partial token. */
  challenged: Challenged;
}

/** `Deno.serve` passes its connection info as the bindings; tests pass the same shape to `app.request`. */
export interface AppBindings {
  remoteAddr?: { hostname?: string; port?: number };
  /** When the request arrived, by `performance.now()`, if it may have waited for its turn since. */
  arrivedAt?: number;
}

export interface AppEnv {
  Variables: AppVariables;
  Bindings: AppBindings;
}

/** An empty router with the app's types, which only matches paths that the service can have. */
export function createRouter(): Hono<AppEnv> {
  return new Hono<AppEnv>({ getPath: knownPath });
}
