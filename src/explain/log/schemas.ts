import * as v from "valibot";
import { MAX_EMAIL_LENGTH, normalizeEmail } from "../../core/email.ts";
import { AddressSchema, named, text } from "../../http/common_schemas.ts";
import { REFUSED_DECISIONS } from "../../changes/decision.ts";
import { CHANGE_KINDS } from "../../changes/log_words.ts";
import { idOf, IdSchema, TimeSchema } from "../../http/list_schemas.ts";
import { AuthenticationPolicySchema, RightsSchema } from "../../role/schemas.ts";

/** Schemas of the change log's query. */

/** Maximum and standard number of changes in a page. */
export const MAX_CHANGES = 1000;
/** Seconds, below the time limits that proxies and clients commonly have. */
const MAX_WAIT_SECONDS = 25;

const word = text(1, 64);

const KINDS = list(CHANGE_KINDS);
const REFUSALS = list(REFUSED_DECISIONS);

function list(words: readonly string[]): string {
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
      v.description(
        "Only changes by the user with this address, whatever they are a member of now, and where the caller sees the " +
          "address; case does not matter",
      ),
    )),
    memberEmail: v.optional(v.pipe(
      text(0, MAX_EMAIL_LENGTH),
      v.transform(normalizeEmail),
      v.description(
        "Only changes of memberships of the user with this address, and the end of their access, where the caller sees " +
          "the address; case does not matter",
      ),
    )),
    memberId: v.optional(
      v.pipe(IdSchema, v.description("The same, of the account with this id, which may be erased")),
    ),
    actorId: v.optional(
      v.pipe(IdSchema, v.description("Only changes by the account with this id, which may be erased")),
    ),
    keyId: v.optional(
      v.pipe(IdSchema, v.description("Only changes by this key, and of it; it may be deleted")),
    ),
    kind: v.optional(v.pipe(word, v.description("Only changes of this kind; see `Change`"))),
    decision: v.optional(
      v.pipe(
        word,
        v.description(
          "Only changes with this decision; see `Change`. `refused`: only refusals, of any reason",
        ),
      ),
    ),
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
      v.nullable(v.variant("type", [
        named("UserActor", {
          // As a list of one: generated clients for Python tell variants apart by that, and not by a constant.
          type: v.picklist(["user"]),
          id: v.pipe(
            IdSchema,
            v.description("The id of the account, which stays when the account is erased"),
          ),
          email: v.nullable(AddressSchema),
          erased: v.optional(v.pipe(v.literal(true), v.description("The account no longer exists"))),
        }),
        named("KeyActor", {
          type: v.picklist(["key"]),
          id: idOf("key"),
          name: v.nullable(v.string()),
          email: v.pipe(v.nullable(AddressSchema), v.description("Null: keys have no address")),
        }),
      ])),
      v.description(
        "The user or key that did or tried it. The address, or the name, is for callers who see the role through which " +
          "they acted, even if they have left it; of a refusal, for callers who manage a role to which they have access. " +
          "Null: an administrator, or an import (`importRun`)",
      ),
    ),
    viaRoleId: v.pipe(
      v.nullable(IdSchema),
      v.description(
        "The role through which they acted: the oldest of which a membership authorizes the change. Null: a refusal, or " +
          "the caller does not see it",
      ),
    ),
    viaRoleName: v.nullable(v.string()),
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
    roleName: v.pipe(
      v.nullable(v.string()),
      v.description("Its name then, after the change"),
    ),
    oldName: v.pipe(v.nullable(v.string()), v.description("Of a role that was renamed: its name before")),
    newName: v.pipe(
      v.nullable(v.string()),
      v.description("Of a role that was renamed: its name since"),
    ),
    parentRoleId: v.pipe(
      v.nullable(IdSchema),
      v.description("The parent of a relation, or of a new role. Null: none, or the caller does not see it"),
    ),
    parentRoleName: v.nullable(v.string()),
    managesId: v.nullable(IdSchema),
    memberId: v.pipe(
      v.nullable(IdSchema),
      v.description(
        "Id of the account whose membership it is about, or whose access was ended, as `memberEmail`; also of an erased one",
      ),
    ),
    memberEmail: v.pipe(
      v.nullable(AddressSchema),
      v.description(
        "Whose membership it is about, or whose access was ended. Null: it is about none, or the caller does not see its " +
          "user. Who had nothing that ended is shown to callers who see that they have access from elsewhere",
      ),
    ),
    oldFrom: v.pipe(
      v.nullable(v.pipe(v.string(), v.isoTimestamp())),
      v.description("The beginning that the period of the monitors relation had before. Null: it had none"),
    ),
    oldUntil: v.pipe(
      v.nullable(v.pipe(v.string(), v.isoTimestamp())),
      v.description("The end that the membership, or that period, had before"),
    ),
    from: v.pipe(
      v.nullable(v.pipe(v.string(), v.isoTimestamp())),
      v.description("The beginning that the period has since"),
    ),
    until: v.pipe(
      v.nullable(v.pipe(v.string(), v.isoTimestamp())),
      v.description("The end that the membership or period has since"),
    ),
    keyId: v.nullable(IdSchema),
    keyName: v.nullable(v.string()),
    deviceId: v.nullable(IdSchema),
    nodeId: v.pipe(
      v.nullable(v.string()),
      v.description("The device's name for itself, unless the change was refused"),
    ),
    devices: v.pipe(
      v.nullable(v.pipe(v.number(), v.integer())),
      v.description(
        "How many devices a transfer of several gave to the role, or took from it; `deviceId` and `nodeId` are null then",
      ),
    ),
    deviceIds: v.pipe(v.array(IdSchema), v.description("Of such a transfer: these devices, at most 100")),
    oldRights: v.nullable(RightsSchema),
    newRights: v.nullable(RightsSchema),
    oldAuthenticationPolicy: v.pipe(
      v.nullable(AuthenticationPolicySchema),
      v.description("Of a demand that was set or lifted: what the role demanded before"),
    ),
    newAuthenticationPolicy: v.pipe(
      v.nullable(AuthenticationPolicySchema),
      v.description("Of a demand that was set or lifted: what the role demands since"),
    ),
    undoes: v.pipe(
      v.nullable(IdSchema),
      v.description("The revision of the change that this one undid or would have"),
    ),
    importRun: v.pipe(
      v.nullable(v.string()),
      v.description("The run of the import that made the change, as `deno task import` printed it"),
    ),
    deletedNodeIds: v.pipe(v.array(IdSchema), v.description("Roles, then devices")),
    deletedRoles: v.pipe(v.number(), v.description("How many of them are roles")),
    deletedDevices: v.pipe(v.number(), v.description("How many of them are devices")),
    deletedRelationIds: v.array(IdSchema),
  }),
  v.description("A change of roles, relations, members, keys or devices, or a refusal of one."),
  v.metadata({ ref: "Change" }),
);

export const CsvSchema = v.pipe(
  v.string(),
  v.description(
    "A header, then a line for each change, oldest first, with the fields of `Change`. Rights are names separated by " +
      "spaces; of a deletion, the file has the numbers of roles and devices, without their ids",
  ),
);

export const ChangeListSchema = named("ChangeList", {
  change: v.pipe(v.array(ChangeSchema), v.description("Oldest first")),
  nextRevision: v.pipe(IdSchema, v.description("How far the page looked: `after` of the next request")),
});
