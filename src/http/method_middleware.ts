import type { Hono, MiddlewareHandler } from "hono";
import { routePath } from "hono/route";
import { METHOD_NAME_ALL } from "hono/router";
import { AppError } from "../core/errors.ts";
import type { AppEnv } from "./env.ts";

/** The end of a pattern that other routes may also match: a parameter, or the `*` of middleware if no route matches. */
const OPEN_END = /\/(:\w+|\*)$/;

/**
 * Refuses methods that a path does not have, with 405 and `Allow` (RFC 9110, 15.5.6). As in OpenAPI, paths without
 * parameters come first: `PUT /v1/role/query` does not update a role "query".
 */
export function refuseOtherMethods(app: Hono<AppEnv>): MiddlewareHandler<AppEnv> {
  return (c, next) => {
    if (!OPEN_END.test(routePath(c, -1))) return next();
    const methods = listMethods(app, c.req.path);
    if (methods.length === 0 || methods.includes(c.req.method)) return next();
    c.header("Allow", methods.join(", "));
    throw new AppError("METHOD_NOT_ALLOWED");
  };
}

/** Returns the methods of a path: those of the matching routes with the fewest parameters and wildcards. */
function listMethods({ router, routes }: Hono<AppEnv>, path: string): string[] {
  const known = new Set(routes.map(({ method }) => method));
  const matching = [...known].flatMap((method) =>
    router.match(method, path)[0].map(([[, route]]) => route).filter(({ method }) =>
      method !== METHOD_NAME_ALL
    )
  );
  const fewest = Math.min(...matching.map(countParameters));
  const methods = new Set(
    matching.filter((route) => countParameters(route) === fewest).map(({ method }) => method),
  );
  // Hono serves HEAD like GET.
  if (methods.has("GET")) methods.add("HEAD");
  return [...methods].sort();
}

function countParameters({ path }: { path: string }): number {
  return path.split(/\/[:*]/).length - 1;
}
