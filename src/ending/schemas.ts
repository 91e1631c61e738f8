import * as v from "valibot";
import { AddressSchema, named, oneBy } from "../http/common_schemas.ts";
import { idOf, IdSchema } from "../http/list_schemas.ts";
import { EmailSchema } from "../http/mail_query.ts";
import { RightsSchema } from "../role/schemas.ts";

const end = {
  under: v.pipe(IdSchema, v.description("The role at and below which access ends")),
  granted: v.optional(v.pipe(
    v.boolean(),
    v.description(
      "Also end the memberships, keys and role passwords that the person gave at and below the role, and those that " +
        "people whom they made members gave by these memberships, and so on, also memberships that were deleted with " +
        "their roles and that an undo would bring back. By default they stay",
    ),
  )),
};

export const EndAccessSchema = oneBy({
  userEmail: v.strictObject({
    userEmail: v.pipe(
      EmailSchema,
      v.description(
        "The person, by address. Finds of what they made only that whose maker the caller sees: what they made through " +
          "a role that the caller is a member of, or above which the caller is a member",
      ),
    ),
    ...end,
  }),
  userId: v.strictObject({ userId: idOf("account of the person"), ...end }),
});

const EndedSchema = named("EndedThing", {
  kind: v.picklist(["membership", "key", "rolePassword"]),
  id: v.optional(v.pipe(IdSchema, v.description("The id of the membership or key"))),
  roleId: IdSchema,
  userEmail: v.optional(v.pipe(
    v.nullable(AddressSchema),
    v.description("Of a membership: its user; null if the account is deleted"),
  )),
  inTrash: v.optional(v.pipe(
    v.literal(true),
    v.description(
      "Of a membership that was deleted with its role: undoing that deletion will not bring it back",
    ),
  )),
  name: v.optional(v.pipe(v.string(), v.description("Of a key: its name"))),
  rights: v.pipe(
    RightsSchema,
    v.description(
      "The most rights that the membership or key lets its holder use, or that a relation made with the password carries",
    ),
  ),
  until: v.optional(v.pipe(
    v.string(),
    v.isoTimestamp(),
    v.description("When the membership or key would have ended by itself; absent if it would not"),
  )),
});

const RelationLeftSchema = named("RelationLeft", {
  id: v.pipe(IdSchema, v.description("The id of the relation")),
  parentRoleId: v.pipe(v.nullable(IdSchema), v.description("Null if the caller does not see it")),
  childRoleId: IdSchema,
  rights: RightsSchema,
});

export const EndedAccessSchema = named("EndedAccess", {
  ended: v.pipe(
    v.array(EndedSchema),
    v.description("What was ended, or would be: memberships and keys by id, then role passwords by role"),
  ),
  relations: v.pipe(
    v.array(RelationLeftSchema),
    v.description(
      "The relations from and to these roles that the person or their keys made, and with `granted` those who have " +
        "access by them; up to 100, of roles on which the caller has roleManagement. They stay: end them one by one",
    ),
  ),
  moreRelations: v.optional(v.pipe(v.literal(true), v.description("There may be more relations than those"))),
  left: v.pipe(
    v.object({
      roles: v.pipe(
        IdSchema,
        v.description("The number of roles at and below `under` to which the person still has access"),
      ),
      more: v.optional(v.pipe(
        v.literal(true),
        v.description("There are more roles than are looked up; `POST /v1/access/query` names all"),
      )),
    }),
    v.description(
      "What remains, for example by a membership above `under`; of roles whose members the caller manages",
    ),
    v.metadata({ ref: "AccessLeft" }),
  ),
  effect: v.optional(v.pipe(
    v.object({
      tag: v.pipe(v.string(), v.description("Send it as `If-Effect` to end exactly this")),
      revision: v.pipe(IdSchema, v.description("The revision at which this would be ended")),
    }),
    v.description("Only in the response of a dry run."),
    v.metadata({ ref: "EndingEffect" }),
  )),
});
