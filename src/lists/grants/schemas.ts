import * as v from "valibot";
import { AddressSchema, named, oneBy } from "../../http/common_schemas.ts";
import { idOf, IdSchema } from "../../http/list_schemas.ts";
import { EmailSchema } from "../../http/mail_query.ts";
import { RightsSchema } from "../../role/schemas.ts";
import { GRANT_KINDS } from "./grant_queries.ts";

/** Maximum number of grants in a page, and the standard one. */
const MAX_GRANTS = 1000;
const USUAL_GRANTS = 100;

const PrincipalSchema = oneBy({
  userEmail: v.strictObject({
    userEmail: v.pipe(
      EmailSchema,
      v.description(
        "Address of the user who gave. Finds only what they gave through a role that the caller is a member of, or " +
          "above which the caller is a member",
      ),
    ),
  }),
  userId: v.strictObject({ userId: idOf("account of the user who gave") }),
  keyId: v.strictObject({ keyId: idOf("key that gave") }),
});

const KindSchema = v.picklist(GRANT_KINDS);

export const GrantQuerySchema = v.strictObject({
  filter: v.strictObject({
    grantedBy: PrincipalSchema,
    roleId: v.optional(v.pipe(IdSchema, v.description("Only what was given on this role"))),
    kind: v.optional(v.pipe(
      v.union([KindSchema, v.pipe(v.array(KindSchema), v.minLength(1), v.maxLength(GRANT_KINDS.length))]),
      v.description("Only grants of this kind, or of one of these kinds"),
    )),
  }),
  limit: v.optional(
    v.pipe(
      v.number(),
      v.integer(),
      v.minValue(1),
      v.maxValue(MAX_GRANTS),
      v.description(`Maximum number of grants, from 1 to ${MAX_GRANTS}`),
    ),
    USUAL_GRANTS,
  ),
  cursor: v.optional(v.pipe(
    v.string(),
    v.regex(/^[0-9]{1,15}\.[0-9]\.[0-9]{1,15}$/, "the nextCursor of a previous page"),
    v.description("`nextCursor` of the previous page"),
  )),
});

export const GrantListSchema = named("GrantList", {
  grant: v.array(named("Grant", {
    kind: KindSchema,
    id: v.optional(v.pipe(IdSchema, v.description("The id of the membership, key or relation"))),
    roleId: v.pipe(IdSchema, v.description("The role on which it was given; of a relation, the child")),
    parentRoleId: v.optional(v.pipe(
      v.nullable(IdSchema),
      v.description("Of a relation: the parent; null if the caller does not see it"),
    )),
    userEmail: v.optional(v.pipe(
      v.nullable(AddressSchema),
      v.description("Of a membership: its user; null if the account is deleted"),
    )),
    name: v.optional(v.pipe(v.string(), v.description("Of a key: its name"))),
    rights: v.optional(
      v.pipe(
        RightsSchema,
        v.description("The most rights that it gives; absent for a membership without a limit"),
      ),
    ),
    until: v.optional(v.pipe(
      v.string(),
      v.isoTimestamp(),
      v.description("When it ends by itself; absent if it does not"),
    )),
    at: v.optional(v.pipe(
      v.string(),
      v.isoTimestamp(),
      v.description("Of a key or a password: when it was made or set; absent if that is not known"),
    )),
    viaRoleId: v.pipe(
      v.nullable(IdSchema),
      v.description(
        "The role through which it was given: the oldest that allowed it. Null: the caller does not see it, or it is not " +
          "on record",
      ),
    ),
  })),
  nextCursor: v.pipe(
    v.nullable(v.string()),
    v.description("The cursor of the next page, or null at the end"),
  ),
  revision: v.pipe(
    IdSchema,
    v.description("Revision of the roles, relations and members that the page begins with"),
  ),
});
