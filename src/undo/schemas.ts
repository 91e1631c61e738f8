import * as v from "valibot";
import { named } from "../http/common_schemas.ts";
import { IdSchema } from "../http/list_schemas.ts";
import { effect } from "../changes/preview/schemas.ts";
import { SHORTENED_REASONS } from "./undo_service.ts";

const RevisionSchema = v.pipe(IdSchema, v.description("The revision of the change to undo"));
export const UndoPathSchema = v.strictObject({ revision: RevisionSchema });

const RestoredSchema = named("Restored", {
  roles: IdSchema,
  devices: IdSchema,
  relations: v.pipe(IdSchema, v.description("Manages relations")),
  monitors: v.pipe(IdSchema, v.description("Monitors relations")),
  members: v.pipe(IdSchema, v.description("Memberships of users")),
});

const ShortenedSchema = named("ShortenedMonitors", {
  id: v.pipe(IdSchema, v.description("The id of the monitors relation")),
  roleId: IdSchema,
  deviceId: IdSchema,
  until: v.optional(v.pipe(
    v.string(),
    v.isoTimestamp(),
    v.description(
      "The time of the deletion, up to which the relation returns; absent if nothing from before returns",
    ),
  )),
  reason: v.pipe(
    v.picklist(SHORTENED_REASONS),
    v.description(
      "`interrupted`: it also goes on from the restoration to its end, and only the time between is left out. Otherwise " +
        "it does not go on: `ended`, its end has passed since; `unmanaged`, the caller could not make it now by a role " +
        "that has monitored the device since before the deletion, for example since the device was transferred; `full`, " +
        "the device has too many relations, so that nothing of it returns; `deleted`, the device lies in the trash itself, or " +
        "is gone, so that nothing returns",
    ),
  ),
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
  shortened: v.optional(v.pipe(
    v.array(ShortenedSchema),
    v.description(
      "The first 100 monitors relations to devices that this change did not delete which do not return whole, and why. `restored` " +
        "counts those that go on, `leftOut` the others, even if their past returns. Absent if there are none",
    ),
  )),
  effect,
});
