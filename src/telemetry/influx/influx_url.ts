const INFLUX_PORT = 8086;
const INFLUX_URL = /^influxdb(\+https)?:\/\/[^/?#\s]+\/[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$/;

/** Address and credentials of a server with InfluxDB's 1.x interface. */
export interface InfluxAddress {
  /** Scheme, host and port, without credentials: it may appear in errors. */
  readonly origin: string;
  readonly database: string;
  /** Value of the `Authorization` header. Secret. */
  readonly authorization: string | undefined;
}

/**
 * Parses `influxdb://user:password@host:port/database` or `influxdb+https://…`, default port 8086. User and password
 * are percent-encoded and optional. Throws a `RangeError` that repeats nothing of the text.
 */
export function parseInfluxUrl(text: string): InfluxAddress {
  const url = INFLUX_URL.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  const scheme = url?.protocol === "influxdb+https:" ? "https" : "http";
  const origin = `${scheme}://${url?.hostname}:${url?.port === "" ? INFLUX_PORT : url?.port}`;
  if (url === undefined || url.hostname === "" || !URL.canParse(origin)) {
    throw new RangeError(
      "must be file: and a path, or influxdb:// or influxdb+https:// with a host and the name of a database (letters, digits and _.-)",
    );
  }
  return { origin, database: url.pathname.slice(1), authorization: readCredentials(url) };
}

function readCredentials({ username, password }: URL): string | undefined {
  if (username === "" && password === "") return undefined;
  try {
    const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    return `Basic ${new TextEncoder().encode(credentials).toBase64()}`;
  } catch {
    throw new RangeError("must have its user and password percent-encoded");
  }
}
