import { Hono } from "hono";
import { DatabaseSync } from "node:sqlite";
import { importJWK, type JWK, jwtVerify } from "jose";

/**
 * The least that any such service does for a request: parse a JSON body, verify an Ed25519 signature, query the
 * database once. The service is compared with this. Configured by the same variables as the service.
 */

interface RoleQuery {
  readonly filter: { readonly id: readonly number[] };
}

const database = new DatabaseSync((Deno.env.get("TURSO_DATABASE_URL") ?? "").replace(/^file:/, ""));
const findRole = database.prepare("SELECT id, name, self_rights FROM role WHERE id = ?");
const jwks: { keys: [JWK] } = JSON.parse(Deno.env.get("TOKEN_KEYS") ?? "{}");
const { d: _privatePart, ...publicKey } = jwks.keys[0];
const key = await importJWK(publicKey, "EdDSA");

const app = new Hono();
app.post("/v1/role/query", async (c) => {
  const { filter } = await c.req.json<RoleQuery>();
  await jwtVerify(c.req.header("Authorization")?.slice("Bearer ".length) ?? "", key);
  return c.json({ role: findRole.all(filter.id[0] ?? 0) });
});

Deno.serve({ hostname: "127.0.0.1", port: Number(Deno.env.get("PORT")), onListen: () => {} }, app.fetch);
