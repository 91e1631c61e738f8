import type { MiddlewareHandler } from "hono";
import type { BodyRoom } from "./body_room.ts";
import type { AppEnv } from "./env.ts";

/**
 * Provides the room for bodies (`read_body.ts`), and releases a body's room once its request is handled: until then,
 * the parsed values take at least as much memory as the body.
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
