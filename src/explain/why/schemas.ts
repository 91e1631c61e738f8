import * as v from "valibot";
import { MAX_EMAIL_LENGTH, normalizeEmail } from "../../core/email.ts";
import { named, text } from "../../http/common_schemas.ts";
import { idOf, IdSchema } from "../../http/list_schemas.ts";
import { DEMANDS } from "../../role/authentication_policy.ts";
import { AsOfSchema, RightsSchema } from "../../role/schemas.ts";
import { RIGHT_NAMES } from "../../graph/rights.ts";
import { EXPLAINED } from "./explanation.ts";

/** Schemas of explanations. */

const RightSchema = v.picklist(RIGHT_NAMES);

export const ExplainSchema = v.strictObject({
  roleId: idOf("role"),
  right: v.pipe(
    v.picklist(EXPLAINED),
    v.description("The right to explain; `member`: access itself, which every way gives"),
  ),
  userEmail: v.optional(v.pipe(
    text(0, MAX_EMAIL_LENGTH),
    v.transform(normalizeEmail),
    v.description("Whose right it is; case does not matter. By default, the caller's"),
  )),
  keyId: v.optional(v.pipe(idOf("key"), v.description("The key whose right it is, in place of a user"))),
  asOf: v.optional(AsOfSchema),
});

const HiddenSchema = v.pipe(
  v.object({ hidden: v.literal(true) }),
  v.description("In place of something that the caller does not see"),
  v.metadata({ ref: "HiddenPart" }),
);

const MemberOfSchema = v.union([
  named("ExplainedMembership", {
    roleId: IdSchema,
    name: v.pipe(v.string(), v.description("The name of the role")),
    until: v.optional(v.pipe(
      v.string(),
      v.isoTimestamp(),
      v.description("When the membership ends; absent if it does not"),
    )),
    rights: v.optional(v.pipe(
      RightsSchema,
      v.description("The most rights that the membership lets its holder use; absent without a limit"),
    )),
    needs: v.optional(v.pipe(
      v.picklist(DEMANDS),
      v.description("What its role demands of the session; absent if nothing, and with `asOf`"),
    )),
    dormant: v.optional(v.pipe(
      v.literal(true),
      v.description("The caller's own membership, which counts as absent: their session does not meet that"),
    )),
  }),
  HiddenSchema,
]);

const RelationSchema = v.union([
  named("ExplainedRelation", {
    managesId: IdSchema,
    parentRoleId: IdSchema,
    childRoleId: IdSchema,
    name: v.pipe(v.string(), v.description("The name of the child role")),
    rights: v.pipe(v.array(RightSchema), v.description("The rights that the relation carries")),
  }),
  HiddenSchema,
]);

const way = {
  memberOf: v.pipe(MemberOfSchema, v.description("The membership that the way begins with")),
  relations: v.pipe(
    v.array(RelationSchema),
    v.description("From the role of the membership down; empty if the role's `selfRights` count"),
  ),
};

const fixed = {
  right: v.pipe(RightSchema, v.description("The right to add")),
  mayYou: v.pipe(v.boolean(), v.description("Whether the caller may add it")),
};

const FixSchema = v.union([
  named("RelationToWiden", { managesId: v.pipe(IdSchema, v.description("A relation")), ...fixed }),
  named("RoleToWiden", { roleId: v.pipe(IdSchema, v.description("The role: its `selfRights`")), ...fixed }),
  named("MembershipToWiden", {
    memberId: v.pipe(IdSchema, v.description("A membership, or a key: its `rights`")),
    ...fixed,
  }),
  HiddenSchema,
]);

export const ExplanationSchema = named("Explanation", {
  allowed: v.pipe(v.boolean(), v.description("What a rights check says at this revision")),
  revision: v.pipe(IdSchema, v.description("The revision that is explained")),
  ways: v.pipe(
    v.array(named("Way", way)),
    v.description("Up to 10 ways on which the right gets from a membership to the role, shortest first"),
  ),
  blocked: v.pipe(
    v.array(named("BlockedWay", {
      ...way,
      lostAt: v.pipe(
        v.array(v.union([IdSchema, HiddenSchema])),
        v.description("The relations of the way that do not carry the right"),
      ),
      lostAtMember: v.optional(v.pipe(v.literal(true), v.description("The membership does not carry it"))),
      lostAtRole: v.optional(v.pipe(v.literal(true), v.description("The role's `selfRights` lack it"))),
    })),
    v.description("Up to 10 ways on which it is lost, fewest losses first"),
  ),
  fix: v.pipe(
    v.array(FixSchema),
    v.description(
      "On a denial, the least that has to be widened for the right to get through. Empty if nothing connects the " +
        "memberships to the role",
    ),
  ),
  stepUp: v.optional(v.pipe(
    v.picklist(DEMANDS),
    v.description("The right gets through in a session of the caller that meets this: step up"),
  )),
  truncated: v.pipe(
    v.boolean(),
    v.description("There are too many relations to follow: ways may be missing, and there is no `fix`"),
  ),
});
