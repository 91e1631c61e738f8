import { escapeHtml } from "../../core/html.ts";

export interface DocsPageOptions {
  /** The name of the API. */
  readonly title: string;
  /** The URL of one of the page's files, relative to the page. */
  readonly linkTo: (file: "swagger-ui-bundle.js" | "swagger-ui.css" | "page.js" | "page.css") => string;
}

/**
 * The `Content-Security-Policy` of the documentation page: this service only. Images may also be `data:` URLs, which
 * the style sheet uses for icons.
 */
export const DOCS_PAGE_CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

/**
 * The script that shows the document. Entered tokens stay in the page's memory. Requests go to the page's own server,
 * whatever server the document names.
 */
export const DOCS_PAGE_SCRIPT = `"use strict";
function useOwnServer() {
  const updateJsonSpec = (update) => (spec) => update({ ...spec, servers: [{ url: "." }] });
  return { statePlugins: { spec: { wrapActions: { updateJsonSpec } } } };
}
SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#docs",
  deepLinking: true,
  displayRequestDuration: true,
  docExpansion: "list",
  plugins: [useOwnServer],
  filter: true,
  showExtensions: true,
  defaultModelsExpandDepth: 0,
  persistAuthorization: false,
  validatorUrl: "none",
});
`;

export const DOCS_PAGE_STYLE = `body { margin: 0; background: #fff; }
noscript { display: block; padding: 2rem; font-family: sans-serif; }
`;

/** Renders the page that shows the OpenAPI document. It loads nothing from any other host. */
export function renderDocsPage({ title, linkTo }: DocsPageOptions): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${escapeHtml(linkTo("swagger-ui.css"))}">
<link rel="stylesheet" href="${escapeHtml(linkTo("page.css"))}">
</head>
<body>
<div id="docs"></div>
<noscript>This page needs JavaScript. The OpenAPI document is also available as <a href="openapi.json">openapi.json</a></noscript>
<script src="${escapeHtml(linkTo("swagger-ui-bundle.js"))}"></script>
<script src="${escapeHtml(linkTo("page.js"))}"></script>
</body>
</html>
`;
}
