import * as v from "valibot";
import { forEachRight, RIGHT_NAMES } from "../../graph/rights.ts";

/** A count or an id. */
const CountSchema = v.pipe(
  v.number(),
  v.integer(),
  v.minValue(0),
  v.maxValue(Number.MAX_SAFE_INTEGER),
);

const DifferenceSchema = v.pipe(
  v.object({ gained: CountSchema, lost: CountSchema }),
  v.metadata({ ref: "Difference" }),
);

/** Numbers of people that may be too high: others may keep the same rights otherwise. */
const AtMostSchema = v.pipe(
  v.object({ gained: CountSchema, lost: CountSchema }),
  v.description(
    "Up to how many users and keys gain or lose a right by a membership of such an acting role. Those in `keeps` are not " +
      "among them; others may have the right by other memberships, too",
  ),
);

const RightNamesSchema = v.array(v.picklist(RIGHT_NAMES));

const PersonSchema = v.pipe(
  v.object({
    userEmail: v.optional(v.pipe(v.string(), v.description("Of a person"))),
    key: v.optional(v.pipe(
      v.object({ id: v.nullable(CountSchema), name: v.string() }),
      v.description("Of a key; its id is null if it is not made yet"),
    )),
    on: v.array(v.object({
      roleIds: v.array(CountSchema),
      gained: RightNamesSchema,
      lost: RightNamesSchema,
      kept: v.pipe(
        RightNamesSchema,
        v.description("Rights that a role of theirs gains or loses, and that they have before and after"),
      ),
      through: v.pipe(
        v.array(CountSchema),
        v.description("The first 10 roles of theirs by which they keep these, of those that the caller sees"),
      ),
      hidden: v.pipe(
        v.boolean(),
        v.description("They keep some of these only through roles that the caller does not see"),
      ),
    })),
    others: v.pipe(
      CountSchema,
      v.description("On how many further roles they may gain or lose, but what they keep there is not told"),
    ),
  }),
  v.description(
    "A person or key, and exactly what they gain and lose on roles whose lists of access the caller reads.",
  ),
  v.metadata({ ref: "AffectedPerson" }),
);

/** What a change would do. */
export const EffectSchema = v.pipe(
  v.object({
    tag: v.pipe(v.string(), v.description("Send it as `If-Effect` to make the change only with this effect")),
    revision: v.pipe(CountSchema, v.description("The revision at which the change would have this effect")),
    rights: v.pipe(
      v.object(forEachRight(() => DifferenceSchema)),
      v.description("For each right, the pairs of an acting role and a role that gain or lose it"),
    ),
    people: AtMostSchema,
    named: v.pipe(
      v.array(PersonSchema),
      v.description("The first people and keys that gain or lose; 20 together with `keeps`"),
    ),
    keeps: v.pipe(
      v.array(PersonSchema),
      v.description("Those for whom nothing changes, since they have the same rights by other memberships"),
    ),
    unmanaged: v.pipe(
      v.array(CountSchema),
      v.description(
        "The roles that would be left without a person who has roleManagement on them; up to 1000",
      ),
    ),
    hiddenUnmanaged: v.pipe(CountSchema, v.description("How many such roles the caller does not see")),
    reading: v.pipe(
      v.object({
        roles: v.pipe(
          DifferenceSchema,
          v.description("How many acting roles gain, and lose, devices to read"),
        ),
        people: v.pipe(
          DifferenceSchema,
          v.description(
            "Up to how many users and keys gain and lose by these roles; others of them may read the same by other memberships",
          ),
        ),
        changes: v.pipe(
          v.array(v.object({ actingRoleId: CountSchema, gained: CountSchema, lost: CountSchema })),
          v.description(
            "Of the acting roles that the caller sees, in order, up to how many devices they gain and lose by roles that the " +
              "caller sees; up to 1000",
          ),
        ),
        hidden: v.pipe(CountSchema, v.description("How many of these acting roles are not in `changes`")),
      }),
      v.description(
        "Who gains and loses the reading of devices, or of a part of their time: by acting role. It takes no right, only a " +
          "membership of the monitoring role or of one above it",
      ),
      v.metadata({ ref: "ReadingEffect" }),
    ),
    deletes: v.pipe(
      v.object({ roles: CountSchema, devices: CountSchema }),
      v.description("How many roles and devices it would delete"),
    ),
    changes: v.pipe(
      v.array(v.object({
        actingRoleId: CountSchema,
        roleId: CountSchema,
        gained: RightNamesSchema,
        lost: RightNamesSchema,
      })),
      v.description(
        "The pairs of roles, in order; up to 1000, and only those of which the caller sees both roles",
      ),
    ),
    hidden: v.pipe(CountSchema, v.description("How many pairs the caller does not see")),
    truncated: v.pipe(v.boolean(), v.description("Whether a list or a count stopped at its limit")),
  }),
  v.description("What a change would do; only in the response of a dry run."),
  v.metadata({ ref: "Effect" }),
);

/** The effect in the response of an operation that can be previewed. */
export const effect = v.optional(EffectSchema);

/** The parameter `dryRun` of such an operation. */
export const dryRun = v.optional(v.pipe(
  v.boolean(),
  v.description(
    "Return what the change would do as `effect`, and change nothing. Ids that it would draw are null",
  ),
));
