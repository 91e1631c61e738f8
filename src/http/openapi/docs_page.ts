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
 * The script that shows the document. Requests go to the page's own server, whatever server the document names. Tokens
 * stay in the page's memory: those that a user enters, else access tokens of the console's session in this browser,
 * which the page renews in turn with the console's tabs.
 */
export const DOCS_PAGE_SCRIPT = `"use strict";
function useOwnServer() {
  const updateJsonSpec = (update) => (spec) => update({ ...spec, servers: [{ url: "." }] });
  return { statePlugins: { spec: { wrapActions: { updateJsonSpec } } } };
}
const ui = SwaggerUIBundle({
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
  onComplete: () => void renew(),
});

const SCHEME = "accessBearerAuth";
/** The session's token that the page uses. A user may enter another, or remove it; then the page leaves that alone. */
let given;
/** Time of the next renewal. Milliseconds since 1970. */
let freshUntil = 0;

const isOwn = () => ui.getSystem().authSelectors.authorized()?.getIn([SCHEME, "value"]) === given;

function forget() {
  if (given !== undefined && isOwn()) ui.authActions.logout([SCHEME]);
  given = undefined;
}

async function renew() {
  if (document.hidden || Date.now() < freshUntil || !isOwn()) return;
  // An access token lives for 10 minutes.
  freshUntil = Date.now() + 9 * 60_000;
  // Until the page has the token: a sign-out waits for its turn, and tells the page afterwards.
  await navigator.locks.request("/console/session", useSession).catch(forget);
}

async function useSession() {
  const signal = AbortSignal.timeout(20_000);
  const response = await fetch("console/session", { method: "POST", cache: "no-store", signal });
  const token = response.status === 200 ? await response.text() : undefined;
  // Meanwhile, the user may have entered another.
  if (!isOwn()) return;
  if (token === undefined) return forget();
  given = token;
  ui.preauthorizeApiKey(SCHEME, token);
}

setInterval(renew, 30_000);
document.addEventListener("visibilitychange", renew);
new BroadcastChannel("rolegrid-session").addEventListener("message", ({ data }) => {
  forget();
  freshUntil = 0;
  if (data === "in") void renew();
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
