import type { Context, TypedResponse } from "hono";
import { PAGE_ROWS, type PageRequest } from "../../core/page.ts";
import { withPaging } from "../../http/collect.ts";
import { CSV, prefersCsv, requireWhole, type RespondCsv } from "../../http/csv.ts";
import { type AppEnv, createRouter } from "../../http/env.ts";
import { operation } from "../../http/openapi/openapi.ts";
import { respondJson, respondParts } from "../../http/respond.ts";
import { generated } from "../../http/sender.ts";
import { validJson, validParam, validQuery } from "../../http/validation.ts";
import type { GraphGuards } from "../../identity/graph_guards.ts";
import { maskOf, overPaths, type RightName, type RightsMask } from "../../graph/rights.ts";
import { PagingQuerySchema } from "../../http/list_schemas.ts";
import { RolePathSchema } from "../../role/schemas.ts";
import { accessFile } from "./access_csv.ts";
import { type AccessPage, type AccountName, eachPage } from "./access_page.ts";
import { ACCESS_EXAMPLES } from "./examples.ts";
import { type AccessDeps, readPeople } from "./people_service.ts";
import { readRoles } from "./roles_service.ts";
import {
  CsvSchema,
  PeopleListSchema,
  PeopleQuerySchema,
  RolesListSchema,
  RolesQuerySchema,
} from "./schemas.ts";

const tag = "Access";
const security = "accessBearerAuth";

const PAGES =
  "A page may be short, or empty, although others follow: read on until `nextCursor` is null. Each shows one " +
  "revision of the graph, which it names. Without `limit` and `cursor`, the response has all, and names the revision of " +
  "the last page, too, as `revisionEnd`.";

const PAST =
  "With `asOf`, the list is that of a moment in the past, and `revision` the one that `asOf` stands for: pages of one " +
  "moment are of one snapshot. Whom the caller may ask about is decided as of now, and names are those of now. History " +
  "is kept for HISTORY_DAYS; earlier: 410 with `since`, the time at which it begins. Up to 10,000 relations are " +
  "followed a page; more: 422.";

const DURING =
  "With `during`, the list is that of a period in the past, both ends included: everyone who had access at any time " +
  "in it, each with every right that they had at some time in it. A right counts only if one membership and one path " +
  "of relations gave it at the same time. `direct`, `through` and `hidden` are about the whole period, too; `until` is " +
  "absent, and `revision` is the last one of the period. The rest is as with `asOf`: a period that begins before the " +
  "history is a 410. Up to 5,000 relations are followed, and each counts as often as it changed.";

const errors = ["BEFORE_HISTORY", "LINEAGE_TOO_LARGE"] as const;

export interface AccessRoutesDeps extends AccessDeps {
  readonly respondCsv: RespondCsv;
}

export function createAccessRoutes(deps: AccessRoutesDeps, guards: GraphGuards) {
  return createRouter()
    .post(
      "/v1/role/:roleId/access/query",
      operation({
        operationId: "queryAccessToRole",
        tag,
        summary: "Query who has access to a role",
        description:
          "Returns the people and keys with access to the role, which are its members and those of all roles above it, " +
          "with the rights that they hold on it together, which may be none. For those who manage the members of the role " +
          "(direct or indirect userManagement, or indirect roleManagement), and for keys that ask; for other callers, " +
          "and for an unknown role, the list is empty. In order of account, then of key.\n\n" +
          `${PAGES}\n\n${PAST} A moment before the role was imported is a 410, too.\n\n${DURING}\n\n` +
          "With `Accept: text/csv`, the response is a file of the whole list (RFC 4180), for an access review. A ' goes " +
          "before cells that a spreadsheet would take for a formula.",
        security,
        data: "graph",
        takes: "body",
        success: PeopleListSchema,
        errors,
        otherTypes: { [CSV]: CsvSchema },
        example: ACCESS_EXAMPLES.queryAccessToRole,
      }),
      guards.caller,
      validParam(RolePathSchema),
      validQuery(PagingQuerySchema),
      validJson(PeopleQuerySchema, { bodyOptional: true }),
      async (c) => {
        const { filter = {}, limit, cursor, ...past } = withPaging(c.req.valid("json"), c.req.valid("query"));
        const { roleId } = c.req.valid("param");
        const people = { roleId, rights: rightsOf(filter.right), emails: filter.userEmail, ...past };
        const readPage = (page: PageRequest) => readPeople(deps, c.get("actor"), people, page);
        if (!prefersCsv(c)) return await respondAccess(c, { limit, cursor }, readPage);
        requireWhole({ limit, cursor });
        return await deps.respondCsv(c, `access-${roleId}`, accessFile(readPage));
      },
    )
    .post(
      "/v1/access/query",
      operation({
        operationId: "queryAccess",
        tag,
        summary: "Query what a person or key has access to",
        description:
          "Returns the roles that one person or one key has access to, directly or indirectly, with their rights on " +
          "each: those whose members the caller manages (direct or indirect userManagement, or indirect roleManagement); " +
          "about oneself, all. A person or a key that is not known has access to nothing. In order of role.\n\n" +
          `${PAGES}\n\n${PAST}`,
        security,
        data: "graph",
        takes: "body",
        success: RolesListSchema,
        errors,
        example: ACCESS_EXAMPLES.queryAccess,
      }),
      guards.caller,
      validQuery(PagingQuerySchema),
      validJson(RolesQuerySchema),
      async (c) => {
        const { roleId, right, asOf, limit, cursor, ...principal } = withPaging(
          c.req.valid("json"),
          c.req.valid("query"),
        );
        const roles = { principal, roleIds: roleId, rights: rightsOf(right), asOf };
        const readPage = (page: PageRequest) => readRoles(deps, c.get("actor"), roles, page);
        return await respondAccess(c, { limit, cursor }, readPage);
      },
    );
}

function rightsOf(names: RightName | readonly RightName[] = []): RightsMask {
  return overPaths([names].flat().map(maskOf));
}

type ReadPage<T> = (page: PageRequest) => Promise<AccessPage<T>>;

interface Paging {
  readonly limit: number | undefined;
  /** `nextCursor` of the previous response. */
  readonly cursor: string | undefined;
}

interface AccessBody<T> {
  access: readonly T[];
  person?: AccountName;
  nextCursor?: string | null;
  revision: number;
  revisionEnd?: number;
}

/** Responds with one page for `limit` or `cursor`, otherwise with the whole list, which is read while it is sent. */
async function respondAccess<T>(
  c: Context<AppEnv>,
  { limit, cursor }: Paging,
  readPage: ReadPage<T>,
): Promise<Response & TypedResponse<AccessBody<T>, 200, "json">> {
  if (limit !== undefined || cursor !== undefined) {
    return await respondJson(c, async () => {
      const afterId = cursor === undefined ? -1 : Number(cursor);
      const { rows, next, revision, person } = await readPage({ afterId, limit: limit ?? PAGE_ROWS });
      const nextCursor = next === null ? null : String(next);
      return { access: rows, ...(person && { person }), nextCursor, revision };
    });
  }
  const response = await respondParts(c, "application/json", generated(listTexts(readPage)));
  return response as Response & TypedResponse<AccessBody<T>, 200, "json">;
}

async function* listTexts<T>(readPage: ReadPage<T>): AsyncGenerator<string, void> {
  let lastRevision: number | undefined;
  let hasItems = false;
  let named: AccountName | undefined;
  yield* eachPage(readPage, ({ rows, revision, revisionEnd = revision, person }) => {
    const start = lastRevision === undefined ? `{"revision":${revision},"access":[` : "";
    const separator = hasItems && rows.length > 0 ? "," : "";
    lastRevision = revisionEnd;
    hasItems ||= rows.length > 0;
    named ??= person;
    return start + separator + JSON.stringify(rows).slice(1, -1);
  });
  yield `],${named === undefined ? "" : `"person":${JSON.stringify(named)},`}"revisionEnd":${lastRevision}}`;
}
