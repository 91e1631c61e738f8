import type { ManagesDeps } from "../role/deps.ts";
import { DELETE_DEVICES } from "./cascade_queries.ts";
import { FORGET_WITH_RELATION } from "./trash_queries.ts";

/** The statements of devices in the batches that delete manages relations. */
export const WITH_DEVICES: Pick<ManagesDeps, "cascades" | "forgetting"> = {
  cascades: DELETE_DEVICES,
  forgetting: FORGET_WITH_RELATION,
};
