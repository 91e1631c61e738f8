import { createLog } from "../../src/core/log.ts";
import { createSecrets } from "../../src/core/secrets.ts";
import type { Database } from "../../src/db/database.ts";
import { bind, type Statement } from "../../src/db/statement.ts";
import type { DeliveryDeps } from "../../src/mail/delivery.ts";
import { sealMailParams, type SecretMailParams } from "../../src/mail/outbox.ts";
import type { MailTransport, OutgoingMail, SendOutcome } from "../../src/mail/transport.ts";
import { defineStatement } from "../helpers/text_statement.ts";

export interface OutboxScene {
  readonly deps: DeliveryDeps;
  readonly logLines: string[];
  advance(seconds: number): void;
  /** Queues a mail, by default one with a code that expires in 10 minutes. */
  put(id: string, change?: MailRow): Promise<void>;
  /** The states of the mails, oldest first. */
  rows(): Promise<StoredRow[]>;
}

export interface MailRow {
  readonly template?: string;
  readonly language?: string;
  readonly brand?: string | null;
  readonly recipient?: string | null;
  readonly detail?: string | null;
  readonly params?: SecretMailParams | null;
  readonly lifeSeconds?: number;
}

export interface StoredRow {
  readonly id: string;
  readonly state: "waiting" | "delivered" | "dropped";
  readonly attempts: number;
  readonly sealed: number;
}

const INSERT: Statement = {
  ...defineStatement(`
    INSERT INTO outbox (id, created_at, template, language, brand, recipient, detail, sealed_params, expires_at)
    VALUES (:id, :now, :template, :language, :brand, :recipient, :detail, :sealedParams, :expiresAt)`),
  queuesMail: true,
};

const ROWS = defineStatement(`
  SELECT id, CASE WHEN delivered_at IS NOT NULL THEN 'delivered' WHEN dropped_at IS NOT NULL THEN 'dropped'
    ELSE 'waiting' END AS state, attempts, sealed_params IS NOT NULL AS sealed FROM outbox ORDER BY id`);

/** An outbox with a stopped clock, and a transport in place of a server. */
export async function openOutbox(database: Database, transport: MailTransport): Promise<OutboxScene> {
  let now = Date.UTC(2026, 0, 1);
  const logLines: string[] = [];
  const secrets = await createSecrets([{ id: "test", bytes: new Uint8Array(32).fill(7) }]);
  const deps: DeliveryDeps = {
    database,
    clock: () => now,
    log: createLog("info", (line) => logLines.push(line)),
    secrets,
    issuerName: "Grid & Söhne",
    transport,
    senderOf: (brand) =>
      brand === "acme"
        ? { name: "Acme, Energy", address: "mail@acme.example" }
        : { name: "Grid", address: "no-reply@grid.example" },
  };
  return {
    deps,
    logLines,
    advance: (seconds) => void (now += seconds * 1000),
    async put(id, change = {}) {
      const { params = { otp: "7K3M9Q" }, lifeSeconds = 600, ...columns } = change;
      const standard = {
        template: "password_reset_otp",
        language: "en",
        brand: null,
        recipient: "anna@b.example",
        detail: null,
      };
      const sealedParams = params === null ? null : await sealMailParams(secrets, id, params);
      const times = { now, expiresAt: now + lifeSeconds * 1000 };
      await database.write([bind(INSERT, { id, ...standard, ...columns, sealedParams, ...times })]);
    },
    rows: () => database.read<StoredRow>(bind(ROWS, {})),
  };
}

/** A transport that returns the given outcomes and records the mails. */
export function fakeTransport(
  answer: (mail: OutgoingMail) => SendOutcome | Promise<SendOutcome> = () => ({ result: "sent" }),
): MailTransport & { readonly mails: OutgoingMail[] } {
  const mails: OutgoingMail[] = [];
  return {
    mails,
    async send(mail) {
      mails.push(mail);
      return await answer(mail);
    },
  };
}
