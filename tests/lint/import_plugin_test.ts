/** The lint rules about imports and the environment, by examples of what they allow and refuse. */
import assert from "node:assert/strict";
import plugin from "../../scripts/lint/import_plugin.ts";

type Example = readonly [rule: string, file: string, code: string];

/** What is allowed: the rule as a sentence, a file, and code in it. */
const ALLOWED: readonly Example[] = [
  ["An area imports from core", "src/role/rules.ts", `import "../core/clock.ts";`],
  ["An area imports its own files", "src/role/rules.ts", `import "./mask.ts";`],
  ["A later area imports from an earlier one", "src/purge/list.ts", `import "../role/x.ts";`],
  ["Mail imports from db", "src/mail/outbox.ts", `import "../db/database.ts";`],
  ["The app imports all areas", "src/app.ts", `import "./telemetry/routes.ts";`],
  ["The server imports the app", "src/service/serve.ts", `import "../app.ts";`],
  ["The main file imports the app", "main.ts", `import "./src/app.ts";`],
  ["A script imports the app", "scripts/openapi.ts", `import "../src/app.ts";`],
  ["A test imports the app", "tests/flows/x_test.ts", `import "../../src/app.ts";`],
  ["The server imports the configuration", "src/service/serve.ts", `import "./config.ts";`],
  [
    "A second factor imports from identity",
    "src/accounts/factors/totp/service.ts",
    `import "../../../identity/factor/challenge_queries.ts";`,
  ],
  [
    "An area may import data beside the program",
    "src/http/openapi/openapi.ts",
    `import config from "../../deno.json" with { type: "json" };`,
  ],
  [
    "The SQL module imports drizzle-orm",
    "src/db/sql.ts",
    `import { alias } from "drizzle-orm/sqlite-core/alias";`,
  ],
  ["The schema imports drizzle-orm", "src/db/schema/role.ts", `import "drizzle-orm/sqlite-core";`],
  ["A test imports drizzle-orm", "tests/role/queries_test.ts", `import "drizzle-orm";`],
  ["The app imports hono", "src/app.ts", `import { Hono } from "hono";`],
  ["Routes import hono-openapi", "src/role/routes.ts", `import "hono-openapi";`],
  ["Named routes import hono", "src/role/member/member_routes.ts", `import "hono";`],
  ["Guards import hono", "src/identity/guards.ts", `import "hono/factory";`],
  ["Middleware imports hono", "src/throttle/throttle_middleware.ts", `import "hono";`],
  ["Http imports hono", "src/http/env.ts", `import { Hono } from "hono";`],
  ["A library with a similar name is not restricted", "src/role/rules.ts", `import "honolulu";`],
  ["The main file reads the environment", "main.ts", `Deno.env.get("PORT");`],
  ["A script reads the environment", "scripts/dev.ts", `Deno.env.toObject();`],
  ["Other members of Deno are allowed", "src/service/serve.ts", `Deno.serve(() => new Response());`],
  [
    "The console's application imports pure modules",
    "src/console/web/rights.ts",
    `import "../../graph/rights.ts"; import "./api.ts"; import "preact/hooks";`,
  ],
  ["A scoped package is not an alias", "src/db/client.ts", `import "@libsql/client";`],
];

/** What is refused, by the lint rules that refuse it. */
const REFUSED: Readonly<Record<string, readonly Example[]>> = {
  "rolegrid/import-direction": [
    ["Core imports nothing of the project", "src/core/log.ts", `import "../db/database.ts";`],
    ["Db does not import from mail", "src/db/database.ts", `import "../mail/outbox.ts";`],
    ["Http does not import from db", "src/http/env.ts", `import type { Row } from "../db/database.ts";`],
    ["Identity does not import from role", "src/identity/guards.ts", `import { x } from "../role/rules.ts";`],
    [
      "Role and password do not import each other",
      "src/role/service.ts",
      `import { x } from "../accounts/password/hash.ts";`,
    ],
    ["A re-export counts as an import", "src/role/service.ts", `export { x } from "../device/rules.ts";`],
    [
      "A re-export of everything counts as an import",
      "src/role/service.ts",
      `export * from "../device/rules.ts";`,
    ],
    ["A dynamic import counts as an import", "src/role/service.ts", `await import("../device/rules.ts");`],
    [
      "An import inside a type counts as an import",
      "src/role/service.ts",
      `export type X = import("../device/rules.ts").X;`,
    ],
    [
      "A directory deeper in an area belongs to it",
      "src/db/schema/role.ts",
      `import { x } from "../../role/rules.ts";`,
    ],
    [
      "An area that is not in the order of imports is refused",
      "src/novelty/service.ts",
      `import "../core/clock.ts";`,
    ],
    ["A test imports no benchmark", "tests/flows/x_test.ts", `import "../../bench/statistics.ts";`],
    [
      "An area does not import the configuration",
      "src/mail/mailer.ts",
      `import type { Config } from "../service/config.ts";`,
    ],
    [
      "A second factor does not import another",
      "src/accounts/factors/totp/service.ts",
      `import "../email_otp/queries.ts";`,
    ],
  ],
  "rolegrid/import-app-level": [
    ["An area does not import the app", "src/role/routes.ts", `import { createApp } from "../app.ts";`],
    ["An area does not import scripts", "src/mail/mailer.ts", `import "../../scripts/mail.ts";`],
  ],
  "rolegrid/import-library": [
    ["Queries do not import drizzle-orm", "src/role/role_queries.ts", `import { eq } from "drizzle-orm";`],
    [
      "A module that opens a database does not import drizzle-orm",
      "src/db/file_database.ts",
      `import { drizzle } from "drizzle-orm/libsql";`,
    ],
    ["A service does not import drizzle-orm", "src/role/service.ts", `import { eq } from "drizzle-orm";`],
    [
      "A subpath of a library is that library",
      "src/role/service.ts",
      `import type { X } from "drizzle-orm/libsql/driver-core";`,
    ],
    [
      "A script does not import drizzle-orm",
      "scripts/purge.ts",
      `import { eq } from "npm:drizzle-orm@0.45.4";`,
    ],
    ["A service does not import hono", "src/role/service.ts", `import type { Context } from "hono";`],
    ["Rules do not import hono-openapi", "src/role/rules.ts", `import { resolver } from "hono-openapi";`],
  ],
  "rolegrid/import-web": [
    [
      "The console's application imports no other module of the service",
      "src/console/web/rights.ts",
      `import type { Actor } from "../../role/guards.ts";`,
    ],
    [
      "The console's application imports no package of the service",
      "src/console/web/api.ts",
      `import "valibot";`,
    ],
    [
      "The service does not import the console's application",
      "src/console/console_page.tsx",
      `import "./web/page.ts";`,
    ],
    ["The service imports no browser package", "src/console/console_page.tsx", `import "preact";`],
    ["A pure module imports only pure modules", "src/graph/rights.ts", `import "../core/clock.ts";`],
  ],
  "rolegrid/import-specifier": [
    ["A relative import needs its file extension", "src/role/service.ts", `import "./rules";`],
    [
      "An import from the root of the project is refused",
      "src/role/service.ts",
      `import "/src/core/clock.ts";`,
    ],
    ["An import through an alias is refused", "src/role/service.ts", `import "@/core/clock.ts";`],
  ],
  "rolegrid/environment": [
    ["An area does not read the environment", "src/mail/mailer.ts", `Deno.env.get("MAIL_URL");`],
    ["The app does not read the environment", "src/app.ts", `const { env } = globalThis.Deno["env"];`],
    ["Node's process.env counts as the environment", "src/app.ts", `process.env.PORT;`],
  ],
};

/** The lint rules that refuse the code of a file. */
function refusalsOf(file: string, code: string): string[] {
  return Deno.lint.runPlugin(plugin, file, code).map(({ id }) => id);
}

for (const [rule, file, code] of ALLOWED) {
  Deno.test(`${rule} (${file})`, () => assert.deepEqual(refusalsOf(file, code), []));
}

for (const [refusal, examples] of Object.entries(REFUSED)) {
  for (const [rule, file, code] of examples) {
    Deno.test(`${rule} (${file})`, () => assert.deepEqual(refusalsOf(file, code), [refusal]));
  }
}

Deno.test("A refusal names both areas and says what to do", () => {
  const [found] = Deno.lint.runPlugin(plugin, "src/role/rules.ts", `import "../device/rules.ts";`);
  assert.match(found?.message ?? "", /"role" must not import from "device"/);
  assert.match(found?.hint ?? "", /role, accounts\/password <- .* <- device/);
});

Deno.test("Absolute paths, as the linter passes them, are judged like relative ones", () => {
  const file = new URL("../../src/core/log.ts", import.meta.url).pathname;
  assert.deepEqual(refusalsOf(file, `import "../role/rules.ts";`), ["rolegrid/import-direction"]);
});

Deno.test("Files outside the project are not judged", () => {
  assert.deepEqual(refusalsOf("/elsewhere/src/core/log.ts", `import "../role/rules.ts";`), []);
});
