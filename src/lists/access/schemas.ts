import * as v from "valibot";
import { AddressSchema, named, oneBy } from "../../http/common_schemas.ts";
import { EmailSchema } from "../../http/mail_query.ts";
import { RIGHT_NAMES } from "../../graph/rights.ts";
import {
  emailFilter,
  idFilter,
  idOf,
  IdSchema,
  nextCursor,
  paging,
  TimeSchema,
} from "../../http/list_schemas.ts";
import type { PeriodUntil } from "../../graph/history/as_of.ts";
import { AsOfSchema, RightsSchema } from "../../role/schemas.ts";

const RightSchema = v.picklist(RIGHT_NAMES);
const RightListSchema = v.pipe(v.array(RightSchema), v.maxLength(RIGHT_NAMES.length));

/** A period of the past (`during`). */
const DuringSchema = v.pipe(
  v.strictObject({
    from: v.pipe(TimeSchema, v.description("The first time of the period, not in the future")),
    to: v.optional(
      v.pipe(TimeSchema, v.description("The last time of the period. By default, and if it is later, now")),
    ),
  }),
  v.check(({ from, to }) => to === undefined || from < to, "a `to` after `from`"),
  v.transform(({ from, to }): PeriodUntil => ({ fromMs: from, toMs: to })),
  v.description(
    "Asks who had access at any time in a past period, in place of `asOf`. What the caller may see is decided as of now",
  ),
  v.metadata({ ref: "During" }),
);

export const PeopleQuerySchema = v.pipe(
  v.strictObject({
    filter: v.optional(v.strictObject({
      right: v.optional(
        v.pipe(RightListSchema, v.description("Only those who hold all of these rights on the role")),
      ),
      userEmail: emailFilter("Only people with one of these addresses"),
    })),
    ...paging,
    asOf: v.optional(AsOfSchema),
    during: v.optional(DuringSchema),
  }),
  v.check(
    ({ asOf, during }) => asOf === undefined || during === undefined,
    "only one of `asOf` and `during`",
  ),
);

const rolesQuery = {
  roleId: idFilter("Only roles with one of these ids"),
  right: v.optional(v.pipe(
    v.union([RightSchema, RightListSchema]),
    v.description("Only roles on which they hold this right, or all of these rights"),
  )),
  ...paging,
  asOf: v.optional(AsOfSchema),
};

export const RolesQuerySchema = oneBy({
  userEmail: v.strictObject({
    userEmail: v.pipe(EmailSchema, v.description("Address of the person that the request is about")),
    ...rolesQuery,
  }),
  userId: v.strictObject({ userId: idOf("account of the person that the request is about"), ...rolesQuery }),
  keyId: v.strictObject({ keyId: idOf("key that the request is about"), ...rolesQuery }),
});

const until = v.optional(v.pipe(
  v.string(),
  v.isoTimestamp(),
  v.description("When the access ends by itself; absent if it does not"),
));
const revision = v.pipe(
  IdSchema,
  v.description("Revision of the roles, relations and members that the page shows"),
);
const revisionEnd = v.optional(v.pipe(
  IdSchema,
  v.description(
    "Without `limit` and `cursor`: revision of the last page. If it equals `revision`, the whole list is of that revision",
  ),
));

export const PeopleListSchema = named("AccessToRole", {
  access: v.array(named("PersonAccess", {
    userId: v.optional(v.pipe(IdSchema, v.description("Id of the person's account; absent for a key"))),
    userEmail: v.optional(
      v.pipe(
        v.nullable(AddressSchema),
        v.description("Address of the person; null if the account is deleted, absent for a key"),
      ),
    ),
    key: v.optional(v.pipe(
      v.object({ id: IdSchema, name: v.nullable(v.string()) }),
      v.description("The key, without a name if it is deleted; absent for a person"),
      v.metadata({ ref: "AccessKey" }),
    )),
    rights: RightsSchema,
    direct: v.pipe(v.boolean(), v.description("Whether they are a direct member of the role")),
    through: v.pipe(
      v.array(IdSchema),
      v.maxLength(10),
      v.description("Up to 10 other roles that give the access, of those that the caller sees, by id"),
    ),
    hidden: v.pipe(IdSchema, v.description("How many more roles give the access")),
    until: v.pipe(
      until,
      v.description("When the access ends by itself; absent if it does not, and with `during`"),
    ),
  })),
  nextCursor,
  revision,
  revisionEnd,
});

export const RoleAccessSchema = named("RoleAccess", {
  roleId: IdSchema,
  name: v.string(),
  rights: RightsSchema,
  direct: v.pipe(v.boolean(), v.description("Whether they are a direct member of the role")),
  until,
});

export const RolesListSchema = named("AccessOfPrincipal", {
  access: v.array(RoleAccessSchema),
  person: v.optional(v.pipe(
    v.object({
      userId: idOf("account"),
      userEmail: v.pipe(v.nullable(AddressSchema), v.description("Null if the account is deleted")),
    }),
    v.description(
      "The person that the request is about; absent for a key, and without any access in the response",
    ),
    v.metadata({ ref: "AccountName" }),
  )),
  nextCursor,
  revision,
  revisionEnd,
});

export const CsvSchema = v.pipe(
  v.string(),
  v.description(
    "A header, then a line for each person or key: userEmail, keyId, keyName, a column for each right, direct, through " +
      "(the ids separated by spaces), throughNames (separated by semicolons), hidden, until, and the revision that the line shows",
  ),
);
