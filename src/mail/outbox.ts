import type { Secrets } from "../core/secrets.ts";

/** Secret parameters of a mail: what must not be readable in the database. */
export type SecretMailParams = Readonly<Record<string, string>>;

/** Seals a mail's secret parameters for the outbox row with this id; they cannot be moved to another row. */
export function sealMailParams(secrets: Secrets, mailId: string, params: SecretMailParams): Promise<string> {
  return secrets.seal(JSON.stringify(params), `mail ${mailId}`);
}

/** Opens what `sealMailParams` sealed; nothing sealed gives no parameters. */
export async function openMailParams(
  secrets: Secrets,
  mailId: string,
  sealed: string | null,
): Promise<SecretMailParams> {
  if (sealed === null) return {};
  return JSON.parse(await secrets.open(sealed, `mail ${mailId}`)) as SecretMailParams;
}

/** How long delivery of a notice is tried; a mail that carries a code or link ends with that instead. */
export const NOTICE_LIFE_SECONDS = 86_400;
