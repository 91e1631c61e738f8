import type { Context } from "hono";
import { AppError } from "../core/errors.ts";
import { type AppEnv, createRouter } from "../http/env.ts";
import { allowByNonce } from "../http/link_page/respond_link_page.ts";
import { setPageHeaders } from "../http/page_headers.ts";
import { BRIEFLY, FOR_EVER, respondFile } from "../http/static_file.ts";
import { allowAnyQuery } from "../http/validation.ts";
import { ICON } from "./console_build.ts";
import { CONSOLE_CSP, ConsolePage, UnbuiltPage } from "./console_page.tsx";
import { createConsoleSessionRoutes } from "./console_session_routes.ts";
import { createDemoRoutes } from "./demo_routes.ts";
import type { ConsoleDeps } from "./deps.ts";

/**
 * Creates the routes of the console: its page (the same for all views), its files and session, and a redirect from
 * `/`, other methods of which get a 404.
 */
export function createConsoleRoutes(deps: ConsoleDeps) {
  const {
    issuerName,
    publicUrl,
    consoleFiles,
    demoPeople,
    relyingParty,
    historyDays,
    storeLimits,
    rightPresets,
  } = deps;

  async function respondPage(c: Context<AppEnv>): Promise<Response> {
    const manifest = await consoleFiles.getManifest();
    if (manifest === undefined) {
      return c.html(`<!doctype html>${UnbuiltPage({ issuerName, nonce: allowByNonce(c) })}`, 503);
    }
    setPageHeaders(c, CONSOLE_CSP);
    const page = ConsolePage({
      issuerName,
      manifest,
      publicUrl,
      passkeyDomain: relyingParty.id,
      historyDays,
      trashDays: storeLimits.trashDays,
      rightPresets,
      hasDemo: demoPeople !== undefined,
    });
    return c.html(`<!doctype html>${page}`);
  }

  // For clients that do not follow the redirect.
  const welcome = [
    `${issuerName}: who may do what on a platform with many tenants.`,
    "",
    `Console    ${publicUrl}/console`,
    `Interface  ${publicUrl}/docs`,
    `Health     ${publicUrl}/readyz`,
    "",
  ].join("\n");
  const router = createRouter()
    .route("/", createConsoleSessionRoutes(deps))
    .get("/console/assets/:file", async (c) => {
      const name = c.req.param("file");
      const file = await consoleFiles.getFile(name);
      if (file === undefined) throw new AppError("NOT_FOUND");
      return respondFile(c, file, name === ICON ? BRIEFLY : FOR_EVER);
    });
  if (demoPeople !== undefined) router.route("/", createDemoRoutes(deps, demoPeople));
  return router
    .use("/", async (c, next) => isRead(c) ? c.text(welcome, 302, { Location: "/console" }) : await next())
    .get("/console", allowAnyQuery(), respondPage)
    .get("/console/*", allowAnyQuery(), respondPage);
}

function isRead({ req: { method } }: Context<AppEnv>): boolean {
  return method === "GET" || method === "HEAD";
}
