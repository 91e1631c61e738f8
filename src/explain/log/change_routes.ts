import { CSV, prefersCsv, requireWhole, type RespondCsv } from "../../http/csv.ts";
import { createRouter } from "../../http/env.ts";
import { operation } from "../../http/openapi/openapi.ts";
import { respondJson } from "../../http/respond.ts";
import { validJson } from "../../http/validation.ts";
import type { GraphGuards } from "../../identity/graph_guards.ts";
import { changeFile } from "./change_csv.ts";
import {
  awaitChanges,
  type ChangeLogDeps,
  eachChangePage,
  queryChanges,
  readLatestRevision,
} from "./change_log_service.ts";
import { type ChangeWatchOptions, createChangeWatch } from "./change_watch.ts";
import { CHANGE_EXAMPLES } from "./examples.ts";
import { ChangeListSchema, ChangeQuerySchema, CsvSchema, MAX_CHANGES } from "./schemas.ts";

export interface ChangeRoutesDeps extends ChangeLogDeps {
  readonly respondCsv: RespondCsv;
  /** Aborted when the service stops. */
  readonly stopping?: AbortSignal;
  /** Replaces the standard pace of the watch. */
  readonly changeWatchOptions?: Pick<ChangeWatchOptions, "time" | "lookEveryMs">;
}

export function createChangeRoutes(deps: ChangeRoutesDeps, guards: GraphGuards) {
  const { stopping, changeWatchOptions } = deps;
  const readRevision = (): Promise<number> => readLatestRevision(deps);
  const watch = createChangeWatch({ readRevision, stopping, ...changeWatchOptions });
  return createRouter().post(
    "/v1/change/query",
    operation({
      operationId: "queryChanges",
      tag: "Changes",
      summary: "Query changes",
      description:
        "Returns the changes of roles, relations, members, keys and devices, and refused ones, oldest first: those " +
        "about a role, or its parent, whose members the caller manages (direct or indirect userManagement, or " +
        "indirect roleManagement), and those about all roles that a key with `asks` reaches. Changes about a deleted role are returned to those who manage the parent that it " +
        "was deleted from. Attempts with a role's password are returned once they are settled, previews never.\n\n" +
        "Equal refusals of one caller within a minute share a row. A page looks at up to 20,000 rows, and may have " +
        "few of them or none: ask again with `after` = `nextRevision`. With `wait`, a loop of this follows the log " +
        "without missing or repeating a row.\n\n" +
        "Up to 4 requests of a user and their keys may wait at a time.\n\n" +
        "With `Accept: text/csv`, the response is a file of all changes after `after` (RFC 4180).",
      security: "accessBearerAuth",
      data: "graph",
      takes: "body",
      success: ChangeListSchema,
      errors: ["TOO_MANY_WAITS"],
      otherTypes: { [CSV]: CsvSchema },
      example: CHANGE_EXAMPLES.queryChanges,
    }),
    guards.caller,
    validJson(ChangeQuerySchema, { bodyOptional: true }),
    async (c) => {
      const body = c.req.valid("json");
      const { filter = {}, after = 0, limit = MAX_CHANGES, wait = 0 } = body;
      if (prefersCsv(c)) {
        requireWhole({ limit: body.limit, wait: body.wait });
        const pages = eachChangePage(deps, c.get("actor"), { filter, after }, MAX_CHANGES);
        return await deps.respondCsv(c, "changes", changeFile(pages));
      }
      const query = { filter, after, limit };
      if (wait === 0) return await respondJson(c, () => queryChanges(deps, c.get("actor"), query));
      // The body is no longer needed, and other requests may need its room while this one waits.
      c.get("heldBody")?.release();
      // Aborted when the client leaves (`no-legacy-abort` in deno.json: not once it has its response).
      const { signal } = c.req.raw;
      return await respondJson(
        c,
        () => awaitChanges(deps, c.get("actor"), query, { watch, seconds: wait, signal }),
      );
    },
  );
}
