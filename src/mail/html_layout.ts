import { escapeHtml } from "../core/html.ts";
import type { Language } from "./languages.ts";
import type { MessageBlock, MessageDraft } from "./message_content.ts";

const FONT = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
const MONO = "font-family:ui-monospace,Menlo,Consolas,'Courier New',monospace";

/** Mail programs without a dark mode keep the inline colours; elsewhere `!important` overrides them. */
const DARK = `@media (prefers-color-scheme: dark) {
  .page { background: #14171a !important; }
  .card { background: #1f2428 !important; border-color: #3b4248 !important; }
  .card, .card p, .code { color: #eceff1 !important; }
  .code { background: #14171a !important; border-color: #59636b !important; }
  .button { background: #9cc7ff !important; }
  .button a { color: #0b2545 !important; }
  .small, .small a, .foot, .foot p { color: #b4bdc4 !important; }
}`;

/**
 * Renders a mail as HTML: a single column for any mail program, with all text escaped and nothing loaded. Links
 * appear as a button and as text.
 */
export function renderHtml(draft: MessageDraft, footer: string, language: Language): string {
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(draft.subject)}</title>
<style>${DARK}</style>
</head>
<body class="page" style="margin:0;padding:0;background:#f1f3f5">
<table class="page" role="presentation" width="100%" cellpadding="0" cellspacing="0" style="background:#f1f3f5">
<tr><td align="center" style="padding:24px 12px">
<table class="card" role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:560px;background:#ffffff;border:1px solid #d5dade;border-radius:8px">
<tr><td style="padding:28px 28px 12px">
${draft.blocks.map(renderBlock).join("\n")}
</td></tr>
</table>
<table class="foot" role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:560px">
<tr><td style="padding:16px 28px"><p style="margin:0;color:#5b646b;font-size:13px;line-height:1.5;${FONT}">${
    escapeHtml(footer)
  }</p></td></tr>
</table>
</td></tr>
</table>
</body>
</html>
`;
}

function renderBlock(block: MessageBlock): string {
  if (typeof block === "string") return paragraph(escapeHtml(block));
  if ("code" in block) {
    return `<p class="code" style="margin:0 0 16px;padding:14px 12px;background:#f6f7f9;border:1px solid #aab2b9;border-radius:6px;color:#1b1f23;font-size:28px;font-weight:bold;letter-spacing:0.12em;line-height:1.2;text-align:center;${MONO}">${
      escapeHtml(block.code)
    }</p>`;
  }
  const href = escapeHtml(block.link);
  return `<table role="presentation" cellpadding="0" cellspacing="0" style="margin:0 0 12px"><tr><td class="button" style="background:#0b57b7;border-radius:6px"><a href="${href}" style="display:inline-block;padding:12px 22px;color:#ffffff;font-size:16px;font-weight:bold;text-decoration:none;${FONT}">${
    escapeHtml(block.label)
  }</a></td></tr></table>
<p class="small" style="margin:0 0 16px;color:#5b646b;font-size:13px;line-height:1.5;word-break:break-all;${FONT}"><a href="${href}" style="color:#5b646b">${href}</a></p>`;
}

function paragraph(html: string): string {
  return `<p style="margin:0 0 16px;color:#1b1f23;font-size:16px;line-height:1.5;${FONT}">${html}</p>`;
}
