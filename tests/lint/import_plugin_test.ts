import assert from "node:assert/strict";
import plugin from "../../scripts/lint/import_plugin.ts";

interface Example {
  /** The rule, as a sentence. */
  readonly name: string;
  readonly file: string;
  readonly code: string;
  /** The lint rule that refuses the code, or undefined if it is allowed. */
  readonly refusedBy?: string;
}

const DIRECTION = "rolegrid/import-direction";
const APP_LEVEL = "rolegrid/import-app-level";
const LIBRARY = "rolegrid/import-library";
const WEB = "rolegrid/import-web";
const SPECIFIER = "rolegrid/import-specifier";
const ENVIRONMENT = "rolegrid/environment";

const EXAMPLES: readonly Example[] = [
  { name: "An area imports from core", file: "src/role/rules.ts", code: `import "../core/clock.ts";` },
  { name: "An area imports its own files", file: "src/role/rules.ts", code: `import "./mask.ts";` },
  {
    name: "A later area imports from an earlier one",
    file: "src/purge/list.ts",
    code: `import "../role/x.ts";`,
  },
  { name: "Mail imports from db", file: "src/mail/outbox.ts", code: `import "../db/database.ts";` },
  {
    name: "Core imports nothing of the project",
    file: "src/core/log.ts",
    code: `import "../db/database.ts";`,
    refusedBy: DIRECTION,
  },
  {
    name: "Db does not import from mail",
    file: "src/db/database.ts",
    code: `import "../mail/outbox.ts";`,
    refusedBy: DIRECTION,
  },
  {
    name: "Http does not import from db",
    file: "src/http/env.ts",
    code: `import type { Row } from "../db/database.ts";`,
    refusedBy: DIRECTION,
  },
  {
    name: "Identity does not import from role",
    file: "src/identity/guards.ts",
    code: `import { x } from "../role/rules.ts";`,
    refusedBy: DIRECTION,
  },
  {
    name: "Role and password do not import each other",
    file: "src/role/service.ts",
    code: `import { x } from "../accounts/password/hash.ts";`,
    refusedBy: DIRECTION,
  },
  {
    name: "A re-export counts as an import",
    file: "src/role/service.ts",
    code: `export { x } from "../device/rules.ts";`,
    refusedBy: DIRECTION,
  },
  {
    name: "A re-export of everything counts as an import",
    file: "src/role/service.ts",
    code: `export * from "../device/rules.ts";`,
    refusedBy: DIRECTION,
  },
  {
    name: "A dynamic import counts as an import",
    file: "src/role/service.ts",
    code: `await import("../device/rules.ts");`,
    refusedBy: DIRECTION,
  },
  {
    name: "An import inside a type counts as an import",
    file: "src/role/service.ts",
    code: `export type X = import("../device/rules.ts").X;`,
    refusedBy: DIRECTION,
  },
  {
    name: "A directory deeper in an area belongs to it",
    file: "src/db/schema/role.ts",
    code: `import { x } from "../../role/rules.ts";`,
    refusedBy: DIRECTION,
  },
  {
    name: "An area that is not in the order of imports is refused",
    file: "src/novelty/service.ts",
    code: `import "../core/clock.ts";`,
    refusedBy: DIRECTION,
  },

  { name: "The app imports all areas", file: "src/app.ts", code: `import "./telemetry/routes.ts";` },
  { name: "The server imports the app", file: "src/service/serve.ts", code: `import "../app.ts";` },
  { name: "The main file imports the app", file: "main.ts", code: `import "./src/app.ts";` },
  { name: "A script imports the app", file: "scripts/openapi.ts", code: `import "../src/app.ts";` },
  { name: "A test imports the app", file: "tests/flows/x_test.ts", code: `import "../../src/app.ts";` },
  {
    name: "A test imports a benchmark",
    file: "tests/flows/x_test.ts",
    code: `import "../../bench/statistics.ts";`,
    refusedBy: "rolegrid/import-direction",
  },
  {
    name: "An area does not import the app",
    file: "src/role/routes.ts",
    code: `import { createApp } from "../app.ts";`,
    refusedBy: APP_LEVEL,
  },
  {
    name: "An area does not import the configuration",
    file: "src/mail/mailer.ts",
    code: `import type { Config } from "../service/config.ts";`,
    refusedBy: DIRECTION,
  },
  {
    name: "The server imports the configuration",
    file: "src/service/serve.ts",
    code: `import "./config.ts";`,
  },
  {
    name: "A second factor does not import another",
    file: "src/accounts/factors/totp/service.ts",
    code: `import "../email_otp/queries.ts";`,
    refusedBy: DIRECTION,
  },
  {
    name: "A second factor imports from identity",
    file: "src/accounts/factors/totp/service.ts",
    code: `import "../../../identity/factor/challenge_queries.ts";`,
  },
  {
    name: "An area does not import scripts",
    file: "src/mail/mailer.ts",
    code: `import "../../scripts/mail.ts";`,
    refusedBy: APP_LEVEL,
  },
  {
    name: "An area may import data beside the program",
    file: "src/http/openapi/openapi.ts",
    code: `import config from "../../deno.json" with { type: "json" };`,
  },

  {
    name: "The SQL module imports drizzle-orm",
    file: "src/db/sql.ts",
    code: `import { alias } from "drizzle-orm/sqlite-core/alias";`,
  },
  {
    name: "Queries do not import drizzle-orm",
    file: "src/role/role_queries.ts",
    code: `import { eq } from "drizzle-orm";`,
    refusedBy: LIBRARY,
  },
  {
    name: "A module that opens a database does not import drizzle-orm",
    file: "src/db/file_database.ts",
    code: `import { drizzle } from "drizzle-orm/libsql";`,
    refusedBy: LIBRARY,
  },
  {
    name: "The schema imports drizzle-orm",
    file: "src/db/schema/role.ts",
    code: `import "drizzle-orm/sqlite-core";`,
  },
  { name: "A test imports drizzle-orm", file: "tests/role/queries_test.ts", code: `import "drizzle-orm";` },
  {
    name: "A service does not import drizzle-orm",
    file: "src/role/service.ts",
    code: `import { eq } from "drizzle-orm";`,
    refusedBy: LIBRARY,
  },
  {
    name: "A subpath of a library is that library",
    file: "src/role/service.ts",
    code: `import type { X } from "drizzle-orm/libsql/driver-core";`,
    refusedBy: LIBRARY,
  },
  {
    name: "A script does not import drizzle-orm",
    file: "scripts/purge.ts",
    code: `import { eq } from "npm:drizzle-orm@0.45.4";`,
    refusedBy: LIBRARY,
  },
  { name: "The app imports hono", file: "src/app.ts", code: `import { Hono } from "hono";` },
  { name: "Routes import hono-openapi", file: "src/role/routes.ts", code: `import "hono-openapi";` },
  { name: "Named routes import hono", file: "src/role/member/member_routes.ts", code: `import "hono";` },
  { name: "Guards import hono", file: "src/identity/guards.ts", code: `import "hono/factory";` },
  { name: "Middleware imports hono", file: "src/throttle/throttle_middleware.ts", code: `import "hono";` },
  { name: "Http imports hono", file: "src/http/env.ts", code: `import { Hono } from "hono";` },
  {
    name: "A service does not import hono",
    file: "src/role/service.ts",
    code: `import type { Context } from "hono";`,
    refusedBy: LIBRARY,
  },
  {
    name: "Rules do not import hono-openapi",
    file: "src/role/rules.ts",
    code: `import { resolver } from "hono-openapi";`,
    refusedBy: LIBRARY,
  },
  {
    name: "A library with a similar name is not restricted",
    file: "src/role/rules.ts",
    code: `import "honolulu";`,
  },

  { name: "The main file reads the environment", file: "main.ts", code: `Deno.env.get("PORT");` },
  { name: "A script reads the environment", file: "scripts/dev.ts", code: `Deno.env.toObject();` },
  {
    name: "An area does not read the environment",
    file: "src/mail/mailer.ts",
    code: `Deno.env.get("MAIL_URL");`,
    refusedBy: ENVIRONMENT,
  },
  {
    name: "The app does not read the environment",
    file: "src/app.ts",
    code: `const { env } = globalThis.Deno["env"];`,
    refusedBy: ENVIRONMENT,
  },
  {
    name: "Node's process.env counts as the environment",
    file: "src/app.ts",
    code: `process.env.PORT;`,
    refusedBy: ENVIRONMENT,
  },
  {
    name: "Other members of Deno are allowed",
    file: "src/service/serve.ts",
    code: `Deno.serve(() => new Response());`,
  },

  {
    name: "The console's application imports pure modules",
    file: "src/console/web/rights.ts",
    code: `import "../../graph/rights.ts"; import "./api.ts"; import "preact/hooks";`,
  },
  {
    name: "The console's application imports no other module of the service",
    file: "src/console/web/rights.ts",
    code: `import type { Actor } from "../../role/guards.ts";`,
    refusedBy: WEB,
  },
  {
    name: "The console's application imports no package of the service",
    file: "src/console/web/api.ts",
    code: `import "valibot";`,
    refusedBy: WEB,
  },
  {
    name: "The service does not import the console's application",
    file: "src/console/console_page.tsx",
    code: `import "./web/page.ts";`,
    refusedBy: WEB,
  },
  {
    name: "The service imports no browser package",
    file: "src/console/console_page.tsx",
    code: `import "preact";`,
    refusedBy: WEB,
  },
  {
    name: "A pure module imports only pure modules",
    file: "src/graph/rights.ts",
    code: `import "../core/clock.ts";`,
    refusedBy: WEB,
  },

  {
    name: "A relative import needs its file extension",
    file: "src/role/service.ts",
    code: `import "./rules";`,
    refusedBy: SPECIFIER,
  },
  {
    name: "An import from the root of the project is refused",
    file: "src/role/service.ts",
    code: `import "/src/core/clock.ts";`,
    refusedBy: SPECIFIER,
  },
  {
    name: "An import through an alias is refused",
    file: "src/role/service.ts",
    code: `import "@/core/clock.ts";`,
    refusedBy: SPECIFIER,
  },
  { name: "A scoped package is not an alias", file: "src/db/client.ts", code: `import "@libsql/client";` },
];

for (const { name, file, code, refusedBy } of EXAMPLES) {
  Deno.test(`${name} (${file})`, () => {
    const found = Deno.lint.runPlugin(plugin, file, code);
    assert.deepEqual(found.map((d) => d.id), refusedBy === undefined ? [] : [refusedBy]);
  });
}

Deno.test("A refusal names both areas and says what to do", () => {
  const [found] = Deno.lint.runPlugin(plugin, "src/role/rules.ts", `import "../device/rules.ts";`);
  assert.match(found?.message ?? "", /"role" must not import from "device"/);
  assert.match(found?.hint ?? "", /role, accounts\/password <- .* <- device/);
});

Deno.test("Absolute paths, as the linter passes them, are judged like relative ones", () => {
  const file = new URL("../../src/core/log.ts", import.meta.url).pathname;
  const found = Deno.lint.runPlugin(plugin, file, `import "../role/rules.ts";`);
  assert.deepEqual(found.map((d) => d.id), [DIRECTION]);
});

Deno.test("Files outside the project are not judged", () => {
  const found = Deno.lint.runPlugin(plugin, "/elsewhere/src/core/log.ts", `import "../role/rules.ts";`);
  assert.deepEqual(found, []);
});
