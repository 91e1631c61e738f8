import * as v from "valibot";
import { AddressSchema, named } from "../../http/common_schemas.ts";
import { DEMANDS } from "../../role/authentication_policy.ts";
import { PersonNameSchema, RightsSchema } from "../../role/schemas.ts";

const MAX_EVENTS = 1000;
const DEFAULT_EVENTS = 100;

const Time = v.pipe(v.string(), v.isoTimestamp());
const NullableTime = v.nullable(Time);
const NullableAddress = v.nullable(AddressSchema);
const NullableText = v.nullable(v.string());
const Id = v.pipe(v.number(), v.integer());

/** A read-only field that a request may send back: accepted and ignored. */
const echoed = v.optional(v.unknown());

export const AccountSchema = v.pipe(
  v.object({
    id: Id,
    email: AddressSchema,
    name: v.optional(v.pipe(
      v.string(),
      v.description("What the person calls themselves. Absent without one"),
    )),
    language: v.pipe(v.string(), v.description("Language of mails: en, nl, fr or de")),
    createdAt: Time,
    externalId: v.optional(v.pipe(
      v.string(),
      v.description("Its id in the system that it was imported from. Absent without one"),
    )),
  }),
  v.metadata({ ref: "Account" }),
);

const dormant = { roleId: Id, needs: v.picklist(DEMANDS) };

export const OwnAccountSchema = v.pipe(
  v.object({
    ...AccountSchema.entries,
    memberOf: v.pipe(
      v.array(v.object({
        roleId: Id,
        name: v.string(),
        rights: v.pipe(
          RightsSchema,
          v.description("The rights that the membership gives on the role itself"),
        ),
        until: v.optional(v.pipe(Time, v.description("When it ends by itself; absent if it does not"))),
      })),
      v.description("The first 100 roles of which the user is a direct member in this session, by id"),
    ),
    dormant: v.pipe(
      v.array(v.object(dormant)),
      v.description(
        "The first 100 memberships that count as absent in this session, since their roles demand more than it has " +
          "proved: step up",
      ),
    ),
    dormantFrom: v.pipe(
      v.array(v.object({ ...dormant, from: Time })),
      v.description("The first 100 memberships that will count as absent in a session like this"),
    ),
  }),
  v.metadata({ ref: "OwnAccount" }),
);

export const UpdateAccountSchema = v.strictObject({
  language: v.pipe(
    v.string(),
    v.regex(/^[a-zA-Z]{2}$/, "a language of two letters, such as en"),
    v.description("Language of mails: en, nl, fr or de; any other is stored as en"),
  ),
  name: v.optional(v.pipe(
    v.nullable(PersonNameSchema),
    v.description(
      "What those who manage all roles of the person see beside the address; null: nothing. Without it, the present one stays",
    ),
  )),
  id: echoed,
  email: echoed,
  createdAt: echoed,
  externalId: echoed,
  memberOf: echoed,
  dormant: echoed,
  dormantFrom: echoed,
});

const EventSchema = v.pipe(
  v.object({
    id: Id,
    at: Time,
    event: v.pipe(v.string(), v.description("What was attempted, such as `login`")),
    result: v.pipe(v.string(), v.description("`ok`, or the reason for the refusal")),
    attempts: v.pipe(
      Id,
      v.description("Attempts that the entry stands for: equal refusals within a minute share one entry"),
    ),
    sessionId: NullableText,
    address: v.pipe(NullableText, v.description("IP address of the client")),
  }),
  v.metadata({ ref: "SecurityEvent" }),
);

export const SecurityLogQuerySchema = v.strictObject({
  limit: v.optional(
    v.pipe(
      v.number(),
      v.integer(),
      v.minValue(1),
      v.maxValue(MAX_EVENTS),
      v.description("Maximum number of events, from 1 to 1000"),
    ),
    DEFAULT_EVENTS,
  ),
  cursor: v.optional(v.pipe(
    v.string(),
    v.regex(/^[0-9]{1,15}$/, "the nextCursor of a previous page"),
    v.description("`nextCursor` of the previous page"),
  )),
});

export const SecurityLogSchema = named("SecurityLog", {
  event: v.array(EventSchema),
  nextCursor: v.pipe(NullableText, v.description("The cursor of the next page, or null at the end")),
});

const pending = { createdAt: Time, expiresAt: Time, endedAt: NullableTime };

export const ExportSchema = named("AccountExport", {
  account: v.object({
    ...AccountSchema.entries,
    hasPassword: v.boolean(),
    passwordChangedAt: NullableTime,
    name: NullableText,
    externalId: NullableText,
  }),
  membership: v.array(v.object({
    id: Id,
    roleId: Id,
    roleName: v.string(),
    rights: v.pipe(RightsSchema, v.description("The most rights that the membership lets its user use")),
    until: NullableTime,
  })),
  key: v.pipe(
    v.array(v.object({ id: Id, roleId: Id, name: v.string(), createdAt: Time })),
    v.description("The keys that the user made"),
  ),
  session: v.array(v.object({
    id: v.string(),
    createdAt: Time,
    authenticatedAt: Time,
    lastTokenAt: Time,
    expiresAt: Time,
    client: v.string(),
    endedAt: NullableTime,
    endedReason: NullableText,
  })),
  pendingSignIn: v.array(v.object({
    authenticatedAt: Time,
    expiresAt: Time,
    client: v.string(),
    endedAt: NullableTime,
  })),
  knownAddress: v.array(v.object({ address: v.string(), lastSignInAt: Time })),
  secondFactor: v.array(v.object({
    kind: v.string(),
    email: NullableAddress,
    activatedAt: NullableTime,
    pendingEmail: NullableAddress,
    pendingUntil: NullableTime,
    lastMailAt: NullableTime,
    failures: v.pipe(v.number(), v.integer()),
  })),
  passkey: v.array(v.object({
    name: v.string(),
    createdAt: Time,
    lastUsedAt: NullableTime,
    transports: v.pipe(v.string(), v.description("JSON list of the ways to reach its authenticator")),
    counter: v.pipe(v.number(), v.integer()),
  })),
  recoveryCode: v.array(v.object({ position: Id, usedAt: NullableTime })),
  code: v.array(v.object({ purpose: v.string(), email: NullableAddress, ...pending })),
  passwordLink: v.array(v.object({ purpose: v.string(), ...pending })),
  undoLink: v.array(v.object({ email: AddressSchema, ...pending })),
  reservedEmail: v.array(v.object({ email: AddressSchema, reservedUntil: Time })),
  mail: v.array(v.object({
    template: v.string(),
    language: v.string(),
    recipient: NullableAddress,
    createdAt: Time,
    deliveredAt: NullableTime,
  })),
  event: v.array(EventSchema),
});
