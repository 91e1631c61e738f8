import { outbox } from "../db/schema/mail.ts";
import {
  bare,
  type Declared,
  define,
  inserted,
  int,
  placeholdersOf,
  quoted,
  type SQL,
  sql,
  text,
  type Value,
} from "../db/sql.ts";
import { queuingMail, type Statement } from "../db/statement.ts";
import type { MessageTemplate } from "./message_content.ts";

const { opId, now } = placeholdersOf({ opId: text, now: int });

/** A mail for each row of `source`; the other parts may use its tables. */
export interface QueuedMail {
  /** By default `opId`, for an operation that queues a single mail. */
  readonly id?: Value;
  /** Whether rows whose `id` is in the outbox already queue nothing. By default they fail. */
  readonly isOnce?: boolean;
  readonly template: MessageTemplate | TemplateChoice;
  readonly language: Value;
  /** A named sender brand; by default the service's own sender. */
  readonly brand?: Value;
  /** Null if the submitted address has no account; delivery drops such mail. */
  readonly recipient: Value;
  readonly roleName?: Value;
  readonly actorEmail?: Value;
  readonly detail?: Value;
  /** The result of `sealMailParams` for `id`. */
  readonly sealedParams?: Value;
  readonly expiresAt: Value;
  /** When the mail is sent at the earliest, and counts as queued. By default now. */
  readonly dueAt?: Value;
  /** `FROM … WHERE …`. */
  readonly source: SQL;
}

/** A template chosen by the row. */
export interface TemplateChoice {
  readonly when: SQL;
  readonly then: MessageTemplate;
  readonly otherwise: MessageTemplate;
}

/** Queues mails in the batch of the change that they announce. `declared`: the arguments of the parts. */
export function queueMail(
  declared: Declared,
  { id = opId, isOnce = false, template, source, dueAt, ...mail }: QueuedMail,
): Statement {
  const own = {
    ...(id === opId && { opId: text }),
    ...(dueAt === undefined && { now: int }),
  };
  return queuingMail(define({ ...declared, ...own }, () => {
    const { names, values } = inserted(outbox, {
      id,
      createdAt: dueAt ?? now,
      template: templateOf(template),
      ...mail,
      ...(dueAt && { nextAttemptAt: dueAt }),
    });
    return sql`INSERT INTO ${outbox} (${names})
  SELECT ${values}
  ${source}${isOnce ? sql` ON CONFLICT (${bare(outbox.id)}) DO NOTHING` : sql``}`;
  }));
}

function templateOf(template: MessageTemplate | TemplateChoice): SQL {
  if (typeof template === "string") return quoted(template);
  const { when, then, otherwise } = template;
  return sql`CASE WHEN ${when} THEN ${quoted(then)} ELSE ${quoted(otherwise)} END`;
}
