import * as v from "valibot";
import { effect } from "../changes/preview/schemas.ts";
import { AddressSchema, named } from "../http/common_schemas.ts";
import { idOf, IdSchema, nextCursor, paging, TimeSchema } from "../http/list_schemas.ts";
import { createdId, RightsSchema, RoleNameSchema } from "../role/schemas.ts";
import { RIGHT_NAMES } from "../graph/rights.ts";
import { MAX_DAYS } from "./key_service.ts";

const Time = v.pipe(v.string(), v.isoTimestamp());

const KeySchema = v.pipe(
  v.object({
    id: IdSchema,
    roleId: IdSchema,
    name: v.string(),
    prefix: v.pipe(v.string(), v.description("The start of its secret")),
    rights: RightsSchema,
    asks: v.pipe(
      v.boolean(),
      v.description("Whether it may also ask about the access of others, and read the log"),
    ),
    provisions: v.pipe(v.boolean(), v.description("Whether it may add members, within what its maker could")),
    expiresAt: Time,
    createdAt: v.pipe(Time, v.description("When it was made, or adopted")),
    createdBy: v.pipe(
      v.nullable(AddressSchema),
      v.description(
        "Who made or adopted it; null if the account is deleted, an administrator made the key, or the caller does not " +
          "see the role through which it was made",
      ),
    ),
    lastUsedAt: v.pipe(
      v.nullable(Time),
      v.description("The hour in which it was last used; null if it never was"),
    ),
    ineffective: v.optional(v.pipe(
      v.array(v.picklist(RIGHT_NAMES)),
      v.description(
        "In a list of a role's keys: the `rights` of the key that now work on no role that it reaches, as in the response " +
          "to its making. Absent if all work, or if the role has more than 200 children",
      ),
    )),
  }),
  v.description("A key: makes a program a member of the role."),
  v.metadata({ ref: "RoleKey" }),
);

export const KeysPathSchema = v.strictObject({ roleId: idOf("role") });
export const KeyPathSchema = v.strictObject({ roleId: idOf("role"), keyId: idOf("key") });

export const CreateKeySchema = v.strictObject({
  name: RoleNameSchema,
  rights: v.optional(RightsSchema),
  expiresAt: v.optional(v.pipe(
    TimeSchema,
    v.description(
      `When the key ends, at most ${MAX_DAYS} days from now. By default in 90 days, or when the membership ends`,
    ),
  )),
  asks: v.optional(v.pipe(
    v.boolean(),
    v.description("Whether the key may also ask about the access of others, on the roles that it reaches"),
  )),
  provisions: v.optional(v.pipe(
    v.boolean(),
    v.description(
      "Whether the key may add members of the roles whose members it manages, as far as its maker could at that moment",
    ),
  )),
});

export const CreatedKeySchema = named("CreatedKey", {
  key: v.object({
    ...KeySchema.entries,
    id: createdId,
    prefix: v.pipe(v.nullable(v.string()), v.description("The start of its secret; null if that is absent")),
  }),
  secret: v.optional(v.pipe(
    v.string(),
    v.description(
      "The bearer token of the key. It is not shown again, and absent only in the response of a dry run",
    ),
  )),
  ineffective: v.optional(v.pipe(
    v.array(v.picklist(RIGHT_NAMES)),
    v.description(
      "The `rights` of the key that now work on no role that it reaches: its role does not have them on itself, and no " +
        "relation to a child carries them. Absent if all work, or if the role has more than 200 children",
    ),
  )),
  effect,
});

/** Of the keys that the caller made. */
export const OwnKeyQuerySchema = v.strictObject({
  limit: v.optional(
    v.pipe(
      v.number(),
      v.integer(),
      v.minValue(1),
      v.maxValue(1000),
      v.description("Maximum number of keys, from 1 to 1000"),
    ),
    100,
  ),
  cursor: v.optional(v.pipe(
    v.string(),
    v.regex(/^[0-9]{1,15}\.[0-9]{1,16}$/, "the nextCursor of a previous page"),
    v.description("`nextCursor` of the previous page"),
  )),
});

export const KeyQuerySchema = v.strictObject(paging);
export const KeyListSchema = named("RoleKeyList", { key: v.array(KeySchema), nextCursor });
export const OwnKeyListSchema = named("OwnRoleKeyList", {
  key: v.array(KeySchema),
  nextCursor: v.pipe(
    v.nullable(v.string()),
    v.description("The cursor of the next page, or null at the end"),
  ),
});
