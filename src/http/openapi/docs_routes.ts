import * as v from "valibot";
import { AppError } from "../../core/errors.ts";
import { OPEN, PageSchema } from "../common_schemas.ts";
import { createDocsFiles, type DocsFileName, type DocsFiles } from "./docs_files.ts";
import { DOCS_PAGE_CSP, renderDocsPage } from "./docs_page.ts";
import { createRouter } from "../env.ts";
import { withEtag } from "../etag_middleware.ts";
import { setPageHeaders } from "../page_headers.ts";
import { BRIEFLY, FOR_EVER, makeFile, respondFile, type StaticFile } from "../static_file.ts";
import { EXAMPLE_PAGE } from "./example_values.ts";
import { operation } from "./openapi.ts";
import { allowAnyQuery } from "../validation.ts";

const tag = "Service";

const DocumentSchema = v.pipe(v.looseObject({ openapi: v.string() }), v.metadata(OPEN));

export interface DocsRoutesOptions {
  /** The name of the API. */
  readonly title: string;
  /** Reads the OpenAPI document; called once, on the first request for it. */
  readonly describe: () => Promise<unknown>;
}

/** `/openapi.json`, `/docs` and the files of that page. */
export function createDocsRoutes({ title, describe }: DocsRoutesOptions) {
  const getFiles = createDocsFiles();
  let document: Promise<StaticFile> | undefined;

  return createRouter()
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
        return respondFile(c, await document, BRIEFLY);
      },
    )
    .get(
      "/docs",
      operation({
        operationId: "getDocs",
        tag,
        summary: "Browse this document",
        description:
          "A page that shows every operation and can send requests: with the tokens entered into it, or as the user who " +
          "is signed in to the console in the same browser. It loads nothing from any other host.",
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
        setPageHeaders(c, DOCS_PAGE_CSP);
        c.header("Cache-Control", BRIEFLY);
        return c.html(
          renderDocsPage({ title, linkTo: (name) => `docs/${name}?v=${versionOf(files[name])}` }),
        );
      },
    )
    .get("/docs/", allowAnyQuery(), (c) => c.redirect("../docs", 301))
    .get("/docs/:file", allowAnyQuery(), async (c) => {
      const files = await getFiles();
      const name = c.req.param("file");
      if (!isFileName(files, name)) throw new AppError("NOT_FOUND");
      const file = files[name];
      return respondFile(c, file, c.req.query("v") === versionOf(file) ? FOR_EVER : BRIEFLY);
    });
}

function makeDocument(described: unknown): Promise<StaticFile> {
  return makeFile(new TextEncoder().encode(JSON.stringify(described)), "application/json");
}

function isFileName(files: DocsFiles, name: string): name is DocsFileName {
  return Object.hasOwn(files, name);
}

/** The version of a file's content, for its URL. */
function versionOf({ etag }: StaticFile): string {
  return etag.replace(/^W\/|"/g, "");
}
