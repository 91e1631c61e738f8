import type { MiddlewareHandler } from "hono";
import type { BodyRoom } from "./body_room.ts";
import type { AppEnv } from "./env.ts";

/**
 * Lets validators and handlers read bodies (`read_body.ts`) and parse in turn, and gives the room of bodies back when
 * the request has been handled: until then, what was parsed from a body takes as much memory as the body did, and more.
 */
export function withBodyRoom(room: BodyRoom): MiddlewareHandler<AppEnv> {
  async function releaseAfter(...[c, next]: Parameters<MiddlewareHandler<AppEnv>>): Promise<void> {
    try {
      await next();
    } finally {
      c.get("heldBody")?.release();
    }
  }
  return (c, next) => {
    c.set("bodyRoom", room);
    return c.req.method === "GET" ? next() : releaseAfter(c, next);
  };
}
