import { createRouter } from "../http/env.ts";
import { operation } from "../http/openapi/openapi.ts";
import { validParam, validQuery } from "../http/validation.ts";
import type { GraphGuards } from "../identity/graph_guards.ts";
import type { RoleDeps } from "../role/deps.ts";
import { PREVIEWING, readMode, validIfEffect } from "../changes/preview/preview_middleware.ts";
import { DryRunQuerySchema } from "../role/schemas.ts";
import { UNDO_EXAMPLES } from "./examples.ts";
import { UndoneSchema, UndoPathSchema } from "./schemas.ts";
import { undoChange } from "./undo_service.ts";

export function createUndoRoutes(deps: RoleDeps, guards: GraphGuards) {
  return createRouter().post(
    "/v1/change/:revision/undo",
    operation({
      operationId: "undoChange",
      tag: "Changes",
      summary: "Undo a change",
      description:
        "Makes the inverse of a change that the caller reads in the log, by the rules of that inverse change as of " +
        "now. The new change names the other as `undoes`. Changes of roles, relations and memberships can be undone, " +
        "and those of which roles monitor a device; those of keys and of role passwords cannot (`CANNOT_UNDO`), and " +
        "keys undo nothing. A relation or role that was made is deleted only if nothing else goes with it.\n\n" +
        "If the same thing has changed since, the response is a 409 `CHANGED_SINCE`, with the `revision` of the later " +
        "change if the caller reads it. A deletion that took roles is restored, which takes direct or indirect " +
        "roleManagement on the parent of the deleted relation: the roles with what lay among them, and of relations and " +
        "memberships what the caller could make now. A monitors relation of a device that lived on returns up to the " +
        "deletion, and from now to its end if the caller could make it now by a role that has monitored the device since " +
        "before the deletion; `shortened` says which do not return whole, and why. A device that was deleted alone takes direct or indirect " +
        "deviceManagement, or indirect roleManagement, on the role that it was detached from. Memberships return without a mail, but not those that have ended since, or " +
        "whose user has lost a membership of the role or a role above it.\n\n" +
        "A transfer is transferred back: what it made ends now and keeps its past, and each relation that it ended gets " +
        "a new period from now on. This takes deviceManagement on each of these roles, and the right to delete each " +
        "relation that is open or to come. A device that was detached and still exists is attached again, by the rules " +
        "of attaching it now; if no relation was open or to come without that one, and none was since, who may detach " +
        "it may attach it again. A period that was changed is put back, unless it has ended or began later than before " +
        "(`CANNOT_UNDO`).\n\n" + PREVIEWING,
      security: "accessBearerAuth",
      data: "graph",
      success: UndoneSchema,
      errors: [
        "FORBIDDEN",
        "CANNOT_UNDO",
        "CHANGED_SINCE",
        "WOULD_CREATE_CYCLE",
        "ROLE_WITHOUT_MANAGER",
        "ROOT_WITHOUT_MEMBER",
        "ROOT_WITHOUT_MANAGER",
        "EXTERNAL_ID_TAKEN",
        "CANNOT_END_MONITORS",
        "TOO_MANY_MONITORS",
        "OUTSIDE_PERIOD",
        "CLOSURE_CHANGE_TOO_LARGE",
        "EFFECT_CHANGED",
      ],
      example: UNDO_EXAMPLES.undoChange,
    }),
    guards.caller,
    validIfEffect(),
    validParam(UndoPathSchema),
    validQuery(DryRunQuerySchema),
    async (c) => {
      const mode = readMode({ ...c.req.valid("query"), ...c.req.valid("header") });
      return c.json(await undoChange(deps, c.get("actor"), c.req.valid("param").revision, mode));
    },
  );
}
