import { EXAMPLE_IDS, EXAMPLE_NAMES, EXAMPLE_SECRETS } from "../../src/http/openapi/example_values.ts";
import { PASSKEY_EXAMPLE_RESPONSES } from "../../src/accounts/factors/passkey/examples.ts";
import { ADMIN, ADMIN_PASSWORD, type Scene } from "./request_catalogue.ts";

/** The scene's value for each id, code, token and address in the documented examples that must exist. */
export function liveValues(scene: Scene): ReadonlyMap<unknown, string | number> {
  return new Map<unknown, string | number>([
    [EXAMPLE_IDS.user, scene.adminId],
    [EXAMPLE_IDS.rootRole, scene.rootId],
    [EXAMPLE_IDS.role, scene.childId],
    [EXAMPLE_IDS.childRole, scene.grandchildId],
    [EXAMPLE_IDS.relationToRole, scene.upperId],
    [EXAMPLE_IDS.relationToChildRole, scene.lowerId],
    [EXAMPLE_IDS.secondMember, scene.memberId],
    [EXAMPLE_IDS.undoneRevision, scene.joinedRevision],
    [EXAMPLE_IDS.key, scene.keyId],
    [EXAMPLE_IDS.device, scene.device.deviceId],
    [EXAMPLE_IDS.monitors, scene.device.monitorsId],
    [EXAMPLE_NAMES.nodeId, scene.device.nodeId],
    [EXAMPLE_NAMES.email, ADMIN],
    [EXAMPLE_NAMES.secondEmail, "second@example.com"],
    [EXAMPLE_NAMES.forgetfulEmail, scene.account.resetEmail],
    [EXAMPLE_NAMES.otherSessionId, scene.otherSessionId],
    [EXAMPLE_SECRETS.password, ADMIN_PASSWORD],
    [EXAMPLE_SECRETS.invitationToken, scene.linkToken],
    [EXAMPLE_SECRETS.undoToken, scene.account.undoToken],
    [EXAMPLE_SECRETS.resetCode, scene.account.resetCode],
    [EXAMPLE_SECRETS.transferCode, scene.account.transferCode],
    [EXAMPLE_SECRETS.emailCode, scene.factors.otp],
    [EXAMPLE_SECRETS.appCode, scene.factors.totp],
    [EXAMPLE_SECRETS.recoveryCode, scene.factors.recoveryCode],
    [EXAMPLE_SECRETS.factorToken, scene.factors.factorToken],
    [EXAMPLE_IDS.passkey, scene.factors.passkeyId],
    ...liveResponses(scene),
  ]);
}

/** The live texts of the responses of passkeys. */
function liveResponses({ factors }: Scene): [string, string][] {
  return (["create", "prove", "login"] as const).flatMap((what) => {
    const { id, response } = factors.responses[what] as { id: string; response: Record<string, string> };
    return Object.entries(PASSKEY_EXAMPLE_RESPONSES[what]).map(([name, text]): [string, string] => [
      text,
      name === "id" ? id : response[name] ?? "",
    ]);
  });
}

/** A copy of the example with values replaced by those of the map. */
export function enliven(example: unknown, live: ReadonlyMap<unknown, string | number>): unknown {
  if (Array.isArray(example)) return example.map((item) => enliven(item, live));
  if (typeof example === "object" && example !== null) {
    return Object.fromEntries(Object.entries(example).map(([key, value]) => [key, enliven(value, live)]));
  }
  return live.get(example) ?? example;
}
