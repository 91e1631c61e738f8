import { createRouter } from "../../http/env.ts";
import { operation } from "../../http/openapi/openapi.ts";
import { validJson, validParam, validQuery } from "../../http/validation.ts";
import type { GraphGuards } from "../../identity/graph_guards.ts";
import type { RoleDeps } from "../deps.ts";
import { MEMBER_EXAMPLES } from "../examples.ts";
import { endMemberSessions } from "./end_sessions_service.ts";
import { inviteAgain } from "./invite_again_service.ts";
import { putMember, removeMember } from "./member_service.ts";
import { PREVIEWING, readMode, validIfEffect } from "../../changes/preview/preview_middleware.ts";
import { MailQuerySchema } from "../../http/mail_query.ts";
import {
  AddMemberQuerySchema,
  DryRunQuerySchema,
  EndedSessionsSchema,
  InvitedAgainSchema,
  MemberPathSchema,
  MemberResponseSchema,
  PutMemberSchema,
  RemovedMemberSchema,
  RolePathSchema,
} from "../schemas.ts";

const tag = "Members";
const security = "accessBearerAuth";

export function createMemberRoutes(deps: RoleDeps, guards: GraphGuards) {
  return createRouter()
    .put(
      "/v1/role/:roleId/member",
      operation({
        operationId: "addMember",
        tag,
        summary: "Add or change a member",
        description: "Makes the owner of an email address a member of the role. Needs direct or indirect " +
          "userManagement, or indirect roleManagement, on the role.\n\n" +
          "The membership can end by itself (`until`), and let its user use only some rights (`rights`). An existing " +
          "member's are changed. A caller gives no more rights, and for no longer, than the one membership " +
          "of theirs that authorizes it. A root role keeps a member with roleManagement whose membership does not end.\n\n" +
          "A new address gets an account and an invitation, a known one gets a notice; changing an existing " +
          "member sends no mail. The response is the same in all cases. A new account takes over `language`, or without " +
          "it the language of the caller's account.\n\n" +
          "A user can add up to 50 members a day, and an address gets at most one of these mails a day.\n\n" +
          "A key needs `provisions`, and its maker must be able to do the same at that moment, dormant memberships " +
          "included; otherwise it gets a 403. What it gives lies within its own rights and end and within those of " +
          "one membership of its maker, which are also the defaults. A new member gets a mail only with " +
          "`invite=true`, which counts to the maker's 50. The keys of one maker add up to `PROVISION_PER_DAY` members " +
          "a day (`TOO_MANY_ADDITIONS`).\n\n" +
          PREVIEWING +
          " A dry run for a new member counts as adding one, and not again if that follows within a day.",
        security,
        data: "graph",
        takes: "body",
        success: MemberResponseSchema,
        errors: [
          "FORBIDDEN",
          "ROOT_WITHOUT_MANAGER",
          "TOO_MANY_INVITATIONS",
          "TOO_MANY_ADDITIONS",
          "EFFECT_CHANGED",
        ],
        example: MEMBER_EXAMPLES.addMember,
      }),
      guards.caller,
      validIfEffect(),
      validParam(RolePathSchema),
      validQuery(AddMemberQuerySchema),
      validJson(PutMemberSchema, { bodyOptional: true }),
      async (c) => {
        const { until: endsAt, rights } = c.req.valid("json");
        const { dryRun, ...query } = c.req.valid("query");
        const mode = readMode({ dryRun, ...c.req.valid("header") });
        const input = { ...c.req.valid("param"), ...query, endsAt, rights };
        return c.json(await putMember(deps, c.get("actor"), input, mode));
      },
    )
    .delete(
      "/v1/role/:roleId/member/:memberId",
      operation({
        operationId: "removeMember",
        tag,
        summary: "Remove a member",
        description:
          "Ends the membership of a direct member. Needs direct or indirect userManagement, or indirect " +
          "roleManagement, on the role, and of a key its maker needs it, too; users may always remove themselves. " +
          "A root role keeps a " +
          "member with roleManagement whose membership does not end.\n\n" +
          "Keys that the member made stay. The response names them, in a preview, too; `POST /v1/access/end` can end " +
          "them with the membership, and what the member gave.\n\n" + PREVIEWING,
        security,
        data: "graph",
        success: RemovedMemberSchema,
        errors: ["FORBIDDEN", "ROOT_WITHOUT_MEMBER", "EFFECT_CHANGED"],
        example: MEMBER_EXAMPLES.removeMember,
      }),
      guards.caller,
      validIfEffect(),
      validParam(MemberPathSchema),
      validQuery(DryRunQuerySchema),
      async (c) => {
        const mode = readMode({ ...c.req.valid("query"), ...c.req.valid("header") });
        return c.json(await removeMember(deps, c.get("actor"), c.req.valid("param"), mode));
      },
    )
    .post(
      "/v1/role/:roleId/member/:memberId/invitation",
      operation({
        operationId: "inviteAgain",
        tag,
        summary: "Send an invitation again",
        description:
          "Mails the invitation of a member once more, while it waits because the member has never opened their account. " +
          "Needs direct or indirect userManagement, or indirect roleManagement, on the role.\n\n" +
          "The mail has a new link, valid for 7 days; the links of earlier invitations of the account end. A member who has " +
          "opened their account gets no mail, and the response says so. An account gets an invitation again at " +
          "most once a day for all managers together, and the mail counts to the caller's 50 invitations a day.",
        security,
        usersOnly: true,
        data: "graph",
        success: InvitedAgainSchema,
        errors: ["FORBIDDEN", "TOO_MANY_INVITATIONS"],
        example: MEMBER_EXAMPLES.inviteAgain,
      }),
      guards.caller,
      validParam(MemberPathSchema),
      validQuery(MailQuerySchema),
      async (c) => {
        const input = { ...c.req.valid("param"), ...c.req.valid("query") };
        return c.json(await inviteAgain(deps, c.get("actor"), input));
      },
    )
    .delete(
      "/v1/role/:roleId/member/:memberId/session",
      operation({
        operationId: "endMemberSessions",
        tag,
        summary: "End the sessions of a member",
        description:
          "Signs a member out everywhere, for example after a phone was lost, and ends sign-ins that wait for a second " +
          "factor. Needs direct or indirect userManagement, or indirect roleManagement, on the role, and on every other " +
          "role of which the person is a member or, as far as is on record, was; these are at most 20. Others " +
          "cannot sign out the last member who keeps a root role. The person can sign in again: their password, factors " +
          "and keys stay.\n\n" +
          "The change log has a `member.sign_out`, and the person's security log a `session.end_by_manager`.",
        security,
        usersOnly: true,
        data: "graph",
        success: EndedSessionsSchema,
        errors: ["FORBIDDEN", "ROOT_WITHOUT_MEMBER"],
        example: MEMBER_EXAMPLES.endMemberSessions,
      }),
      guards.caller,
      validParam(MemberPathSchema),
      async (c) => c.json(await endMemberSessions(deps, c.get("actor"), c.req.valid("param"))),
    );
}
