import { AppError } from "../core/errors.ts";
import { createRouter } from "../http/env.ts";
import { describeClient } from "../identity/guards.ts";
import type { ConsoleDeps } from "./deps.ts";
import { requireSameOrigin } from "./same_origin_middleware.ts";

/** A person of the demo organization. */
export interface DemoPerson {
  readonly name: string;
  readonly email: string;
  readonly roles: readonly string[];
}

/** Who may be signed in without a password, in development alone. */
export interface DemoPeople {
  list(): Promise<readonly DemoPerson[]>;
  /** The refresh token of a new session of a client, as it calls itself; undefined for somebody who is not in the list. */
  signIn(email: string, client: string): Promise<string | undefined>;
}

/** `GET /console/demo` lists the demo's people, `POST /console/demo/:email` returns a refresh token of one. */
export function createDemoRoutes({ publicUrl }: ConsoleDeps, people: DemoPeople) {
  return createRouter()
    .get("/console/demo", async (c) => c.json({ people: await people.list() }))
    .post("/console/demo/:email", requireSameOrigin(publicUrl), async (c) => {
      const token = await people.signIn(c.req.param("email"), describeClient(c).name);
      if (token === undefined) throw new AppError("NOT_FOUND");
      return c.text(token);
    });
}
