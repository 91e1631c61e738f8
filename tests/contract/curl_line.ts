import type { Outgoing } from "./steps.ts";

const MAX_SHOWN = 600;

/** A `curl` command that sends the request by hand. It names the bearer token and does not show it. */
export function curlLine({ method, path, headers, body }: Outgoing, tokenName: string): string {
  const parts = [`curl -X ${method} ${quote(`$URL${path}`)}`];
  for (const [name, value] of headers) {
    parts.push(
      `-H ${quote(name === "authorization" ? `Authorization: Bearer <${tokenName}>` : `${name}: ${value}`)}`,
    );
  }
  if (body !== undefined) {
    const text = typeof body === "string" ? body : new TextDecoder("latin1").decode(body);
    parts.push(`--data-binary ${quote(text)}`);
  }
  return parts.join(" ");
}

/** Quotes a text for a shell. Invisible characters are escaped and long texts are cut. */
function quote(text: string): string {
  const shown = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}… (${text.length} characters)` : text;
  const visible = shown.replaceAll(
    /[\p{C}\p{Z}]/gu,
    (sign) => sign === " " ? sign : `\\u{${sign.codePointAt(0)?.toString(16)}}`,
  );
  if (visible !== shown) return `$'${visible.replaceAll("'", "\\'")}'`;
  return `'${visible.replaceAll("'", "'\\''")}'`;
}
