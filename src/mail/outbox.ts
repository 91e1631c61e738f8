import type { Secrets } from "../core/secrets.ts";

/** Parameters of a mail that must not be readable in the database. */
export type SecretMailParams = Readonly<Record<string, string>>;

/** Seals a mail's secret parameters for the outbox row with this id. In another row they do not open. */
export function sealMailParams(secrets: Secrets, mailId: string, params: SecretMailParams): Promise<string> {
  return secrets.seal(JSON.stringify(params), `mail ${mailId}`);
}

/** Opens what `sealMailParams` sealed; no parameters if nothing was sealed. */
export async function openMailParams(
  secrets: Secrets,
  mailId: string,
  sealed: string | null,
): Promise<SecretMailParams> {
  if (sealed === null) return {};
  return JSON.parse(await secrets.open(sealed, `mail ${mailId}`)) as SecretMailParams;
}

/** How long delivery of a notice is tried. A mail with a code or link expires together with that. */
export const NOTICE_LIFE_SECONDS = 86_400;
