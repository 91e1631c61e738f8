import * as v from "valibot";
import { MAX_EMAIL_LENGTH, normalizeEmail } from "../../core/email.ts";
import { AddressSchema, named, text } from "../../http/common_schemas.ts";
import type { Decision } from "../../role/change/decision.ts";
import { idOf, IdSchema, TimeSchema } from "../../http/list_schemas.ts";
import { RightsSchema } from "../../role/schemas.ts";

/** Schemas of the change log's query. */

/** Maximum and standard number of changes in a page. */
export const MAX_CHANGES = 1000;
/** Seconds, below the time limits that proxies and clients commonly have. */
const MAX_WAIT_SECONDS = 25;

const word = text(1, 64);

const KINDS = list([
  "role.create",
  "role.update",
  "role.password_set",
  "role.password_removed",
  "role.bootstrap",
  "manages.put",
  "manages.update",
  "manages.move",
  "manages.delete",
  "member.add",
  "member.update",
  "member.remove",
  "member.leave",
  "member.end",
  "key.create",
  "key.delete",
  "key.end",
  "monitors.add",
  "monitors.remove",
  "device.create",
  "hierarchy.import",
]);

const REFUSALS = list<Decision>([
  "proof_required",
  "denied",
  "cycle",
  "unmanaged",
  "root_without_member",
  "root_without_manager",
  "node_id_taken",
  "too_many_invitations",
  "too_many_role_passwords",
  "too_many_keys",
  "too_many_monitors",
  "too_large",
  "moved",
  "key_reused",
]);

function list<Word extends string>(words: readonly Word[]): string {
  return words.map((word) => `\`${word}\``).join(", ");
}

export const ChangeQuerySchema = v.strictObject({
  filter: v.optional(v.strictObject({
    roleId: v.optional(
      v.pipe(IdSchema, v.description("Only changes about this role, or below it as a parent")),
    ),
    actorEmail: v.optional(v.pipe(
      text(0, MAX_EMAIL_LENGTH),
      v.transform(normalizeEmail),
      v.description("Only changes by the user with this address; case does not matter"),
    )),
    kind: v.optional(v.pipe(word, v.description("Only changes of this kind; see `Change`"))),
    decision: v.optional(v.pipe(word, v.description("Only changes with this decision; see `Change`"))),
    from: v.optional(v.pipe(TimeSchema, v.description("Only changes at or after this time"))),
    to: v.optional(v.pipe(TimeSchema, v.description("Only changes at or before this time"))),
  })),
  after: v.optional(v.pipe(
    IdSchema,
    v.description(
      "Only changes with a later revision: the `nextRevision` of the previous response. By default all that are kept",
    ),
  )),
  limit: v.optional(v.pipe(
    v.number(),
    v.integer(),
    v.minValue(1),
    v.maxValue(MAX_CHANGES),
    v.description(`Maximum number of changes, from 1 to ${MAX_CHANGES}, which is also the default`),
  )),
  wait: v.optional(v.pipe(
    v.number(),
    v.integer(),
    v.minValue(0),
    v.maxValue(MAX_WAIT_SECONDS),
    v.description(
      "Seconds for which the response is held back if there is no change yet; it comes within a second or two of one",
    ),
  )),
});

const ChangeSchema = v.pipe(
  v.object({
    revision: v.pipe(IdSchema, v.description("The revision of the change, which is also its id")),
    at: v.pipe(
      v.string(),
      v.isoTimestamp(),
      v.description("Its time, which is never before that of an earlier one"),
    ),
    actor: v.pipe(
      v.nullable(v.union([
        AddressSchema,
        named("KeyActor", {
          key: named("NamedKey", { id: idOf("key"), name: v.string() }),
        }),
      ])),
      v.description(
        "Who did or tried it: the address of a user, or a key. Null: an administrator, or an actor without access to " +
          "the role",
      ),
    ),
    kind: v.pipe(v.string(), v.description(`What was done or tried: ${KINDS}. Later versions may have more`)),
    decision: v.pipe(
      v.string(),
      v.description(`\`ok\`, \`noop\` (it was so already), or why it was refused: ${REFUSALS}`),
    ),
    roleId: v.pipe(
      v.nullable(IdSchema),
      v.description(
        "The role that the change is about: of a relation, the child. Null: none, or the caller does not see it",
      ),
    ),
    parentRoleId: v.pipe(
      v.nullable(IdSchema),
      v.description("The parent of a relation, or of a new role. Null: none, or the caller does not see it"),
    ),
    managesId: v.nullable(IdSchema),
    memberEmail: v.pipe(
      v.nullable(AddressSchema),
      v.description(
        "Whose membership it is about. Null: it is about none, or the caller does not see its user",
      ),
    ),
    keyId: v.nullable(IdSchema),
    deviceId: v.nullable(IdSchema),
    oldRights: v.nullable(RightsSchema),
    newRights: v.nullable(RightsSchema),
    deletedNodeIds: v.array(IdSchema),
    deletedRelationIds: v.array(IdSchema),
  }),
  v.description("A change of roles, relations, members, keys or devices, or a refusal of one."),
  v.metadata({ ref: "Change" }),
);

export const ChangeListSchema = named("ChangeList", {
  change: v.pipe(v.array(ChangeSchema), v.description("Oldest first")),
  nextRevision: v.pipe(IdSchema, v.description("How far the page looked: `after` of the next request")),
});
