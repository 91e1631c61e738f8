import * as v from "valibot";
import { AddressSchema, named, text } from "../../http/common_schemas.ts";
import { idOf, paging } from "../../http/list_schemas.ts";
import { KINDS } from "./kinds.ts";

const MAX_TEXT = 256;
/** Maximum number of hits of a kind, and the standard one. */
const MAX_HITS = 50;
const USUAL_HITS = 8;

export const FindQuerySchema = v.pipe(
  v.strictObject({
    text: v.pipe(
      text(1, MAX_TEXT),
      v.description(
        "What the name of a role, the address of a person, or the nodeId or the property `name` of a device contains; " +
          "case does not matter. The id of a role or device finds it, too",
      ),
    ),
    kind: v.optional(v.pipe(
      v.array(v.picklist(KINDS)),
      v.minLength(1),
      v.maxLength(KINDS.length),
      v.description("The kinds to find; by default all"),
    )),
    limit: v.optional(
      v.pipe(
        v.number(),
        v.integer(),
        v.minValue(1),
        v.maxValue(MAX_HITS),
        v.description(`Maximum number of hits of each kind, from 1 to ${MAX_HITS}; by default ${USUAL_HITS}`),
      ),
      USUAL_HITS,
    ),
    cursor: v.optional(v.pipe(
      paging.cursor.wrapped,
      v.description("`nextCursor` of a kind in the previous response. Then `kind` names that kind alone"),
    )),
  }),
  v.check(
    ({ kind, cursor }) => cursor === undefined || kind?.length === 1,
    "one kind with a cursor",
  ),
);

const NamedRoleSchema = named("NamedRole", { id: idOf("role"), name: v.string() });

const CursorSchema = v.nullable(v.string());

export const FoundSchema = named("Found", {
  role: v.pipe(
    v.array(named("FoundRole", {
      id: idOf("role"),
      name: v.string(),
      parents: v.pipe(
        v.array(NamedRoleSchema),
        v.description("The first three roles that manage it, of those that the caller sees"),
      ),
    })),
    v.description("Roles of which the caller is a member, directly or indirectly, in order of id"),
  ),
  person: v.pipe(
    v.array(named("FoundPerson", {
      userId: idOf("account"),
      userEmail: AddressSchema,
      roles: v.pipe(
        v.array(NamedRoleSchema),
        v.description(
          "The first three roles that they are direct members of, of those whose members the caller manages",
        ),
      ),
    })),
    v.description("Members of roles whose members the caller manages, in order of id"),
  ),
  device: v.pipe(
    v.array(named("FoundDevice", {
      id: idOf("device"),
      nodeId: v.string(),
      name: v.optional(v.pipe(
        v.string(),
        v.description("The property `name`, if it is a text; up to its first 256 characters"),
      )),
      roles: v.pipe(
        v.array(NamedRoleSchema),
        v.description("The first three roles that monitor it now, of those that the caller sees"),
      ),
    })),
    v.description("Devices that roles monitor now of which the caller is a member, in order of id"),
  ),
  matched: v.pipe(
    v.picklist(["anywhere", "beginning"]),
    v.description(
      "Whether hits contain the text anywhere, or begin with it: a text of one or two characters is found only at the " +
        "beginning",
    ),
  ),
  nextCursor: v.pipe(
    v.object({ role: CursorSchema, person: CursorSchema, device: CursorSchema }),
    v.description(
      "For each kind the cursor of its next hits, or null if there are no more. A list may be short, or empty, although " +
        "more follows",
    ),
  ),
});
