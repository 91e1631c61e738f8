import type { Context, TypedResponse } from "hono";
import { accepts } from "hono/accepts";
import { AppError } from "../../core/errors.ts";
import { PAGE_ROWS, type PageRequest } from "../../core/page.ts";
import { itemsText, withPaging } from "../../http/collect.ts";
import { type AppEnv, createRouter } from "../../http/env.ts";
import { operation } from "../../http/openapi/openapi.ts";
import { streamTexts } from "../../http/stream_texts.ts";
import { validJson, validParam, validQuery } from "../../http/validation.ts";
import type { GraphGuards } from "../../identity/graph_guards.ts";
import { maskOf, overPaths, type RightName, type RightsMask } from "../../role/rights.ts";
import { PagingQuerySchema, RolePathSchema } from "../../role/schemas.ts";
import { formatFile } from "./access_csv.ts";
import { type AccessPage, eachPage } from "./access_page.ts";
import { ACCESS_EXAMPLES } from "./examples.ts";
import { type AccessDeps, type PersonAccess, readPeople } from "./people_service.ts";
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

const CSV = "text/csv";

const PAGES =
  "A page may be short, or empty, although others follow: read on until `nextCursor` is null. Each shows one " +
  "revision of the graph, which it names. Without `limit` and `cursor`, the response has all, and names the revision of " +
  "the last page, too, as `revisionEnd`.";

const PAST =
  "With `asOf`, the list is that of a moment in the past, and `revision` the one that `asOf` stands for: pages of one " +
  "moment are of one snapshot. Whom the caller may ask about is decided as of now, and names are those of now. History " +
  "is kept for HISTORY_DAYS; earlier: 410. Up to 10,000 relations are followed a page; more: 422.";

const errors = ["BEFORE_HISTORY", "LINEAGE_TOO_LARGE"] as const;

export function createAccessRoutes(deps: AccessDeps, guards: GraphGuards) {
  return createRouter()
    .post(
      "/v1/role/:roleId/access/query",
      operation({
        operationId: "queryAccessToRole",
        tag,
        summary: "Query who has access to a role",
        description:
          "Returns everybody who has access to the role: its members and those of all roles above it, people and keys, " +
          "with the rights that they hold on it together, which may be none. For those who manage the members of the role " +
          "(direct or indirect userManagement, or indirect roleManagement), and for keys that ask; for anybody else, and " +
          "for an unknown role, the list is empty. In order of account, then of key.\n\n" +
          `${PAGES}\n\n${PAST}\n\n` +
          "With `Accept: text/csv`, the response is a file of the whole list (RFC 4180), for an access review. A ' goes " +
          "before cells that a spreadsheet would take for a formula.",
        security,
        consistency: "read",
        takes: "body",
        success: PeopleListSchema,
        errors,
        otherTypes: { [CSV]: CsvSchema },
        example: ACCESS_EXAMPLES.queryAccessToRole,
      }),
      guards.read,
      validParam(RolePathSchema),
      validQuery(PagingQuerySchema),
      validJson(PeopleQuerySchema, { bodyOptional: true }),
      (c) => {
        const { filter = {}, asOf, limit, cursor } = withPaging(c.req.valid("json"), c.req.valid("query"));
        const { roleId } = c.req.valid("param");
        const people = { roleId, rights: rightsOf(filter.right), emails: filter.userEmail, asOf };
        const readPage = (page: PageRequest) => readPeople(deps, c.get("actor"), people, page);
        const type = accepts(c, {
          header: "Accept",
          supports: ["application/json", CSV],
          default: "application/json",
        });
        return type === CSV
          ? respondCsv(c, `access-${roleId}.csv`, { limit, cursor }, readPage)
          : respondAccess(c, { limit, cursor }, readPage);
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
          "about oneself, all. An address or a key that is not known has access to nothing. In order of role.\n\n" +
          `${PAGES}\n\n${PAST}`,
        security,
        consistency: "read",
        takes: "body",
        success: RolesListSchema,
        errors,
        example: ACCESS_EXAMPLES.queryAccess,
      }),
      guards.read,
      validQuery(PagingQuerySchema),
      validJson(RolesQuerySchema),
      (c) => {
        const { roleId, right, asOf, limit, cursor, ...principal } = withPaging(
          c.req.valid("json"),
          c.req.valid("query"),
        );
        const roles = { principal, roleIds: roleId, rights: rightsOf(right), asOf };
        const readPage = (page: PageRequest) => readRoles(deps, c.get("actor"), roles, page);
        return respondAccess(c, { limit, cursor }, readPage);
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
  nextCursor?: string | null;
  revision: number;
  revisionEnd?: number;
}

/** One page with `limit` or `cursor`, otherwise the whole list, streamed page by page. */
async function respondAccess<T>(
  c: Context<AppEnv>,
  { limit, cursor }: Paging,
  readPage: ReadPage<T>,
): Promise<Response & TypedResponse<AccessBody<T>, 200, "json">> {
  return await createAccessResponse(c, { limit, cursor }, readPage) as
    & Response
    & TypedResponse<AccessBody<T>, 200, "json">;
}

async function createAccessResponse<T>(
  c: Context<AppEnv>,
  { limit, cursor }: Paging,
  readPage: ReadPage<T>,
): Promise<Response> {
  if (limit !== undefined || cursor !== undefined) {
    const afterId = cursor === undefined ? -1 : Number(cursor);
    const { rows, next, revision } = await readPage({ afterId, limit: limit ?? PAGE_ROWS });
    return c.json({ access: rows, nextCursor: next === null ? null : String(next), revision });
  }
  const first = await readFirst(readPage);
  c.header("Content-Type", "application/json");
  return c.body(streamTexts(c, listTexts(first, readPage)));
}

/** The first page is read before the response begins, so that its errors have a status. */
function readFirst<T>(readPage: ReadPage<T>): Promise<AccessPage<T>> {
  return readPage({ afterId: -1, limit: PAGE_ROWS });
}

async function* listTexts<T>(first: AccessPage<T>, readPage: ReadPage<T>): AsyncGenerator<string, void> {
  let before = `{"revision":${first.revision},"access":[`;
  let revisionEnd = first.revision;
  for await (const { rows, revision } of eachPage(first, readPage)) {
    revisionEnd = revision;
    if (rows.length === 0) continue;
    yield before + itemsText(rows);
    before = ",";
  }
  yield `${before === "," ? "" : before}],"revisionEnd":${revisionEnd}}`;
}

/** The whole list as a file. A part of it could pass for all of it, so there are no pages. */
async function respondCsv(
  c: Context<AppEnv>,
  name: string,
  { limit, cursor }: Paging,
  readPage: ReadPage<PersonAccess>,
): Promise<Response & TypedResponse<string, 200, "text">> {
  if (limit !== undefined || cursor !== undefined) {
    const details = [{
      path: "header.Accept",
      message: "Expected no limit and no cursor: a file is always complete",
    }];
    throw new AppError("MALFORMED_REQUEST", { details });
  }
  const first = await readFirst(readPage);
  c.header("Content-Type", `${CSV}; charset=utf-8; header=present`);
  c.header("Content-Disposition", `attachment; filename="${name}"`);
  const response: Response = c.body(streamTexts(c, formatFile(eachPage(first, readPage))));
  return response as Response & TypedResponse<string, 200, "text">;
}
