import { Hono } from "hono";
import { DatabaseSync } from "node:sqlite";

/**
 * The least that any such service does for a request: parse a JSON body, look one row up, and answer in JSON. No signature
 * is verified: the service remembers those that it has verified. Configured by the same variables as the service.
 */

interface RoleQuery {
  readonly filter: { readonly id: readonly number[] };
}

const database = new DatabaseSync((Deno.env.get("TURSO_DATABASE_URL") ?? "").replace(/^file:/, ""));
const findRole = database.prepare("SELECT id, name, self_rights FROM role WHERE id = ?");

const app = new Hono();
app.post("/v1/role/query", async (c) => {
  const { filter } = await c.req.json<RoleQuery>();
  return c.json({ role: findRole.all(filter.id[0] ?? 0) });
});

Deno.serve({ hostname: "127.0.0.1", port: Number(Deno.env.get("PORT")), onListen: () => {} }, app.fetch);
