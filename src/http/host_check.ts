import { AppError } from "../core/errors.ts";

/** `host[:port]`: a registered name or IPv4 address, or an IP literal in brackets (RFC 3986, 3.2.2). */
const HOST = /^([A-Za-z0-9._~!$&'()*+,;=%-]*|\[[0-9A-Fa-f:.]+\])(:[0-9]*)?$/;

/**
 * Returns a function that throws `MALFORMED_REQUEST` for a malformed `Host`. The runtime puts it in front of the path
 * unchecked: `Host: x/y?` would replace the path, and with it the operation.
 */
export function createHostCheck(): (host: string | null) => void {
  // Nearly all requests name the same host.
  let known: string | null = null;
  return (host) => {
    if (host === known) return;
    if (host !== null && host !== "" && !isHost(host)) throw new AppError("MALFORMED_REQUEST");
    known = host;
  };
}

function isHost(host: string): boolean {
  return HOST.test(host) && URL.canParse(`http://${host}`);
}
