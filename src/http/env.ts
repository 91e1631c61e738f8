import { type Context, Hono } from "hono";
import type { HonoOptions } from "hono/hono-base";
import type { Actor, Challenged, SudoActor } from "../core/actor.ts";
import type { Log } from "../core/log.ts";
import type { BodyRoom, HeldBody } from "./body_room.ts";
import { knownPath } from "./known_path.ts";
import type { Sender } from "./sender.ts";

/** Throws `TOKEN_INVALID` if the caller's session or key has ended. */
export type AskLife = () => Promise<void>;

/** Refuses malformed requests, whatever the operation. Throws `MALFORMED_REQUEST`. */
export type ShapeCheck = (c: Context<AppEnv>) => void;

/**
 * The variables of a request: set by middleware, read by handlers as `c.var`, which copies all of them. On hot paths,
 * use `c.get`.
 */
export interface AppVariables {
  requestId: string;
  log: Log;
  /** The client's address as reported by trusted proxies; IPv6 in full. */
  clientAddress: string;
  /** The room in which bodies are read, and long bodies and URLs parsed in turn. */
  bodyRoom: BodyRoom;
  /** The body of the request, once it is being read. */
  heldBody: HeldBody | undefined;
  /** Sends responses that may be long. */
  sender: Sender;
  operation: Operation;
  /** The checks that all operations share; they run after the earlier guards. */
  shapeChecks: readonly ShapeCheck[];
  /**
   * Asks whether the caller's session or key lives. Called before more than `UNASKED_BYTES` of the body are read;
   * undefined if a guard has asked already.
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
  /** Arrival time by `performance.now()`, if the request may have waited for its turn. */
  arrivedAt?: number;
}

/** What the frame knows of the route of a request. */
export interface Operation {
  /** Its pattern; that of the frame if no route matched. */
  readonly route: string;
  /** Its handlers; empty if no operation matches. */
  readonly handlers: readonly object[];
  readonly takesToken: boolean;
  /** The maximum length of its body in bytes, if the request has a token; undefined if it reads none. */
  readonly maxBytes: number | undefined;
}

export interface AppEnv {
  Variables: AppVariables;
  Bindings: AppBindings;
}

/** Returns an empty router with the app's types. It matches only paths that the service can have. */
export function createRouter(router?: HonoOptions<AppEnv>["router"]): Hono<AppEnv> {
  return new Hono<AppEnv>({ getPath: knownPath, ...(router && { router }) });
}
