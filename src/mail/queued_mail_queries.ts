import { defineStatement, type Statement } from "../db/statement.ts";
import type { MessageTemplate } from "./message_content.ts";

/** A mail for each row of `source`. Every value but the template is an SQL expression, which may use that row. */
export interface QueuedMail {
  /** By default `:opId`, for an operation that queues a single mail. */
  readonly id?: string;
  readonly template: MessageTemplate | TemplateChoice;
  readonly language: string;
  /** A named sender brand; by default the service's own sender. */
  readonly brand?: string;
  /** Null: the submitted address has no account, and delivery drops the mail. */
  readonly recipient: string;
  readonly roleName?: string;
  readonly actorEmail?: string;
  readonly detail?: string;
  /** The result of `sealMailParams` for `id`. */
  readonly sealedParams?: string;
  readonly expiresAt: string;
  /** SQL: `FROM … WHERE …`. */
  readonly source: string;
}

/** A template that depends on the row. */
export interface TemplateChoice {
  /** An SQL condition. */
  readonly when: string;
  readonly then: MessageTemplate;
  readonly otherwise: MessageTemplate;
}

/**
 * Queues mails, in the batch that makes the change they announce. Parameters: `:now` and those of its
 * expressions.
 */
export function queueMail({ id = ":opId", template, source, ...mail }: QueuedMail): Statement {
  const values: Readonly<Record<string, string | undefined>> = {
    id,
    created_at: ":now",
    template: templateOf(template),
    language: mail.language,
    brand: mail.brand,
    recipient: mail.recipient,
    role_name: mail.roleName,
    actor_email: mail.actorEmail,
    detail: mail.detail,
    sealed_params: mail.sealedParams,
    expires_at: mail.expiresAt,
  };
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  const columns = given.map(([column]) => column).join(", ");
  const row = given.map(([, value]) => value).join(", ");
  return {
    ...defineStatement(`INSERT INTO outbox (${columns})\n  SELECT ${row}\n  ${source}`),
    queuesMail: true,
  };
}

function templateOf(template: MessageTemplate | TemplateChoice): string {
  if (typeof template === "string") return `'${template}'`;
  const { when, then, otherwise } = template;
  return `CASE WHEN ${when} THEN '${then}' ELSE '${otherwise}' END`;
}
