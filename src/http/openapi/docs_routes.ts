import type { Context, Next } from "hono";
import * as v from "valibot";
import { AppError } from "../../core/errors.ts";
import { OPEN } from "../common_schemas.ts";
import { createDocsFiles, type DocsFile, type DocsFileName, type DocsFiles, makeFile } from "./docs_files.ts";
import { DOCS_PAGE_CSP, renderDocsPage } from "./docs_page.ts";
import { type AppEnv, createRouter } from "../env.ts";
import { hasCurrent, withEtag } from "../etag_middleware.ts";
import { EXAMPLE_PAGE } from "./example_values.ts";
import { operation } from "./openapi.ts";
import { allowAnyQuery } from "../validation.ts";

const tag = "Service";
/** For the document and its page, which change with a deployment. */
const BRIEFLY = "public, max-age=300";
/** For URLs that contain the version of their content. */
const FOR_EVER = "public, max-age=31536000, immutable";

const DocumentSchema = v.pipe(v.looseObject({ openapi: v.string() }), v.metadata(OPEN));
const PageSchema = v.pipe(v.string(), v.description("An HTML page"));

export interface DocsRoutesOptions {
  /** The name of the API. */
  readonly title: string;
  /** Makes the OpenAPI document; called once, on the first request for it. */
  readonly describe: () => Promise<unknown>;
}

/** `/openapi.json`, `/docs` and the files of that page, and a redirect from `/` to it. */
export function createDocsRoutes({ title, describe }: DocsRoutesOptions) {
  const getFiles = createDocsFiles();
  let document: Promise<DocsFile> | undefined;

  return createRouter()
    .use("/", redirectBrowserToDocs)
    .get(
      "/openapi.json",
      operation({
        operationId: "getOpenApi",
        tag,
        summary: "Get this document",
        description: "The OpenAPI 3.1 document of this interface.",
        security: "none",
        success: DocumentSchema,
        takes: "nothing",
        example: { response: { openapi: "3.1.0" } },
      }),
      async (c) => {
        document ??= describe().then(makeDocument).catch((error) => {
          // The next request tries again.
          document = undefined;
          throw error;
        });
        return respondFile(c, await document);
      },
    )
    .get(
      "/docs",
      operation({
        operationId: "getDocs",
        tag,
        summary: "Browse this document",
        description:
          "A page that shows every operation and can send requests with the tokens entered into it. It " +
          "loads nothing from any other host.",
        security: "none",
        success: PageSchema,
        successType: "text/html",
        takes: "nothing",
        example: { response: EXAMPLE_PAGE },
      }),
      allowAnyQuery(),
      withEtag(),
      async (c) => {
        const files = await getFiles();
        c.header("Content-Security-Policy", DOCS_PAGE_CSP);
        c.header("Cache-Control", BRIEFLY);
        return c.html(
          renderDocsPage({ title, linkTo: (name) => `docs/${name}?v=${versionOf(files[name])}` }),
        );
      },
    )
    .get("/docs/:file", allowAnyQuery(), async (c) => {
      const files = await getFiles();
      const name = c.req.param("file");
      if (!isFileName(files, name)) throw new AppError("NOT_FOUND");
      return respondFile(c, files[name]);
    });
}

function makeDocument(described: unknown): Promise<DocsFile> {
  return makeFile(new TextEncoder().encode(JSON.stringify(described)), "application/json");
}

/** For people who open the service's address in a browser. Other clients get a 404. */
async function redirectBrowserToDocs(c: Context<AppEnv>, next: Next): Promise<Response | void> {
  const isRead = c.req.method === "GET" || c.req.method === "HEAD";
  // Relative, so that it works behind a proxy that serves the service under a path.
  if (isRead && /\btext\/html\b/i.test(c.req.header("Accept") ?? "")) return c.redirect("docs");
  await next();
}

function isFileName(files: DocsFiles, name: string): name is DocsFileName {
  return Object.hasOwn(files, name);
}

/** The version of a file's content, for its URL. */
function versionOf({ etag }: DocsFile): string {
  return etag.replace(/^W\/|"/g, "");
}

function respondFile(c: Context<AppEnv>, file: DocsFile): Response {
  c.header("ETag", file.etag);
  c.header("Vary", "Accept-Encoding");
  c.header("Cache-Control", c.req.query("v") === versionOf(file) ? FOR_EVER : BRIEFLY);
  if (hasCurrent(c.req.header("If-None-Match"), file.etag)) return c.body(null, 304);
  c.header("Content-Type", file.type);
  if (!acceptsGzip(c.req.header("Accept-Encoding"))) return c.body(file.bytes);
  c.header("Content-Encoding", "gzip");
  return c.body(file.zipped);
}

/** Whether an `Accept-Encoding` allows gzip; weight 0 refuses it (RFC 9110, 12.5.3). */
function acceptsGzip(acceptEncoding = ""): boolean {
  return acceptEncoding.split(",").some((element) => {
    const [coding = "", ...parameters] = element.toLowerCase().split(";").map((part) => part.trim());
    return coding === "gzip" && !parameters.some((parameter) => /^q\s*=\s*0(\.0*)?$/.test(parameter));
  });
}
