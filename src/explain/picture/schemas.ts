import * as v from "valibot";
import { named } from "../../http/common_schemas.ts";
import { IdSchema, paging } from "../../http/list_schemas.ts";
import { EmailSchema } from "../../http/mail_query.ts";
import { AsOfSchema, ManagesSchema, RoleSchema, SummarySchema } from "../../role/schemas.ts";
import { RoleAccessSchema } from "../../lists/access/schemas.ts";

/** Children in one page, and by default. */
const MAX_CHILDREN = 100;
export const CHILDREN = 24;

const children = {
  limit: v.optional(v.pipe(
    v.number(),
    v.integer(),
    v.minValue(1),
    v.maxValue(MAX_CHILDREN),
    v.description(`Maximum number of children, from 1 to ${MAX_CHILDREN}; by default ${CHILDREN}`),
  )),
  cursor: paging.cursor,
};

export const ChildrenQuerySchema = v.strictObject(children);

export const NeighbourhoodQuerySchema = v.strictObject({
  userEmail: v.optional(v.pipe(
    EmailSchema,
    v.description("Address of a person whose access to these roles is returned, too"),
  )),
  asOf: v.optional(AsOfSchema),
  ...children,
});

const RoleIdsSchema = v.array(IdSchema);

export const NeighbourhoodSchema = named("Neighbourhood", {
  role: v.pipe(
    v.array(RoleSchema),
    v.description(
      "The role, the roles above it that the caller sees, nearest first, and a page of its children in order of relation",
    ),
  ),
  manages: v.pipe(
    v.array(ManagesSchema),
    v.description("The relations that lead to these roles, from any that the caller sees, in order of id"),
  ),
  summary: v.pipe(
    v.array(SummarySchema),
    v.description("What is around each of these roles, in order of id; empty with `asOf`"),
  ),
  memberOf: v.pipe(
    RoleIdsSchema,
    v.description("Ids of those of these roles of which the caller is a direct member"),
  ),
  person: v.optional(named("NeighbourhoodPerson", {
    access: v.pipe(
      v.array(RoleAccessSchema),
      v.description("What the person has access to, of the roles in `mayAsk`, in order of role"),
    ),
    memberOf: v.pipe(
      RoleIdsSchema,
      v.description(
        "Ids of roles of which the person is a direct member: of those in `mayAsk`, and if the role itself is one, also " +
          "of those above it",
      ),
    ),
    mayAsk: v.pipe(
      RoleIdsSchema,
      v.description(
        "Ids of those of these roles about which the caller may ask what the person has access to",
      ),
    ),
  })),
  revision: v.optional(v.pipe(IdSchema, v.description("With `asOf`: the revision that it stands for"))),
  moreAbove: v.pipe(v.boolean(), v.description("There may be more roles above, farther away")),
  moreManages: v.pipe(v.boolean(), v.description("There may be more relations that lead to these roles")),
  nextCursor: v.pipe(
    v.nullable(v.string()),
    v.description("The cursor of the next page of children, or null at the end"),
  ),
});
