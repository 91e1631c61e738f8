import type { Context, Hono } from "hono";
import { METHOD_NAME_ALL } from "hono/router";
import { AppError } from "../core/errors.ts";
import type { AppEnv } from "./env.ts";

/** The end of a pattern that other routes may also match: a parameter, or the `*` of middleware if no route matches. */
const OPEN_END = /\/(:\w+|\*)$/;

/** The path of some operations, in segments. */
interface Pattern {
  readonly segments: readonly string[];
  /** Number of parameters and wildcards. */
  readonly open: number;
  readonly methods: Set<string>;
}

/**
 * Returns a function that refuses methods that a path does not have, with 405 and `Allow` (RFC 9110, 15.5.6). As in
 * OpenAPI, paths without parameters come first: `PUT /v1/role/query` does not update a role "query". `route` is the
 * pattern that the request matched.
 */
export function createMethodCheck(app: Hono<AppEnv>): (c: Context<AppEnv>, route: string) => void {
  // Listed at the first request, when the app has all its routes.
  let patterns: readonly Pattern[] | undefined;
  return (c, route) => {
    if (!OPEN_END.test(route)) return;
    patterns ??= listPatterns(app);
    const segments = c.req.path.split("/");
    const first = patterns.find((pattern) => matches(pattern, segments));
    if (first === undefined || first.methods.has(c.req.method)) return;
    c.header("Allow", [...first.methods].sort().join(", "));
    throw new AppError("METHOD_NOT_ALLOWED");
  };
}

/** Lists the paths of operations with their methods, those with the fewest parameters and wildcards first. */
function listPatterns({ routes }: Hono<AppEnv>): Pattern[] {
  const byShape = new Map<string, Pattern>();
  for (const { method, path } of routes) {
    if (method === METHOD_NAME_ALL) continue;
    const segments = path.split("/").map((segment) => segment.startsWith(":") ? ":" : segment);
    const shape = segments.join("/");
    const open = segments.filter(isOpen).length;
    const pattern = byShape.get(shape) ?? { segments, open, methods: new Set<string>() };
    pattern.methods.add(method);
    // Hono serves HEAD like GET.
    if (method === "GET") pattern.methods.add("HEAD");
    byShape.set(shape, pattern);
  }
  return [...byShape.values()].sort((a, b) => a.open - b.open);
}

function isOpen(segment: string): boolean {
  return segment === ":" || segment === "*";
}

function matches({ segments }: Pattern, path: readonly string[]): boolean {
  if (segments.at(-1) !== "*") {
    return segments.length === path.length && segments.every((segment, i) => fits(segment, path[i]));
  }
  // A wildcard also stands for no segment.
  return path.length >= segments.length - 1 &&
    segments.slice(0, -1).every((segment, i) => fits(segment, path[i]));
}

function fits(segment: string, actual: string | undefined): boolean {
  return segment === ":" ? actual !== "" : segment === actual;
}
