import { AppError } from "../core/errors.ts";
import { toLanguage } from "../mail/languages.ts";

/** Options of a requested mail, as parsed by `MailQuerySchema`. */
export interface MailOptions {
  /** Name of a sender brand. */
  readonly origin?: string | undefined;
  /** Two letters; by default the account's language. */
  readonly language?: string | undefined;
}

/** Returns the outbox arguments of the options. Throws `MALFORMED_REQUEST` for an unknown brand. */
export function readMailOptions(
  { mailBrands }: { readonly mailBrands: ReadonlySet<string> },
  { origin, language }: MailOptions,
): { brand: string | null; mailLanguage: string | null } {
  if (origin !== undefined && !mailBrands.has(origin)) {
    throw new AppError("MALFORMED_REQUEST", {
      details: [{ path: "query.origin", message: "Expected the name of a configured sender" }],
    });
  }
  return {
    brand: origin ?? null,
    mailLanguage: language === undefined ? null : toLanguage(language),
  };
}
