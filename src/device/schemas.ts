import * as v from "valibot";
import { WRITE_AS_TEXT } from "../core/json_numbers.ts";
import { canonicalText } from "../core/text.ts";
import { CONTROL_CHARACTERS, named, OPEN, openObject } from "../http/common_schemas.ts";
import {
  echoed,
  idFilter,
  idOf,
  IdSchema,
  MAX_LIST,
  nextCursor,
  paging,
  TimeSchema,
} from "../http/list_schemas.ts";
import { dryRun, effect } from "../changes/preview/schemas.ts";
import { createdId, givenExternalId, idText, shownExternalId, STAYS, textFilter } from "../role/schemas.ts";
import { findInfinity, isStorable, MAX_PROPERTIES_BYTES, MAX_PROPERTIES_DEPTH } from "./properties.ts";

/** Schemas of requests and responses about devices. */

const MAX_NODE_ID_LENGTH = 128;

const NodeIdSchema = v.pipe(
  idText(MAX_NODE_ID_LENGTH),
  v.description(
    "The identifier under which the device writes telemetry: unique, fixed once set, 1 to 128 characters, no control " +
      "characters. It is stored without the blanks at its ends and in NFC",
  ),
);

const STORABLE =
  `an object of at most ${MAX_PROPERTIES_BYTES} bytes and ${MAX_PROPERTIES_DEPTH} levels of nesting`;
const PROPERTIES =
  `\`nodeId\` and any other JSON values, returned as they were sent; at most ${MAX_PROPERTIES_BYTES} bytes of ` +
  `UTF-8 and ${MAX_PROPERTIES_DEPTH} levels of nesting`;

/** Names the first number that is infinite. */
function withoutInfinity<T extends object>() {
  return v.rawCheck<T>(({ dataset, addIssue }) => {
    const path = dataset.typed ? findInfinity(dataset.value) : undefined;
    const [first, ...further] = path?.map(([input, key]): v.IssuePathItem => ({
      type: "object",
      origin: "value",
      input: { ...input },
      key,
      value: Reflect.get(input, key),
    })) ?? [];
    if (first === undefined) return;
    addIssue({ message: `a number in the range of a double: ${WRITE_AS_TEXT}`, path: [first, ...further] });
  });
}

export const NewPropertiesSchema = v.pipe(
  openObject({ nodeId: NodeIdSchema }),
  v.metadata(OPEN),
  v.check((properties) => isStorable(properties), STORABLE),
  withoutInfinity(),
  v.description(PROPERTIES),
);

const ChangedPropertiesSchema = v.pipe(
  openObject({ nodeId: v.optional(NodeIdSchema) }),
  v.metadata(OPEN),
  v.check((properties) => isStorable(properties), STORABLE),
  withoutInfinity(),
  v.description(`${PROPERTIES}. \`nodeId\` may be left out`),
);

const deviceFields = {
  id: IdSchema,
  externalId: shownExternalId("device"),
  properties: v.pipe(v.looseObject({ nodeId: v.string() }), v.metadata(OPEN)),
  lastUpdate: v.pipe(
    v.string(),
    v.isoTimestamp(),
    v.description(
      "Time of the last change of the properties or the external id, with milliseconds; later with each change",
    ),
  ),
  userRights: named("DeviceRights", {
    propertyEditabilities: v.object({}),
    monitorManagement: v.pipe(v.boolean(), v.description("Whether the caller may update the device")),
  }),
};

const DeviceSchema = v.pipe(v.object(deviceFields), v.metadata({ ref: "Device" }));

function periodBound(description: string) {
  return v.optional(v.pipe(v.string(), v.isoTimestamp(), v.description(description)));
}

const period = {
  from: periodBound("The beginning of the period in which the role monitors the device. Absent: no bound"),
  until: periodBound("Its end, which is not part of it. Absent: no bound"),
};

const ListedDeviceSchema = v.pipe(
  v.object({
    ...deviceFields,
    properties: v.optional(v.pipe(v.looseObject({ nodeId: v.optional(v.string()) }), v.metadata(OPEN))),
    lastUpdate: v.optional(deviceFields.lastUpdate),
    userRights: v.optional(deviceFields.userRights),
    periods: v.optional(v.pipe(
      v.array(v.object(period)),
      v.description("Only with the filter `ended`: when the caller may read its telemetry, in order of time"),
    )),
  }),
  v.description(
    "A device in a list. It is complete unless the request has `fields`, or the filter `ended`: then it has only its id, " +
      "`userRights`, `periods`, and of its properties the nodeId and, if all had up to 2 kB, `nodeInfluxSeries` as it was when " +
      "the last period ended.",
  ),
  v.metadata({ ref: "ListedDevice" }),
);

const monitorsFields = { id: IdSchema, roleId: IdSchema, deviceId: IdSchema, ...period };

const ListedMonitorsSchema = v.pipe(
  v.object({
    ...monitorsFields,
    nodeId: v.optional(v.pipe(v.string(), v.description("That of the device, if the relation has a period"))),
  }),
  v.description("A monitors relation: links a role to a device that it monitors."),
  v.metadata({ ref: "Monitors" }),
);

export const DeviceListSchema = named("DeviceList", { device: v.array(ListedDeviceSchema), nextCursor });
export const MonitorsListSchema = named("MonitorsList", {
  monitors: v.array(ListedMonitorsSchema),
  nextCursor,
});
export const DeviceResponseSchema = named("DeviceResponse", { device: DeviceSchema });
export const CreatedDeviceSchema = named("CreatedDevice", {
  device: v.object({ ...deviceFields, id: createdId }),
  monitors: v.object({ ...monitorsFields, id: createdId, deviceId: createdId }),
  effect,
});
/** One for each device of a list, in its order. */
export const CreatedDevicesSchema = v.union([CreatedDeviceSchema, v.array(CreatedDeviceSchema)]);
const changedMonitors = { monitors: v.object({ ...monitorsFields, id: createdId }), effect };
export const MonitorsResponseSchema = named("MonitorsResponse", changedMonitors);
export const TransferSchema = named("Transfer", {
  ...changedMonitors,
  endedRelationIds: v.pipe(v.array(IdSchema), v.description("The relations that end with the transfer")),
  deletedRelationIds: v.pipe(v.array(IdSchema), v.description("Deleted relations, which were to come")),
});

export const TransfersSchema = named("Transfers", {
  monitors: v.pipe(
    v.array(changedMonitors.monitors),
    v.description("The relation of each device, in the order of the request"),
  ),
  endedRelationIds: v.pipe(v.array(IdSchema), v.description("The relations that end with the transfer")),
  deletedRelationIds: v.pipe(v.array(IdSchema), v.description("Deleted relations, which were to come")),
  effect,
});

/** Maximum number of devices of a transfer. */
export const MAX_TRANSFERRED = 100;

const DIFFERENT = "different ids";
export const TransferManySchema = v.strictObject({
  deviceId: v.pipe(
    v.array(IdSchema),
    v.minLength(1),
    v.maxLength(MAX_TRANSFERRED),
    v.check((ids) => new Set(ids).size === ids.length, DIFFERENT),
    v.metadata({ uniqueItems: true }),
    v.description(`1 to ${MAX_TRANSFERRED} devices`),
  ),
});

export const DevicePathSchema = v.strictObject({ deviceId: idOf("device") });
export const MonitorsPathSchema = v.strictObject({
  roleId: idOf("role"),
  monitorsId: idOf("monitors relation"),
});

/** Each is a probe for each role that monitors a device on the page. */
const MAX_ANCESTORS = 32;
const MAX_FILTERED_PROPERTIES = 5;
const MAX_PROPERTY_TEXTS = 100;

const filters = {
  id: idFilter("Only devices with one of these ids"),
  nodeId: textFilter("Only devices whose nodeId is one of these"),
  externalId: textFilter("Only devices with one of these external ids that the caller may update"),
  roleId: idFilter("Only devices that one of these roles monitors"),
  ancestorRoleId: v.optional(v.pipe(
    v.array(IdSchema),
    v.maxLength(MAX_ANCESTORS),
    v.description(
      `Only devices that one of these roles, or a role below one of them, monitors; at most ${MAX_ANCESTORS} roles`,
    ),
  )),
  ended: v.optional(v.pipe(
    v.boolean(),
    v.description(
      "Instead of the devices that the caller sees now, those that they no longer see, and whose telemetry they may read " +
        "for the time in which one of their roles monitored them. Not together with `externalId`, `property`, `fields` or " +
        "`skipHash`, which are about what a device is now",
    ),
  )),
};

const NO_PROPERTY_NAME = `1 to ${MAX_NODE_ID_LENGTH} characters without control characters, " and \\`;
const PropertyNameSchema = v.pipe(
  v.string(),
  v.maxCodePoints(MAX_NODE_ID_LENGTH, NO_PROPERTY_NAME),
  v.regex(new RegExp(`^[^${CONTROL_CHARACTERS}\\x22\\x5c]+$`), NO_PROPERTY_NAME),
);

/** A filter of the body alone. */
const propertyFilter = v.optional(v.pipe(
  v.record(PropertyNameSchema, v.pipe(v.array(v.string()), v.maxLength(MAX_PROPERTY_TEXTS))),
  v.maxEntries(MAX_FILTERED_PROPERTIES, `at most ${MAX_FILTERED_PROPERTIES} properties`),
  v.description(
    "Only devices whose top-level properties with these names are each one of these texts. No number matches, nor a " +
      `text in another case. At most ${MAX_FILTERED_PROPERTIES} properties with ${MAX_PROPERTY_TEXTS} texts each; the names ` +
      'have no `"` and no `\\`. The filter goes through all devices that the others leave: with `limit`, a page may be ' +
      "short or empty although others follow",
  ),
));

/** Filters of other services with this interface, which clients may send. */
const ignoredFilters = {
  nodeType: v.optional(v.pipe(
    v.array(v.string()),
    v.maxLength(MAX_LIST),
    v.description(
      "Ignored: devices of all types are returned. To this service `nodeType` is a property like any other",
    ),
  )),
  isActive: v.optional(v.pipe(
    v.boolean(),
    v.description("Ignored: all devices are returned. This service does not know which of them are active"),
  )),
};

const listing = {
  fields: v.optional(v.pipe(
    v.array(v.string()),
    v.maxLength(MAX_LIST),
    v.description(
      "What to return of each device besides `id`: `externalId`, `lastUpdate`, `properties`, `userRights`, or names of " +
        "single properties. If only properties are named, the other three are returned, too. An empty list returns " +
        "everything",
    ),
  )),
  skipHash: v.optional(v.pipe(
    v.string(),
    v.description(
      "The response is a 204 without a body if this is the hash of all matching devices: sort them by `id`, " +
        "concatenate their `lastUpdate`, and encode the SHA-256 of that text in base64. It does not cover " +
        "`userRights`. Not together with `limit` or `cursor`",
    ),
  )),
  ...paging,
};
export const DeviceCollectSchema = v.strictObject({ ...filters, ...ignoredFilters, ...listing });
export const DeviceQuerySchema = v.strictObject({
  filter: v.optional(v.strictObject({ ...filters, property: propertyFilter, ...ignoredFilters })),
  ...listing,
});

const monitorsFilters = {
  id: idFilter("Only relations with one of these ids"),
  deviceId: idFilter("Only relations to one of these devices"),
};
export const MonitorsCollectSchema = v.strictObject({ ...monitorsFilters, ...paging });
export const MonitorsQuerySchema = v.strictObject({
  filter: v.optional(v.strictObject(monitorsFilters)),
  ...paging,
});

/** Other services with this interface call `replace` `strict`. */
const modes = ["legacy", "replace", "strict"] as const;
export const UpdateDeviceQuerySchema = v.strictObject({
  mode: v.optional(v.pipe(
    v.picklist(modes),
    v.description(
      "`legacy`, the default, keeps the top-level properties that the request does not mention. `replace`, or " +
        "`strict`, removes them",
    ),
  )),
});

const OTHER_NODE_ID = "a nodeId that no device before it in the list has";

function pathOfNodeId<T extends { readonly properties: { readonly nodeId: string } }>(
  list: readonly T[],
  key: number,
  value: T,
): [v.IssuePathItem, ...v.IssuePathItem[]] {
  const { properties } = value;
  return [
    { type: "array", origin: "value", input: list, key, value },
    { type: "object", origin: "value", input: { properties }, key: "properties", value: properties },
    {
      type: "object",
      origin: "value",
      input: { ...properties },
      key: "nodeId",
      value: properties.nodeId,
    },
  ];
}

const OTHER_EXTERNAL_ID = "an externalId that no device before it in the list has";

function pathOfExternalId<T extends { readonly externalId?: string | null | undefined }>(
  list: readonly T[],
  key: number,
  value: T,
): [v.IssuePathItem, ...v.IssuePathItem[]] {
  const { externalId } = value;
  return [
    { type: "array", origin: "value", input: list, key, value },
    { type: "object", origin: "value", input: { externalId }, key: "externalId", value: externalId },
  ];
}

const echoedFields = { id: echoed, lastUpdate: echoed, userRights: echoed };
export const CreateDeviceQuerySchema = v.strictObject({ roleId: idOf("role"), dryRun });
export const TransferQuerySchema = v.strictObject({ toRoleId: idOf("role"), dryRun });
export const CreateDeviceSchema = v.pipe(
  v.strictObject({
    properties: NewPropertiesSchema,
    externalId: givenExternalId("device"),
    ...echoedFields,
  }),
  v.metadata({ ref: "NewDevice" }),
);
export const CreateDevicesSchema = v.pipe(
  v.array(CreateDeviceSchema),
  v.minLength(1),
  v.maxLength(MAX_LIST),
  v.rawCheck(({ dataset, config, addIssue }) => {
    if (!dataset.typed) return;
    const known = new Set<string>();
    const knownExternal = new Set<string>();
    for (const [index, each] of dataset.value.entries()) {
      const { externalId, properties: { nodeId } } = each;
      const name = canonicalText(nodeId);
      if (known.has(name)) {
        addIssue({ message: OTHER_NODE_ID, path: pathOfNodeId(dataset.value, index, each) });
      }
      if (typeof externalId === "string") {
        const id = canonicalText(externalId);
        if (knownExternal.has(id)) {
          addIssue({ message: OTHER_EXTERNAL_ID, path: pathOfExternalId(dataset.value, index, each) });
        }
        knownExternal.add(id);
      }
      if (config.abortEarly) return;
      known.add(name);
    }
  }),
  v.description("Up to 1,000 devices with different nodeIds and external ids: all are created, or none"),
);
export const UpdateDeviceSchema = v.strictObject({
  properties: ChangedPropertiesSchema,
  externalId: givenExternalId("device", STAYS),
  ...echoedFields,
});
const KEPT_BOUND =
  "Without it, that of an existing relation stays as it is, and a new one takes that of the relation by which it is given";
export const PutMonitorsSchema = v.strictObject({
  from: v.optional(v.pipe(
    v.nullable(TimeSchema),
    v.description(`The beginning of the period; null: no bound. ${KEPT_BOUND}`),
  )),
  until: v.optional(v.pipe(
    v.nullable(TimeSchema),
    v.description(`The end of the period, which is not part of it; null: no bound. ${KEPT_BOUND}`),
  )),
});
export const PutMonitorsQuerySchema = v.strictObject({ deviceId: idOf("device"), dryRun });
