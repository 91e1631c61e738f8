import { raw } from "hono/html";
import { LINK_PAGE_STYLE } from "../http/link_page/link_page_style.ts";
import { type ConsoleManifest, ICON } from "./console_build.ts";
import type { RightPreset } from "./right_presets.ts";

/**
 * The policy of the console's pages: only scripts and data of this service. Trusted Types, where supported, keep
 * texts from becoming markup or script.
 */
export const CONSOLE_CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

interface ConsolePageOptions {
  readonly issuerName: string;
  readonly manifest: ConsoleManifest;
  /** The origin at which the console signs in. */
  readonly publicUrl: string;
  /** The domain that passkeys are bound to. */
  readonly passkeyDomain: string;
  /** For how many days changes can be undone, and deleted devices restored. */
  readonly historyDays: number;
  readonly trashDays: number;
  /** The platform's usual sets of rights. */
  readonly rightPresets: readonly RightPreset[];
  /** Whether the sign-in page offers the demo's people. */
  readonly hasDemo: boolean;
}

/** Renders the page of all views, which only starts the program. */
export function ConsolePage(options: ConsolePageOptions) {
  const { issuerName, manifest, publicUrl, passkeyDomain, historyDays, trashDays, rightPresets, hasDemo } =
    options;
  const linkTo = (name: string): string => `/console/assets/${name}`;
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover" />
        <meta name="referrer" content="no-referrer" />
        <meta name="robots" content="noindex" />
        <meta name="color-scheme" content="light dark" />
        <title>{issuerName}</title>
        <link rel="icon" href={linkTo(ICON)} type="image/svg+xml" />
        <link rel="stylesheet" href={linkTo(manifest.style)} />
        {manifest.preloads.map((name) => <link key={name} rel="modulepreload" href={linkTo(name)} />)}
        <script type="module" src={linkTo(manifest.script)}></script>
      </head>
      <body>
        <div
          id="app"
          data-issuer={issuerName}
          data-style={linkTo(manifest.lateStyle)}
          data-origin={publicUrl}
          data-passkeys={passkeyDomain}
          data-history={historyDays}
          data-trash={trashDays}
          data-presets={rightPresets.length > 0 ? JSON.stringify(rightPresets) : undefined}
          data-demo={hasDemo ? "true" : undefined}
        >
        </div>
        <noscript>
          <main class="alone">
            <h1>{issuerName}</h1>
            <p>The console needs JavaScript. Without it, the interface under /docs still works.</p>
          </main>
        </noscript>
      </body>
    </html>
  );
}

interface UnbuiltPageOptions extends Pick<ConsolePageOptions, "issuerName"> {
  /** Fresh for each response, and the same as in its `Content-Security-Policy`. */
  readonly nonce: string;
}

/** Renders the page of a service without a built console. */
export function UnbuiltPage({ issuerName, nonce }: UnbuiltPageOptions) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{issuerName}</title>
        <style nonce={nonce}>{raw(LINK_PAGE_STYLE)}</style>
      </head>
      <body>
        <main class="alone">
          <p class="brand">{issuerName}</p>
          <h1>The console has not been built</h1>
          <p>
            Run{" "}
            <code>deno task build</code>, then load this page again. Everything else of the service works
            without it.
          </p>
        </main>
      </body>
    </html>
  );
}
