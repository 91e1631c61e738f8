import { factorLink, passkey, secondFactor, undoLink, userAccount } from "../../db/schema/identity.ts";
import {
  assigned,
  type Declared,
  define,
  inserted,
  int,
  placeholdersOf,
  quoted,
  row,
  rows,
  rowsOf,
  type SQL,
  sql,
  text,
  type Value,
} from "../../db/sql.ts";
import { probing, type Statement } from "../../db/statement.ts";
import { queueMail } from "../../mail/queued_mail_queries.ts";
import { FACTORS, type MainFactor } from "../factors.ts";
import { CHANGED_USER, READ_RESULT, recordEvent } from "../security_queries.ts";

/**
 * A factor meets demands of roles once its owner has confirmed it by a mailed link. Otherwise a stolen password would be
 * enough: its thief could enrol a factor of their own.
 */

const LINK = { linkMac: text, linkExpiresAt: int };
const { linkMac, linkExpiresAt } = placeholdersOf(LINK);
const { linkMailId, linkParams, now } = placeholdersOf({ linkMailId: text, linkParams: text, now: int });

/** A factor that was activated by this operation. */
export interface Enrolled {
  readonly kind: MainFactor;
  /** The id of a passkey; null for other factors. */
  readonly passkeyId: Value;
  /** The demand that the factor meets already. */
  readonly meets: Value;
  /** `FROM … WHERE …`: the row of the factor that was activated now, if any. */
  readonly source: SQL;
}

const { moved, owner, made } = rowsOf({ moved: undoLink, owner: userAccount, made: factorLink });
/** The former address while its transfer can be undone: the new one may be a thief's. */
const MAILED_TO = sql`coalesce((SELECT ${moved.email} FROM ${moved}
    WHERE ${moved.userId} = ${owner.id} AND ${moved.endedAt} IS NULL AND ${moved.expiresAt} > ${now} LIMIT 1),
    ${owner.email})`;

/** Mails the owner a link, unless the factor meets its highest demand already. `declared`: arguments of the source. */
export function offerConfirmation(
  declared: Declared,
  { kind, passkeyId, meets, source }: Enrolled,
): readonly Statement[] {
  return [
    define({ ...declared, ...LINK, opId: text, now: int }, () => {
      const { names, values } = inserted(factorLink, {
        mac: linkMac,
        userId: CHANGED_USER,
        kind: quoted(kind),
        passkeyId,
        activatedAt: now,
        expiresAt: linkExpiresAt,
      });
      return sql`
      INSERT INTO ${factorLink} (${names})
      SELECT ${values} ${source} AND ${meets} < ${FACTORS[kind].meets}`;
    }),
    queueMail({ ...LINK, linkMailId: text, linkParams: text }, {
      id: linkMailId,
      template: "factor_confirmation",
      language: owner.language,
      recipient: MAILED_TO,
      detail: made.kind,
      sealedParams: linkParams,
      expiresAt: linkExpiresAt,
      source:
        sql`FROM ${made} CROSS JOIN ${owner} ON ${owner.id} = ${made.userId} WHERE ${made.mac} = ${linkMac}`,
    }),
  ];
}

const SUBMITTED = { macs: text, now: int };
const { macs } = placeholdersOf(SUBMITTED);

/** The link is the submitted one, is live, and its factor is still the one that was activated then. */
function isLive({ mac, userId, kind, passkeyId, activatedAt, expiresAt }: typeof factorLink): SQL {
  const { key, factor } = rowsOf({ key: passkey, factor: secondFactor });
  return sql`${mac} IN (SELECT value FROM json_each(${macs})) AND ${expiresAt} > ${now}
    AND CASE WHEN ${passkeyId} IS NULL
      THEN EXISTS (SELECT 1 FROM ${factor} WHERE ${factor.userId} = ${userId} AND ${factor.kind} = ${kind}
        AND ${factor.activatedAt} = ${activatedAt})
      ELSE EXISTS (SELECT 1 FROM ${key} WHERE ${key.id} = ${passkeyId}) END`;
}

/** Reads the user of a live link. Run before `CONFIRM_FACTOR`, which decides, so that invented links cause no write. */
export const FIND_FACTOR_LINK = probing(
  rows<{ readonly userId: number }>()(
    SUBMITTED,
    () => sql`SELECT ${factorLink.userId} AS userId FROM ${factorLink} WHERE ${isLive(factorLink)} LIMIT 1`,
  ),
);

const link = row(factorLink, "link");
const IS_SUBMITTED =
  sql`${link.mac} IN (SELECT value FROM json_each(${macs})) AND ${link.userId} = ${CHANGED_USER}`;

/** Confirms the factor of a link, which works once. No row if the link is not valid. */
export const CONFIRM_FACTOR: readonly Statement[] = [
  recordEvent(
    SUBMITTED,
    "factor.confirm",
    sql`SELECT 'ok' AS result, ${link.userId}, NULL AS session_id FROM ${link} WHERE ${isLive(link)} LIMIT 1`,
  ),
  define({ macs: text, opId: text }, () =>
    sql`
    UPDATE ${secondFactor} SET ${assigned(secondFactor, { meets: FACTORS.totp.meets })}
    WHERE ${secondFactor.kind} = 'totp' AND ${secondFactor.userId} = ${CHANGED_USER}
      AND ${secondFactor.activatedAt} = (SELECT ${link.activatedAt} FROM ${link}
        WHERE ${IS_SUBMITTED} AND ${link.kind} = 'totp')`),
  define({ macs: text, opId: text }, () =>
    sql`
    UPDATE ${passkey} SET ${assigned(passkey, { meets: FACTORS.passkey.meets })}
    WHERE ${passkey.id} = (SELECT ${link.passkeyId} FROM ${link} WHERE ${IS_SUBMITTED})`),
  define({ macs: text, opId: text }, () =>
    sql`
    DELETE FROM ${factorLink} WHERE ${factorLink.mac} IN (SELECT value FROM json_each(${macs}))
      AND ${factorLink.userId} = ${CHANGED_USER}`),
  READ_RESULT,
];
