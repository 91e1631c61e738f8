import { generateSpecs } from "hono-openapi";
import type { Hono } from "hono";
import type { AppEnv } from "../env.ts";
import { API_DOCUMENT } from "./openapi_document.ts";
import { placeExamples } from "./openapi_examples.ts";
import { makePortable } from "./portable_schemas.ts";

/** Returns the OpenAPI document of an app at a URL, generated from the schemas that validate requests. */
export async function describeApi(app: Hono<AppEnv>, url: string): Promise<object> {
  const options = {
    documentation: { ...API_DOCUMENT, servers: [{ url }] },
    defaultValidationErrorResponse: false,
    excludeStaticFile: false,
  };
  return placeExamples(makePortable(await generateSpecs(app, options)));
}
