import { type Declared, raw, text } from "../db/sql.ts";
import { parametersOf, type Statement } from "../db/statement.ts";
import type { MessageTemplate } from "./message_content.ts";
import * as queued from "./queued_mail_queries.ts";

/** The parts of `queued_mail_queries.ts` for statements that are still texts. */

/** The arguments that texts name. */
export function declaredIn(...texts: readonly string[]): Declared {
  return Object.fromEntries([...parametersOf(texts.join(" "))].map((name) => [name, text]));
}

interface QueuedMail {
  readonly id?: string;
  readonly template: MessageTemplate | {
    readonly when: string;
    readonly then: MessageTemplate;
    readonly otherwise: MessageTemplate;
  };
  readonly language: string;
  readonly brand?: string;
  readonly recipient: string;
  readonly roleName?: string;
  readonly actorEmail?: string;
  readonly detail?: string;
  readonly sealedParams?: string;
  readonly expiresAt: string;
  readonly source: string;
}

export function queueMail({ template, ...mail }: QueuedMail): Statement {
  const choice = typeof template === "string" ? template : { ...template, when: raw(template.when) };
  const when = typeof template === "string" ? "" : template.when;
  const values = Object.fromEntries(Object.entries(mail).map(([name, value]) => [name, raw(value)]));
  const declared = declaredIn(...Object.values(mail), when);
  return queued.queueMail(declared, { ...values, template: choice } as queued.QueuedMail);
}
