import * as v from "valibot";
import { echoed, idList, IdSchema, MAX_LIST, paging } from "../role/schemas.ts";
import { asGiven, isStorable, MAX_PROPERTIES_BYTES, MAX_PROPERTIES_DEPTH } from "./properties.ts";

/** The wire: what requests about devices and their answers look like. */

const NodeIdSchema = v.pipe(
  v.string(),
  v.regex(/^[^\p{Cc}]{1,128}$/u),
  v.check((nodeId) => nodeId.isWellFormed(), "well-formed Unicode"),
  v.description(
    "The device's name for itself, unique and unchangeable. 1 to 128 characters, no control characters",
  ),
);

const STORABLE = `an object of at most ${MAX_PROPERTIES_BYTES} bytes and depth ${MAX_PROPERTIES_DEPTH}`;
const PROPERTIES =
  `\`nodeId\` and any further JSON, answered as it was given; at most ${MAX_PROPERTIES_BYTES} bytes as ` +
  `UTF-8, nested at most ${MAX_PROPERTIES_DEPTH} deep`;

const NewPropertiesSchema = v.pipe(
  asGiven(v.looseObject({ nodeId: NodeIdSchema })),
  v.check((properties) => isStorable(properties), STORABLE),
  v.description(PROPERTIES),
);

const ChangedPropertiesSchema = v.pipe(
  asGiven(v.looseObject({ nodeId: v.optional(NodeIdSchema) })),
  v.check((properties) => isStorable(properties), STORABLE),
  v.description(`${PROPERTIES}. \`nodeId\` may be left out`),
);

const DeviceSchema = v.pipe(
  v.object({
    id: IdSchema,
    properties: v.looseObject({ nodeId: v.string() }),
    lastUpdate: v.pipe(v.string(), v.isoTimestamp(), v.description("Last change of the properties")),
    userRights: v.object({
      propertyEditabilities: v.object({}),
      monitorManagement: v.pipe(v.boolean(), v.description("The caller may update the device")),
    }),
  }),
  v.metadata({ ref: "Device" }),
);

const MonitorsSchema = v.pipe(
  v.object({ id: IdSchema, roleId: IdSchema, deviceId: IdSchema }),
  v.description("A relation between a role and a device that it monitors."),
  v.metadata({ ref: "Monitors" }),
);

const nextCursor = v.optional(v.nullable(v.string()));
export const DeviceListSchema = v.object({ device: v.array(DeviceSchema), nextCursor });
export const MonitorsListSchema = v.object({ monitors: v.array(MonitorsSchema), nextCursor });
export const DeviceAnswerSchema = v.object({ device: DeviceSchema });
export const CreatedDeviceSchema = v.object({ device: DeviceSchema, monitors: MonitorsSchema });
export const MonitorsAnswerSchema = v.object({ monitors: MonitorsSchema });

export const DevicePathSchema = v.strictObject({ deviceId: IdSchema });
export const MonitorsPathSchema = v.strictObject({ roleId: IdSchema, monitorsId: IdSchema });

const filters = {
  id: idList,
  nodeId: v.optional(v.pipe(v.array(v.string()), v.maxLength(MAX_LIST))),
  roleId: idList,
};
export const DeviceCollectSchema = v.strictObject({ ...filters, ...paging });
export const DeviceQuerySchema = v.strictObject({ filter: v.optional(v.strictObject(filters)), ...paging });

const monitorsFilters = { id: idList, deviceId: idList };
export const MonitorsCollectSchema = v.strictObject({ ...monitorsFilters, ...paging });
export const MonitorsQuerySchema = v.strictObject({
  filter: v.optional(v.strictObject(monitorsFilters)),
  ...paging,
});

const echoedFields = { id: echoed, lastUpdate: echoed, userRights: echoed };
export const CreateDeviceQuerySchema = v.strictObject({ roleId: IdSchema });
export const CreateDeviceSchema = v.strictObject({ properties: NewPropertiesSchema, ...echoedFields });
export const UpdateDeviceSchema = v.strictObject({ properties: ChangedPropertiesSchema, ...echoedFields });
export const PutMonitorsQuerySchema = v.strictObject({ deviceId: IdSchema });
