import type { Secrets } from "../core/secrets.ts";

/** Secret parameters of a mail, which the database only holds sealed. */
export type SecretMailParams = Readonly<Record<string, string>>;

/** Seals a mail's secret parameters for its outbox row. They do not open in another row. */
export function sealMailParams(secrets: Secrets, mailId: string, params: SecretMailParams): Promise<string> {
  return secrets.seal(JSON.stringify(params), `mail ${mailId}`);
}

/** Opens sealed parameters; empty if nothing was sealed. */
export async function openMailParams(
  secrets: Secrets,
  mailId: string,
  sealed: string | null,
): Promise<SecretMailParams> {
  if (sealed === null) return {};
  return JSON.parse(await secrets.open(sealed, `mail ${mailId}`)) as SecretMailParams;
}

/** Lifetime of a notice in the outbox. A mail with a code or link expires with that. */
export const NOTICE_LIFE_SECONDS = 86_400;
