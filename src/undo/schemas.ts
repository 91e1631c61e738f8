import * as v from "valibot";
import { named } from "../http/common_schemas.ts";
import { IdSchema } from "../http/list_schemas.ts";
import { effect } from "../role/preview/schemas.ts";

const RevisionSchema = v.pipe(IdSchema, v.description("The revision of the change to undo"));
export const UndoPathSchema = v.strictObject({ revision: RevisionSchema });

const RestoredSchema = named("Restored", {
  roles: IdSchema,
  devices: IdSchema,
  relations: v.pipe(IdSchema, v.description("Manages relations")),
  monitors: v.pipe(IdSchema, v.description("Monitors relations")),
  members: v.pipe(IdSchema, v.description("Memberships of users")),
});

export const UndoneSchema = named("Undone", {
  undoes: RevisionSchema,
  restored: v.optional(
    v.pipe(
      RestoredSchema,
      v.description("How much a restored deletion brought back; absent for other changes"),
    ),
  ),
  leftOut: v.optional(v.pipe(
    RestoredSchema,
    v.description(
      "How much it did not bring back: what the caller could not make now, and memberships that have ended since",
    ),
  )),
  effect,
});
