import type { Context, MiddlewareHandler } from "hono";
import { resolver, uniqueSymbol } from "hono-openapi";
import * as v from "valibot";
import { AppError } from "../../core/errors.ts";
import type { AppEnv } from "../../http/env.ts";
import { MAKE, type Mode } from "./preview_service.ts";

const HEADER = "If-Effect";

const TagSchema = v.pipe(
  v.string(),
  v.regex(/^[A-Za-z0-9_-]{43}$/),
  v.description(
    "The `tag` of an effect that a dry run of the same request returned: make the change only if that is still its " +
      "effect. Otherwise the response is a 409, and nothing is done. Not together with `dryRun`.",
  ),
);

/** Part of the description of operations with an effect. */
export const PREVIEWING =
  "With `dryRun=true`, nothing changes, and the response also has the `effect` that the change would have. It is refused " +
  "like the change itself. `If-Effect` makes the change only with the effect that was seen.";

/** Part of the description of deletions that may take roles and devices with them. */
export const REFUSING_CASCADE =
  "With `cascade=refuse`, only the relation is deleted: if roles or devices would be, too, the response is a 409 " +
  "`WOULD_DELETE` that has their numbers, and names the first ten of each.";

const HeaderSchema = v.object({ [HEADER]: v.optional(TagSchema) });

interface ValidatedTag {
  in: { header?: { [HEADER]?: string | undefined } };
  out: { header: { tag?: string | undefined } };
}

/** Handlers of operations whose effect can be previewed. */
const takingTag = new WeakSet<object>();

/** Validates the optional header `If-Effect`. Throws `MALFORMED_REQUEST`. */
export function validIfEffect(): MiddlewareHandler<AppEnv, string, ValidatedTag> {
  const middleware: MiddlewareHandler<AppEnv, string, ValidatedTag> = async function validateIfEffect(
    c,
    next,
  ) {
    const tag = c.req.header(HEADER);
    if (tag !== undefined && !v.is(TagSchema, tag)) throw malformed("Expected the tag of an effect");
    // Another header may have been validated before.
    const others = c.req.valid("header" as never) as object | undefined;
    c.req.addValidatedData("header", { ...others, tag });
    await next();
  };
  takingTag.add(middleware);
  return Object.assign(middleware, { [uniqueSymbol]: { target: "header", ...resolver(HeaderSchema) } });
}

/** Refuses `If-Effect` for operations without an effect. If ignored, the change would be made with any effect. */
export function refuseStrayIfEffect(c: Context<AppEnv>): void {
  if (c.req.header(HEADER) !== undefined && isWithoutEffect(c)) {
    throw malformed("This operation has no effect to preview");
  }
}

/** Whether the request is for an operation, and its effect cannot be previewed. */
function isWithoutEffect(c: Context<AppEnv>): boolean {
  const { handlers } = c.get("operation");
  return handlers.length > 0 && !handlers.some((handler) => takingTag.has(handler));
}

/** Reads the mode of a request. Throws `MALFORMED_REQUEST` for a dry run with a tag. */
export function readMode(
  { dryRun = false, tag }: { dryRun?: boolean | undefined; tag?: string | undefined },
): Mode {
  if (dryRun && tag !== undefined) throw malformed("Not together with dryRun");
  if (tag !== undefined) return { kind: "apply", tag };
  return dryRun ? { kind: "preview" } : MAKE;
}

function malformed(message: string): AppError {
  return new AppError("MALFORMED_REQUEST", { details: [{ path: `header.${HEADER}`, message }] });
}
