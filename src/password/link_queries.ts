import { defineStatement, probing, type Statement } from "../db/statement.ts";
import { READ_RESULT } from "../identity/security_queries.ts";
import { RESET_PASSWORD } from "./set_password_queries.ts";

/** SQL: the submitted link, if it is live. `:macs` is a JSON list: its token's HMAC under each key. */
const LIVE_LINK = `password_link CROSS JOIN user_account ON user_account.id = password_link.user_id
  WHERE password_link.mac IN (SELECT value FROM json_each(:macs))
    AND password_link.ended_at IS NULL AND password_link.expires_at > :now`;

/** The account of a live link. */
export const FIND_LINK: Statement = probing(
  defineStatement(`SELECT user_account.id, user_account.email FROM ${LIVE_LINK}`),
);

/**
 * Redeems a link: of several concurrent requests, only one finds it live. The link ends together with the
 * user's other pending codes and links. Returns a row if the link was live.
 */
export const REDEEM_LINK: readonly Statement[] = [
  defineStatement(`
    INSERT INTO security_event (op_id, at, event, result, actor_id, user_id, address)
    SELECT :opId, :now, 'password.' || password_link.purpose || '_link', 'ok', user_account.id, user_account.id, :address
    FROM ${LIVE_LINK} LIMIT 1`),
  ...RESET_PASSWORD,
  READ_RESULT,
];
