import * as v from "valibot";
import { isEmail, normalizeEmail } from "../core/email.ts";
import { RIGHT_NAMES } from "./rights.ts";
import { isRolePassword, MAX_UNNORMALIZED_LENGTH } from "./role_password.ts";

/** The wire: what requests and answers look like. Unknown fields are refused; `v.metadata` names go to OpenAPI. */

/** The most values that a list may hold. */
export const MAX_LIST = 1000;

export const IdSchema = v.pipe(
  v.number(),
  v.integer(),
  v.minValue(0),
  v.maxValue(Number.MAX_SAFE_INTEGER),
  v.description("Id of a role, device or relation"),
);

const sixBooleans = {
  roleManagement: v.boolean(),
  userManagement: v.boolean(),
  viewManagement: v.boolean(),
  deviceManagement: v.boolean(),
  reportManagement: v.boolean(),
  alarmManagement: v.boolean(),
};

export const RightsSchema = v.pipe(
  v.strictObject(sixBooleans),
  v.description("The six management rights, all of them spelled out."),
  v.metadata({ ref: "Rights" }),
);

const someBooleans = Object.fromEntries(RIGHT_NAMES.map((name) => [name, v.optional(v.boolean())])) as {
  [K in keyof typeof sixBooleans]: v.OptionalSchema<v.BooleanSchema<undefined>, undefined>;
};

export const SomeRightsSchema = v.pipe(
  v.strictObject(someBooleans),
  v.description("Rights of the calling user on the role; narrowed to those that the request asked for."),
  v.metadata({ ref: "UserRights" }),
);

/** Text for people: 1 to 256 characters after trimming, well-formed Unicode, no control characters. */
export const RoleNameSchema = v.pipe(
  v.string(),
  v.trim(),
  v.regex(/^[^\p{Cc}]{1,256}$/u),
  v.check((name) => name.isWellFormed(), "well-formed Unicode"),
  v.description("1 to 256 characters after trimming, no control characters"),
);

/** A field that answers carry and requests may send back: accepted, and ignored. */
export const echoed = v.optional(v.unknown());

const RoleSchema = v.pipe(
  v.object({ id: IdSchema, name: v.string(), selfRights: RightsSchema, userRights: SomeRightsSchema }),
  v.metadata({ ref: "Role" }),
);

const ManagesSchema = v.pipe(
  v.object({ id: IdSchema, parentRoleId: IdSchema, childRoleId: IdSchema, ...sixBooleans }),
  v.description("A relation between a parent role and a child role, with the rights that it carries."),
  v.metadata({ ref: "Manages" }),
);

const MemberSchema = v.pipe(
  v.object({ id: IdSchema, roleId: IdSchema, userEmail: v.string() }),
  v.metadata({ ref: "Member" }),
);

const nextCursor = v.optional(v.nullable(v.string()));
export const RoleListSchema = v.object({ role: v.array(RoleSchema), nextCursor });
export const ManagesListSchema = v.object({ manages: v.array(ManagesSchema), nextCursor });
export const MemberListSchema = v.object({ member: v.array(MemberSchema), nextCursor });
export const RoleAnswerSchema = v.object({ role: RoleSchema });
export const CreatedRoleSchema = v.object({ manages: ManagesSchema, role: RoleSchema });
export const ManagesAnswerSchema = v.object({ manages: ManagesSchema });
export const MemberAnswerSchema = v.object({ member: MemberSchema });
export const DeletionSchema = v.object({
  deletedNodeIds: v.array(IdSchema),
  deletedRelationIds: v.array(IdSchema),
});

// ---- paths

export const RolePathSchema = v.strictObject({ roleId: IdSchema });
export const ParentPathSchema = v.strictObject({ parentRoleId: IdSchema });
export const ManagesPathSchema = v.strictObject({ parentRoleId: IdSchema, managesId: IdSchema });
export const MemberPathSchema = v.strictObject({ roleId: IdSchema, memberId: IdSchema });

/** Which roles a collect operation is about. */
const RoleIdsSchema = v.pipe(
  v.union([v.literal("*"), v.pipe(v.array(IdSchema), v.minLength(1), v.maxLength(MAX_LIST))]),
  v.description("One role id, a comma-separated list of them, or `*` for all"),
);
export const RolesPathSchema = v.strictObject({ roleId: RoleIdsSchema });
export const ParentsPathSchema = v.strictObject({ parentRoleId: RoleIdsSchema });

// ---- collect

/** A filter by ids. */
export const idList = v.optional(v.pipe(v.array(IdSchema), v.maxLength(MAX_LIST)));
const nameList = v.optional(v.pipe(v.array(v.string()), v.maxLength(MAX_LIST)));
const emailList = v.optional(
  v.pipe(v.array(v.pipe(v.string(), v.maxLength(256), v.transform(normalizeEmail))), v.maxLength(MAX_LIST)),
);

/** `limit` and `cursor` of a collect operation. */
export const paging = {
  limit: v.optional(v.pipe(
    v.number(),
    v.integer(),
    v.minValue(1),
    v.maxValue(1000),
    v.description("Answer at most so many, with `nextCursor`; absent: everything"),
  )),
  cursor: v.optional(v.pipe(
    v.string(),
    v.regex(/^[0-9]{1,15}$/),
    v.description("`nextCursor` of the answer before"),
  )),
};

export const RoleQuerySchema = v.strictObject({
  filter: v.optional(v.strictObject({ id: idList, name: nameList, ancestorRoleId: idList })),
  userRights: v.optional(v.strictObject(someBooleans)),
  ...paging,
});

export const RoleCollectSchema = v.strictObject({
  id: idList,
  name: nameList,
  ancestorRoleId: idList,
  "userRights.roleManagement": v.optional(v.boolean()),
  "userRights.userManagement": v.optional(v.boolean()),
  "userRights.viewManagement": v.optional(v.boolean()),
  "userRights.deviceManagement": v.optional(v.boolean()),
  "userRights.reportManagement": v.optional(v.boolean()),
  "userRights.alarmManagement": v.optional(v.boolean()),
  ...paging,
});

export const ManagesQuerySchema = v.strictObject({
  filter: v.optional(v.strictObject({ id: idList, parentRoleId: idList, childRoleId: idList })),
  ...paging,
});
export const ManagesCollectSchema = v.strictObject({ id: idList, childRoleId: idList, ...paging });
export const ManagedByQuerySchema = v.strictObject(paging);

/** The query string of a collect operation whose filters are in its body: paging may be given in either. */
export const PagingQuerySchema = v.strictObject(paging);

export const MemberQuerySchema = v.strictObject({
  filter: v.optional(v.strictObject({ id: idList, userEmail: emailList })),
  ...paging,
});
export const MemberCollectSchema = v.strictObject({ id: idList, userEmail: emailList, ...paging });

// ---- changes

export const CreateRoleQuerySchema = v.strictObject({ parentRoleId: IdSchema });
export const CreateRoleSchema = v.strictObject({
  manages: v.strictObject({ ...sixBooleans, id: echoed, parentRoleId: echoed, childRoleId: echoed }),
  role: v.strictObject({ name: RoleNameSchema, selfRights: RightsSchema, id: echoed, userRights: echoed }),
});

export const UpdateRoleSchema = v.strictObject({
  name: RoleNameSchema,
  selfRights: RightsSchema,
  id: echoed,
  userRights: echoed,
});

export const RolePasswordSchema = v.strictObject({
  password: v.nullable(v.pipe(
    v.string(),
    v.maxLength(MAX_UNNORMALIZED_LENGTH),
    v.check(isRolePassword, "12 to 128 characters"),
    v.description("12 to 128 characters; null removes it"),
  )),
  rights: v.optional(RightsSchema),
});

export const NullSchema = v.null();

export const PutManagesQuerySchema = v.strictObject({
  childRoleId: IdSchema,
  childRolePassword: v.optional(v.pipe(
    v.string(),
    v.description(
      "Password of the child role. Prefer the header `X-Child-Role-Password`: URLs end up in logs",
    ),
  )),
});
export const ManagesBodySchema = v.strictObject({
  ...sixBooleans,
  id: echoed,
  parentRoleId: echoed,
  childRoleId: echoed,
});

export const DeleteManagesQuerySchema = v.strictObject({
  dryRun: v.optional(v.pipe(v.boolean(), v.description("Answer the same, change nothing"))),
});

export const EmptyBodySchema = v.strictObject({});

/** `origin` and `language` of operations that send mail. */
export const AddMemberQuerySchema = v.strictObject({
  userEmail: v.pipe(
    v.string(),
    v.maxLength(256),
    v.transform(normalizeEmail),
    v.check(isEmail, "an email address"),
    v.description("Address of the person"),
  ),
  origin: v.optional(
    v.pipe(v.string(), v.maxLength(256), v.description("Name of a configured sender brand")),
  ),
  language: v.optional(v.pipe(
    v.string(),
    v.regex(/^[a-zA-Z]{2}$/),
    v.description("Language of the mail: en, nl, fr or de"),
  )),
});

// ---- checks

export const RightsCheckSchema = v.strictObject({
  checks: v.pipe(
    v.array(v.strictObject({ roleId: IdSchema, right: v.picklist(RIGHT_NAMES) })),
    v.minLength(1),
    v.maxLength(MAX_LIST),
  ),
});
export const RightsCheckAnswerSchema = v.object({ allowed: v.array(v.boolean()) });
