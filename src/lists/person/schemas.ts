import * as v from "valibot";
import { named } from "../../http/common_schemas.ts";
import { idOf, IdSchema } from "../../http/list_schemas.ts";
import { MAIN_METHODS } from "../../identity/factors.ts";

/** Maximum number of people in a request. */
const MOST_PEOPLE = 50;

export const PersonQuerySchema = v.strictObject({
  userId: v.pipe(
    v.array(IdSchema),
    v.minLength(1),
    v.maxLength(MOST_PEOPLE),
    v.description("Ids of accounts, from lists of members"),
  ),
});

export const PersonListSchema = named("PersonList", {
  person: v.array(named("Person", {
    userId: idOf("account"),
    name: v.optional(v.pipe(
      v.string(),
      v.description("The name that the owner of the account, or an import, gave. Absent without one"),
    )),
    lastSignInAt: v.pipe(
      v.nullable(v.pipe(v.string(), v.isoTimestamp())),
      v.description("Null if none is on record: sessions are kept for 30 days after they would have expired"),
    ),
    factors: v.pipe(v.array(v.picklist(MAIN_METHODS)), v.description("The active second factors")),
  })),
});
