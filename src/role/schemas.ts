import * as v from "valibot";
import { MAX_SUMMARIES } from "./summary_service.ts";
import { AddressSchema, CONTROL_CHARACTERS, named, text } from "../http/common_schemas.ts";
import {
  echoed,
  emailFilter,
  idFilter,
  idOf,
  IdSchema,
  MAX_LIST,
  nextCursor,
  paging,
  TIME_RULE,
  TimeSchema,
} from "../http/list_schemas.ts";
import { canonicalText, spellingsOf } from "../core/text.ts";
import { EmailSchema, MailQuerySchema } from "../http/mail_query.ts";
import { MAX_EXTERNAL_ID_LENGTH } from "./external_id_queries.ts";
import type { AsOf } from "../graph/history/as_of.ts";
import { dryRun, effect } from "../changes/preview/schemas.ts";
import { DEMANDS } from "./authentication_policy.ts";
import { forEachRight, RIGHT_NAMES, type RightName } from "../graph/rights.ts";
import {
  isRolePassword,
  MAX_ROLE_PASSWORD_LENGTH,
  MIN_ROLE_PASSWORD_LENGTH,
} from "./password/role_password.ts";

/** Schemas of requests and responses. Unknown fields are refused; `v.metadata` names the schemas in OpenAPI. */

type SomeBoolean = v.OptionalSchema<v.BooleanSchema<undefined>, undefined>;

const allBooleans = forEachRight(() => v.boolean());
const someBooleans = forEachRight((): SomeBoolean => v.optional(v.boolean()));

/** The six rights, all of them given. */
export const RightsSchema = v.pipe(
  v.strictObject(allBooleans),
  v.description("The six management rights. A request must give all of them."),
  v.metadata({ ref: "Rights" }),
);

const SomeRightsSchema = v.pipe(
  v.strictObject(someBooleans),
  v.description(
    "The caller's effective rights on the role; only those that the request names, if it names any.",
  ),
  v.metadata({ ref: "UserRights" }),
);

const MAX_NAME_LENGTH = 256;
const MAX_PERSON_NAME_LENGTH = 100;
/** Spaces, a visible character, and anything else. A text without blanks at its ends matches unless it is empty. */
const NAME_PATTERN = new RegExp(
  String.raw`^[ \xa0]*[^ \xa0${CONTROL_CHARACTERS}][^${CONTROL_CHARACTERS}]*$`,
);

/**
 * A text of which the canonical form (`canonicalText`) has 1 to `most` code points of well-formed Unicode without control
 * characters. Its output is the text as it was sent, by which an older row may be found.
 */
export function idText(most: number) {
  const rule = `1 to ${most} characters without control characters`;
  return v.pipe(
    v.string(),
    v.check((text) => isShort(canonicalText(text), most) && NAME_PATTERN.test(canonicalText(text)), rule),
    v.metadata({ minLength: 1, maxLength: most, pattern: NAME_PATTERN.source }),
    v.check((text) => text.isWellFormed(), "well-formed Unicode"),
    v.description(`1 to ${most} characters without the blanks at its ends, no control characters`),
  );
}

function isShort(text: string, most: number): boolean {
  return text.length <= most || (text.length <= 2 * most && [...text].length <= most);
}

export const RoleNameSchema = v.pipe(
  idText(MAX_NAME_LENGTH),
  v.transform(canonicalText),
);

/** What a person is called beside their address. */
export const PersonNameSchema = v.pipe(
  idText(MAX_PERSON_NAME_LENGTH),
  v.transform(canonicalText),
  v.regex(/[\p{L}\p{N}]/u, "a letter or digit"),
  v.regex(/^[^@]*$/, "no @, which would pass for an address"),
);

/** The id of a role, device or account in another system. */
export const ExternalIdSchema = idText(MAX_EXTERNAL_ID_LENGTH);

/** The external id in a response about `thing`. */
export function shownExternalId(thing: "role" | "device") {
  return v.optional(v.pipe(
    v.string(),
    v.description(
      `Its id in another system. Absent without one, or if the caller may not update the ${thing}`,
    ),
  ));
}

/** The external id in a request that creates or updates `thing`. */
export function givenExternalId(thing: "role" | "device", absent = "") {
  return v.optional(v.pipe(
    v.nullable(ExternalIdSchema),
    v.description(
      `The id of the ${thing} in another system, unique among the ${thing}s below the same root role: 1 to ` +
        `${MAX_EXTERNAL_ID_LENGTH} characters, no control characters; null: none. It is stored without the blanks at its ` +
        `ends and in NFC.${absent}`,
    ),
  ));
}

/** What an update says of a field that it leaves out. */
export const STAYS = " Without it, the present one stays";

/** A filter by names or ids. Each finds the rows that have it as it was sent, and in its canonical form. */
export function textFilter(description: string) {
  return v.optional(v.pipe(
    v.array(v.string()),
    v.maxLength(MAX_LIST),
    v.transform((texts) => [...new Set(texts.flatMap(spellingsOf))]),
    v.description(description),
  ));
}

export const RoleSchema = v.pipe(
  v.object({
    id: IdSchema,
    name: v.string(),
    externalId: shownExternalId("role"),
    selfRights: RightsSchema,
    userRights: SomeRightsSchema,
  }),
  v.metadata({ ref: "Role" }),
);

export const ManagesSchema = v.pipe(
  v.object({ id: IdSchema, parentRoleId: IdSchema, childRoleId: IdSchema, ...allBooleans }),
  v.description("A manages relation: links a parent role to a child role and carries rights."),
  v.metadata({ ref: "Manages" }),
);

const MemberSchema = v.pipe(
  v.object({
    id: IdSchema,
    roleId: IdSchema,
    userId: v.optional(v.pipe(IdSchema, v.description("In lists: the id of the user's account"))),
    userEmail: AddressSchema,
    until: v.optional(v.pipe(
      v.string(),
      v.isoTimestamp(),
      v.description("When the membership ends by itself; absent if it does not"),
    )),
    rights: v.optional(v.pipe(
      RightsSchema,
      v.description("The most rights that the membership lets its user use; absent without a limit"),
    )),
    externalId: v.optional(v.pipe(
      v.string(),
      v.description(
        "In lists: the user's id in another system, if an import made both the account and this membership, or if the " +
          "membership is the caller's",
      ),
    )),
    lastMetAt: v.optional(v.pipe(
      v.nullable(v.pipe(v.string(), v.isoTimestamp())),
      v.description(
        "In lists, if the role demands a second factor, or will: the hour in which a session that made changes as this " +
          "member last met that demand; null: none is on record since it was set or raised",
      ),
    )),
    waitingSince: v.optional(v.pipe(
      v.nullable(v.pipe(v.string(), v.isoTimestamp())),
      v.description(
        "In lists, while the invitation waits, because the user has never opened their account: when they were added; " +
          "null if the log no longer has that. Otherwise absent",
      ),
    )),
  }),
  v.description("A membership: makes the user with this address a direct member of the role."),
  v.metadata({ ref: "Member" }),
);

export const RoleListSchema = named("RoleList", { role: v.array(RoleSchema), nextCursor });
export const CompanyListSchema = named("CompanyList", {
  company: v.pipe(v.array(v.object({})), v.maxLength(0)),
});
export const ManagesListSchema = named("ManagesList", { manages: v.array(ManagesSchema), nextCursor });
export const MemberListSchema = named("MemberList", { member: v.array(MemberSchema), nextCursor });
export const RoleResponseSchema = named("RoleResponse", { role: RoleSchema, effect });
export const AuthenticationPolicySchema = v.pipe(
  v.object({
    secondFactor: v.pipe(
      v.picklist(DEMANDS),
      v.description(
        "What a session needs for a membership of the role to count: nothing; proof of a TOTP or passkey; or of a passkey",
      ),
    ),
    from: v.pipe(
      v.nullable(v.pipe(v.string(), v.isoTimestamp())),
      v.description("From when on, if that is in the future; null: now"),
    ),
    before: v.pipe(
      v.nullable(v.picklist(DEMANDS)),
      v.description("What it demands until then; null without `from`"),
    ),
  }),
  v.description("What a role demands of the sessions of its members. No demand concerns keys."),
  v.metadata({ ref: "AuthenticationPolicy" }),
);

export const CreatedRoleSchema = named("CreatedRole", {
  manages: ManagesSchema,
  role: RoleSchema,
  authenticationPolicy: v.optional(AuthenticationPolicySchema),
});
/**
 * The id of a created row. One schema serves the change and its preview: for a union, generated clients have types that
 * need a cast.
 */
export const createdId = v.pipe(
  v.nullable(IdSchema),
  v.description("Null only in the response of a dry run that would create it"),
);
export const ManagesResponseSchema = named("ManagesResponse", {
  manages: v.object({ ...ManagesSchema.entries, id: createdId }),
  effect,
});
export const MemberResponseSchema = named("MemberResponse", {
  member: v.object({ ...MemberSchema.entries, id: createdId }),
  effect,
});
const deletion = {
  deletedNodeIds: v.pipe(v.array(IdSchema), v.description("The deleted roles and devices")),
  deletedRelationIds: v.pipe(v.array(IdSchema), v.description("The deleted relations and memberships")),
  effect,
};
export const DeletionSchema = named("Deletion", deletion);
export const RemovedMemberSchema = named("RemovedMember", {
  ...deletion,
  keys: v.optional(v.pipe(
    v.array(named("StayingKey", {
      id: IdSchema,
      roleId: v.pipe(IdSchema, v.description("The role of the key")),
      name: v.pipe(v.string(), v.description("The name of the key")),
    })),
    v.description(
      "The keys that the removed member made, of this role and roles below it, as far as the role that " +
        "lets the caller remove the member manages their members, too; up to " +
        "100. They stay: delete those whose secret the member may know, or end all of them by " +
        "`POST /v1/access/end`. Absent if there are none, and for users who " +
        "remove themselves",
    ),
  )),
  moreKeys: v.optional(v.pipe(
    v.literal(true),
    v.description(
      "There may be further keys: the removed member made more, in all roles together, than are scanned or named. List " +
        "the keys of the roles that they managed. Absent if `keys` are all that the caller may see",
    ),
  )),
  lastAwake: v.optional(v.pipe(
    v.literal(true),
    v.description(
      "The removed member kept a root role that demands a second factor, and no other member who keeps it is on record " +
        "for meeting that in the last 90 days: perhaps no member can act as its administrator then. Otherwise absent",
    ),
  )),
});

// ---- paths

const parentRoleId = idOf("parent role");
const childRoleId = idOf("child role");
export const RolePathSchema = v.strictObject({ roleId: idOf("role") });
export const ParentPathSchema = v.strictObject({ parentRoleId });
export const ManagesPathSchema = v.strictObject({ parentRoleId, managesId: idOf("manages relation") });
export const MemberPathSchema = v.strictObject({ roleId: idOf("role"), memberId: idOf("membership") });

/** The roles that a collect operation covers. */
const RoleIdsSchema = v.pipe(
  v.union(
    [v.literal("*"), v.pipe(v.array(IdSchema), v.minLength(1), v.maxLength(MAX_LIST))],
    `1 to ${MAX_LIST} role ids separated by commas, or *`,
  ),
  v.description("A role id, a comma-separated list of role ids, or `*` for all roles"),
);
export const RolesPathSchema = v.strictObject({ roleId: RoleIdsSchema });
export const ParentsPathSchema = v.strictObject({ parentRoleId: RoleIdsSchema });

// ---- collect

const roleFilters = {
  id: idFilter("Only roles with one of these ids"),
  name: textFilter("Only roles whose name is one of these"),
  externalId: textFilter("Only roles with one of these external ids that the caller may update"),
  ancestorRoleId: idFilter("Only roles below one of these roles"),
};

const managesFilters = {
  id: idFilter("Only relations with one of these ids"),
  childRoleId: idFilter("Only relations to one of these roles"),
};

const memberFilters = {
  id: idFilter("Only memberships with one of these ids"),
  userId: idFilter("Only members whose accounts have one of these ids"),
  userEmail: emailFilter("Only members with one of these addresses"),
  externalId: textFilter("Only members who are shown with one of these external ids"),
};

export const RoleQuerySchema = v.strictObject({
  filter: v.optional(v.strictObject({
    ...roleFilters,
    namePrefix: v.optional(v.pipe(
      text(1, MAX_NAME_LENGTH),
      v.description("Only roles whose name begins like this; case does not matter"),
    )),
  })),
  userRights: v.optional(v.pipe(
    v.strictObject(someBooleans),
    v.description("The rights to return, each as `true`; by default all six"),
  )),
  ...paging,
});

export const RoleCollectSchema = v.strictObject({
  ...roleFilters,
  ...Object.fromEntries(
    RIGHT_NAMES.map((name) => [`userRights.${name}`, v.optional(v.boolean())]),
  ) as { [Name in RightName as `userRights.${Name}`]: SomeBoolean },
  ...paging,
});

export const ManagesQuerySchema = v.strictObject({
  filter: v.optional(v.strictObject({
    ...managesFilters,
    parentRoleId: idFilter("Only relations from one of these roles"),
  })),
  ...paging,
});
export const ManagesCollectSchema = v.strictObject({ ...managesFilters, ...paging });
export const ManagedByQuerySchema = v.strictObject(paging);

export const InvitedAgainSchema = named("InvitedAgain", {
  sent: v.pipe(
    v.boolean(),
    v.description("False: the member has opened their account, so there is no mail"),
  ),
});

export const EndedSessionsSchema = named("EndedSessions", {
  ended: v.pipe(v.number(), v.integer(), v.description("The number of sessions that ended")),
});

export const MemberQuerySchema = v.strictObject({
  filter: v.optional(v.strictObject({
    ...memberFilters,
    waiting: v.optional(v.pipe(
      v.boolean(),
      v.description(
        "Only members whose invitation waits, because they have never opened their account; false: only others. Pages " +
          "may have fewer rows than `limit`, or none, and a `nextCursor`",
      ),
    )),
    endsBefore: v.optional(v.pipe(
      TimeSchema,
      v.description(
        "Only memberships that end by themselves before this time. Pages may have fewer rows than `limit`, or none, and a " +
          "`nextCursor`",
      ),
    )),
  })),
  ...paging,
});
export const MemberCollectSchema = v.strictObject({ ...memberFilters, ...paging });

// ---- changes

export const CreateRoleQuerySchema = v.strictObject({ parentRoleId });
export const CreateRoleSchema = v.strictObject({
  manages: v.strictObject({ ...allBooleans, id: echoed, parentRoleId: echoed, childRoleId: echoed }),
  role: v.strictObject({
    name: RoleNameSchema,
    externalId: givenExternalId("role"),
    selfRights: RightsSchema,
    id: echoed,
    userRights: echoed,
  }),
});

export const UpdateRoleSchema = v.strictObject({
  name: RoleNameSchema,
  externalId: givenExternalId("role", STAYS),
  selfRights: RightsSchema,
  id: echoed,
  userRights: echoed,
});

export const RolePasswordSchema = v.strictObject({
  password: v.nullable(v.pipe(
    v.string(),
    v.check(isRolePassword, "12 to 128 characters"),
    v.metadata({ minLength: MIN_ROLE_PASSWORD_LENGTH, maxLength: MAX_ROLE_PASSWORD_LENGTH }),
    v.description("12 to 128 characters; null removes the password"),
  )),
  rights: v.optional(RightsSchema),
});

export const FoundRolePasswordSchema = v.pipe(
  v.object({
    set: v.pipe(v.boolean(), v.description("Whether the role has a password")),
    rights: v.pipe(
      v.nullable(RightsSchema),
      v.description("Rights that the password was set with; null without a password"),
    ),
    setBy: v.pipe(
      v.nullable(IdSchema),
      v.description("Id of the user who set it; null without a password, or if it was voided"),
    ),
    setAt: v.pipe(
      v.nullable(v.pipe(v.string(), v.isoTimestamp())),
      v.description("When it was set; null without a password, or if that is not known"),
    ),
    works: v.pipe(
      v.boolean(),
      v.description(
        "Whether the password is valid. It then carries those of its `rights` that `setBy` could give now",
      ),
    ),
  }),
  v.metadata({ ref: "RolePassword" }),
);

export const SetPolicySchema = v.pipe(
  v.strictObject({
    secondFactor: v.picklist(DEMANDS),
    from: v.optional(v.pipe(
      TimeSchema,
      v.description("From when on; by default at once. At most 400 days from now, and not for `none`"),
    )),
  }),
  v.check(({ secondFactor, from }) => secondFactor !== "none" || from === undefined, "no `from` with `none`"),
);

export const FoundPolicySchema = named("FoundAuthenticationPolicy", {
  authenticationPolicy: AuthenticationPolicySchema,
});

export const PolicyResponseSchema = named("SetAuthenticationPolicy", {
  authenticationPolicy: AuthenticationPolicySchema,
  unmet: v.optional(v.pipe(
    v.object({
      count: v.pipe(v.number(), v.integer(), v.minValue(0)),
      named: v.pipe(
        v.array(AddressSchema),
        v.description("The first 20; none for a demand above that which the role has or plans"),
      ),
    }),
    v.description(
      "In the response of a dry run, for a caller who reads the role's members: the members other than the caller for " +
        "whom no session is on record that met the role's demand, or the planned one, while it acted in this role. " +
        "Nothing is recorded before a demand is set or planned, so all members count for a higher one",
    ),
  )),
  effect,
});

export const PutManagesQuerySchema = v.strictObject({
  childRoleId,
  replaces: v.optional(v.pipe(
    IdSchema,
    v.description(
      "Id of another relation to the child role, which is deleted in the same change: this moves the child role",
    ),
  )),
  dryRun,
  childRolePassword: v.optional(v.pipe(
    v.string(),
    v.description(
      "Password of the child role. The header `X-Child-Role-Password` is safer, since URLs are often logged",
    ),
  )),
});
export const ManagesBodySchema = v.strictObject({
  ...allBooleans,
  id: echoed,
  parentRoleId: echoed,
  childRoleId: echoed,
});

/** The query of a change that takes only `dryRun`. */
export const DryRunQuerySchema = v.strictObject({ dryRun });

/** Whether a deletion leaves nothing in the trash. */
export const permanent = v.optional(v.pipe(
  v.boolean(),
  v.description(
    "Delete devices at once, so that they cannot be restored and their nodeIds are free once their telemetry is " +
      "deleted. Repeat the request with it to do this to the devices of an earlier deletion",
  ),
));

/** The query of the deletion of a relation, which may take roles and devices with it. */
export const DeletionQuerySchema = v.strictObject({
  dryRun,
  permanent,
  cascade: v.optional(v.pipe(
    v.picklist(["refuse"]),
    v.description("`refuse`: respond with 409 `WOULD_DELETE` if roles or devices would be deleted, too"),
  )),
});

export const EmptyBodySchema = v.strictObject({});

/** The past moment that a request asks about (`asOf`): a revision or a time. */
export const AsOfSchema = v.pipe(
  v.union([
    v.pipe(IdSchema, v.transform((revision): AsOf => ({ revision }))),
    v.pipe(TimeSchema, v.transform((atMs): AsOf => ({ atMs }))),
  ], `a revision, or ${TIME_RULE}`),
  v.description(
    "Asks about the past: a revision, which stands for the time when it was made, or a time (ISO 8601), which stands " +
      "for the last revision at or before it. Who may ask, and what they see, is decided as of now",
  ),
  v.metadata({ ref: "AsOf" }),
);

export const PutMemberSchema = v.strictObject({
  until: v.optional(v.pipe(
    v.nullable(TimeSchema),
    v.description(
      "When the membership ends by itself; null: never. Without it, an existing member's stays as it is, and a new " +
        "membership ends with the one that authorizes it",
    ),
  )),
  rights: v.optional(v.pipe(
    v.nullable(RightsSchema),
    v.description(
      "The most rights that the membership lets its user use; null: no limit. Without it, an existing member's stay as " +
        "they are, and a new membership has those of the one that authorizes it",
    ),
  )),
});

export const AddMemberQuerySchema = v.strictObject({
  userEmail: v.pipe(EmailSchema, v.description("Email address of the user; case does not matter")),
  ...MailQuerySchema.entries,
  invite: v.optional(v.pipe(
    v.boolean(),
    v.description("Whether a key sends a new member a mail; by default it sends none. Users always do"),
  )),
  dryRun,
});

// ---- summaries

export const SummaryQuerySchema = v.strictObject({
  id: v.pipe(v.array(IdSchema), v.minLength(1), v.maxLength(MAX_SUMMARIES)),
});
const CountSchema = v.pipe(v.number(), v.integer(), v.minValue(0));
export const SummarySchema = named("RoleSummary", {
  id: IdSchema,
  parents: v.pipe(CountSchema, v.description("Roles that manage it, of those that the caller sees")),
  children: v.pipe(CountSchema, v.description("Roles that it manages")),
  descendants: v.pipe(CountSchema, v.description("Roles below it")),
});
export const SummaryListSchema = named("RoleSummaryList", { summary: v.array(SummarySchema) });

// ---- usage

const ShareSchema = named("Share", {
  used: CountSchema,
  allowed: v.pipe(CountSchema, v.description("The maximum; changes beyond it are refused")),
});

export const UsageSchema = named("RoleUsage", {
  of: v.pipe(
    v.picklist(["root", "caller"]),
    v.description(
      "Whether the figures are those of the whole root role, or those of the caller and of all in the same branch below it",
    ),
  ),
  roles: v.pipe(ShareSchema, v.description("Roles that were created, and exist")),
  devices: v.pipe(ShareSchema, v.description("Devices that were created, and exist")),
  changes: v.pipe(
    ShareSchema,
    v.description("Bytes that changes stored, of which a part drains in each second"),
  ),
  telemetry: v.optional(v.pipe(
    v.object({
      used: CountSchema,
      allowed: v.optional(v.pipe(CountSchema, v.description("Absent without a limit"))),
    }),
    v.description(
      "For a whole root role: bytes of the points of its devices, without those of the last two hours. Absent with " +
        "InfluxDB",
    ),
  )),
});

// ---- checks

export const RightsCheckSchema = v.strictObject({
  checks: v.pipe(
    v.array(v.strictObject({ roleId: IdSchema, right: v.picklist(RIGHT_NAMES) })),
    v.minLength(1),
    v.maxLength(MAX_LIST),
  ),
  asOf: v.optional(AsOfSchema),
});
export const RightsCheckResponseSchema = named("RightsCheckResult", {
  allowed: v.array(v.boolean()),
  revision: v.optional(v.pipe(IdSchema, v.description("With `asOf`: the revision that it stands for"))),
});
