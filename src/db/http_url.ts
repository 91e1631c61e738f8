/**
 * Returns the HTTP URL of a server, which works at its WebSocket address, too. Only over HTTP is each call one request
 * with a time limit.
 */
export function toHttpUrl(text: string): string {
  const url = new URL(text);
  const scheme = url.searchParams.get("tls") === "0" ? "http:" : "https:";
  return text.replace(/^libsql:/, scheme).replace(/^ws(s?):/, "http$1:");
}
