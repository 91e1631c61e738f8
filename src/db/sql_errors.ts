import { AppError } from "../core/errors.ts";

/**
 * A remote server gave no answer that can be read: refused, cut off, out of time, garbled, or a failure of its own. What
 * it did with the request is unknown.
 */
export class ServerUnreachableError extends Error {
  override readonly name = "ServerUnreachableError";
}

/**
 * Codes of a database that cannot serve at the moment: locked, out of space or memory, a transaction that ran out of
 * time, an account that is blocked, an answer that no database would give. Read-only is a server without its primary, or
 * a disk that the system has mounted anew after a fault: both pass. A corrupt file is not among them, because trying
 * again cannot help there.
 */
const UNAVAILABLE_CODES: ReadonlySet<string> = new Set([
  "SQLITE_BUSY",
  "SQLITE_LOCKED",
  "SQLITE_FULL",
  "SQLITE_IOERR",
  "SQLITE_NOMEM",
  "SQLITE_CANTOPEN",
  "SQLITE_READONLY",
  "SQLITE_PROTOCOL",
  "TRANSACTION_TIMEOUT",
  "TRANSACTION_BUSY",
  "BLOCKED",
  "CLIENT_CLOSED",
  "HRANA_PROTO_ERROR",
  "HRANA_CLOSED_ERROR",
]);

/** What the remote client makes of an answer that breaks the protocol. */
const UNREADABLE_CODES: ReadonlySet<string> = new Set(["HRANA_PROTO_ERROR", "HRANA_CLOSED_ERROR"]);

/** HTTP statuses below 500 that say "not now" or "not you" rather than "this request is wrong". */
const UNAVAILABLE_STATUSES: ReadonlySet<number> = new Set([401, 403, 404, 408, 429]);

const RETRY_AFTER_SECONDS = 1;

/** Another connection holds the lock that the statement needs. */
export function isBusy(error: unknown): boolean {
  return chain(error).some((link) => codeOf(link) === "SQLITE_BUSY");
}

/** The database cannot serve at the moment, whatever the statement. */
export function isUnavailable(error: unknown): boolean {
  return chain(error).some((link) => {
    if (link instanceof ServerUnreachableError) return true;
    const code = codeOf(link);
    if (code !== undefined && UNAVAILABLE_CODES.has(code)) return true;
    return "status" in link && typeof link.status === "number" && isUnavailableStatus(link.status);
  });
}

/** The server may have done what it was asked: there was no answer, or none that can be read. */
export function isOutcomeUnknown(error: unknown): boolean {
  return chain(error).some((link) =>
    link instanceof ServerUnreachableError || UNREADABLE_CODES.has(codeOf(link) ?? "")
  );
}

/**
 * The driver's own word that a write ran so long on the server that it was rolled back for the sake of others. Besides
 * reporting it to the caller, the remote client leaves such rejections behind that nobody awaits; a process may live on
 * after these. An `AppError` that carries it as its cause is not one: that was for a caller to handle.
 */
export function isTransactionTimeout(error: unknown): boolean {
  return error instanceof Error && codeOf(error) === "TRANSACTION_TIMEOUT";
}

/**
 * The columns of a broken UNIQUE or PRIMARY KEY constraint as SQLite names them: `table.column`, or
 * `table.a, table.b` for several. Undefined for any other error. A remote server sends no extended code, so the text is
 * all that file and server have in common.
 */
export function uniqueViolation(error: unknown): string | undefined {
  for (const link of chain(error)) {
    if (codeOf(link) !== "SQLITE_CONSTRAINT") continue;
    const match = /UNIQUE constraint failed: (.+)/.exec(link.message);
    if (match !== null) return match[1];
  }
  return undefined;
}

/**
 * A text, an answer or what a statement makes of them is larger than the database handles. Nothing of the call took effect,
 * and it would not the next time. A server has a word of its own for each place where it may be found out.
 */
export function isTooLarge(error: unknown): boolean {
  return chain(error).some((link) => {
    const code = codeOf(link);
    if (code === "SQLITE_TOOBIG" || code === "RESPONSE_TOO_LARGE") return true;
    return code === "ARGS_INVALID" && link.message.includes("too big");
  });
}

/** A statement names a table that does not exist. */
export function isMissingTable(error: unknown, table: string): boolean {
  return chain(error).some((link) => link.message.endsWith(`no such table: ${table}`));
}

/** The failure every caller sees when the database cannot serve: a 503 that asks to come back in a second. */
export function unavailable(cause: unknown): AppError {
  return new AppError("UNAVAILABLE", { retryAfterSeconds: RETRY_AFTER_SECONDS, cause });
}

/** `AppError("UNAVAILABLE")` for an error that means so, any other error as it is. */
export function translateError(error: unknown): unknown {
  if (error instanceof AppError || !isUnavailable(error)) return error;
  return unavailable(error);
}

function isUnavailableStatus(status: number): boolean {
  return status >= 500 || UNAVAILABLE_STATUSES.has(status);
}

/** The error and its causes: Drizzle and the remote client wrap what the driver says. */
function chain(error: unknown): Error[] {
  const links: Error[] = [];
  for (let link = error; link instanceof Error && !links.includes(link); link = link.cause) links.push(link);
  return links;
}

/** The primary code: of a file's extended codes (`SQLITE_CONSTRAINT_UNIQUE`) a server sends only the first part. */
function codeOf(error: Error): string | undefined {
  if (!("code" in error) || typeof error.code !== "string") return undefined;
  return /^SQLITE_[A-Z]+/.exec(error.code)?.[0] ?? error.code;
}
