/** How the consistency of an operation under /v1 is described; `graph_guards.ts` sees to it. */

/** `aged` may be served from a copy of some age, like `read`, but its data has no revision. */
export type ConsistencyKind = "read" | "aged" | "change";

const MAX_AGE = { $ref: "#/components/parameters/MaxAge" };
const AT_LEAST = { $ref: "#/components/parameters/AtLeast" };
const AGE = { Age: { $ref: "#/components/headers/Age" } };
const REVISION = { "X-Rolegrid-Revision": { $ref: "#/components/headers/Revision" } };

interface Description {
  readonly parameters: readonly { readonly $ref: string }[];
  readonly headers: Readonly<Record<string, { readonly $ref: string }>>;
}

/** The request and response headers of an operation, as references to `CONSISTENCY_COMPONENTS`. */
export const CONSISTENCY: Readonly<Record<ConsistencyKind, Description>> = {
  read: { parameters: [MAX_AGE, AT_LEAST], headers: { ...REVISION, ...AGE } },
  aged: { parameters: [MAX_AGE], headers: AGE },
  change: { parameters: [], headers: REVISION },
};

export const CONSISTENCY_COMPONENTS = {
  parameters: {
    MaxAge: {
      in: "header" as const,
      name: "Cache-Control",
      description:
        "`max-age=N` allows data that is up to N seconds old (RFC 9111), which may be faster. The service " +
        "may lower N. Without `max-age`, and with `no-cache`, the data is as fresh as the latest change.",
      schema: { type: "string" as const },
    },
    AtLeast: {
      in: "header" as const,
      name: "X-Rolegrid-At-Least",
      description:
        "Beside `max-age`: the `X-Rolegrid-Revision` of an earlier response. The data is at least as new; if " +
        "there is none, the response is a 503. It does not cover telemetry and sessions.",
      schema: { type: "integer" as const, minimum: 0 },
    },
  },
  headers: {
    Age: {
      description: "How old the data is, in seconds. Absent if it is fresh.",
      schema: { type: "integer" as const, minimum: 0 },
    },
    Revision: {
      description:
        "Revision of the roles, relations, members and devices: after this change, or as it was read. It " +
        "never decreases. Without `limit`, that of the first page.",
      schema: { type: "integer" as const, minimum: 0 },
    },
  },
};
