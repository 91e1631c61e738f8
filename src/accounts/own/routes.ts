import type { TypedResponse } from "hono";
import { NullSchema } from "../../http/common_schemas.ts";
import { createRouter } from "../../http/env.ts";
import { operation } from "../../http/openapi/openapi.ts";
import { respondJson, respondParts } from "../../http/respond.ts";
import { generated } from "../../http/sender.ts";
import { validJson, validQuery } from "../../http/validation.ts";
import { SUDO_RULE } from "../../identity/descriptions.ts";
import { requireAccessToken, requireSudoToken } from "../../identity/guards.ts";
import { getAccount, leave, listEvents, updateAccount } from "./account_service.ts";
import type { AccountDeps } from "./deps.ts";
import { ACCOUNT_EXAMPLES } from "./examples.ts";
import { createExportTurns, exportAccount } from "./export_service.ts";
import {
  AccountSchema,
  ExportSchema,
  OwnAccountSchema,
  SecurityLogQuerySchema,
  SecurityLogSchema,
  UpdateAccountSchema,
} from "./schemas.ts";

const tag = "Account";
const security = "accessBearerAuth";

/** The type of the export for typed clients. */
type ExportResponse = Response & TypedResponse<Record<string, unknown>, 200, "json">;

export function createAccountRoutes(deps: AccountDeps) {
  const requireAccess = requireAccessToken(deps);
  const takeTurn = createExportTurns();

  return createRouter()
    .get(
      "/user",
      operation({
        operationId: "getAccount",
        tag,
        summary: "Get the account",
        description:
          "The email address and the name of the user, the language of mails to it, the roles of which the user is a direct " +
          "member, and the memberships that need more proof than this session has.",
        security,
        success: OwnAccountSchema,
        takes: "nothing",
        example: ACCOUNT_EXAMPLES.getAccount,
      }),
      requireAccess,
      async (c) => c.json(await getAccount(deps, c.var.actor)),
    )
    .put(
      "/user",
      operation({
        operationId: "updateAccount",
        tag,
        summary: "Update the account",
        description:
          "Sets the language of mails, and the name of the person. The other fields of an account may be sent along and are ignored.",
        security,
        takes: "body",
        success: AccountSchema,
        example: ACCOUNT_EXAMPLES.updateAccount,
      }),
      requireAccess,
      validJson(UpdateAccountSchema),
      async (c) => c.json(await updateAccount(deps, c.var.actor, c.req.valid("json"))),
    )
    .get(
      "/user/security-log",
      operation({
        operationId: "listSecurityEvents",
        tag,
        summary: "List security events",
        description:
          "Attempts to sign in to the account or to change its security settings, successful or not, " +
          "newest first. Returns 100 events unless `limit` says otherwise.",
        security,
        success: SecurityLogSchema,
        example: ACCOUNT_EXAMPLES.listSecurityEvents,
      }),
      requireAccess,
      validQuery(SecurityLogQuerySchema),
      (c) => respondJson(c, () => listEvents(deps, c.get("actor"), c.req.valid("query"))),
    )
    .get(
      "/user/export",
      operation({
        operationId: "exportAccount",
        tag,
        summary: "Export the account",
        description:
          "Everything that the service stores about the user, except password hashes and other secrets. " +
          "One export of a user is sent at a time.",
        security,
        success: ExportSchema,
        errors: ["TOO_MANY_EXPORTS"],
        takes: "nothing",
        example: ACCOUNT_EXAMPLES.exportAccount,
      }),
      requireAccess,
      async (c) => {
        const { actor } = c.var;
        const endTurn = takeTurn(actor.userId);
        const parts = generated(exportAccount(deps, actor));
        return await respondParts(c, "application/json", parts, endTurn) as ExportResponse;
      },
    )
    .delete(
      "/user",
      operation({
        operationId: "deleteAccount",
        tag,
        summary: "Delete the account",
        description:
          "Deletes the account with its sessions, memberships, second factors, codes and links. Log " +
          "entries keep the id of the user and lose the client addresses. A root role keeps a " +
          "member with roleManagement whose membership does not end, so the last one cannot leave. An account " +
          "cannot be deleted while a transfer of its address can still be undone (72 hours).\n\n" +
          SUDO_RULE,
        security: ["sudoBearerAuth", "accessBearerAuth"],
        success: NullSchema,
        errors: ["SUDO_TOKEN_REQUIRED", "ROOT_WITHOUT_MEMBER", "TRANSFER_TOO_SOON"],
        takes: "nothing",
        example: ACCOUNT_EXAMPLES.deleteAccount,
      }),
      requireSudoToken(deps),
      async (c) => {
        await leave(deps, c.var.sudoActor, c.var.clientAddress);
        return c.json(null);
      },
    );
}
