import { DOCS_PAGE_SCRIPT, DOCS_PAGE_STYLE } from "./docs_page.ts";
import { makeFile, type StaticFile } from "../static_file.ts";

export type DocsFileName = "swagger-ui-bundle.js" | "swagger-ui.css" | "page.js" | "page.css";
export type DocsFiles = Readonly<Record<DocsFileName, StaticFile>>;

const SCRIPT = "text/javascript; charset=utf-8";
const STYLE = "text/css; charset=utf-8";

/**
 * Returns a function that loads the page's files. Its first call reads them from the npm package, and compresses and
 * keeps them, so that startup does not pay for it.
 */
export function createDocsFiles(): () => Promise<DocsFiles> {
  let files: Promise<DocsFiles> | undefined;
  return function getDocsFiles(): Promise<DocsFiles> {
    files ??= readDocsFiles().catch((error) => {
      files = undefined;
      throw error;
    });
    return files;
  };
}

async function readDocsFiles(): Promise<DocsFiles> {
  // Literal specifiers, which tools that trace dependencies can find.
  const bundle = import.meta.resolve("swagger-ui-dist/swagger-ui-bundle.js");
  const style = import.meta.resolve("swagger-ui-dist/swagger-ui.css");
  const encoder = new TextEncoder();
  const [uiScript, uiStyle, pageScript, pageStyle] = await Promise.all([
    Deno.readFile(new URL(bundle)).then((bytes) => makeFile(bytes, SCRIPT)),
    Deno.readFile(new URL(style)).then((bytes) => makeFile(bytes, STYLE)),
    makeFile(encoder.encode(DOCS_PAGE_SCRIPT), SCRIPT),
    makeFile(encoder.encode(DOCS_PAGE_STYLE), STYLE),
  ]);
  return {
    "swagger-ui-bundle.js": uiScript,
    "swagger-ui.css": uiStyle,
    "page.js": pageScript,
    "page.css": pageStyle,
  };
}
