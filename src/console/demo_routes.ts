import { AppError } from "../core/errors.ts";
import { createRouter } from "../http/env.ts";
import { describeClient, requireAccessToken } from "../identity/guards.ts";
import type { DemoPeople } from "./demo_people.ts";
import type { ConsoleDeps } from "./deps.ts";
import { requireSameOrigin } from "./same_origin_middleware.ts";

/**
 * `GET /console/demo` lists the demo's people and what to try as one of them, `POST /console/demo/:email` returns a
 * refresh token of one. `POST /console/demo-proof`, with the access token of a session that began so, returns a sudo
 * token for it.
 */
export function createDemoRoutes(deps: ConsoleDeps, people: DemoPeople) {
  return createRouter()
    .get("/console/demo", async (c) => {
      const [listed, stories] = await Promise.all([people.list(), people.listStories()]);
      return c.json({ people: listed, stories });
    })
    .post("/console/demo/:email", requireSameOrigin(deps.publicUrl), async (c) => {
      const token = await people.signIn(c.req.param("email"), describeClient(c).name);
      if (token === undefined) throw new AppError("NOT_FOUND");
      return c.text(token);
    })
    .post("/console/demo-proof", requireSameOrigin(deps.publicUrl), requireAccessToken(deps), async (c) => {
      const token = await people.prove(c.var.actor, c.var.clientAddress);
      if (token === undefined) throw new AppError("NOT_FOUND");
      return c.text(token);
    });
}
