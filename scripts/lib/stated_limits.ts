/**
 * The limits that the OpenAPI document states. Tests measure them and write them into `openapi.json`, which is their
 * only place: the page at `/docs` and `deno task openapi --limits` show what it says.
 */

/** The property of the document with the names, and of an operation with its limits. */
const KEY = "x-limits";

export interface StatedLimits {
  /** What the names in the limits count, as text by name. */
  readonly names: Readonly<Record<string, string>>;
  /** What one request may cost, as text by method and path, such as `GET /v1/role/{roleId}`. */
  readonly operations: Readonly<Record<string, string>>;
}

type Operation = Readonly<Record<string, unknown>> & { readonly [KEY]?: string };

interface Described {
  readonly info: { readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly [KEY]?: StatedLimits["names"];
}

/** What the document says of the limits, for readers of `/docs`: not what the names mean, which fills a screen. */
const SUMMARY =
  "`x-limits` of an operation says what one request may cost; `x-limits` of the document explains its names. " +
  "`deno task openapi --limits` prints all of it.";

const EXPLANATION = "What one request may cost. Rows is what the number of rows that its statements " +
  "scan grows with, at most as a multiple of each product; without it, that number is constant. Turns are taken " +
  "where the request waits for the database: those of the client's network until a guard knows the caller, then those " +
  "of the caller's chain. Counted names what else is counted. A response in parts is sent at the pace of its client. " +
  "Body after is the last guard that a body of more than 4 KiB waits for: the host, the token's signature, or the " +
  "life of the session or key. The names count:";

/** Returns the limits that a document states, given as JSON. */
export function limitsOf(json: string): StatedLimits {
  const { paths, [KEY]: names = {} }: Described = JSON.parse(json);
  const stated = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { [KEY]: limits }]) =>
      limits === undefined ? [] : [[`${method.toUpperCase()} ${path}`, limits]]
    )
  );
  return { names, operations: Object.fromEntries(stated) };
}

/** Returns a document that states the limits. Those of operations that it lacks are left out. */
export function stateLimits(document: object, { names, operations }: StatedLimits): object {
  const { info, paths } = document as Described;
  const stated = Object.entries(paths).map(([path, each]) => [
    path,
    Object.fromEntries(
      Object.entries(each).map(([method, operation]) => {
        const limits = operations[`${method.toUpperCase()} ${path}`];
        return [method, limits === undefined ? operation : { ...operation, [KEY]: limits }];
      }),
    ),
  ]);
  const description = `${info.description}\n\n${SUMMARY}`;
  return {
    ...document,
    info: { ...info, description },
    [KEY]: names,
    paths: Object.fromEntries(stated),
  };
}

/** Renders limits as lines of text. */
export function renderLimits({ names, operations }: StatedLimits): string[] {
  const lines = Object.entries(operations).map(([operation, limits]) => `${operation}\n  ${limits}`);
  const counted = Object.entries(names).map(([name, meaning]) => `- ${name}: ${meaning}`.replaceAll("`", ""));
  return [EXPLANATION, "", ...counted, "", ...lines];
}
